"""Whether what is known of a system fits its traces, and what is not known of it."""

from __future__ import annotations

from collections.abc import Sequence

from buto.errors import UsageError
from buto_predict.traces.calibration import Known
from buto_predict.traces.summary import Summary
from buto_predict.traces.tree import NETWORK


def check_names(stations: Sequence[str], known: Known) -> None:
    """Check that facts are about stations that exist, and that have what is said of them.

    Raises:
        UsageError: a station is unknown, shared twice, or has the name of what others become; servers are
            given for a part of a shared station, or a utilisation for the whole of it.
    """
    members = [name for group in known.shared.values() for name in group]
    for name, group in known.shared.items():
        _check_shared(name, group, stations, known)
    for option, names, allowed in (
        ("servers", known.servers, {*stations, *known.shared}),
        ("utilisation", known.utilisations, {*stations}),
        ("share", members, {*stations}),
    ):
        unknown = set(names) - allowed
        if unknown:
            raise UsageError(
                f"--{option} must name a station of the traces, got {', '.join(sorted(unknown))}",
                advice=f"stations are {', '.join(sorted(stations))}",
            )
    taken = {name for name, group in known.shared.items() if name in stations and name not in group}
    if taken:
        raise UsageError(
            f"--share must give a new name, or that of a station it joins, got {', '.join(sorted(taken))}",
            advice=f"stations are {', '.join(sorted(stations))}",
        )
    twice = {name for name in members if members.count(name) > 1}
    if twice:
        raise UsageError(f"a station must be shared once, got {', '.join(sorted(twice))} more often")


def _check_shared(name: str, group: Sequence[str], stations: Sequence[str], known: Known) -> None:
    """Check that a shared station has the servers, and its services the utilisations."""
    for member in group:
        if member != name and member in known.servers:
            raise UsageError(
                f"{member} is part of {name}, whose servers it uses",
                advice=f"--servers {name}={known.servers[member]}",
            )
    if name in known.utilisations and name not in stations:
        raise UsageError(
            f"{name} is shared: a utilisation must be of one of its services, {', '.join(group)}",
            advice=f"--utilisation {group[0]}=0.7 (the number of servers that it kept busy)",
        )


def without_utilisation(summary: Summary, known: Known) -> list[str]:
    """Return the stations, by name, whose times include waiting, because nothing tells it from work."""
    waited_for = {
        station
        for component, station in summary.placed.items()
        if station != NETWORK and component not in summary.timed
    }
    return sorted(waited_for - set(known.utilisations))
