"""Properties drawn with matplotlib: training runs, band, checked runs, and where these lie outside.

The ticks of an axis are round in the unit that is read: powers of two for bytes, whole counts for things,
half and whole minutes for long times. A figure becomes a file or shows itself in a notebook. Importing this
module imports matplotlib; nothing here touches its global state or a display.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from buto.extensions import optional_packages
from buto.judging.verdict import OF_CHECK, Difference, Roles
from buto.report.panels import Panel
from buto.report.sanitize import one_line
from buto.report.words import band_name
from buto.run.model import FloatArray
from buto.run.units import format_change, format_number, format_quantity, format_seconds

with optional_packages("a plot"):
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.ticker import FuncFormatter, Locator, MaxNLocator

MAX_TICKS = 6

LONG_S = 120.0
STEPS_S = (
    *(60.0 * minutes for minutes in (0.5, 1, 2, 5, 10, 15, 30)),
    *(3600.0 * hours for hours in (1, 2, 4, 12)),
)
"""Steps between ticks of more than two minutes; beyond them whole days."""

_DAY_S = 86_400.0


class BinaryLocator(Locator):
    """Ticks at multiples of a power of two, as 4 MiB, 8 MiB, 12 MiB."""

    def __call__(self) -> list[float]:
        low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        size = abs(vmax - vmin)
        return _multiples(2.0 ** max(0, math.ceil(math.log2(max(size, 1.0) / MAX_TICKS))), vmin, vmax)


class SecondsLocator(MaxNLocator):
    """Ticks at round seconds; for more than two minutes at multiples of half a minute or more."""

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        least_s = abs(vmax - vmin) / MAX_TICKS
        if least_s <= LONG_S / MAX_TICKS:
            return super().tick_values(vmin, vmax)
        step = next((step for step in STEPS_S if step >= least_s), _DAY_S * math.ceil(least_s / _DAY_S))
        return _multiples(step, vmin, vmax)


def _multiples(step: float, *ends: float) -> list[float]:
    low, high = sorted(ends)
    return [step * multiple for multiple in range(math.ceil(low / step), math.floor(high / step) + 1)]


def set_unit(axis: Axis, unit: str) -> None:
    """Place and write the ticks of an axis by the unit of its values (UCUM, see buto.run.properties)."""
    counted = unit.startswith("{")
    if unit == "By":
        axis.set_major_locator(BinaryLocator())
    elif unit == "s":
        axis.set_major_locator(SecondsLocator(MAX_TICKS, min_n_ticks=1))
    else:
        axis.set_major_locator(MaxNLocator(MAX_TICKS, integer=counted, min_n_ticks=1))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: format_number(value) if counted else format_quantity(value, unit))
    )


PNG, SVG = "png", "svg"


class Picture(Figure):
    """A matplotlib figure that notebooks show by themselves; pyplot does not know it."""

    def __init__(self, width: float, height: float, dpi: int) -> None:
        super().__init__(figsize=(width, height), dpi=dpi, layout="constrained")

    def _repr_png_(self) -> bytes:
        return drawing(self, PNG)


def drawing(figure: Figure, picture: str) -> bytes:
    """Return a figure as the content of a file, :data:`PNG` or :data:`SVG`."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # Scripts that the font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(buffer, format=picture, metadata={"Date": None} if picture == SVG else None)
    return buffer.getvalue()


# Blue and vermilion of Okabe and Ito's palette: distinct with any colour vision, and in print.
BAND_COLOUR = "#56B4E9"
TRAINING_COLOUR = "#4D6A7F"
CHECKED_COLOUR = "#D55E00"
SPAN_COLOUR = "#777777"
SPAN_ROWS = 3
MAX_PANELS = 24
MAX_DRAWN = 80
"""Characters of a name; a longer one would leave its axes no room."""

_CAPTION_COLOUR = "#444444"
_MARGIN = 0.08
_FLAT_SHARE = 0.1
"""A property that changes by a smaller share of its level is drawn flat, not magnified."""


def property_plot(panel: Panel, title: str, caption: str = "", roles: Roles = OF_CHECK) -> Picture:
    """Draw one property, as PNG in 1200 x 675 pixels; the caption stands below, small.

    Beside the curves are the numbers that decided, one of each run, if a finding has them.
    """
    figure = Picture(8, 4.5, 150)
    decided = next((change for change in panel.changes if change.numbers is not None), None)
    if decided is None:
        axes = figure.subplots()
    else:
        axes, beside = figure.subplots(1, 2, width_ratios=(3.2, 1))
        _draw_numbers(beside, decided, roles)
    _draw(axes, panel)
    axes.set_title(f"{escape_text(panel.prop.name)}\n", loc="left", fontweight="bold")
    axes.text(0, 1.02, _subtitle(panel, escape_text(title)), transform=axes.transAxes, color=_CAPTION_COLOUR)
    axes.set_xlabel(f"time since {panel.zero}")
    figure.supxlabel(caption, fontsize=7, color=_CAPTION_COLOUR)
    axes.legend(handles=_legend([panel], roles), loc="best", frameon=False, fontsize="small")
    return figure


def _draw_numbers(axes: Axes, finding: Difference, roles: Roles) -> None:
    """Draw one dot for each run, and the range in which the mean of the judged ones would not stand out."""
    assert finding.numbers is not None
    known, judged = finding.numbers.known, finding.numbers.judged
    values = [*known, *judged]
    low, high = (
        side if side is not None and math.isfinite(side) else None for side in (finding.lower, finding.upper)
    )
    values += [side for side in (low, high) if side is not None]
    span = max(values) - min(values) or max(_FLAT_SHARE * abs(max(values)), 1e-9)
    bottom, top = min(values) - _MARGIN * span, max(values) + _MARGIN * span
    if low is not None or high is not None:
        axes.axhspan(
            bottom if low is None else low,
            top if high is None else high,
            color=BAND_COLOUR,
            alpha=0.3,
            linewidth=0,
        )
    for place, numbers, colour in ((0, known, TRAINING_COLOUR), (1, judged, CHECKED_COLOUR)):
        spread = 0.0 if len(numbers) < 2 else 0.25
        places = place + np.linspace(-spread, spread, len(numbers))
        axes.plot(places, numbers, "o", color=colour, markersize=4, alpha=0.8, zorder=3)
        if len(numbers) > 1:
            axes.hlines(float(np.mean(numbers)), place - 0.35, place + 0.35, color="black", linewidth=1.2)
    axes.set_xlim(-0.5, 1.5)
    axes.set_ylim(bottom, top)
    axes.set_xticks((0, 1), (escape_text(roles.known), escape_text(roles.judged)), fontsize="small")
    axes.tick_params(axis="y", labelsize="small")
    measure = _in_two_lines(finding.measure.replace(" from ", "\nfrom ") or "one number of each run", 26)
    axes.set_title(measure, fontsize="small", loc="left", color=_CAPTION_COLOUR)
    set_unit(axes.yaxis, finding.unit)
    dress(axes, "y")


def overview_plot(panels: Sequence[Panel], title: str, caption: str = "", roles: Roles = OF_CHECK) -> Picture:
    """Draw many properties as small charts in one picture; the first MAX_PANELS of them."""
    shown = panels[:MAX_PANELS]
    columns = min(4, math.ceil(math.sqrt(len(shown))) or 1)
    rows = math.ceil(len(shown) / columns) or 1
    figure = Picture(3.6 * columns, 2.3 * rows + 0.8, 110)
    grid = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for axes, panel in zip(grid, shown, strict=False):
        if _is_of_the_exit(panel):
            _draw_dots(axes, panel, roles)
        else:
            _draw(axes, panel)
        colour = CHECKED_COLOUR if panel.findings else "black"
        axes.set_title(_in_two_lines(escape_text(panel.prop.name)), loc="left", fontsize=9, color=colour)
        axes.tick_params(labelsize=7)
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    omitted = len(panels) - len(shown)
    figure.suptitle(
        escape_text(title) + (f" ({omitted} more properties not shown)" if omitted else ""), fontsize=11
    )
    figure.legend(
        handles=_legend(shown, roles),
        loc="outside lower center",
        ncols=4,
        frameon=False,
        fontsize=9,
        title=caption,
        title_fontsize=8,
    )
    return figure


def _is_of_the_exit(panel: Panel) -> bool:
    """Return whether each run has one value only, as what is counted at the exit, and so no curve."""
    curves = (*panel.training, *panel.checked)
    return bool(curves) and all(np.isfinite(curve.values).sum() <= 1 for curve in curves)


def _draw_dots(axes: Axes, panel: Panel, roles: Roles) -> None:
    for place, curves, colour in ((0, panel.training, TRAINING_COLOUR), (1, panel.checked, CHECKED_COLOUR)):
        numbers = [float(value) for curve in curves for value in curve.values[np.isfinite(curve.values)]]
        places = place + np.linspace(-0.25, 0.25, len(numbers))
        axes.plot(places, numbers, "o", color=colour, markersize=4, alpha=0.8, zorder=3)
    axes.set_xlim(-0.5, 1.5)
    axes.set_ylim(*limits(panel))
    axes.set_xticks((0, 1), (escape_text(roles.known), escape_text(roles.judged)))
    set_unit(axes.yaxis, panel.prop.unit)
    dress(axes, "y")


def _draw(axes: Axes, panel: Panel) -> None:
    # Phases and faults as areas, and moments as lines; their names in three rows.
    for row, span in enumerate(panel.spans):
        if span.is_moment:
            axes.axvline(span.start_s, color=SPAN_COLOUR, linewidth=0.8, linestyle=":")
        else:
            axes.axvspan(span.start_s, span.end_s, color=SPAN_COLOUR, alpha=0.12, linewidth=0)
        place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "va": "top", "clip_on": True}
        height = 0.95 - 0.06 * (row % SPAN_ROWS)
        axes.text(
            span.start_s, height, f" {escape_text(span.name)}", color=_CAPTION_COLOUR, fontsize=6, **place
        )
    if panel.band is not None:
        band = panel.band
        axes.fill_between(band.times_s, band.lower, band.upper, color=BAND_COLOUR, alpha=0.3, linewidth=0)
    for curve in panel.training:
        axes.plot(curve.times_s, curve.values, color=TRAINING_COLOUR, alpha=0.45, linewidth=0.8)
    worst = {finding.run_id for finding in panel.changes}
    for curve in panel.checked:
        strong = not worst or curve.run_id in worst
        style: dict[str, Any] = (
            {"linewidth": 1.8, "zorder": 3} if strong else {"linewidth": 1.0, "alpha": 0.6, "zorder": 2}
        )
        axes.plot(curve.times_s, curve.values, color=CHECKED_COLOUR, **style)
    for finding in panel.changes:
        outside = panel.outside_s(finding)
        if outside is not None:
            # A strip: a shade over the whole height would turn the band grey.
            axes.axvspan(*outside, ymin=0.97, color=CHECKED_COLOUR, alpha=0.5, linewidth=0)
        if finding.at_s is not None:
            axes.plot(finding.at_s, finding.observed, "o", color=CHECKED_COLOUR, fillstyle="none")
    axes.set_ylim(*limits(panel))
    axes.margins(x=0.01)
    set_unit(axes.xaxis, "s")
    set_unit(axes.yaxis, panel.prop.unit)
    dress(axes)


def dress(axes: Axes, grid: str = "both") -> None:
    """Draw a faint grid behind the curves, and no frame at the top and at the right."""
    axes.grid(axis=grid, color="#DDDDDD", linewidth=0.5)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def limits(panel: Panel) -> tuple[float, float]:
    """Return the lowest and the highest value to show.

    It is the range of the curves and the band; a much wider band is cut, or everything looks flat.
    """
    observed = [finding.observed for finding in panel.changes if finding.at_s is not None]
    curves = _finite(*(curve.values for curve in (*panel.training, *panel.checked)), np.array(observed))
    band = _finite(panel.band.lower, panel.band.upper) if panel.band is not None else np.empty(0)
    inner = curves if curves.size else band
    if not inner.size:
        return 0.0, 1.0
    low, high = float(inner.min()), float(inner.max())
    least = 2.0 if panel.prop.unit.startswith("{") else 0.0
    span = max(high - low, _FLAT_SHARE * abs(high), least) or 1.0
    if band.size:
        low, high = min(low, max(band.min(), low - span / 2)), max(high, min(band.max(), high + span / 2))
    lacking = max(0.0, span - (high - low)) / 2
    low, high = low - lacking - _MARGIN * span, high + lacking + _MARGIN * span
    return max(low, min(float(inner.min()), panel.prop.lower)), high


def _finite(*arrays: FloatArray) -> FloatArray:
    values = np.concatenate(arrays) if arrays else np.empty(0)
    return values[np.isfinite(values)]


def _legend(panels: Sequence[Panel], roles: Roles) -> list[Line2D | Patch]:
    n_checked = max((len(panel.checked) for panel in panels), default=0)
    runs = f"{roles.judged} run" if n_checked == 1 else f"{n_checked} {roles.judged_runs}"
    decides = next((panel.band_decides for panel in panels if panel.band is not None), None)
    handles: list[Line2D | Patch] = []
    if any(panel.training for panel in panels):
        label = escape_text(roles.known_runs)
        handles.append(Line2D([], [], color=TRAINING_COLOUR, alpha=0.6, label=label))
    if decides is not None:
        handles.append(Patch(color=BAND_COLOUR, alpha=0.3, label=escape_text(band_name(decides, roles))))
    if n_checked:
        handles.append(Line2D([], [], color=CHECKED_COLOUR, linewidth=2, label=escape_text(runs)))
    if any(panel.outside_s(finding) for panel in panels for finding in panel.changes):
        handles.append(Patch(color=CHECKED_COLOUR, alpha=0.5, label="outside"))
    return handles


def _subtitle(panel: Panel, title: str) -> str:
    worst = next(iter(panel.changes), None)
    if worst is None or worst.expected is None:
        return title
    at = "" if worst.at_s is None else f" at {format_seconds(worst.at_s)}"
    measure = f"{worst.measure} " if worst.measure else ""
    return f"{title}: {measure}{format_change(worst.expected, worst.observed, worst.unit)}{at}"


def _in_two_lines(name: str, width: int = 38) -> str:
    """Return a long name with its instance on a second line; each line is cut at ``width`` characters."""
    lines = [name] if len(name) <= width else name.replace("[", "\n[", 1).split("\n")
    return "\n".join(line if len(line) <= width else line[: width - 1].rstrip("\\") + "…" for line in lines)


def escape_text(text: str) -> str:
    """Return text from outside for matplotlib: one line, in which no dollar sign begins a formula."""
    return one_line(text, MAX_DRAWN).replace("$", "\\$")
