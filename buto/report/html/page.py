"""Whole pages with charts: a check, or runs that nothing judges.

Both have curves, output, notifications, what measuring cost, style and scripts. Without a judgement, curves
have no bands, and the page tells how well the runs were measured.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from buto.judging.verdict import Direction, Status
from buto.report import phrases, words
from buto.report.check_report import CheckReport
from buto.report.document import Table
from buto.report.growth import growth_table, holders
from buto.report.html import clusters, summary, tables
from buto.report.html.chart_data import choose_panels, page_data, points_of, share, tag_of, training_drawn
from buto.report.html.dots import dots
from buto.report.html.template import property_name, render_page
from buto.report.panels import Charted, RecordedRuns
from buto.run.names import metadata_text
from buto.run.properties import title_of
from buto.run.units import format_number

SCRIPTS = (
    "sharp.js",
    "uplot/uPlot.iife.min.js",
    *(
        f"{name}.js"
        for name in ("element", "quantity", "data", "plot", "exit", "chart", "overview", "timeline", "page")
    ),
)
STYLES = ("uplot/uPlot.min.css", "page.css")
MARKS = {Status.PASS: "✓", Status.REGRESSION: "✗", Status.INCONCLUSIVE: "?"}
"""Beside the word and the colour, for readers who see no colour."""

ARROWS = {Direction.MORE: "▲", Direction.LESS: "▼", Direction.OTHER: "◆"}
MAX_CHARTS = 6
"""Findings with a chart of their own at the top; the others are a line each."""

MAX_LINES = 100
MAX_LISTED = 5000
"""Properties in the list of those that are not drawn."""


def render(report: CheckReport) -> str:
    """Return a check as one HTML document that needs no other file and no network.

    At most MAX_VALUES values of curves are drawn, fewer points of each run the more runs and properties
    there are; the page gives the number. Text from outside is cut and escaped, see
    :mod:`buto.report.html.template`.
    """
    verdict = report.verdict
    n_drawn = len(choose_panels(report))
    others = [
        (property_name(panel.prop.name), tag_of(panel, report.reach_of)) for panel in report.panels[n_drawn:]
    ]
    return _page(
        "check.html",
        report,
        status=verdict.status.value,
        word=words.status_of(verdict),
        mark=MARKS[verdict.status],
        words=words,
        phrases=phrases,
        title_of=title_of,
        curves=partial(_has_curves, report),
        sentence=summary.sentence,
        share=share,
        arrows=ARROWS,
        since=summary.since(report),
        reasons=words.reasons(verdict),
        facts=list(summary.facts(report)),
        charts={panel.prop.name: place for place, panel in enumerate(choose_panels(report))},
        details=partial(summary.details, report),
        dots=dots,
        closest=summary.closest(report),
        classes=tables.class_table(report.classes),
        grown=None if report.growth is None else growth_table(report.growth.judged, MAX_LISTED),
        holders=[] if report.growth is None else holders(report.growth, full=True),
        clusters=clusters,
        drawings=list(map(clusters.drawing, report.clusters)),
        max_charts=MAX_CHARTS,
        max_lines=MAX_LINES,
        bands=_bands(report),
        zero=report.panels[0].zero if report.panels else "",
        parts_of=summary.parts_of,
        others=Table(("property", ""), others).first(MAX_LISTED),
        n_others=len(others),
        steps=list(summary.steps(report)),
        settings=[(key, json.dumps(value, ensure_ascii=False)) for key, value in verdict.settings.items()],
        sections=[
            (section, Table(tuple(section.columns), [tuple(row) for row in section.rows]))
            for section in report.reasoning.sections
        ],
        environment=tables.environment_summary(report),
        metadata=list(tables.metadata_tables(report)),
        runs=tables.run_table(report, verdict.run_ids),
        deleted=len(report.training_ids) - len(report.training),
    )


def _has_curves(report: CheckReport, subject: str) -> bool:
    """Return whether a property has more than the values at the exit, which its dots show."""
    panel = report.panel(subject)
    return panel is not None and panel.has_curves


def render_runs(report: RecordedRuns) -> str:
    """Return the runs as one HTML document that needs no other file and no network."""
    runs = report.checked.runs
    keys = sorted({key for run in runs for key in run.metadata})
    return _page(
        "recorded.html",
        report,
        metadata=[
            (
                key,
                ", ".join(
                    dict.fromkeys(
                        metadata_text(key, run.metadata[key]) for run in runs if key in run.metadata
                    )
                ),
            )
            for key in keys
        ],
        runs=tables.run_table(report),
        deleted=0,
    )


def _page(template: str, report: Charted, **values: Any) -> str:
    whole, beans = tables.cost_tables(report)
    return render_page(
        template,
        page_data(report),
        SCRIPTS,
        STYLES,
        report=report,
        drawn=" ".join(_describe_drawn(report)),
        not_drawn=" ".join(_not_drawn(report)),
        notifications=tables.notification_table(report),
        streams=summary.streams(report),
        more_runs=max(0, len(report.checked) - summary.MAX_OUTPUTS),
        whole=whole,
        beans=beans,
        **values,
    )


def _bands(report: CheckReport) -> str:
    banded = [panel for panel in choose_panels(report) if panel.band is not None]
    if not banded:
        return ""
    if banded[0].band_decides:
        return "the range that is expected at each time; a run that leaves it differs"
    return f"{words.band_name(False, report.roles)}, which decides nothing"


def _describe_drawn(report: Charted) -> list[str]:
    chosen, at_hand = len(training_drawn(report)), len(report.training)
    is_check = isinstance(report, CheckReport)
    texts = ["What changed comes first, in the order of the story."] if is_check else []
    if report.smoothing is not None:
        as_judged = ", as for the decision" if report.stride == 1 else ""
        smoothed = f"the {report.smoothing.average} of {report.smoothing.window} samples"
        texts.append(f"Curves are smoothed by {smoothed}{as_judged}.")
    texts.append(
        f"A curve has at most {points_of(report)} points: the lowest and the highest value of each interval."
    )
    if chosen < at_hand:
        texts.append(f"{chosen} of {at_hand} {report.roles.known_runs} are drawn.")
    return texts


def _not_drawn(report: Charted) -> list[str]:
    """Return what the page leaves out of many properties or of long runs."""
    is_check = isinstance(report, CheckReport)
    texts = []
    if report.stride > 1:
        what = "curves and overhead are" if is_check else "the curves are"
        decided = ", the decision is of all samples" if is_check else ""
        texts.append(f"The runs are long: {what} of one sample in {report.stride}{decided}.")
    n_drawn = len(choose_panels(report))
    if n_drawn < len(report.panels):
        most = "the " if is_check else ""
        important = " most important" if is_check else ""
        texts.append(
            f"Only {most}{n_drawn}{important} of {format_number(len(report.panels))} properties are drawn."
        )
    return texts
