"""Pictures for notebooks: stored runs, and a result with what decided it."""

from __future__ import annotations

from collections.abc import Sequence

from buto.detectors.views import RunsView
from buto.oracle import Oracle
from buto.report.check_report import CheckReport
from buto.report.panels import Panel, panels_of
from buto.report.plots.charts import property_plot
from buto.report.plots.figure import Picture
from buto.report.plots.pictures import caption_of, overview, panels
from buto.report.property_selection import select
from buto.runs import RunSet
from buto.verdicts import OF_CHECK, Roles

_OF_RUNS = Roles("recorded", "recorded runs", "training", "training runs")


def runs_figure(runs: RunSet, oracle: Oracle | None, training: RunSet, properties: Sequence[str]) -> Picture:
    """Draw runs, in front of what an oracle expects where there is one.

    Args:
        training: drawn behind them; may be empty.
        properties: what to draw, as :func:`buto.report.property_selection.select` has it; all that change if
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
    title = f"{report.test}: {report.verdict.status.value}"
    return _figure(report.panels, properties, title, "", report.roles)


def _figure(
    drawn: Sequence[Panel], properties: Sequence[str], title: str, caption: str, roles: Roles = OF_CHECK
) -> Picture:
    by_name = {panel.prop.name: panel for panel in drawn}
    named = [by_name[name] for name in select(by_name, properties, "what is drawn")]
    if len(named) == 1:
        return property_plot(named[0], title, caption, roles)
    return overview(named or drawn, title, caption, roles, whole=bool(named))
