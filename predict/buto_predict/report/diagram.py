"""The drawing of an architecture, with what is predicted of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from buto.units import format_percent, format_rate, format_seconds
from buto_predict.model import Architecture
from buto_predict.prediction.model import Prediction, StationPrediction
from buto_predict.report.arrows import Arrow, arrows
from buto_predict.report.layout import Caller, Place, lay_out
from buto_predict.report.naming import from_to, shortened
from buto_predict.report.tables import change

_LETTERS = 28
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
    """Draw an architecture, with what is predicted of it if there is a prediction."""
    titles = {one.name: _station(one.name, architecture, prediction) for one in architecture.stations}
    layout = lay_out(architecture, [name for name, (_, tone) in titles.items() if tone != "same"])
    bands = [Band(row.y, row.height, *titles.get(row.station, ("requests", "same"))) for row in layout.rows]
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
    one: StationPrediction = prediction.stations[architecture.station_index[name]]
    busy = f"utilisation {from_to(format_percent(one.old), format_percent(one.new))}"
    demand = f"demand {from_to(format_seconds(one.old_demand_s), format_seconds(one.new_demand_s))}"
    saturated = ", saturated" if one.saturated else ""
    return f"{name}{servers}{kind}: {demand}, {busy}{saturated}", _tone(one.old_demand_s, one.new_demand_s)


def _endpoints(
    architecture: Architecture,
    prediction: Prediction | None,
    places: Mapping[Caller, Place],
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
    architecture: Architecture,
    prediction: Prediction | None,
    places: Mapping[Caller, Place],
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
