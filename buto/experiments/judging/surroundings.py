"""Recordings of the same programs in other surroundings, of which the counters are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from buto.experiments.design import VARIANTS
from buto.experiments.judging.invariance import Variation, variations
from buto.experiments.judging.recordings import ByHost, Recordings
from buto.experiments.judging.versions import SERVERS
from buto.runs import RunSet

BASE = "-base"
"""Ending of a small server as it was."""


@dataclass(frozen=True, eq=False, slots=True)
class Surroundings:
    """The counters of the same programs in two surroundings.

    Attributes:
        names: of the two.
        differs: what is different, in words.
        found: of each property.
    """

    names: tuple[str, str]
    differs: str
    found: tuple[Variation, ...]


def between_hosts(recorded: Recordings) -> Surroundings | None:
    """Return the counters of the variants of the thesis with each collector; None without two hosts."""
    hosts = {
        host: {name: runs[name].valid() for name in VARIANTS if name in runs}
        for host, runs in recorded.variants.items()
    }
    return _compared("another collector", hosts)


def of_servers(recorded: Recordings) -> Iterator[Surroundings]:
    """Yield the counters of small servers on the busy machine beside those in other surroundings."""
    busy = _bases(recorded.versions[SERVERS])
    for name, hosts in recorded.in_row.items():
        rows = {program: runs for programs in hosts.values() for program, runs in programs.items()}
        where = "quiet machine" if set(hosts) == {"parallel"} else "quiet machine, other JDK and collector"
        found = _compared(where, {"busy machine": busy, name: _common(rows, busy)})
        if found is not None:
            yield found
    for differs, name, programs, others in (
        ("one core", "one core", recorded.one_core, busy),
        ("a quota of half a core", "quota", recorded.quota, _bases(recorded.quota)),
    ):
        rows = {program: runs for of_host in programs.values() for program, runs in of_host.items()}
        found = _compared(differs, {"two cores": others, name: _common(rows, others)})
        if found is not None:
            yield found


def _bases(servers: ByHost) -> dict[str, RunSet]:
    return {
        name.removesuffix(BASE): runs.valid()
        for programs in servers.values()
        for name, runs in programs.items()
        if name.endswith(BASE)
    }


def _common(runs: Mapping[str, RunSet], others: Mapping[str, RunSet]) -> dict[str, RunSet]:
    return {name: some.valid() for name, some in runs.items() if name in others}


def _compared(differs: str, recorded: ByHost) -> Surroundings | None:
    """Return the variation of properties of the programs that both have; None if there are none."""
    if len(recorded) < 2 or not all(recorded.values()):
        return None
    one, other = list(recorded)[:2]
    common = recorded[one].keys() & recorded[other].keys()
    both = {name: {program: recorded[name][program] for program in sorted(common)} for name in (one, other)}
    found = tuple(variations(both))
    return Surroundings((one, other), differs, found) if found else None
