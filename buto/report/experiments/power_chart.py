"""Draw the share of changes that are found against their size."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.figure import Figure

from buto.report.plots.charts import CHECKED_COLOUR, TRAINING_COLOUR

COLOURS = (CHECKED_COLOUR, TRAINING_COLOUR, "#009E73", "#E69F00")
"""From Okabe and Ito's palette, one for each method."""


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """The share found by one method in one way of checking.

    Attributes:
        label: what the legend says.
        sizes: of the changes.
        shares, errors: as many, with standard errors.
        colour: number of its colour.
        line: Matplotlib's style of the line.
    """

    label: str
    sizes: tuple[float, ...]
    shares: tuple[float, ...]
    errors: tuple[float, ...]
    colour: int
    line: str = "-"


@dataclass(frozen=True, slots=True)
class PowerPanel:
    title: str
    size_label: str
    curves: tuple[PowerCurve, ...]


def svg(panels: Sequence[PowerPanel]) -> bytes:
    """Return all panels side by side as one SVG picture."""
    figure = Figure(figsize=(3.2 * len(panels), 3.0), layout="constrained")
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels, strict=True):
        for curve in panel.curves:
            axes.errorbar(
                curve.sizes,
                curve.shares,
                yerr=curve.errors,
                label=curve.label,
                color=COLOURS[curve.colour % len(COLOURS)],
                linestyle=curve.line,
                marker="o",
                markersize=3,
                linewidth=1.2,
                capsize=2,
            )
        axes.set_title(panel.title, loc="left", fontsize=9)
        axes.set_xlabel(panel.size_label, fontsize=8)
        axes.set_ylim(-0.02, 1.02)
        axes.tick_params(labelsize=7)
        axes.grid(color="#DDDDDD", linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set_ylabel("share found", fontsize=8)
    lines, labels = grid[0].get_legend_handles_labels()
    figure.legend(lines, labels, fontsize=7, frameon=False, loc="outside lower center", ncols=3)
    buffer = io.BytesIO()
    # Texts stay texts, and the same figures give the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "buto"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
