"""Print a verdict in a line, in about six lines, or whole."""

from __future__ import annotations

from enum import Enum

from buto.judging.verdict import Finding, FindingGroup, Roles, Status
from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.document import EFFECT_COLOUR, MAX_LINE, MAX_WHOLE_LINE, STATUS_COLOUR, Line, line, remarks
from buto.report.environment import Likeness
from buto.report.panels import Panel
from buto.report.result import Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.short import closest, detects, short_lines
from buto.report.terminal.style import run_beside_limit

CURVE_WIDTH = 24
_MAX_ERROR_LINES = 40


class Detail(Enum):
    """How much of a check is printed."""

    HEADLINE = "headline"
    SHORT = "short"
    """About six lines."""
    FULL = "full"


def verdict_lines(report: CheckReport, detail: Detail = Detail.SHORT) -> list[str]:
    """Return the lines of one check without colour, see :func:`styled_lines`."""
    return [one.plain for one in styled_lines(report, detail)]


def styled_lines(report: CheckReport, detail: Detail = Detail.SHORT) -> list[Line]:
    """Return the lines to print for one check; the first is the headline."""
    verdict = report.verdict
    status = (verdict.status.value.upper(), STATUS_COLOUR[verdict.status])
    headline = line(status, f"  {one_line(f'{report.test}: {words.headline(verdict)}', MAX_WHOLE_LINE)}")
    if detail is Detail.HEADLINE:
        return [headline]
    return [headline, *(short_lines(report) if detail is Detail.SHORT else _full_lines(report))]


def error_lines(result: Result) -> list[str]:
    """Return why a test was not judged, without colour."""
    if result.error is None:
        return []
    advice = [f"try:  {result.error.advice}"] if result.error.advice else []
    texts = [f"{result.test}: {result.error.message}", *advice]
    return [one_line(text, MAX_WHOLE_LINE) for each in texts for text in each.split("\n")[:_MAX_ERROR_LINES]]


def result_lines(result: Result, detail: Detail = Detail.SHORT) -> list[str]:
    """Return the lines for any result of a test, without colour."""
    if result.report is not None:
        return verdict_lines(result.report, detail)
    return error_lines(result) or [one_line(f"{result.status.upper()}  {result.test}")]


def _full_lines(report: CheckReport) -> list[Line]:
    verdict = report.verdict
    return [
        *remarks("judged", [words.adjusted(verdict)], limit=MAX_WHOLE_LINE),
        *remarks("because", verdict.reasons, limit=MAX_WHOLE_LINE),
        *remarks("runs", [words.lacking(verdict)]),
        *_findings(report),
        *_noted(report),
        *remarks("live objects", [words.class_change(one) for one in report.classes], colour="cyan"),
        *remarks("like", list(map(str, report.likes)), limit=MAX_WHOLE_LINE, colour="cyan"),
        *remarks("closest", [closest(report)]),
        *detects(report),
        *remarks("p-value assumes", [verdict.guarantee], limit=MAX_WHOLE_LINE),
        *remarks("environment", [_environment(report)], colour="cyan"),
        *remarks("hosts", [words.hosts(report.environment, report.roles.known)], colour="cyan"),
        *remarks("warning", verdict.warnings, limit=MAX_WHOLE_LINE),
        # Not cut: people copy it.
        *[line("  ", ("next:", "cyan"), f" {one_line(step)}") for step in report.next_steps],
    ]


def _environment(report: CheckReport) -> str:
    if not len(report.checked):
        return ""
    text = words.environment(report.checked.runs[0].metadata)
    if report.verdict.compares_programs:
        return text
    differs = any(row.likeness is Likeness.DECIDES for row in report.environment)
    return f"{'differs from' if differs else 'same as in'} training: {text}" if text else ""


def _findings(report: CheckReport) -> list[Line]:
    groups = report.groups
    passed = report.verdict.status is Status.PASS and groups
    lines = [line("  differences that do not fail the check:")] if passed else []
    return lines + [one for group in groups for one in _group(group, report)]


def _noted(report: CheckReport) -> list[Line]:
    lines = [one for group in report.noted for one in _group(group, report)]
    return [line("  ", ("noted", "cyan"), f", {words.NOTED}:"), *lines] if lines else []


def _group(group: FindingGroup, report: CheckReport) -> list[Line]:
    """Return the leading finding whole, and its parts with their numbers below it."""
    panel = next((one for one in report.panels if one.prop.name == group.leading.subject), None)
    lines = _finding(group.leading, panel, report.roles)
    return lines + [one for part in group.parts for one in _finding(part, None, report.roles, indent="    ")]


def _finding(finding: Finding, panel: Panel | None, roles: Roles, indent: str = "  ") -> list[Line]:
    summary = ", ".join(filter(None, (words.change(finding), words.effect(finding), words.weight(finding))))
    head = line(
        indent,
        (one_line(finding.subject, MAX_TEXT), "bold"),
        "  ",
        (one_line(summary, MAX_TEXT), EFFECT_COLOUR[finding.effect]),
    )
    details = [
        finding.text,
        ", ".join(filter(None, (words.measured(finding), words.expectation(finding)))),
        _outside(finding, panel, roles),
    ]
    lines = [line(f"{indent}    {one_line(detail, MAX_LINE)}") for detail in details if detail]
    run, limit = run_beside_limit(finding, panel, CURVE_WIDTH)
    if run:
        whose = "" if panel is None or panel.band_decides or not limit else f"{one_line(roles.known)} "
        lines.append(line(f"{indent}    run ", *run, f"  {whose}{limit}".rstrip()))
    return [head, *lines]


def _outside(finding: Finding, panel: Panel | None, roles: Roles) -> str:
    """Return when it was outside: the finding's own time, else that of the curve."""
    window = words.window(finding)
    if finding.outside_share is not None:
        return f"outside {window}" if window else ""
    return "" if panel is None else words.outside_since(panel, roles)
