"""The arrows in the drawing of an architecture, one for each call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from buto_predict.model import Architecture, Call
from buto_predict.report.layout import GAP, HEIGHT, WIDTH, Caller, Place
from buto_predict.report.naming import call_label

_NEAREST, _FURTHEST = 24.0, (GAP - 8) / 0.75
"""Handles of the curves within a column; a curve goes three quarters of the way to its handles."""


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
class _Lead:
    """From the side of the caller that is nearer to the side of the other one that is nearer; within a
    column, through the gap to the right of it.
    """

    start: Place
    end: Place
    call: Call

    @property
    def from_right(self) -> bool:
        return self.end[0] >= self.start[0]

    @property
    def to_left(self) -> bool:
        return self.end[0] > self.start[0]

    @property
    def sides(self) -> tuple[_Side, _Side]:
        """Where it leaves a box, and where it enters one."""
        return (self.start, self.from_right), (self.end, not self.to_left)


_Side = tuple[Place, bool]
"""Of a box; the right one or the left one."""


def arrows(architecture: Architecture, places: Mapping[Caller, Place]) -> tuple[Arrow, ...]:
    """Return an arrow for each call. Those at the same side of a box are spread over it."""
    callers: list[tuple[Caller, Sequence[Call]]] = [
        *(((True, one.name), one.calls) for one in architecture.endpoints),
        *(((False, one.name), one.calls) for one in architecture.components),
    ]
    leads = [
        _Lead(places[caller], places[False, call.to], call) for caller, calls in callers for call in calls
    ]
    return tuple(
        _arrow(lead, bend, *heights)
        for lead, bend, heights in zip(leads, _bends(leads), _heights(leads), strict=True)
    )


def _heights(leads: Sequence[_Lead]) -> list[tuple[float, float]]:
    """Return where each arrow begins and ends, so that few arrows cross."""
    ends_at: dict[_Side, list[tuple[Place, int, bool]]] = defaultdict(list)
    for position, lead in enumerate(leads):
        leaves, enters = lead.sides
        ends_at[leaves].append((lead.end, position, False))
        ends_at[enters].append((lead.start, position, True))
    found: dict[tuple[int, bool], float] = {}
    for (place, _), ends in ends_at.items():
        in_order = sorted(ends, key=lambda one: (*_order(place, one[0]), one[1]))
        for rank, (_, position, enters_here) in enumerate(in_order):
            found[position, enters_here] = place[1] + HEIGHT * (rank + 1) / (len(ends) + 1)
    return [(found[position, False], found[position, True]) for position in range(len(leads))]


def _bends(leads: Sequence[_Lead]) -> list[float]:
    """Return how far from its ends an arrow turns. Within a column each arrow has a lane of its own; the
    longer it is, the further from the boxes.
    """
    bends = [max(40.0, (abs(lead.end[0] - lead.start[0]) - WIDTH) / 2) for lead in leads]
    columns: dict[int, list[int]] = defaultdict(list)
    for position, lead in enumerate(leads):
        if lead.start[0] == lead.end[0]:
            columns[lead.start[0]].append(position)
    for members in columns.values():
        members.sort(key=lambda one: abs(leads[one].end[1] - leads[one].start[1]))
        for lane, position in enumerate(members):
            bends[position] = _NEAREST + (_FURTHEST - _NEAREST) * lane / max(len(members) - 1, 3)
    return bends


def _order(here: Place, there: Place) -> tuple[int, int]:
    """Return a sort key, from the top of a box to its bottom: arcs to boxes of the same column lie within
    each other, so the nearest box comes last above and first from below.
    """
    if there[0] != here[0]:
        return 1, there[1]
    return (0 if there[1] < here[1] else 2), -there[1]


def _arrow(lead: _Lead, bend: float, y0: float, y1: float) -> Arrow:
    x0, x1 = lead.start[0] + WIDTH * lead.from_right, lead.end[0] + WIDTH * (not lead.to_left)
    bent0, bent1 = x0 + (bend if lead.from_right else -bend), x1 + (-bend if lead.to_left else bend)
    path = f"M{x0},{y0:.1f} C{bent0:.0f},{y0:.1f} {bent1:.0f},{y1:.1f} {x1},{y1:.1f}"
    return Arrow(
        path,
        x1 + (-8 if lead.to_left else 8),
        y1 - 4,
        call_label(lead.call),
        "end" if lead.to_left else "start",
    )
