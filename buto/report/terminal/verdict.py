"""Print a verdict in a line, in about six lines, or whole."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from buto.judging.verdict import Finding, FindingGroup, Roles, Status
from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.document import (
    EFFECT_COLOUR,
    MAX_LINE,
    MAX_WHOLE_LINE,
    STATUS_COLOUR,
    Line,
    line,
    remarks,
)
from buto.report.environment import Likeness
from buto.report.panels import Panel
from buto.report.result import Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.style import run_beside_limit
from buto.run.units import format_percent

CURVE_WIDTH, SHORT_CURVE_WIDTH = 24, 16
MAX_GROUPS = 3
"""Groups of findings in a short text, a line each."""

MAX_REASONS = 3
MAX_CLASSES = 3
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
    headline = one_line(f"{report.test}: {words.headline(verdict)}", MAX_WHOLE_LINE)
    if detail is Detail.HEADLINE:
        return [line(status, f"  {'; '.join(filter(None, (headline, *_undecided(report))))}")]
    head = line(status, f"  {headline}")
    return [head, *(_short_lines(report) if detail is Detail.SHORT else _full_lines(report))]


def _undecided(report: CheckReport) -> list[str]:
    """Return why an inconclusive check is, and what decides it; nothing for any other."""
    verdict = report.verdict
    if verdict.status is not Status.INCONCLUSIVE:
        return []
    why = [one_line(reason, MAX_LINE) for reason in verdict.reasons[:MAX_REASONS]]
    return [*why, words.lacking(verdict) or "".join(map(one_line, report.next_steps[-1:]))]


def result_lines(result: Result, detail: Detail = Detail.SHORT) -> list[str]:
    """Return the lines for any result of a test, without colour."""
    if result.report is not None:
        return verdict_lines(result.report, detail)
    if result.error is None:
        return [one_line(f"{result.status.upper()}  {result.test}")]
    texts = [f"{result.test}: {result.error.message}"]
    texts += [f"try:  {result.error.advice}"] if result.error.advice else []
    return [one_line(text, MAX_WHOLE_LINE) for each in texts for text in each.split("\n")[:_MAX_ERROR_LINES]]


def _short_lines(report: CheckReport) -> list[Line]:
    verdict = report.verdict
    failed = verdict.status is Status.REGRESSION
    # A pass has it in its headline.
    noted = "" if verdict.status is Status.PASS else words.changes(verdict.noted)
    classes = ", ".join(map(words.class_change, report.classes[:MAX_CLASSES])) if failed else ""
    warnings = [one_line(text, MAX_LINE) for text in verdict.warnings[:1]]
    if len(verdict.warnings) > 1:
        warnings[0] += f"; and {len(verdict.warnings) - 1} more (-v)"
    return [
        *remarks("judged", [words.adjusted(verdict)]),
        *remarks("because", verdict.reasons, most=MAX_REASONS),
        *remarks("runs", [words.lacking(verdict)]),
        *_leading(report),
        *remarks("noted", [noted], limit=MAX_WHOLE_LINE, colour="cyan"),
        *remarks("live objects", [classes], limit=2 * MAX_LINE, colour="cyan"),
        *_causes(report),
        *remarks("closest", [_closest(report)]),
        *_hosts(report),
        *_detects(report),
        *remarks("warning", warnings, limit=2 * MAX_LINE),
        *_next(report.next_steps[-2:]),
    ]


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
        *_causes(report),
        *remarks("closest", [_closest(report)]),
        *_detects(report),
        *remarks("p-value assumes", [verdict.guarantee], limit=MAX_WHOLE_LINE),
        *remarks("environment", [_environment(report)], colour="cyan"),
        *_hosts(report),
        *remarks("warning", verdict.warnings, limit=MAX_WHOLE_LINE),
        *_next(report.next_steps),
    ]


def _causes(report: CheckReport) -> list[Line]:
    sentences = [one.sentence.replace("`", "") for one in report.causes]
    return remarks("code", sentences[:1], limit=MAX_WHOLE_LINE, colour="cyan")


def _next(steps: Sequence[str]) -> list[Line]:
    # Not cut: people copy it.
    return [line("  ", ("next:", "cyan"), f" {one_line(step)}") for step in steps]


def _hosts(report: CheckReport) -> list[Line]:
    return remarks("hosts", [words.hosts(report.environment, report.roles.known)], colour="cyan")


def _detects(report: CheckReport) -> list[Line]:
    return [line(f"  {one_line(report.detectable, 2 * MAX_LINE)}")] if report.detectable else []


def _closest(report: CheckReport) -> str:
    verdict = report.verdict
    used = [panel for panel in report.panels if panel.reach is not None]
    if verdict.status is not Status.PASS or verdict.findings or verdict.noted or not used:
        return ""
    nearest = max(used, key=lambda panel: panel.reach or 0.0)
    return f"{nearest.prop.name}, {format_percent(nearest.reach or 0.0)} {report.reach_of}"


def _leading(report: CheckReport) -> list[Line]:
    """Return a line for what leads each of the first groups, and the number of the others."""
    groups = report.groups
    shown = groups[:MAX_GROUPS]
    names = [one_line(group.leading.subject, MAX_TEXT) for group in shown]
    width = max(map(len, names), default=0)
    lines = [
        _in_one_line(group, report.panel(group.leading.subject), name.ljust(width))
        for group, name in zip(shown, names, strict=True)
    ]
    left = sum(len(group.findings) for group in groups[MAX_GROUPS:])
    return [*lines, line(f"  and {left} more (-v)")] if left else lines


def _in_one_line(group: FindingGroup, panel: Panel | None, name: str) -> Line:
    finding = group.leading
    run, _ = run_beside_limit(finding, panel, SHORT_CURVE_WIDTH)
    summary = ", ".join(filter(None, (words.change(finding), words.effect(finding))))
    details = ", ".join(filter(None, (words.measured(finding), words.expectation(finding)))) or finding.text
    echoes = f" (and {len(group.parts)} with it)" if group.parts else ""
    return line(
        "  ",
        (name, "bold"),
        "  ",
        *run,
        "  " if run else "",
        (one_line(summary, MAX_TEXT), EFFECT_COLOUR[finding.effect]),
        f"{': ' if details else ''}{one_line(details, MAX_TEXT)}{echoes}",
    )


def _environment(report: CheckReport) -> str:
    if not len(report.checked):
        return ""
    text = words.environment(report.checked.runs[0].metadata)
    if report.verdict.compares_programs:
        return text
    differs = any(row.likeness is Likeness.DECIDES for row in report.environment)
    return f"{'differs from' if differs else 'same as in'} training: {text}" if text else ""


def _findings(report: CheckReport) -> list[Line]:
    passed = report.verdict.status is Status.PASS and report.groups
    lines = [line("  differences that do not fail the check:")] if passed else []
    return lines + [one for group in report.groups for one in _group(group, report)]


def _noted(report: CheckReport) -> list[Line]:
    lines = [one for group in report.noted for one in _group(group, report)]
    return [line("  ", ("noted", "cyan"), f", {words.NOTED}:"), *lines] if lines else []


def _group(group: FindingGroup, report: CheckReport) -> list[Line]:
    """Return the leading finding whole, and its parts with their numbers below it."""
    lines = _finding(group.leading, report.panel(group.leading.subject), report.roles)
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
    window = words.window(finding)
    if finding.outside_share is not None:
        return f"outside {window}" if window else ""
    return "" if panel is None else words.outside_since(panel, roles)
