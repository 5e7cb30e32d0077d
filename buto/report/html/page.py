"""The whole page."""

from __future__ import annotations

from collections.abc import Iterator

from buto import __version__
from buto.detectors.comparison.detector import DETECTOR as COMPARISON
from buto.oracle import CALIBRATED
from buto.report.check_report import CheckReport
from buto.report.html import assets, summary, tables
from buto.report.html.chart_data import drawn, page_data, points_of, training_drawn
from buto.report.html.escaping import escape, json_block
from buto.report.html.output import notifications, output
from buto.report.html.reasoning import reasoning

_PARTS = (
    ("findings", "Findings"),
    ("properties", "All properties"),
    ("verdict", "How it was judged"),
    ("environment", "Environment"),
    ("notifications", "Notifications"),
    ("output", "Output"),
    ("runs", "Runs"),
    ("overhead", "Cost"),
)


_WITHOUT_SCRIPT = "The charts need JavaScript. Every number that decided stands in the text."


def render(report: CheckReport) -> str:
    """A check as one HTML document that needs no other file and no network.

    At most MAX_VALUES values of curves are drawn, fewer points of each run the more runs and properties
    there are; the page says how many. Text from outside is cut and made harmless, see
    :mod:`buto.report.html.escaping`.
    """
    return "\n".join(_page(report)) + "\n"


def _page(report: CheckReport) -> Iterator[str]:
    title = f"{report.verdict.status.value}: {report.test}"
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{assets.policy()}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
    yield f'<link rel="icon" href="data:,"><title>{escape(title)}</title>'
    yield f"<style>{assets.style()}</style></head><body>"
    yield f'<nav aria-label="parts"><b class="{report.verdict.status.value}">'
    yield f"{escape(report.verdict.status.value)}</b>"
    body = list(_body(report))
    for part, name in _PARTS:
        if any(piece.startswith(f'<section id="{part}"') for piece in body):
            yield f'<a href="#{part}">{name}</a>'
    yield "</nav><main>"
    yield from body
    yield f"</main><footer>buto {escape(__version__)}</footer>"
    yield '<dialog id="large" aria-label="chart of one property"></dialog>'
    yield f'<script type="application/json" id="data">{json_block(page_data(report))}</script>'
    yield f"<script>{assets.script()}</script></body></html>"


def _body(report: CheckReport) -> Iterator[str]:
    yield from summary.header(report)
    yield f"<noscript><p>{_WITHOUT_SCRIPT}</p></noscript>"
    yield from summary.findings(report)
    yield from summary.warnings(report)
    yield from _properties(report)
    yield from reasoning(report)
    yield from tables.environment(report)
    yield from notifications(report)
    yield from output(report)
    yield from tables.runs(report)
    yield from tables.overhead(report)


def _properties(report: CheckReport) -> Iterator[str]:
    yield '<section id="properties"><h2>All properties</h2>'
    yield f'<p class="note">{escape(_drawn(report))}</p>'
    if _left_out(report):
        yield f'<p class="note">{escape(_left_out(report))}</p>'
    yield '<div id="overview"></div>'
    yield from tables.others(report)
    yield "</section>"


def _drawn(report: CheckReport) -> str:
    settings = report.settings.pipeline
    chosen, at_hand = len(training_drawn(report)), len(report.training)
    said = "Sorted by how much speaks for a change. "
    if report.verdict.detector in (CALIBRATED.detector, COMPARISON):
        said += "The bands are drawn for the eye; what decides is the p-value. "
    if settings.smoothing != "none":
        smoothing = f"the {settings.smoothing} of {settings.window} samples"
        as_judged = "as they were judged, " if report.stride == 1 else ""
        said += f"Curves are {as_judged}smoothed by {smoothing}. "
    said += (
        f"Of each run at most {points_of(report)} points are drawn, the lowest and the highest of each "
        "span of time. "
    )
    if chosen < at_hand:
        said += f"{chosen} of {at_hand} {report.roles.known_runs} are drawn. "
    return said.rstrip()


def _left_out(report: CheckReport) -> str:
    """What of many properties or of long runs is not drawn; empty if everything is."""
    said = ""
    if report.stride > 1:
        said += (
            "The runs are so long that curves, and what measuring cost, are of one sample in "
            f"{report.stride}; what decides is of all samples. "
        )
    n_drawn = len(drawn(report))
    if n_drawn < len(report.panels):
        said += f"The {n_drawn} of {len(report.panels):,} properties that matter most are drawn. "
    return said.rstrip()
