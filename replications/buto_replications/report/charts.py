"""Charts of the experiments as PNG or SVG: effects of a fault, shares found, and how counters vary.

A fault of the bed is drawn against its base, a few counters over the measured window; shares of changes that
are found against their size; and how far counters vary between equal runs beside how far another host shifts
them.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from buto.report.panels import Curve
from buto.report.plots.charts import (
    CHECKED_COLOUR,
    PNG,
    SPAN_COLOUR,
    TRAINING_COLOUR,
    Picture,
    drawing,
    set_unit,
)


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


COLOURS = (CHECKED_COLOUR, TRAINING_COLOUR, "#009E73", "#E69F00", "#CC79A7", "#56B4E9")
"""From Okabe and Ito's palette, one for each curve."""


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """The share that is found of changes of one kind, by their size.

    Attributes:
        shares, errors: NaN where nothing was tried.
    """

    label: str
    sizes: tuple[float, ...]
    shares: tuple[float, ...]
    errors: tuple[float, ...]
    colour: int
    line: str = "-"


@dataclass(frozen=True, slots=True)
class PowerPanel:
    """Curves of one place.

    Attributes:
        alarms: upper limit of the share of unchanged programs that fail, drawn as a band.
    """

    title: str
    size_label: str
    curves: tuple[PowerCurve, ...]
    alarms: float


def power_svg(panels: Sequence[PowerPanel], alarms_label: str) -> bytes:
    """Return all panels side by side as one SVG picture."""
    figure = Figure(figsize=(4.4 * len(panels), 4.2), layout="constrained", facecolor="white")
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels, strict=True):
        axes.axhspan(0, panel.alarms, color="#BBBBBB", alpha=0.5, linewidth=0, label=alarms_label)
        axes.axvline(1, color="#BBBBBB", linewidth=0.8)
        for curve in panel.curves:
            axes.errorbar(
                curve.sizes,
                curve.shares,
                yerr=curve.errors,
                label=curve.label,
                color=COLOURS[curve.colour % len(COLOURS)],
                linestyle=curve.line,
                marker="o",
                markersize=4,
                linewidth=1.6,
                elinewidth=0.7,
            )
        axes.set_title(panel.title, loc="left", fontsize=11)
        axes.set_xlabel(panel.size_label, fontsize=10)
        axes.set_xscale("log")
        ticks = sorted({size for curve in panel.curves for size in curve.sizes})
        axes.set_xticks(ticks, [f"{size:g}" for size in ticks])
        axes.minorticks_off()
        axes.set_ylim(0, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        axes.tick_params(labelsize=9)
        axes.grid(color="#DDDDDD", linewidth=0.5)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set_ylabel("checks that fail", fontsize=10)
    drawn, labels = grid[0].get_legend_handles_labels()
    figure.legend(drawn, labels, fontsize=9, frameon=False, loc="outside lower center", ncols=4)
    return _svg(figure)


def _svg(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    # Texts stay texts, and the same figures give the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "buto"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


LEAST = 1e-4
"""Smaller shares are drawn at this place."""


@dataclass(frozen=True, slots=True)
class Varying:
    """One property.

    Attributes:
        between_runs: share by which equal runs vary.
        between_hosts: share by which another host shifts it; NaN if it has no such property.
    """

    name: str
    between_runs: float
    between_hosts: float


def variation_svg(properties: Sequence[Varying]) -> bytes:
    """Return a row for each property, the first one on top, as one SVG picture."""
    figure = Figure(figsize=(7.5, 1.0 + 0.19 * len(properties)), layout="constrained")
    axes = figure.subplots()
    for place, prop in enumerate(properties):
        runs = max(prop.between_runs, LEAST)
        axes.plot(runs, place, "o", color=TRAINING_COLOUR, markersize=5)
        if not isnan(prop.between_hosts):
            hosts = max(prop.between_hosts, LEAST)
            axes.plot([runs, hosts], [place, place], color="#BBBBBB", linewidth=1, zorder=0)
            axes.plot(hosts, place, "D", color=CHECKED_COLOUR, markersize=4.5, markerfacecolor="none")
    axes.plot([], [], "o", color=TRAINING_COLOUR, markersize=5, label="between equal runs (CV, median)")
    axes.plot(
        [],
        [],
        "D",
        color=CHECKED_COLOUR,
        markersize=4.5,
        markerfacecolor="none",
        label="between the two hosts (median shift)",
    )
    axes.set_xscale("log")
    axes.set_xlim(LEAST / 1.5, 10)
    axes.set_xticks([1e-4, 1e-3, 1e-2, 0.1, 1, 10], ["≤ .01 %", ".1 %", "1 %", "10 %", "100 %", "1000 %"])
    axes.set_yticks(range(len(properties)), [prop.name for prop in properties])
    axes.set_ylim(len(properties) - 0.4, -0.6)
    axes.tick_params(labelsize=7)
    axes.minorticks_off()
    axes.grid(color="#DDDDDD", linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(fontsize=7, frameon=False, loc="outside lower center", ncols=2)
    return _svg(figure)
