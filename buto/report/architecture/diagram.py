"""Where everything lies in the drawing of an architecture: a band for each station, columns by depth of
call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from buto.architecture.model import Architecture, Call
from buto.architecture.prediction.model import Prediction, StationPrediction
from buto.report.architecture.tables import change
from buto.report.html.escaping import line
from buto.units import format_number, format_percent, format_rate, format_seconds

WIDTH, HEIGHT = 196, 42
"""Of a box, in pixels."""

_ACROSS, _DOWN = WIDTH + 70, HEIGHT + 14
_MARGIN, _LABEL = 10, 22
_LETTERS = 26
"""Of a name in a box."""

_HARDLY = 0.005
"""Share of a self time below which a change is not coloured."""


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
class Arrow:
    """A call, as an SVG path with the place of its label; the label is empty for one call."""

    path: str
    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Band:
    """A station."""

    y: int
    height: int
    label: str
    tone: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """All of the drawing, in pixels."""

    width: int
    height: int
    bands: tuple[Band, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def diagram(architecture: Architecture, prediction: Prediction | None = None) -> Diagram:
    """Lay out an architecture, with what is predicted of it if there is a prediction."""
    depths = _depths(architecture)
    rows = [("", [one.name for one in architecture.endpoints], [0] * len(architecture.endpoints))]
    for station in architecture.stations:
        own = [one.name for one in architecture.components if one.station == station.name]
        rows.append((station.name, own, [depths[name] for name in own]))
    places: dict[tuple[bool, str], tuple[int, int]] = {}
    bands = []
    y = _MARGIN
    for row, (station_name, names, columns) in enumerate(rows):
        filled: Counter[int] = Counter()
        for name, column in zip(names, columns, strict=True):
            places[row == 0, name] = (
                _MARGIN * 2 + column * _ACROSS,
                y + _LABEL + filled[column] * _DOWN,
            )
            filled[column] += 1
        height = _LABEL + max([1, *filled.values()]) * _DOWN
        label, tone = _station(station_name, architecture, prediction) if row else ("requests", "same")
        bands.append(Band(y, height, label, tone))
        y += height + _MARGIN
    widest = max(depths.values(), default=0)
    return Diagram(
        4 * _MARGIN + widest * _ACROSS + WIDTH,
        y,
        tuple(bands),
        (*_endpoints(architecture, prediction, places), *_components(architecture, prediction, places)),
        _arrows(architecture, places),
    )


def _depths(architecture: Architecture) -> Mapping[str, int]:
    """Return for each component the fewest calls from any request, plus one; those never called come
    first.
    """
    calls = {one.name: one.calls for one in architecture.components}
    reached = {call.to: 1 for endpoint in architecture.endpoints for call in endpoint.calls}
    queue = list(reached)
    for name in queue:
        for call in calls[name]:
            if call.to not in reached:
                reached[call.to] = reached[name] + 1
                queue.append(call.to)
    return {name: reached.get(name, 0) for name in calls}


def _station(name: str, architecture: Architecture, prediction: Prediction | None) -> tuple[str, str]:
    station = architecture.stations[architecture.station_index[name]]
    servers = "" if station.servers == 1 else f", {station.servers} servers"
    kind = "" if station.discipline.value == "processor-sharing" else f", {station.discipline.value}"
    if prediction is None:
        return f"{name}{servers}{kind}", "same"
    one: StationPrediction = prediction.stations[architecture.station_index[name]]
    busy = f"utilisation {format_percent(one.old)} to {format_percent(one.new)}"
    demand = f"demand {format_seconds(one.old_demand_s)} to {format_seconds(one.new_demand_s)}"
    saturated = ", saturated" if one.saturated else ""
    return f"{name}{servers}{kind}: {demand}, {busy}{saturated}", _tone(one.old_demand_s, one.new_demand_s)


def _endpoints(
    architecture: Architecture,
    prediction: Prediction | None,
    places: Mapping[tuple[bool, str], tuple[int, int]],
) -> list[Box]:
    boxes = []
    for position, endpoint in enumerate(architecture.endpoints):
        x, y = places[True, endpoint.name]
        detail, tone = format_rate(endpoint.rate), "same"
        if prediction is not None:
            known = prediction.endpoints[position]
            tone = known.status.value
            detail = f"{detail}, {known.status.value}"
        boxes.append(Box(x, y, line(endpoint.name, _LETTERS), endpoint.name, detail, tone))
    return boxes


def _components(
    architecture: Architecture,
    prediction: Prediction | None,
    places: Mapping[tuple[bool, str], tuple[int, int]],
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
        boxes.append(Box(x, y, _short(component.name), component.name, detail, tone))
    return boxes


def _arrows(
    architecture: Architecture, places: Mapping[tuple[bool, str], tuple[int, int]]
) -> tuple[Arrow, ...]:
    callers = [((True, one.name), one.calls) for one in architecture.endpoints]
    callers += [((False, one.name), one.calls) for one in architecture.components]
    return tuple(
        _arrow(places[caller], places[False, call.to], call) for caller, calls in callers for call in calls
    )


def _arrow(start: tuple[int, int], end: tuple[int, int], call: Call) -> Arrow:
    x0, y0 = start[0] + WIDTH, start[1] + HEIGHT / 2
    x1, y1 = end[0], end[1] + HEIGHT / 2
    bend = max(40.0, abs(x1 - x0) / 2)
    label = "" if call.times == 1 else f"x{format_number(call.times)}"
    label += " at once" if call.parallel else ""
    path = f"M{x0},{y0} C{x0 + bend:.0f},{y0} {x1 - bend:.0f},{y1} {x1},{y1}"
    return Arrow(path, x1 - 8, y1 - 5, label)


def _tone(old: float, new: float) -> str:
    if abs(new - old) <= _HARDLY * old:
        return "same"
    return "worse" if new > old else "better"


def _short(name: str) -> str:
    """Return the end of a name that is too long for its box, for that tells components apart."""
    return name if len(name) <= _LETTERS else f"...{name[3 - _LETTERS :]}"
