"""Draw shares of checks that fail, with their errors, beside the level that is asked."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.figure import Figure

from buto.report.plots.charts import CHECKED_COLOUR, TRAINING_COLOUR

COLOURS = (CHECKED_COLOUR, TRAINING_COLOUR)


@dataclass(frozen=True, slots=True)
class AlarmPanel:
    """The shares of unchanged checks that fail at one level, in several cases.

    Attributes:
        alpha: the level.
        cases: what is judged, in words, from top to bottom.
        shares: by method, the share and its standard error in each case.
    """

    alpha: float
    cases: tuple[str, ...]
    shares: dict[str, tuple[tuple[float, float], ...]]


def svg(panels: Sequence[AlarmPanel]) -> bytes:
    """Return all panels side by side as one SVG picture; bars are two standard errors long on each side."""
    rows = max(len(panel.cases) for panel in panels)
    figure = Figure(figsize=(2.0 + 3.2 * len(panels), 1.2 + 0.32 * rows), layout="constrained")
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels, strict=True):
        for number, (method, shares) in enumerate(panel.shares.items()):
            axes.errorbar(
                [100 * value for value, _ in shares],
                [place + 0.16 * (2 * number - 1) for place in range(len(shares))],
                xerr=[200 * error for _, error in shares],
                label=method,
                color=COLOURS[number % len(COLOURS)],
                linestyle="",
                marker="o",
                markersize=4,
                linewidth=1.2,
                capsize=2,
            )
        axes.axvline(100 * panel.alpha, color="#888888", linestyle="--", linewidth=1)
        axes.set_title(f"alpha {panel.alpha:g}", loc="left", fontsize=9)
        axes.set_xlabel("checks of an unchanged program that fail, %", fontsize=8)
        axes.set_xlim(left=0)
        axes.set_yticks(range(len(panel.cases)), panel.cases)
        axes.set_ylim(len(panel.cases) - 0.5, -0.5)
        axes.tick_params(labelsize=7)
        axes.grid(color="#DDDDDD", linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    lines, labels = grid[0].get_legend_handles_labels()
    figure.legend(lines, labels, fontsize=7, frameon=False, loc="outside lower center", ncols=2)
    buffer = io.BytesIO()
    # Texts stay texts, and the same figures give the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "buto"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
