"""One HTML page of a prediction, or of a model alone, without scripts and without anything to fetch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import floor, isfinite, log10

from markupsafe import Markup

from buto.report.html.template import asset, render_template
from buto.run.units import format_rate, format_seconds
from buto.version import __version__
from buto_predict.model import Architecture
from buto_predict.prediction.model import Prediction
from buto_predict.report.diagram import HEIGHT as BOX_HEIGHT
from buto_predict.report.diagram import WIDTH as BOX_WIDTH
from buto_predict.report.diagram import diagram
from buto_predict.report.tables import deviation_rows, endpoint_rows, initials, shortened, station_rows
from buto_predict.report.text import conclusions, headline

WIDTH, HEIGHT = 460, 240
"""Of a chart, in pixels."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 12, 34
_TICKS = 5
_NEAR = 13
"""Pixels between two lines that leave no place for a text."""
_LETTERS = 16
"""Of a station's name along a line."""
_HIGHEST = 8.0
"""Times the lowest response time that is shown; near saturation everything else would lie on the axis."""


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True, slots=True)
class LoadMark:
    """A load that matters, as a vertical line.

    Attributes:
        short: what is written along the line.
        label: what the list below the chart says of it.
        low: whether ``short`` is at the lower end, because the line before is too near.
    """

    x: float
    short: str
    label: str
    tone: str
    low: bool


@dataclass(frozen=True, slots=True)
class LoadChart:
    """One endpoint's chart in pixels; ``band`` is the interval of the new version, as an SVG path."""

    endpoint: str
    old: str
    new: str
    band: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[LoadMark, ...]


@dataclass(frozen=True, slots=True)
class _Scale:
    loads: tuple[float, float]
    top_s: float

    def x(self, load: float) -> float:
        low, high = self.loads
        return round(_LEFT + (load - low) / (high - low) * (WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value_s: float) -> float:
        share = min(value_s / self.top_s, 1.0)
        return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 1)


def load_charts(prediction: Prediction) -> tuple[LoadChart, ...]:
    """Lay out a chart for each endpoint; none for a curve of fewer than two loads."""
    if len(prediction.curve) < 2:
        return ()
    return tuple(_chart(prediction, endpoint) for endpoint in range(len(prediction.endpoints)))


def _chart(prediction: Prediction, endpoint: int) -> LoadChart:
    loads = [point.load for point in prediction.curve]
    old = [point.old_s[endpoint] for point in prediction.curve]
    new = [point.new_s[endpoint] for point in prediction.curve]
    finite = [value for value in (*old, *new) if isfinite(value)]
    top_s = min(max(finite, default=1.0), _HIGHEST * min(finite, default=1.0)) * 1.05
    scale = _Scale((0.0, max(*loads, prediction.load)), top_s)
    low = [point.low_s[endpoint] for point in prediction.curve]
    high = [point.high_s[endpoint] for point in prediction.curve]
    forth, back = _points(scale, loads, low), _points(scale, loads[::-1], high[::-1])
    return LoadChart(
        prediction.endpoints[endpoint].name,
        _path(_points(scale, loads, old)),
        _path(_points(scale, loads, new)),
        f"{_path([*forth, *back])} Z" if forth and back else "",
        tuple(Tick(scale.x(number), format_rate(number)) for number in _round_numbers(scale.loads[1])),
        tuple(Tick(scale.y(number), format_seconds(number)) for number in _round_numbers(top_s)),
        _marks(prediction, endpoint, scale),
    )


def _marks(prediction: Prediction, endpoint: int, scale: _Scale) -> tuple[LoadMark, ...]:
    limits, station = prediction.limits[endpoint], prediction.bottleneck
    lowest = prediction.curve[0].load
    # At the lowest load of the curve it may have mattered before, so there is no line to draw.
    matters = limits.matters_from if limits.matters_from and limits.matters_from > lowest else None
    known = (
        (prediction.load, "judged", "the load that is judged:", "now"),
        (limits.old_knee, "knee before", "knee before:", "old"),
        (limits.new_knee, "knee after", "knee after:", "new"),
        (matters, "matters from here", "the change matters from", "matters"),
        (
            prediction.saturation_new,
            f"{shortened(station, _LETTERS)} saturates",
            f"{station} saturates after the change at",
            "saturated",
        ),
    )
    made: list[LoadMark] = []
    shown = [
        (load, short, label, tone)
        for load, short, label, tone in known
        if load is not None and load <= scale.loads[1]
    ]
    for load, short, label, tone in sorted(shown):
        x = scale.x(load)
        low = bool(made) and not made[-1].low and x - made[-1].x < _NEAR
        made.append(LoadMark(x, short, f"{label} {format_rate(load)}", tone, low))
    return tuple(made)


def _points(scale: _Scale, loads: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    return [
        (scale.x(load), scale.y(value)) for load, value in zip(loads, values, strict=True) if isfinite(value)
    ]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x},{y}" for x, y in points) if points else ""


def _round_numbers(highest: float) -> list[float]:
    """Return up to some five round numbers from 0."""
    step = 10 ** floor(log10(highest / _TICKS))
    step = next(step * factor for factor in (1, 2, 5, 10) if highest / (step * factor) <= _TICKS)
    return [float(f"{step * count:.12g}") for count in range(int(highest / step) + 1)]


def prediction_page(prediction: Prediction) -> str:
    return _page(
        prediction.architecture,
        prediction,
        title=headline(prediction),
        status=prediction.status.value,
        charts=load_charts(prediction),
        conclusions=list(conclusions(prediction)),
        tables=[
            ("Endpoints", endpoint_rows(prediction)),
            ("Stations", station_rows(prediction)),
            ("Component tests", deviation_rows(prediction)),
        ],
    )


def architecture_page(architecture: Architecture) -> str:
    return _page(architecture, None, title=architecture.name, status="", charts=(), conclusions=[], tables=[])


def _page(architecture: Architecture, prediction: Prediction | None, **values: object) -> str:
    return render_template(
        "prediction.html",
        package="buto_predict",
        version=__version__,
        style=Markup(
            asset("tables.css")
            + files("buto_predict").joinpath("templates", "prediction.css").read_text("utf-8")
        ),
        diagram=diagram(architecture, prediction),
        box=(BOX_WIDTH, BOX_HEIGHT),
        initials=initials,
        chart_size=(WIDTH, HEIGHT),
        **values,
    )
