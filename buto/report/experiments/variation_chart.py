"""Draw how far counters vary between equal runs, beside how far another host shifts them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from matplotlib import rc_context
from matplotlib.figure import Figure

from buto.report.plots.charts import CHECKED_COLOUR, TRAINING_COLOUR

LEAST = 1e-4
"""Smaller shares are drawn at this place."""


@dataclass(frozen=True, slots=True)
class Varying:
    """One property.

    Attributes:
        name: of the property.
        between_runs: share by which equal runs vary.
        between_hosts: share by which another host shifts it; NaN if it has no such property.
    """

    name: str
    between_runs: float
    between_hosts: float


def svg(properties: Sequence[Varying]) -> bytes:
    """Return a row for each property, the first one on top, as one SVG picture."""
    figure = Figure(figsize=(7.5, 1.0 + 0.19 * len(properties)), layout="constrained")
    axes = figure.subplots()
    for place, one in enumerate(properties):
        runs = max(one.between_runs, LEAST)
        axes.plot(runs, place, "o", color=TRAINING_COLOUR, markersize=5)
        if not isnan(one.between_hosts):
            hosts = max(one.between_hosts, LEAST)
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
    axes.set_yticks(range(len(properties)), [one.name for one in properties])
    axes.set_ylim(len(properties) - 0.4, -0.6)
    axes.tick_params(labelsize=7)
    axes.minorticks_off()
    axes.grid(color="#DDDDDD", linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(fontsize=7, frameon=False, loc="outside lower center", ncols=2)
    buffer = io.BytesIO()
    # Texts stay texts, and the same figures give the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "buto"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()
