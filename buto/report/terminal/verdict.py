"""Print a verdict: what changed, when, and by how much, in at most forty lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.environment import Likeness
from buto.report.panels import Curve, Panel
from buto.report.result import Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.sparkline import sparklines
from buto.runs import FloatArray
from buto.units import format_percent, format_seconds
from buto.verdicts import Direction, Effect, Finding, Status

MAX_LINES = 40
HEADLINE_ONLY = 1
SPARKLINE_WIDTH = 24
_MAX_WHOLE = 5
"""Findings with numbers and curve if not all of them fit; the others have a line each."""
_MAX_REMARKS = 4
_MAX_LINE, _MAX_WHOLE_LINE = 2 * MAX_TEXT, 10 * MAX_TEXT
"""Characters of one remark, normally and with ``-v``."""

_COLOUR = {Status.PASS: "bold green", Status.REGRESSION: "bold red", Status.INCONCLUSIVE: "bold yellow"}
_EFFECT_COLOUR = {Effect.WORSE: "red", Effect.BETTER: "green", Effect.UNKNOWN: "yellow"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line in parts, each a text and its style in colour; none of them moves the cursor."""

    parts: tuple[tuple[str, str], ...]

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.parts)


def verdict_lines(report: CheckReport, *, max_lines: int | None = MAX_LINES) -> list[str]:
    """Return the lines of one check without colour, see :func:`styled_lines`."""
    return [line.plain for line in styled_lines(report, max_lines=max_lines)]


def styled_lines(report: CheckReport, *, max_lines: int | None = MAX_LINES) -> list[Line]:
    """Return the lines to print for one check.

    Args:
        max_lines: what does not fit is counted; HEADLINE_ONLY gives the first line alone, None everything.
    """
    verdict = report.verdict
    status = (verdict.status.value.upper(), _COLOUR[verdict.status])
    headline = _line(status, f"  {one_line(f'{report.test}: {words.headline(verdict)}', _MAX_WHOLE_LINE)}")
    if max_lines == HEADLINE_ONLY:
        return [headline]
    before = _remarks("because", verdict.reasons, max_lines)
    before += _remarks("runs", [words.lacking(verdict)], max_lines)
    after = _remarks("closest", [_closest(report)], max_lines)
    after += _remarks("p-value assumes", [verdict.guarantee], max_lines)
    after += _remarks("environment", [_environment(report)], max_lines, "cyan")
    after += _remarks("warning", verdict.warnings, max_lines)
    # Not cut: people copy it.
    after += [_line("  ", ("next:", "cyan"), f" {one_line(command)}") for command in report.next_steps]
    room = None if max_lines is None else max_lines - len(before) - len(after) - 1
    return [headline, *before, *_findings(report, room), *after]


def error_lines(result: Result) -> list[str]:
    """Return why a test was not judged, without colour."""
    if result.error is None:
        return []
    advice = [f"try:  {result.error.advice}"] if result.error.advice else []
    texts = [f"{result.test}: {result.error.message}", *advice]
    return [one_line(line, _MAX_WHOLE_LINE) for text in texts for line in text.split("\n")[:MAX_LINES]]


def result_lines(result: Result, *, max_lines: int | None = MAX_LINES) -> list[str]:
    """Return the lines for any result of a test, without colour."""
    if result.report is not None:
        return verdict_lines(result.report, max_lines=max_lines)
    return error_lines(result) or [one_line(f"{result.status.upper()}  {result.test}")]


def _line(*parts: str | tuple[str, str]) -> Line:
    return Line(tuple((part, "") if isinstance(part, str) else part for part in parts))


def _remarks(label: str, texts: Sequence[str], max_lines: int | None, colour: str = "yellow") -> list[Line]:
    given = [text for text in texts if text]
    shown = given if max_lines is None or len(given) <= _MAX_REMARKS else given[: _MAX_REMARKS - 1]
    limit = _MAX_WHOLE_LINE if max_lines is None else _MAX_LINE
    remarks = [one_line(text, limit) for text in shown]
    if len(shown) < len(given):
        remarks.append(f"and {len(given) - len(shown)} more (-v)")
    return [_line("  ", (f"{label}:", colour), f" {remark}") for remark in remarks]


def _closest(report: CheckReport) -> str:
    """Return the property that came closest to failing a check that passed; empty without one."""
    used = [panel for panel in report.panels if panel.reach is not None]
    if report.verdict.status is not Status.PASS or report.verdict.findings or not used:
        return ""
    nearest = max(used, key=lambda panel: panel.reach or 0.0)
    return f"{nearest.prop.name}, {format_percent(nearest.reach or 0.0)} {report.reach_of}"


def _environment(report: CheckReport) -> str:
    if not len(report.checked):
        return ""
    text = words.environment(report.checked.runs[0].metadata)
    if report.verdict.compares_programs:
        return text
    differs = any(row.likeness is Likeness.DECIDES for row in report.environment)
    return f"{'differs from' if differs else 'same as in'} training: {text}" if text else ""


def _findings(report: CheckReport, room: int | None) -> list[Line]:
    findings = words.listed_findings(report.verdict)
    if not findings:
        return []
    panels = {panel.prop.name: panel for panel in report.panels}
    passed = report.verdict.status is Status.PASS
    lines = [_line("  differences that do not fail the check:")] if passed else []
    blocks = [_finding(finding, panels.get(finding.subject)) for finding in findings]
    if room is None or sum(map(len, blocks)) + len(lines) <= room:
        return lines + [line for block in blocks for line in block]
    for block in blocks[:_MAX_WHOLE]:
        if len(lines) + len(block) + 1 > room:
            break
        lines += block
        blocks = blocks[1:]
    heads = [block[0] for block in blocks]
    shown = len(heads) if len(lines) + len(heads) <= room else max(0, room - len(lines) - 1)
    lines += heads[:shown]
    return lines if shown == len(heads) else [*lines, _line(f"  and {len(heads) - shown} more (-v)")]


def _finding(finding: Finding, panel: Panel | None) -> list[Line]:
    summary = ", ".join(filter(None, (words.change(finding), words.effect(finding), words.weight(finding))))
    head = _line(
        "  ",
        (one_line(finding.subject, MAX_TEXT), "bold"),
        "  ",
        (one_line(summary, MAX_TEXT), _EFFECT_COLOUR[finding.effect]),
    )
    observed, expected = words.observed(finding), words.expected(finding)
    details = [
        finding.text,
        f"{observed}, expected {expected}" if expected else observed,
        _outside(finding, panel),
    ]
    lines = [_line(f"      {one_line(detail, _MAX_LINE)}") for detail in details if detail]
    return [head, *lines, *_curves(finding, panel)]


def _outside(finding: Finding, panel: Panel | None) -> str:
    """Return when it was outside: the finding's own time, else that of the curve."""
    window = words.window(finding)
    if finding.outside_share is not None:
        return f"outside {window}" if window else ""
    since_s = None if panel is None else panel.since_s
    return "" if since_s is None else f"outside its band since {format_seconds(since_s)}"


def _curves(finding: Finding, panel: Panel | None) -> list[Line]:
    """Draw the run and the limit that it passed, over the same time and to the same scale."""
    curve = None if panel is None else _curve_of(panel, finding.run_id)
    if panel is None or curve is None:
        return []
    even = np.linspace(curve.times_s[0], curve.times_s[-1], SPARKLINE_WIDTH)
    run = _at(even, curve.times_s, curve.values)
    limit, word = _limit(panel, finding, even)
    if limit is None:
        return [_line(f"      run {sparklines([run], SPARKLINE_WIDTH)[0]}")]
    drawn, beside = sparklines([run, limit], SPARKLINE_WIDTH)
    outside = run > limit if finding.direction is Direction.MORE else run < limit
    painted = [(block, "red" if out else "") for block, out in zip(drawn, outside, strict=True)]
    return [_line("      run ", *painted, f"  {word} {beside}".rstrip())]


def _curve_of(panel: Panel, run_id: str) -> Curve | None:
    for curve in panel.checked:
        if curve.run_id == run_id and len(curve.times_s) > 1 and np.isfinite(curve.values).any():
            return curve
    return None


def _limit(panel: Panel, finding: Finding, times_s: FloatArray) -> tuple[FloatArray | None, str]:
    if panel.band is None or finding.direction is Direction.OTHER:
        return None, ""
    more = finding.direction is Direction.MORE
    limit = _at(times_s, panel.band.times_s, panel.band.upper if more else panel.band.lower)
    return (limit if np.isfinite(limit).any() else None), "at most" if more else "at least"


def _at(times_s: FloatArray, known_s: FloatArray, values: FloatArray) -> FloatArray:
    """Return the values at other times, NaN outside the known times and if no value is finite."""
    finite = np.isfinite(values)
    if not finite.any():
        return np.full(len(times_s), math.nan)
    return np.interp(times_s, known_s[finite], values[finite], left=math.nan, right=math.nan)
