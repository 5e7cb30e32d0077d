"""The whole page."""

from __future__ import annotations

import json

from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.html import summary
from buto.report.html.chart_data import drawn, points_of, tag_of, training_drawn
from buto.report.html.document import render_document
from buto.report.html.reasoning import steps
from buto.report.html.sections.class_table import class_rows
from buto.report.html.sections.clusters import LABELS, MARGIN, SIDE, TOP, TREE, drawings
from buto.report.html.sections.environment_table import environment_section
from buto.report.html.sections.run_table import run_table

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
