"""The drawing of an architecture, with what is predicted of it.

A band for each station, in the order in which requests reach them; in each band columns by depth of call; an
arrow for each call.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from buto.run.units import format_percent, format_rate, format_seconds
from buto_predict.model import Architecture, Call
from buto_predict.prediction.model import Prediction, StationPrediction
from buto_predict.report.tables import call_label, change, from_to, shortened

WIDTH, HEIGHT = 214, 42
"""Of a box, in pixels."""

GAP = 84
"""Between two columns; calls run down in it."""

_ACROSS, _DOWN = WIDTH + GAP, HEIGHT + 14
_MARGIN, _LABEL = 10, 22

Caller = tuple[bool, str]
"""A name, and whether it is that of an endpoint; a component may have the same name."""

Place = tuple[int, int]


_NEAREST, _FURTHEST = 24.0, (GAP - 8) / 0.75
"""Handles of the curves within a column; a curve goes three quarters of the way to its handles."""

_LETTERS = 28
"""Of a name in a box."""

_HARDLY = 0.005
"""Share of a self time below which a change is not coloured."""


@dataclass(frozen=True, slots=True)
class StationRow:
    """The band of a station in pixels; the first one, without a station, has the requests."""

    station: str
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """The upper left corner of each box, and the bands, in pixels."""

    width: int
    height: int
    rows: tuple[StationRow, ...]
    places: Mapping[Caller, Place]


def lay_out(architecture: Architecture, changed: Collection[str] = ()) -> DiagramLayout:
    """Place endpoints and components. Columns count only the depths that a station has, so that a long way
    of calls stays narrow.

    Args:
        changed: stations that come first among those of the same depth.
    """
    depths = _depths(architecture)
    own: dict[str, list[str]] = {station.name: [] for station in architecture.stations}
    for component in architecture.components:
        own[component.station].append(component.name)
    first = {
        name: min([depths[shared_name] or inf for shared_name in own[name]], default=inf) for name in own
    }
    stations = sorted(own, key=lambda name: (first[name], name not in changed))
    places: dict[Caller, Place] = {}
    rows = []
    y, widest = _MARGIN, 0
    endpoints = [endpoint.name for endpoint in architecture.endpoints]
    for station, names in [("", endpoints), *((name, own[name]) for name in stations)]:
        levels = [0] * len(names) if not station else [depths[name] for name in names]
        columns = {level: column for column, level in enumerate(sorted(set(levels)))}
        filled: Counter[int] = Counter()
        for name, level in zip(names, levels, strict=True):
            column = columns[level]
            places[not station, name] = (2 * _MARGIN + column * _ACROSS, y + _LABEL + filled[column] * _DOWN)
            filled[column] += 1
        height = _LABEL + max([1, *filled.values()]) * _DOWN
        rows.append(StationRow(station, y, height))
        y += height + _MARGIN
        widest = max(widest, len(columns))
    return DiagramLayout(2 * _MARGIN + widest * _ACROSS, y, tuple(rows), places)


def _depths(architecture: Architecture) -> Mapping[str, int]:
    """Return for each component the fewest calls from any request, plus one; 0 for those never called."""
    calls = {component.name: component.calls for component in architecture.components}
    reached = {call.to: 1 for endpoint in architecture.endpoints for call in endpoint.calls}
    queue = list(reached)
    for name in queue:
        for call in calls[name]:
            if call.to not in reached:
                reached[call.to] = reached[name] + 1
                queue.append(call.to)
    return {name: reached.get(name, 0) for name in calls}


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
        *(((True, endpoint.name), endpoint.calls) for endpoint in architecture.endpoints),
        *(((False, component.name), component.calls) for component in architecture.components),
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
    heights: dict[tuple[int, bool], float] = {}
    for (place, _), ends in ends_at.items():
        in_order = sorted(ends, key=lambda pair: (*_order(place, pair[0]), pair[1]))
        for rank, (_, position, enters_here) in enumerate(in_order):
            heights[position, enters_here] = place[1] + HEIGHT * (rank + 1) / (len(ends) + 1)
    return [(heights[position, False], heights[position, True]) for position in range(len(leads))]


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
        members.sort(key=lambda name: abs(leads[name].end[1] - leads[name].start[1]))
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


@dataclass(frozen=True, slots=True)
class Box:
    """A component or an endpoint.

    Attributes:
        tone: style of the box: worse, better, same or regression, pass, inconclusive.
    """

    x: int
    y: int
    name: str
    title: str
    detail: str
    tone: str


@dataclass(frozen=True, slots=True)
class LabelledBand:
    y: int
    height: int
    label: str
    tone: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """All of the drawing, in pixels."""

    width: int
    height: int
    bands: tuple[LabelledBand, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def diagram(architecture: Architecture, prediction: Prediction | None = None) -> Diagram:
    """Draw an architecture, with what is predicted of it if there is a prediction."""
    titles = {
        station.name: _station(station.name, architecture, prediction) for station in architecture.stations
    }
    layout = lay_out(architecture, [name for name, (_, tone) in titles.items() if tone != "same"])
    bands = [
        LabelledBand(row.y, row.height, *titles.get(row.station, ("requests", "same"))) for row in layout.rows
    ]
    return Diagram(
        layout.width,
        layout.height,
        tuple(bands),
        (
            *_endpoints(architecture, prediction, layout.places),
            *_components(architecture, prediction, layout.places),
        ),
        arrows(architecture, layout.places),
    )


def _station(name: str, architecture: Architecture, prediction: Prediction | None) -> tuple[str, str]:
    station = architecture.stations[architecture.station_index[name]]
    servers = "" if station.servers == 1 else f", {station.servers} servers"
    kind = "" if station.discipline.value == "processor-sharing" else f", {station.discipline.value}"
    if prediction is None:
        return f"{name}{servers}{kind}", "same"
    predicted: StationPrediction = prediction.stations[architecture.station_index[name]]
    busy = f"utilisation {from_to(format_percent(predicted.old), format_percent(predicted.new))}"
    demand = (
        f"demand {from_to(format_seconds(predicted.old_demand_s), format_seconds(predicted.new_demand_s))}"
    )
    saturated = ", saturated" if predicted.saturated else ""
    return f"{name}{servers}{kind}: {demand}, {busy}{saturated}", _tone(
        predicted.old_demand_s, predicted.new_demand_s
    )


def _endpoints(
    architecture: Architecture, prediction: Prediction | None, places: Mapping[Caller, Place]
) -> list[Box]:
    boxes = []
    for position, endpoint in enumerate(architecture.endpoints):
        x, y = places[True, endpoint.name]
        detail, tone = format_rate(endpoint.rate), "same"
        if prediction is not None:
            known = prediction.endpoints[position]
            tone = known.status.value
            detail = f"{detail}, {known.status.value}"
        boxes.append(Box(x, y, shortened(endpoint.name, _LETTERS), endpoint.name, detail, tone))
    return boxes


def _components(
    architecture: Architecture, prediction: Prediction | None, places: Mapping[Caller, Place]
) -> list[Box]:
    boxes = []
    for position, component in enumerate(architecture.components):
        x, y = places[False, component.name]
        new_s = component.self_s
        if prediction is not None:
            new_s += prediction.self_changes_s[position]
        tone = _tone(component.self_s, new_s)
        detail = f"self {format_seconds(component.self_s)}"
        if tone != "same":
            detail += f" to {format_seconds(new_s)} ({change(component.self_s, new_s)})"
        boxes.append(Box(x, y, shortened(component.name, _LETTERS), component.name, detail, tone))
    return boxes


def _tone(old: float, new: float) -> str:
    if abs(new - old) <= _HARDLY * old:
        return "same"
    return "worse" if new > old else "better"
