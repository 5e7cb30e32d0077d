"""A verdict in a terminal: what changed, when, and by how much, in at most forty lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.report import words
from buto.report.check_report import CheckReport
from buto.report.environment import Likeness
from buto.report.panel import Curve, Panel
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
"""Findings that are told with numbers and curve while there are more than there is room for."""
_MAX_REMARKS = 4
_MAX_LINE, _MAX_WHOLE_LINE = 2 * MAX_TEXT, 10 * MAX_TEXT
"""Characters of one remark, and where everything is asked for."""

_COLOUR = {Status.PASS: "bold green", Status.REGRESSION: "bold red", Status.INCONCLUSIVE: "bold yellow"}
_EFFECT_COLOUR = {Effect.WORSE: "red", Effect.BETTER: "green", Effect.UNKNOWN: "yellow"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line in parts, each a text and the style that it has in colour; none of them moves a cursor."""

    parts: tuple[tuple[str, str], ...]

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.parts)


def verdict_lines(report: CheckReport, *, max_lines: int | None = MAX_LINES) -> list[str]:
    """The lines of one check without colour, see :func:`styled_lines`."""
    return [line.plain for line in styled_lines(report, max_lines=max_lines)]


def styled_lines(report: CheckReport, *, max_lines: int | None = MAX_LINES) -> list[Line]:
    """The lines to print for one check.

    Args:
        max_lines: what does not fit is counted; HEADLINE_ONLY gives the first line alone, None all there
            is to say.
    """
    verdict = report.verdict
    status = (verdict.status.value.upper(), _COLOUR[verdict.status])
    headline = _line(status, f"  {one_line(f'{report.test}: {words.headline(verdict)}', _MAX_WHOLE_LINE)}")
    if max_lines == HEADLINE_ONLY:
        return [headline]
    before = _remarks("because", verdict.reasons, max_lines)
    before += _remarks("needed", [words.lacking(verdict)], max_lines)
    after = _remarks("slack", [_slack(report)], max_lines)
    after += _remarks("p rests on", [verdict.guarantee], max_lines)
    after += _remarks("environment", [_environment(report)], max_lines, "cyan")
    after += _remarks("warning", verdict.warnings, max_lines)
    # Not cut, for it is to be copied.
    after += [_line("  ", ("next:", "cyan"), f" {one_line(command)}") for command in report.next_steps]
    room = None if max_lines is None else max_lines - len(before) - len(after) - 1
    return [headline, *before, *_findings(report, room), *after]


def error_lines(result: Result) -> list[str]:
    """What kept a test from being judged, plain."""
    if result.error is None:
        return []
    advice = [f"try:  {result.error.advice}"] if result.error.advice else []
    texts = [f"{result.test}: {result.error.message}", *advice]
    return [one_line(line, _MAX_WHOLE_LINE) for text in texts for line in text.split("\n")[:MAX_LINES]]


def result_lines(result: Result, *, max_lines: int | None = MAX_LINES) -> list[str]:
    """The plain lines for whatever became of a test."""
    if result.report is not None:
        return verdict_lines(result.report, max_lines=max_lines)
    return error_lines(result) or [one_line(f"{result.status.upper()}  {result.test}")]


def _line(*parts: str | tuple[str, str]) -> Line:
    return Line(tuple((part, "") if isinstance(part, str) else part for part in parts))


def _remarks(label: str, texts: Sequence[str], max_lines: int | None, colour: str = "yellow") -> list[Line]:
    said = [text for text in texts if text]
    shown = said if max_lines is None or len(said) <= _MAX_REMARKS else said[: _MAX_REMARKS - 1]
    limit = _MAX_WHOLE_LINE if max_lines is None else _MAX_LINE
    remarks = [one_line(text, limit) for text in shown]
    if len(shown) < len(said):
        remarks.append(f"and {len(said) - len(shown)} more (-v)")
    return [_line("  ", (f"{label}:", colour), f" {remark}") for remark in remarks]


def _slack(report: CheckReport) -> str:
    """How near a check that passed came to failing: the property that reached furthest."""
    used = [panel for panel in report.panels if panel.reach is not None]
    if report.verdict.status is not Status.PASS or report.verdict.findings or not used:
        return ""
    nearest = max(used, key=lambda panel: panel.reach or 0.0)
    return f"{nearest.prop.name} came nearest, {format_percent(nearest.reach or 0.0)} {report.reach_of}"


def _environment(report: CheckReport) -> str:
    if not len(report.checked):
        return ""
    said = words.environment(report.checked.runs[0].metadata)
    if report.verdict.compares_programs:
        return said
    differs = any(row.likeness is Likeness.DECIDES for row in report.environment)
    return f"{'another than' if differs else 'as'} in training: {said}" if said else ""


def _findings(report: CheckReport, room: int | None) -> list[Line]:
    told = words.listed_findings(report.verdict)
    if not told:
        return []
    panels = {panel.prop.name: panel for panel in report.panels}
    lines = [_line("  not enough to fail:")] if report.verdict.status is Status.PASS else []
    blocks = [_finding(finding, panels.get(finding.subject)) for finding in told]
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
    said = ", ".join(filter(None, (words.change(finding), words.effect(finding), words.weight(finding))))
    head = _line(
        "  ",
        (one_line(finding.subject, MAX_TEXT), "bold"),
        "  ",
        (one_line(said, MAX_TEXT), _EFFECT_COLOUR[finding.effect]),
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
    """When it lay outside: the finding's own time, or where that is of a feature, what the curve shows."""
    window = words.window(finding)
    if finding.outside_share is not None:
        return f"outside {window}" if window else ""
    since_s = None if panel is None else panel.since_s
    return "" if since_s is None else f"outside its band since {format_seconds(since_s)}"


def _curves(finding: Finding, panel: Panel | None) -> list[Line]:
    """The run beside the limit that it passed, over the same time and to the same scale; none without one."""
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
    """Values at other times, NaN outside the known ones and where nothing finite is known."""
    finite = np.isfinite(values)
    if not finite.any():
        return np.full(len(times_s), math.nan)
    return np.interp(times_s, known_s[finite], values[finite], left=math.nan, right=math.nan)
