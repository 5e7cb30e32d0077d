"""Whole pages with charts: a check, or runs that nothing judges.

Both have curves, output, notifications, what measuring cost, style and scripts. Without a judgement, curves
have no bands, and the page tells how well the runs were measured.
"""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.html import summary
from buto.report.html.chart_data import drawn, page_data, points_of, tag_of, training_drawn
from buto.report.html.sections import (
    LABELS,
    MARGIN,
    SIDE,
    TOP,
    TREE,
    drawings,
    notification_table,
    output_section,
)
from buto.report.html.summary import steps
from buto.report.html.tables import (
    class_rows,
    environment_section,
    overhead_section,
    recorded_table,
    run_table,
)
from buto.report.html.template import json_block, policy, render_template, script, style
from buto.report.panels import Charted, RecordedRuns
from buto.run.names import metadata_text
from buto.run.units import format_count
from buto.version import __version__


def render_document(template: str, report: Charted, **values: Any) -> str:
    """Return a page with charts as one HTML document that needs no other file and no network.

    Args:
        template: see :func:`buto.report.html.template.render_template`.
        values: what only this page prints.
    """
    return render_template(
        template,
        report=report,
        notifications=notification_table(report),
        output=output_section(report),
        overhead=overhead_section(report),
        version=__version__,
        policy=policy(),
        # Ours, and data in which no character can end the element.
        style=Markup(style()),
        script=Markup(script()),
        data=Markup(json_block(page_data(report))),
        **values,
    )


MAX_LISTED = 5000
"""Properties in the list of those that are not drawn."""


def render(report: CheckReport) -> str:
    """Return a check as one HTML document that needs no other file and no network.

    At most MAX_VALUES values of curves are drawn, fewer points of each run the more runs and properties
    there are; the page gives the number. Text from outside is cut and escaped, see
    :mod:`buto.report.html.template`.
    """
    return render_document(
        "check.html",
        report,
        top=summary.header(report),
        findings=summary.findings(report),
        noted=summary.noted(report),
        meaning=words.NOTED,
        classes=class_rows(report.classes),
        clusters=drawings(report.clusters),
        tree=TREE,
        labels=LABELS,
        side=SIDE,
        margin=MARGIN,
        above=TOP,
        closest=summary.closest(report),
        max_charts=summary.MAX_CHARTS,
        max_lines=summary.MAX_LINES,
        bands=_bands(report),
        drawn=_drawn(report),
        not_drawn=_not_drawn(report),
        others=[
            (panel.prop.name, tag_of(panel, report.reach_of)) for panel in report.panels[len(drawn(report)) :]
        ],
        max_listed=MAX_LISTED,
        steps=list(steps(report)),
        settings=[
            (key, json.dumps(value, ensure_ascii=False)) for key, value in report.verdict.settings.items()
        ],
        environment=environment_section(report),
        runs=run_table(report),
    )


def _bands(report: CheckReport) -> str:
    """Return what the bands mean; empty if there are none."""
    banded = [panel for panel in drawn(report) if panel.band is not None]
    if not banded:
        return ""
    if banded[0].band_decides:
        return "A band is the range that is expected at each time. A run that leaves its band differs."
    return f"Shaded: {words.band_name(False, report.roles)}; it decides nothing."


def _drawn(report: CheckReport) -> str:
    chosen, at_hand = len(training_drawn(report)), len(report.training)
    texts = ["The properties with the strongest evidence of a change come first."]
    if report.smoothing is not None:
        as_judged = ", as for the decision" if report.stride == 1 else ""
        smoothed = f"the {report.smoothing.average} of {report.smoothing.window} samples"
        texts.append(f"Curves are smoothed by {smoothed}{as_judged}.")
    texts.append(
        f"A curve has at most {points_of(report)} points: the lowest and the highest value of each interval."
    )
    if chosen < at_hand:
        texts.append(f"{chosen} of {at_hand} {report.roles.known_runs} are drawn.")
    return " ".join(texts)


def _not_drawn(report: CheckReport) -> str:
    """Return what the page does not draw of many properties or of long runs; empty if it draws everything."""
    texts = []
    if report.stride > 1:
        texts.append(
            f"The runs are long: curves and overhead are of one sample in {report.stride}, "
            "the decision is of all samples."
        )
    n_drawn = len(drawn(report))
    if n_drawn < len(report.panels):
        texts.append(f"Only the {n_drawn} most important of {len(report.panels):,} properties are drawn.")
    return " ".join(texts)


def render_runs(report: RecordedRuns) -> str:
    """Return the runs as one HTML document that needs no other file and no network."""
    return render_document(
        "recorded.html",
        report,
        count=format_count(len(report.checked), "recorded run"),
        drawn=_drawn_runs(report),
        metadata=_metadata(report),
        runs=recorded_table(report),
    )


def _drawn_runs(report: RecordedRuns) -> str:
    texts = [
        f"A curve has at most {points_of(report)} points: the lowest and the highest value of each interval."
    ]
    if report.stride > 1:
        texts.append(f"The runs are long: the curves are of one sample in {report.stride}.")
    n_drawn = len(drawn(report))
    if n_drawn < len(report.panels):
        texts.append(f"Only {n_drawn} of {len(report.panels):,} properties are drawn.")
    return " ".join(texts)


def _metadata(report: RecordedRuns) -> list[tuple[str, str]]:
    """Return key and value of all metadata; values that runs do not share are behind one another."""
    runs = report.checked.runs
    keys = sorted({key for run in runs for key in run.metadata})
    return [
        (
            key,
            ", ".join(
                dict.fromkeys(metadata_text(key, run.metadata[key]) for run in runs if key in run.metadata)
            ),
        )
        for key in keys
    ]
