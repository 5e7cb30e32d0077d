"""Draw a fault of the bed against its base: a few counters over the measured window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from buto.report.panels import Curve
from buto.report.plots.axes import set_unit
from buto.report.plots.charts import CHECKED_COLOUR, SPAN_COLOUR, TRAINING_COLOUR
from buto.report.plots.figure import PNG, Picture, drawing


@dataclass(frozen=True, eq=False, slots=True)
class FaultPanel:
    """One counter of the runs without the fault and of those with it.

    Attributes:
        text: of how much it changes.
    """

    title: str
    text: str
    unit: str
    base: tuple[Curve, ...]
    changed: tuple[Curve, ...]


@dataclass(frozen=True, eq=False, slots=True)
class FaultRow:
    """The counters of one intensity of a fault.

    Attributes:
        phases_s: when the load changed, in the run with the fault.
    """

    name: str
    panels: tuple[FaultPanel, ...]
    phases_s: tuple[float, ...]


def png(title: str, rows: Sequence[FaultRow]) -> bytes:
    """Return all rows as one picture; the same counter has the same range in all rows."""
    columns = max(len(row.panels) for row in rows)
    figure = Picture(3.1 * columns, 2.3 * len(rows) + 0.7, 100)
    grid = figure.subplots(len(rows), columns, squeeze=False, sharey="col", sharex=True)
    for axes_of_row, row in zip(grid, rows, strict=True):
        for axes, panel in zip(axes_of_row, row.panels, strict=True):
            _draw(axes, panel, row)
        axes_of_row[0].set_ylabel(row.name, fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("time in the window", fontsize=7)
        # After everything is drawn: all rows share the range.
        axes.set_ylim(bottom=0)
    figure.suptitle(title, fontsize=10)
    handles = [
        Line2D([], [], color=TRAINING_COLOUR, label="without the fault"),
        Line2D([], [], color=CHECKED_COLOUR, linewidth=2, label="with the fault, in the whole window"),
        Line2D([], [], color=SPAN_COLOUR, linestyle=":", label="the load changes (run with the fault)"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return drawing(figure, PNG)


def _draw(axes: Axes, panel: FaultPanel, row: FaultRow) -> None:
    for time_s in row.phases_s:
        axes.axvline(time_s, color=SPAN_COLOUR, linewidth=0.8, linestyle=":")
    for curve in panel.base:
        axes.plot(curve.times_s, curve.values, color=TRAINING_COLOUR, alpha=0.5, linewidth=0.8)
    for curve in panel.changed:
        axes.plot(curve.times_s, curve.values, color=CHECKED_COLOUR, linewidth=1.8)
    axes.set_title(f"{panel.title}\n{panel.text}", loc="left", fontsize=8)
    set_unit(axes.xaxis, "s")
    set_unit(axes.yaxis, panel.unit)
    axes.tick_params(labelsize=7)
    axes.grid(color="#DDDDDD", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
