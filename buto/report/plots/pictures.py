"""Whole pictures of runs, results and histories, for files and for notebooks.

Series are drawn as they were judged, with their bounds; a result with what decided it; a history with one
pair of axes for each property and a point for each check. Importing this module imports matplotlib.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from buto.extensions import optional_packages
from buto.judging.verdict import OF_CHECK, Roles, Verdict
from buto.judging.views import RunsView
from buto.oracle import Oracle
from buto.report.check_report import CheckReport
from buto.report.history import ACCEPTED_ORACLE, TRAINED_ORACLE, HistoryEntry, series
from buto.report.levels import select
from buto.report.panels import Panel, panels_of
from buto.report.plots.charts import (
    CHECKED_COLOUR,
    PNG,
    TRAINING_COLOUR,
    Picture,
    drawing,
    dress,
    escape_text,
    overview_plot,
    property_plot,
    set_unit,
)
from buto.report.words import CHANGED, status_of, unit_of
from buto.run.model import Run, RunSet
from buto.run.units import format_count
from buto.run.window import cut_to_window

MAX_PICTURES = 12
MAX_NAME = 120
"""Characters of a property's name in its file's name."""

MAX_OTHERS = 8
"""Properties in an overview beside those that differ."""


def panels(
    oracle: Oracle, training: Sequence[Run], checked: Sequence[Run], verdict: Verdict | None = None
) -> list[Panel]:
    """Return one panel for each property that the oracle judges.

    In the order of :func:`buto.report.panels.panels_of`.

    Args:
        training: the stored training runs of the oracle; may be empty.
        checked: runs to draw above them; may be empty.
        verdict: on these; None without any.
    """
    findings, noted, reach = (
        ((), (), None) if verdict is None else (verdict.findings, verdict.noted, verdict.reach)
    )
    training, checked = list(map(cut_to_window, training)), list(map(cut_to_window, checked))
    view = oracle.fitted.view((*training, *checked))
    return list(panels_of(view, training, checked, findings, noted, reach))


def pictures(
    drawn: Sequence[Panel], title: str, caption: str = "", picture: str = PNG, roles: Roles = OF_CHECK
) -> dict[str, bytes]:
    """Return file names and pictures: an overview, and at most MAX_PICTURES properties that changed."""
    changing = [panel for panel in drawn if panel.changes][:MAX_PICTURES]
    content = drawing(overview(drawn, title, caption, roles), picture)
    return {f"overview.{picture}": content, **single_pictures(changing, title, caption, picture, roles)}


def overview(
    drawn: Sequence[Panel], title: str, caption: str = "", roles: Roles = OF_CHECK, *, whole: bool = False
) -> Picture:
    """Draw many properties: what failed, what is noted, and a few others; the title has how many are left
    out.

    Args:
        whole: whether to draw all, constant ones too.
    """
    if whole:
        return overview_plot(drawn, title, caption, roles)
    changed = [panel for panel in drawn if panel.changes]
    others = [panel for panel in drawn if panel.moves and not panel.changes]
    constant = len(drawn) - len(changed) - len(others)
    shown = [*changed, *(others[:MAX_OTHERS] if changed else others)]
    left_out = [
        format_count(number, what)
        for number, what in (
            (len(changed) + len(others) - len(shown), "other property"),
            (constant, "constant property"),
        )
        if number
    ]
    heading = f"{title}; without {' and '.join(left_out)}" if left_out else title
    return overview_plot(shown, heading, caption, roles)


def single_pictures(
    drawn: Sequence[Panel], title: str, caption: str = "", picture: str = PNG, roles: Roles = OF_CHECK
) -> dict[str, bytes]:
    """Return file names and pictures, one for each panel."""
    return {
        f"{_file_name(panel.prop.name)}.{picture}": drawing(
            property_plot(panel, title, caption, roles), picture
        )
        for panel in drawn
    }


def caption_of(oracle: Oracle, checked: Sequence[Run]) -> str:
    """Return how the curves are smoothed; empty if they are not."""
    smoothing = oracle.fitted.view(checked).smoothing
    if smoothing is None:
        return ""
    half = smoothing.window // 2
    return f"smoothed ({smoothing.average}); {half} points are missing at each end"


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:MAX_NAME] or "property"


_OF_RUNS = Roles("recorded", "recorded runs", "training", "training runs")


def runs_figure(runs: RunSet, oracle: Oracle | None, training: RunSet, properties: Sequence[str]) -> Picture:
    """Draw runs, in front of what an oracle expects where there is one.

    Args:
        training: drawn behind them; may be empty.
        properties: what to draw, as :func:`buto.report.levels.select` has it; all that change if
            there are none.

    Raises:
        UsageError: a name means no property.
    """
    if oracle is None:
        drawn = list(panels_of(RunsView((*training, *runs)), training.runs, runs.runs))
        caption = ""
    else:
        drawn = panels(oracle, training.runs, runs.runs)
        caption = caption_of(oracle, runs.runs)
    title = ", ".join(dict.fromkeys(run.test for run in runs))
    return _figure(drawn, properties, title, caption, _OF_RUNS)


def report_figure(report: CheckReport, properties: Sequence[str]) -> Picture:
    """Draw a check: what differs first, or the properties that are named; raises as :func:`runs_figure`."""
    title = f"{report.test}: {status_of(report.verdict)}"
    return _figure(report.panels, properties, title, "", report.roles)


def _figure(
    drawn: Sequence[Panel], properties: Sequence[str], title: str, caption: str, roles: Roles = OF_CHECK
) -> Picture:
    by_name = {panel.prop.name: panel for panel in drawn}
    named = [by_name[name] for name in select(by_name, properties, "what is drawn")]
    if len(named) == 1:
        return property_plot(named[0], title, caption, roles)
    return overview(named or drawn, title, caption, roles, whole=bool(named))


MAX_LABELS = 12
_MARKS = {
    TRAINED_ORACLE: ("s", "#999999", "oracle trained"),
    ACCEPTED_ORACLE: ("s", TRAINING_COLOUR, "oracle accepted"),
    "pass": ("o", "#0072B2", "pass"),
    "regression": ("X", CHECKED_COLOUR, "regression"),
    CHANGED: ("P", "#009E73", "changed for the better"),
    "inconclusive": ("^", "#999999", "inconclusive"),
}


def history_plot(test: str, entries: Sequence[HistoryEntry], names: Sequence[str]) -> Picture:
    """Draw how each of these properties went; at least one."""
    figure = Picture(9, 1.2 + 2.6 * len(names), 130)
    grid = np.atleast_1d(figure.subplots(len(names), 1, sharex=True))
    for axes, name in zip(grid, names, strict=True):
        _draw(axes, entries, name)
    step = max(1, -(-len(entries) // MAX_LABELS))
    places = range(0, len(entries), step)
    grid[-1].xaxis.set_major_locator(FixedLocator(list(places)))
    labels = [f"{entries[at].at:%m-%d %H:%M}\n{escape_text(entries[at].short_commit)}" for at in places]
    grid[-1].set_xticklabels(labels, fontsize=7)
    figure.suptitle(escape_text(f"{test}: checks over time"), fontsize=11)
    figure.legend(
        *grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False, fontsize=9
    )
    return figure


def _draw(axes: Axes, entries: Sequence[HistoryEntry], name: str) -> None:
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
    axes.set_title(escape_text(name), loc="left", fontsize=9)
    set_unit(axes.yaxis, unit_of(name))
    dress(axes, "y")


with optional_packages("a plot"):
    from matplotlib.axes import Axes
    from matplotlib.ticker import FixedLocator
