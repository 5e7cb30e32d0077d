"""Plots as matplotlib figures, which notebooks show by themselves; ``savefig`` writes them to a file.

Matplotlib is imported when the first plot is drawn. Its pyplot, with its global state, is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from buto.errors import UsageError
from buto.oracle import Oracle
from buto.report.history import HistoryEntry, usual_properties
from buto.report.levels import select
from buto.report.result import Result
from buto.run.model import Run, run_set

if TYPE_CHECKING:
    from buto.report.plots.charts import Picture

MAX_PROPERTIES = 3
"""Of a history, where none is named."""


def plot_runs(
    runs: Run | Iterable[Run],
    properties: Sequence[str] = (),
    *,
    oracle: Oracle | None = None,
    training: Iterable[Run] = (),
) -> Picture:
    """Draw runs of one test over time, in front of what an oracle expects where one is given.

    Args:
        runs: one run or several of one test.
        properties: what to draw: a property, a metric for all its instances, or either with ``*`` in it;
            without any, all properties that change, up to 24 small charts. One property is drawn large.
        oracle: whose band is drawn, and by which curves are smoothed.
        training: runs to draw behind them.

    Raises:
        UsageError: a name means no property.
        JudgeError: the runs belong to different tests.
    """
    from buto.report.plots.pictures import runs_figure

    every = run_set([runs] if isinstance(runs, Run) else list(runs))
    return runs_figure(every, oracle, run_set(list(training)), properties)


def plot_result(result: Result, properties: Sequence[str] = ()) -> Picture:
    """Draw a check or a comparison: training runs, band, checked runs, and what lies outside.

    Args:
        properties: as for :func:`plot_runs`; those with findings come first.

    Raises:
        UsageError: the result has no verdict, or a name means no property.
    """
    if result.report is None:
        raise UsageError(
            f"the result of {result.test} has no verdict, so that there is nothing to draw",
            advice="draw its runs: buto.plot_runs(result.runs)",
        )
    from buto.report.plots.pictures import report_figure

    return report_figure(result.report, properties)


def plot_history(test: str, entries: Sequence[HistoryEntry], properties: Sequence[str] = ()) -> Picture:
    """Draw how the checks of a test went over time, one chart for each property.

    Args:
        test: its name.
        entries: as :func:`buto.api.values.history` returns them.
        properties: as for :func:`plot_runs`; without any, those that were found to differ most often.

    Raises:
        UsageError: a name means no property, or there are no entries.
    """
    known = dict.fromkeys(name for entry in entries for name in entry.levels)
    if not known:
        raise UsageError(f"the history of {test!r} has no numbers to draw", advice=f'buto.check("{test}")')
    named = select(known, properties, f"the history of {test!r}")
    from buto.report.plots.pictures import history_plot

    return history_plot(test, entries, named or usual_properties(entries, MAX_PROPERTIES))
