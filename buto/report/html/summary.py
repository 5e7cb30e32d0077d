"""The top of the page: what came of the check, and the findings that matter."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping

from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.html.chart_data import drawn, share, when
from buto.report.html.escaping import escape, titled
from buto.report.panel import Panel
from buto.units import format_seconds
from buto.verdicts import Direction, Effect, Finding, Status

MAX_CHARTS = 6
"""Findings with a chart of their own at the top; the others are a line each."""

MAX_LINES = 100
N_CLOSEST = 3

MARKS = {Status.PASS: "✓", Status.REGRESSION: "✗", Status.INCONCLUSIVE: "?"}
"""Beside the word and the colour, for eyes that see no colour."""

_ARROWS = {Direction.MORE: "▲", Direction.LESS: "▼", Direction.OTHER: "◆"}
_FACTS = (
    ("buto.commit", "commit"),
    ("jvm.vm.version", "JVM"),
    ("jvm.input.arguments", "options"),
    ("host.name", "host"),
)


def header(report: CheckReport) -> Iterator[str]:
    """Status, test, one sentence, and what was checked by what."""
    verdict = report.verdict
    status = verdict.status.value
    mark = f'<span aria-hidden="true">{MARKS[verdict.status]}</span>'
    yield f'<header class="top {status}"><p class="badge">{mark} {status}</p>'
    yield f"<h1>{escape(report.test)}</h1>"
    yield f'<p class="lead">{escape(_sentence(words.headline(verdict)))}</p>'
    yield from _worst(report)
    yield from _list("reasons", verdict.reasons, "Why nothing was decided")
    lacking = words.lacking(verdict)
    if lacking:
        yield f"<p>{escape(_sentence(lacking))}</p>"
    yield '<dl class="facts">'
    for term, text in _facts(report):
        yield f"<div><dt>{escape(term)}</dt><dd>{escape(text)}</dd></div>"
    yield "</dl></header>"


def findings(report: CheckReport) -> Iterator[str]:
    """The findings, worst first; of a pass without any, what came closest."""
    told = words.told_findings(report.verdict)
    places = {panel.prop.name: place for place, panel in enumerate(drawn(report))}
    if told:
        title = "What differs" if report.verdict.status is not Status.PASS else "Not enough to fail"
        yield f'<section id="findings"><h2>{title}</h2>'
        for number, finding in enumerate(told[:MAX_CHARTS]):
            yield from _article(finding, number, places, report)
        if len(told) > MAX_CHARTS:
            yield from _lines(told[MAX_CHARTS:], places)
        yield "</section>"
    elif report.verdict.status is Status.PASS:
        closest = [panel for panel in report.panels if panel.moves and panel.reach is not None]
        yield '<section id="findings"><h2>Closest to their limits</h2>'
        if not closest:
            yield "<p>Nothing that was judged moves.</p>"
        for panel in closest[:N_CLOSEST]:
            yield from _close(panel, places, report.reach_of)
        yield "</section>"


def warnings(report: CheckReport) -> Iterator[str]:
    """What the reader should know, and what to type next."""
    yield from _list("warnings", report.verdict.warnings, "To be known")
    yield from _list("warnings", report.oracle_warnings, "Left out when the oracle was trained")
    if report.next_steps:
        yield '<aside class="next"><h2>To type next</h2>'
        yield from (f"<pre>{escape(step)}</pre>" for step in report.next_steps)
        yield "</aside>"


def name(text: str) -> str:
    """A property's name, with what tells it from its like set off."""
    parts = titled(text)
    first, last = (f"<bdi>{html.escape(part)}</bdi>" for part in parts)
    return f"{first} <b>{last}</b>" if parts[1] else first


def _facts(report: CheckReport) -> Iterator[tuple[str, str]]:
    runs = [run for run in report.checked if run.id in report.verdict.run_ids] or list(report.checked)
    if runs:
        more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
        yield report.roles.judged, f"{when(runs[0]) or runs[0].id}{more}"
    at_hand = "" if len(report.training) == len(report.training_ids) else f", {len(report.training)} at hand"
    yield "compared with", f"{report.verdict.n_training} {report.roles.known_runs}{at_hand}"
    if report.oracle_path is not None:
        yield "oracle", str(report.oracle_path)
    metadata = runs[0].metadata if runs else {}
    for key, term in _FACTS:
        if metadata.get(key):
            yield term, str(metadata[key])
    yield "report made", f"{report.made:%Y-%m-%d %H:%M %Z}"


def _worst(report: CheckReport) -> Iterator[str]:
    """The first finding in one line, for who reads no further."""
    if report.verdict.status is not Status.REGRESSION or not report.verdict.findings:
        return
    worst = report.verdict.findings[0]
    panel = next((one for one in report.panels if one.prop.name == worst.subject), None)
    since = f", since {_since(panel)}" if panel is not None and _since(panel) else ""
    most = "Above all, " if len(report.verdict.findings) > 1 else ""
    yield f'<p class="worst">{most}{name(worst.subject)}: {escape(words.change(worst))}{since}.</p>'


def _article(finding: Finding, number: int, places: Mapping[str, int], report: CheckReport) -> Iterator[str]:
    tone = finding.effect.value
    yield f'<article class="finding {tone}" id="finding{number}"><div class="said">'
    yield f"<h3>{_subject(finding, places)}</h3>"
    yield f'<p class="big"><span aria-hidden="true">{_ARROWS[finding.direction]}</span> '
    yield f"{escape(words.change(finding))}{_effect(finding)}</p><dl>"
    panel = report.panels[places[finding.subject]] if finding.subject in places else None
    for term, text in _details(finding, panel, len(report.verdict.run_ids) > 1):
        yield f"<div><dt>{term}</dt><dd>{escape(text)}</dd></div>"
    yield "</dl></div>"
    if finding.subject in places:
        yield f'<div class="chart" data-panel="{places[finding.subject]}"></div>'
    yield "</article>"


def _since(panel: Panel) -> str:
    return "" if panel.since_s is None else format_seconds(max(0.0, panel.since_s))


def _details(finding: Finding, panel: Panel | None, several: bool) -> Iterator[tuple[str, str]]:
    rows = (
        ("seen", words.observed(finding)),
        ("expected", words.expected(finding)),
        ("since", _since(panel) if panel is not None else ""),
        ("over" if finding.outside_share is None else "outside", words.window(finding)),
        ("weight", words.weight(finding)),
        ("note", finding.text),
        ("worst in", finding.run_id if several else ""),
    )
    yield from (row for row in rows if row[1])


def _lines(rest: tuple[Finding, ...], places: Mapping[str, int]) -> Iterator[str]:
    yield '<div class="scroll"><table class="short"><caption>And, less severe</caption><thead><tr>'
    yield "<th>property</th><th>change</th><th>seen</th><th>expected</th><th>outside</th></tr></thead><tbody>"
    for finding in rest[:MAX_LINES]:
        cells = (words.observed(finding), words.expected(finding), words.window(finding) or finding.text)
        yield f'<tr class="{finding.effect.value}"><td>{_subject(finding, places)}</td>'
        yield f"<td>{escape(words.change(finding))}{_effect(finding)}</td>"
        yield f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table></div>"
    if len(rest) > MAX_LINES:
        yield f"<p>And {len(rest) - MAX_LINES} more.</p>"


def _close(panel: Panel, places: Mapping[str, int], reach_of: str) -> Iterator[str]:
    reach = min(panel.reach or 0.0, 1.0)
    yield '<article class="finding calm"><div class="said">'
    yield f"<h3>{_opening(name(panel.prop.name), places.get(panel.prop.name))}</h3>"
    yield f'<p class="big">{share(reach)} <small>{escape(reach_of)}</small></p>'
    yield f'<meter min="0" max="1" high="0.8" value="{reach:.3f}">{share(reach)}</meter></div>'
    if panel.prop.name in places:
        yield f'<div class="chart" data-panel="{places[panel.prop.name]}"></div>'
    yield "</article>"


def _subject(finding: Finding, places: Mapping[str, int]) -> str:
    shown = name(finding.subject) if finding.subject in places else f"<bdi>{escape(finding.subject)}</bdi>"
    return _opening(shown, places.get(finding.subject))


def _opening(shown: str, place: int | None) -> str:
    """A name that opens its chart, where it has one."""
    if place is None:
        return shown
    return f'<button type="button" class="open" data-open="{place}">{shown}</button>'


def _effect(finding: Finding) -> str:
    word = words.effect(finding)
    return f' <span class="effect">{word}</span>' if finding.effect is not Effect.UNKNOWN else ""


def _list(kind: str, texts: tuple[str, ...], title: str) -> Iterator[str]:
    if not texts:
        return
    yield f'<div class="{kind}"><h2>{title}</h2><ul>'
    yield from (f"<li>{escape(text, 1000)}</li>" for text in texts[:MAX_LINES])
    if len(texts) > MAX_LINES:
        yield f"<li>And {len(texts) - MAX_LINES} more.</li>"
    yield "</ul></div>"


def _sentence(text: str) -> str:
    ended = text if text.endswith((".", "!", "?")) else f"{text}."
    return ended[:1].upper() + ended[1:]
