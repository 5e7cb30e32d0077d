"""A history as a picture: one pair of axes for each property, a point for each check.

Importing this module imports matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator

from buto.report.history import ACCEPTED_ORACLE, TRAINED_ORACLE, Entry, series
from buto.report.plots.axes import set_unit
from buto.report.plots.charts import CHECKED_COLOUR, TRAINING_COLOUR, drawn_text
from buto.report.plots.figure import Picture
from buto.report.words import unit_of

MAX_LABELS = 12
_MARKS = {
    TRAINED_ORACLE: ("s", "#999999", "oracle trained"),
    ACCEPTED_ORACLE: ("s", TRAINING_COLOUR, "oracle accepted"),
    "pass": ("o", "#0072B2", "pass"),
    "regression": ("X", CHECKED_COLOUR, "regression"),
    "inconclusive": ("^", "#999999", "inconclusive"),
}


def history_plot(test: str, entries: Sequence[Entry], names: Sequence[str]) -> Picture:
    """Draw how each of these properties went; at least one."""
    figure = Picture(9, 1.2 + 2.6 * len(names), 130)
    grid = np.atleast_1d(figure.subplots(len(names), 1, sharex=True))
    for axes, name in zip(grid, names, strict=True):
        _draw(axes, entries, name)
    step = max(1, -(-len(entries) // MAX_LABELS))
    places = range(0, len(entries), step)
    grid[-1].xaxis.set_major_locator(FixedLocator(list(places)))
    grid[-1].set_xticklabels([_label(entries[place]) for place in places], fontsize=7)
    figure.suptitle(drawn_text(f"{test}: checks over time"), fontsize=11)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def _draw(axes: Axes, entries: Sequence[Entry], name: str) -> None:
    levels = series(entries, name)
    places = np.arange(len(entries))
    axes.plot(places, levels, color="#BBBBBB", linewidth=0.8, zorder=1)
    for result, (mark, colour, label) in _MARKS.items():
        here = np.array([entry.result == result for entry in entries], dtype=bool)
        if here.any():
            axes.scatter(places[here], levels[here], marker=mark, color=colour, label=label, zorder=2)
    for place, entry in enumerate(entries):
        if entry.is_training:
            axes.axvline(place, color=TRAINING_COLOUR, linewidth=0.8, linestyle="--", zorder=0)
    axes.set_title(drawn_text(name), loc="left", fontsize=9)
    set_unit(axes.yaxis, unit_of(name))
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _label(entry: Entry) -> str:
    return f"{entry.at:%m-%d %H:%M}\n{drawn_text(entry.short_commit)}"
