"""The model of the new version, brought into the order of the old one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from buto.errors import UsageError
from buto.units import format_count
from buto_predict.model import Architecture, Station

_ADVICE = "make endpoints and stations of both models the same; components and their calls may differ"


def fitted(old: Architecture, new: Architecture, name: str = "the new model") -> Architecture:
    """Return the new model with stations and endpoints in the order of the old one, and with its load.

    Args:
        name: of the new model in messages.

    Raises:
        UsageError: stations or endpoints differ.
    """
    _same_names("endpoint", [one.name for one in old.endpoints], [one.name for one in new.endpoints], name)
    _same_names("station", old.station_index, new.station_index, name)
    for ours in old.stations:
        theirs = new.stations[new.station_index[ours.name]]
        if ours != theirs:
            raise UsageError(f"station {ours.name} {_difference(ours, theirs, name)}", advice=_ADVICE)
    endpoints = {one.name: one for one in new.endpoints}
    return replace(
        new,
        stations=old.stations,
        endpoints=tuple(replace(endpoints[one.name], rate=one.rate) for one in old.endpoints),
    )


def _same_names(what: str, ours: Collection[str], theirs: Collection[str], name: str) -> None:
    for here, there, where in ((ours, theirs, "the model"), (theirs, ours, name)):
        only = [one for one in here if one not in there]
        if only:
            shown = f"{what} {only[0]} is" if len(only) == 1 else f"{what}s {', '.join(only)} are"
            raise UsageError(f"{shown} only in {where}", advice=_ADVICE)


def _difference(ours: Station, theirs: Station, name: str) -> str:
    if ours.servers != theirs.servers:
        return f"has {format_count(ours.servers, 'server')} in the model and {theirs.servers} in {name}"
    return f"is {ours.discipline.value} in the model and {theirs.discipline.value} in {name}"
