"""What a check found and what it can find, in a few lines.

A check takes about six: the verdict, what changed most, and the next commands. The strength of an oracle is
the smallest changes that its checks detect.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from buto.judging.alarms import TIMES_LEVEL, Strength
from buto.judging.verdict import FindingGroup, Status
from buto.report import words
from buto.report.check_report import CheckReport, change
from buto.report.document import EFFECT_COLOUR, MAX_LINE, MAX_WHOLE_LINE, Line, line, remarks
from buto.report.panels import Panel
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.style import run_beside_limit
from buto.run.units import format_percent
from buto.steps import Advice, Setting

MAX_GROUPS = 3
"""Groups of findings, a line each."""

MAX_REASONS = 3
MAX_CLASSES = 3
CURVE_WIDTH = 16


def short_lines(report: CheckReport) -> list[Line]:
    """Return the lines below the headline."""
    verdict = report.verdict
    warnings = [one_line(text, MAX_LINE) for text in verdict.warnings[:1]]
    if len(verdict.warnings) > 1:
        warnings[0] += f"; and {len(verdict.warnings) - 1} more (-v)"
    return [
        *remarks("judged", [words.adjusted(verdict)]),
        *remarks("because", verdict.reasons, most=MAX_REASONS),
        *remarks("runs", [words.lacking(verdict)]),
        *_findings(report),
        *remarks("noted", [_noted(report)], limit=MAX_WHOLE_LINE, colour="cyan"),
        *remarks("live objects", [_classes(report)], limit=2 * MAX_LINE, colour="cyan"),
        *remarks("closest", [closest(report)]),
        *remarks("hosts", [words.hosts(report.environment, report.roles.known)], colour="cyan"),
        *detects(report),
        *remarks("warning", warnings, limit=2 * MAX_LINE),
        # Not cut: people copy it.
        *[line("  ", ("next:", "cyan"), f" {one_line(step)}") for step in report.next_steps[-2:]],
    ]


def detects(report: CheckReport) -> list[Line]:
    """Return the line on which changes a check that passed would have detected; none without."""
    return [line(f"  {one_line(report.detectable, 2 * MAX_LINE)}")] if report.detectable else []


def closest(report: CheckReport) -> str:
    """Return the property that came closest to failing a check that passed; empty without one."""
    used = [panel for panel in report.panels if panel.reach is not None]
    if (
        report.verdict.status is not Status.PASS
        or report.verdict.findings
        or report.verdict.noted
        or not used
    ):
        return ""
    nearest = max(used, key=lambda panel: panel.reach or 0.0)
    return f"{nearest.prop.name}, {format_percent(nearest.reach or 0.0)} {report.reach_of}"


def _classes(report: CheckReport) -> str:
    """Return which live objects a regression has more of; empty without one."""
    if report.verdict.status is not Status.REGRESSION:
        return ""
    return ", ".join(map(words.class_change, report.classes[:MAX_CLASSES]))


def _noted(report: CheckReport) -> str:
    """Return what is noted; empty of a pass, which has it in its headline."""
    return "" if report.verdict.status is Status.PASS else words.changes(report.verdict.noted)


def _findings(report: CheckReport) -> list[Line]:
    groups = report.groups
    shown = groups[:MAX_GROUPS]
    panels = {panel.prop.name: panel for panel in report.panels}
    names = [one_line(group.leading.subject, MAX_TEXT) for group in shown]
    width = max(map(len, names), default=0)
    lines = [
        _group(group, panels.get(group.leading.subject), name.ljust(width))
        for group, name in zip(shown, names, strict=True)
    ]
    left = sum(len(group.findings) for group in groups[MAX_GROUPS:])
    return [*lines, line(f"  and {left} more (-v)")] if left else lines


def _group(group: FindingGroup, panel: Panel | None, name: str) -> Line:
    finding = group.leading
    run, _ = run_beside_limit(finding, panel, CURVE_WIDTH)
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


HEADING = "smallest lasting change of one property that a check detects 90 % of the time"


MORE_RUNS = Advice("more training runs help (", Setting("runs", "15"), " or ", Setting("runs", "auto"), ")")


def strength_lines(strengths: Sequence[Strength], more_runs: str = MORE_RUNS) -> list[str]:
    """Return a heading and a line for each quantity, and one line for all those without a promise.

    Args:
        more_runs: the advice MORE_RUNS in the words of the user's door.
    """
    known = [one for one in strengths if isfinite(min(one.more, one.less))]
    others = [one.quantity.name for one in strengths if one not in known]
    lines = []
    if known:
        width = max(len(one.quantity.name) for one in known)
        lines += [f"{HEADING}:", *(f"  {one.quantity.name:<{width}}  {change(one)}" for one in known)]
    if others:
        lines.append(f"not detected up to {TIMES_LEVEL:.0f} times as much: {', '.join(others)}; {more_runs}")
    return lines
