"""Where everything lies in the drawing of an architecture: a band for each station, in the order in which
requests reach them, and in each band columns by depth of call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from buto.architecture.model import Architecture, Call
from buto.units import format_number

WIDTH, HEIGHT = 214, 42
"""Of a box, in pixels."""

_GAP = 60
"""Between two columns; calls run down in it."""

_ACROSS, _DOWN = WIDTH + _GAP, HEIGHT + 14
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
class Arrow:
    """A call, as an SVG path with the place of its label; the label is empty for one call.

    Attributes:
        anchor: which end of the label is at that place, as in SVG.
    """

    path: str
    x: float
    y: float
    label: str
    anchor: str


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


def arrows(architecture: Architecture, places: Mapping[Caller, Place]) -> tuple[Arrow, ...]:
    """Return an arrow for each call."""
    callers: list[tuple[Caller, Sequence[Call]]] = [
        *(((True, one.name), one.calls) for one in architecture.endpoints),
        *(((False, one.name), one.calls) for one in architecture.components),
    ]
    return tuple(
        _arrow(places[caller], places[False, call.to], call) for caller, calls in callers for call in calls
    )


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


def _arrow(start: Place, end: Place, call: Call) -> Arrow:
    """Lead from the side of the caller that is nearer to the side of the other one that is nearer; within a
    column, through the gap to the right of it.
    """
    from_right, to_left = end[0] >= start[0], end[0] > start[0]
    x0, y0 = start[0] + WIDTH * from_right, start[1] + HEIGHT / 2
    x1, y1 = end[0] + WIDTH * (not to_left), end[1] + HEIGHT / 2
    # The more rows an arrow passes, the further it keeps from the boxes of its column.
    bend = min(20 + abs(y1 - y0) / 12, _GAP) if end[0] == start[0] else max(40.0, abs(x1 - x0) / 2)
    bent0, bent1 = x0 + (bend if from_right else -bend), x1 + (-bend if to_left else bend)
    label = "" if call.times == 1 else f"x{format_number(call.times)}"
    label += " at once" if call.parallel else ""
    path = f"M{x0},{y0} C{bent0:.0f},{y0} {bent1:.0f},{y1} {x1},{y1}"
    return Arrow(path, x1 + (-8 if to_left else 8), y1 - 5, label, "end" if to_left else "start")
