"""The summary of a check on a page: its result, the findings that matter, and how the verdict was reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from buto.judging.verdict import Direction, Finding, FindingGroup, Status
from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.environment import Likeness
from buto.report.html.chart_data import drawn, share, when
from buto.report.panels import Panel
from buto.run.units import format_count, format_seconds

MAX_CHARTS = 6
"""Findings with a chart of their own at the top; the others are a line each."""

MAX_LINES = 100
N_CLOSEST = 3

MARKS = {Status.PASS: "✓", Status.REGRESSION: "✗", Status.INCONCLUSIVE: "?"}
"""Beside the word and the colour, for readers who see no colour."""

_ARROWS = {Direction.MORE: "▲", Direction.LESS: "▼", Direction.OTHER: "◆"}
_FACTS = (
    ("buto.commit", "commit"),
    ("jvm.vm.version", "JVM"),
    ("jvm.input.arguments", "options"),
    ("host.name", "host"),
)


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as the page shows it.

    Attributes:
        tone: ``worse``, ``better`` or ``unknown``.
        chart: number of its panel among those that are drawn; None if it is not drawn.
        since: from when on the run stayed outside its band; empty if it did not.
        when: when it was outside; without that, the finding's own text.
        details: terms and texts, none of them empty.
        parts: further findings that probably have the same cause.
    """

    subject: str
    tone: str
    chart: int | None
    arrow: str
    change: str
    effect: str
    observed: str
    expected: str
    since: str
    when: str
    details: tuple[tuple[str, str], ...]
    parts: tuple[FindingView, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """The result in a few lines.

    Attributes:
        mark: a sign for the status.
        since: of a regression, from when on what matters most stayed outside its band, as a sentence; empty
            if it did not.
        lacking: how many runs a decision needs; empty if that is not known.
        facts: terms and texts.
    """

    status: str
    mark: str
    headline: str
    since: str
    lacking: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ClosestView:
    """A property without a finding, and how close it came to one; ``reach`` is at most 1."""

    name: str
    chart: int | None
    reach: float
    percent: str


def header(report: CheckReport) -> Header:
    """Return status, headline, main difference, and what was checked against what."""
    verdict = report.verdict
    leading = [group.leading.subject for group in report.groups[:1]]
    panel = _panel(leading[0], report) if verdict.status is Status.REGRESSION and leading else None
    since = "" if panel is None else words.outside_since(panel, report.roles)
    return Header(
        verdict.status.value,
        MARKS[verdict.status],
        _sentence(words.headline(verdict)),
        _sentence(since) if since else "",
        _sentence(words.lacking(verdict)) if words.lacking(verdict) else "",
        tuple(_facts(report)),
    )


def findings(report: CheckReport) -> list[FindingView]:
    """Return what leads each group of findings, with the group's other findings as its parts."""
    return _views(report.groups, report)


def noted(report: CheckReport) -> list[FindingView]:
    """Return the same of what is noted."""
    return _views(report.noted, report)


def closest(report: CheckReport) -> list[ClosestView] | None:
    """Return the properties that came closest to a finding; None unless the check passed without any
    and nothing is noted.
    """
    if report.verdict.status is not Status.PASS or report.groups or report.noted:
        return None
    moving = [panel for panel in report.panels if panel.moves and panel.reach is not None]
    return [
        ClosestView(
            panel.prop.name,
            _chart(panel.prop.name, report),
            min(panel.reach or 0.0, 1.0),
            share(panel.reach or 0.0),
        )
        for panel in moving[:N_CLOSEST]
    ]


def _facts(report: CheckReport) -> Iterator[tuple[str, str]]:
    runs = [run for run in report.checked if run.id in report.verdict.run_ids] or list(report.checked)
    if runs:
        more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
        yield report.roles.judged, f"{when(runs[0]) or runs[0].id}{more}"
    stored = "" if len(report.training) == len(report.training_ids) else f", {len(report.training)} stored"
    yield "compared with", f"{report.verdict.n_training} {report.roles.known_runs}{stored}"
    if report.oracle_path is not None:
        yield "oracle", str(report.oracle_path)
    metadata = runs[0].metadata if runs else {}
    for key, term in _FACTS:
        if metadata.get(key):
            yield term, str(metadata[key])
    yield "report created", f"{report.made:%Y-%m-%d %H:%M %Z}"


def _views(groups: Sequence[FindingGroup], report: CheckReport) -> list[FindingView]:
    return [
        replace(_finding(group.leading, report), parts=tuple(_finding(part, report) for part in group.parts))
        for group in groups
    ]


def _finding(finding: Finding, report: CheckReport) -> FindingView:
    since = _since(_panel(finding.subject, report))
    return FindingView(
        finding.subject,
        finding.effect.value,
        _chart(finding.subject, report),
        _ARROWS[finding.direction],
        words.change(finding),
        words.effect(finding),
        words.observed(finding),
        words.expected(finding),
        since,
        words.window(finding) or finding.text,
        tuple(row for row in _details(finding, since, len(report.verdict.run_ids) > 1) if row[1]),
    )


def _chart(name: str, report: CheckReport) -> int | None:
    return next((place for place, panel in enumerate(drawn(report)) if panel.prop.name == name), None)


def _panel(name: str, report: CheckReport) -> Panel | None:
    return next((one for one in report.panels if one.prop.name == name), None)


def _since(panel: Panel | None) -> str:
    since_s = None if panel is None else panel.since_s
    return "" if since_s is None else format_seconds(max(0.0, since_s))


def _details(finding: Finding, since: str, several: bool) -> Sequence[tuple[str, str]]:
    return (
        ("observed", words.measured(finding)),
        ("expected", words.expected(finding)),
        ("since", since),
        ("over" if finding.outside_share is None else "outside", words.window(finding)),
        ("share", words.weight(finding)),
        ("note", finding.text),
        ("worst run", finding.run_id if several else ""),
    )


def _sentence(text: str) -> str:
    ended = text if text.endswith((".", "!", "?")) else f"{text}."
    return ended[:1].upper() + ended[1:]


def steps(report: CheckReport) -> Iterator[tuple[str, str]]:
    """Yield title and sentences of each step, as plain text."""
    verdict = report.verdict
    yield "Environment.", _environment(report)
    if any(row.likeness is Likeness.DECIDES for row in report.environment):
        yield "Answer.", "Inconclusive: the runs were not compared, because a difference would mean nothing."
        return
    if verdict.adjusted:
        yield "Adjusting.", f"{verdict.adjusted[0].upper()}{verdict.adjusted[1:]}."
    yield "Learning.", report.explanation.learned
    if report.explanation.rule:
        yield "Rule.", report.explanation.rule
    yield "Judging.", _judging(report)
    if verdict.p_value is not None:
        yield "Chance.", _chance(report)
    yield "Answer.", f"{verdict.status.value.capitalize()}: {words.headline(verdict)}."
    if report.detectable:
        yield "Sensitivity.", f"{report.detectable[0].upper()}{report.detectable[1:]}."


def _environment(report: CheckReport) -> str:
    roles = report.roles
    deciding = [row.key for row in report.environment if row.likeness is Likeness.DECIDES]
    differing = sum(row.likeness is Likeness.DIFFERS for row in report.environment)
    same = sum(row.likeness is Likeness.SAME for row in report.environment)
    if deciding:
        return (
            f"The {roles.judged_runs} and the {roles.known_runs} are from different environments: "
            f"{', '.join(deciding)} {'differ' if len(deciding) > 1 else 'differs'}."
        )
    others = f", {differing} less important {'differs' if differing == 1 else 'differ'}" if differing else ""
    keys = f"{format_count(same, 'key')} equal{others}"
    return f"The environment allows a comparison with the {roles.known_runs} ({keys})."


def _judging(report: CheckReport) -> str:
    outside = [panel for panel in report.panels if panel.findings]
    noted = len(report.verdict.noted)
    inside = [
        panel for panel in report.panels if panel.reach is not None and panel.moves and not panel.changes
    ]
    verb = "differ" if len(outside) > 1 else "differs"
    texts = [f"Of {format_count(len(report.panels), 'property')}, {len(outside) or 'none'} {verb}"]
    if noted:
        texts.append(f"{format_count(noted, 'change')} noted: {words.NOTED}")
    if inside:
        closest = max(inside, key=lambda panel: panel.reach or 0.0)
        reach = f"{share(closest.reach or 0.0)} {report.reach_of}"
        texts.append(f"Of the others, {closest.prop.name} came closest: {reach}")
    elsewhere = len(words.listed_findings(report.verdict)) - sum(len(panel.findings) for panel in outside)
    if elsewhere > 0:
        texts.append(f"{format_count(elsewhere, 'finding')} on duration or notifications")
    return f"{'. '.join(texts)}."


def _chance(report: CheckReport) -> str:
    verdict = report.verdict
    text = words.chance_of(verdict)
    if verdict.p_value is not None and verdict.alpha is not None:
        relation = "at most" if verdict.p_value <= verdict.alpha else "more than"
        text += f": the p-value is {relation} the accepted rate of false alarms"
    if verdict.guarantee:
        text += f". It assumes: {verdict.guarantee}"
    if verdict.status is Status.INCONCLUSIVE and verdict.runs_needed:
        text += f". {words.lacking(verdict).capitalize()}"
    return text if text.endswith(".") else f"{text}."
