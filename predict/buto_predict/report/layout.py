"""Where everything lies in the drawing of an architecture: a band for each station, in the order in which
requests reach them, and in each band columns by depth of call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import inf

from buto_predict.model import Architecture

WIDTH, HEIGHT = 214, 42
"""Of a box, in pixels."""

GAP = 84
"""Between two columns; calls run down in it."""

_ACROSS, _DOWN = WIDTH + GAP, HEIGHT + 14
_MARGIN, _LABEL = 10, 22

Caller = tuple[bool, str]
"""A name, and whether it is that of an endpoint; a component may have the same name."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """The band of a station in pixels; the first one, without a station, has the requests."""

    station: str
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corner of each box, and the bands, in pixels."""

    width: int
    height: int
    rows: tuple[Row, ...]
    places: Mapping[Caller, Place]


def lay_out(architecture: Architecture, changed: Collection[str] = ()) -> Layout:
    """Place endpoints and components. Columns count only the depths that a station has, so that a long way
    of calls stays narrow.

    Args:
        changed: stations that come first among those of the same depth.
    """
    depths = _depths(architecture)
    own: dict[str, list[str]] = {station.name: [] for station in architecture.stations}
    for component in architecture.components:
        own[component.station].append(component.name)
    first = {name: min([depths[one] or inf for one in own[name]], default=inf) for name in own}
    stations = sorted(own, key=lambda name: (first[name], name not in changed))
    places: dict[Caller, Place] = {}
    rows = []
    y, widest = _MARGIN, 0
    endpoints = [one.name for one in architecture.endpoints]
    for station, names in [("", endpoints), *((name, own[name]) for name in stations)]:
        levels = [0] * len(names) if not station else [depths[name] for name in names]
        columns = {level: column for column, level in enumerate(sorted(set(levels)))}
        filled: Counter[int] = Counter()
        for name, level in zip(names, levels, strict=True):
            column = columns[level]
            places[not station, name] = (
                2 * _MARGIN + column * _ACROSS,
                y + _LABEL + filled[column] * _DOWN,
            )
            filled[column] += 1
        height = _LABEL + max([1, *filled.values()]) * _DOWN
        rows.append(Row(station, y, height))
        y += height + _MARGIN
        widest = max(widest, len(columns))
    return Layout(2 * _MARGIN + widest * _ACROSS, y, tuple(rows), places)


def _depths(architecture: Architecture) -> Mapping[str, int]:
    """Return for each component the fewest calls from any request, plus one; 0 for those never called."""
    calls = {one.name: one.calls for one in architecture.components}
    reached = {call.to: 1 for endpoint in architecture.endpoints for call in endpoint.calls}
    queue = list(reached)
    for name in queue:
        for call in calls[name]:
            if call.to not in reached:
                reached[call.to] = reached[name] + 1
                queue.append(call.to)
    return {name: reached.get(name, 0) for name in calls}
