"""A verdict in a terminal: what changed, when, and by how much, in at most forty lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.oracle.notices import SOURCE as NOTIFICATION
from buto.report.sparkline import sparkline
from buto.runs import Run, RunSet
from buto.units import format_change, format_percent, format_quantity, format_seconds
from buto.verdicts import Effect, Finding, Status, Verdict

MAX_LINES = 40
SPARKLINE_WIDTH = 24
_MAX_REMARKS = 5
_COLOUR = {Status.PASS: "bold green", Status.REGRESSION: "bold red", Status.INCONCLUSIVE: "bold yellow"}
_EFFECT_COLOUR = {Effect.WORSE: "red", Effect.BETTER: "green", Effect.UNKNOWN: "yellow"}


@dataclass(frozen=True, slots=True)
class Style:
    """Marks up words for rich, or leaves them plain."""

    markup: bool

    def paint(self, text: str, colour: str) -> str:
        return f"[{colour}]{self.plain(text)}[/]" if self.markup else text

    def plain(self, text: str) -> str:
        """Text that rich must not read as markup, as the brackets in a property's name."""
        if not self.markup:
            return text
        from rich.markup import escape

        return escape(text)


def verdict_lines(
    verdict: Verdict,
    test: str,
    runs: RunSet | None = None,
    next_steps: Sequence[str] = (),
    markup: bool = False,
) -> list[str]:
    """The lines to print for one check.

    Args:
        verdict: what was judged.
        test: the test's name.
        runs: the judged runs, for small curves beside the findings; none are drawn without.
        next_steps: commands to type next, printed last.
        markup: whether the lines carry rich's markup; plain text otherwise.

    Returns:
        At most MAX_LINES lines. Findings that do not fit are counted, worst ones are shown.
    """
    style = Style(markup)
    lines = [_headline(verdict, test, style)]
    after = [*_remarks("warning", verdict.warnings, style), *_steps(next_steps, style)]
    lines += _remarks("because", verdict.reasons, style)
    lines += _findings(verdict, runs, style, MAX_LINES - len(lines) - len(after))
    return [*lines, *after][:MAX_LINES]


def _headline(verdict: Verdict, test: str, style: Style) -> str:
    run_word = "run" if len(verdict.run_ids) == 1 else f"{len(verdict.run_ids)} runs"
    n_findings = len(verdict.findings)
    if verdict.status is Status.PASS:
        said = f"the {run_word} did what the {verdict.n_training} training runs did"
    elif verdict.status is Status.REGRESSION:
        differences = "1 difference" if n_findings == 1 else f"{n_findings} differences"
        welcome = ", for the better" if verdict.is_welcome else ""
        said = f"{differences} from the {verdict.n_training} training runs{welcome}"
    else:
        said = "could not be judged"
    chance = "" if verdict.p_value is None else f", p = {verdict.p_value:.2g}"
    word = style.paint(verdict.status.value.upper(), _COLOUR[verdict.status])
    return f"{word}  {style.plain(f'{test}: {said}{chance}')}"


def _remarks(label: str, texts: Sequence[str], style: Style) -> list[str]:
    shown = texts if len(texts) <= _MAX_REMARKS else texts[: _MAX_REMARKS - 1]
    lines = [f"  {style.paint(f'{label}:', 'yellow')} {style.plain(text)}" for text in shown]
    if len(shown) < len(texts):
        lines.append(f"  {style.paint(f'{label}:', 'yellow')} and {len(texts) - len(shown)} more")
    return lines


def _steps(commands: Sequence[str], style: Style) -> list[str]:
    return [f"  {style.paint('next:', 'cyan')} {style.plain(command)}" for command in commands]


def _findings(verdict: Verdict, runs: RunSet | None, style: Style, room: int) -> list[str]:
    by_id = {run.id: run for run in runs or ()}
    # What makes a check inconclusive is told as its reason.
    told = [finding for finding in verdict.findings if finding.text not in verdict.reasons]
    blocks = [_finding(finding, by_id.get(finding.run_id), style) for finding in told]
    if not blocks:
        return []
    lines = ["  not enough to fail:"] if verdict.status is Status.PASS else []
    for shown, block in enumerate(blocks):
        left_over = len(blocks) - shown
        reserve = 1 if left_over > 1 else 0
        if len(lines) + len(block) + reserve > room:
            lines.append(f"  and {left_over} more")
            break
        lines += block
    return lines


def _finding(finding: Finding, run: Run | None, style: Style) -> list[str]:
    subject = style.paint(finding.subject, "bold")
    effect = "" if finding.effect is Effect.UNKNOWN else f", {finding.effect.value}"
    size = _size(finding)
    head = f"  {subject}  {style.paint(f'{size}{effect}', _EFFECT_COLOUR[finding.effect])}"
    details = [_where(finding), _when(finding, run)]
    if finding.text:
        details.insert(0, finding.text)
    return [head, *(f"      {style.plain(detail)}" for detail in details if detail)]


def _size(finding: Finding) -> str:
    if finding.observed is None:
        return finding.direction.value if finding.direction.value != "other" else "differs"
    if finding.expected is None:
        return f"{finding.direction.value} than expected"
    if _is_moment(finding):
        shift = finding.observed - finding.expected
        return f"{format_seconds(abs(shift))} {'later' if shift > 0 else 'earlier'}"
    return format_change(finding.expected, finding.observed, finding.unit)


def _where(finding: Finding) -> str:
    if finding.observed is None:
        return ""
    observed = format_quantity(finding.observed, finding.unit)
    if finding.at_s is None or _is_moment(finding):
        return f"{observed}{_band(finding)}"
    # Smoothing makes fractions of whole numbers.
    smoothed = finding.unit.startswith("{") and not finding.observed.is_integer()
    at = "on average around" if smoothed else "at"
    return f"{observed} {at} {format_seconds(finding.at_s)}{_band(finding)}"


def _is_moment(finding: Finding) -> bool:
    """Whether what was observed is the time itself at which it was observed."""
    return finding.source == NOTIFICATION and finding.at_s is not None


def _band(finding: Finding) -> str:
    lower = -math.inf if finding.lower is None else finding.lower
    upper = math.inf if finding.upper is None else finding.upper
    if math.isfinite(lower) and math.isfinite(upper):
        return f", expected {_range(lower, upper, finding.unit)}"
    if math.isfinite(upper):
        return f", expected at most {format_quantity(upper, finding.unit)}"
    if math.isfinite(lower):
        return f", expected at least {format_quantity(lower, finding.unit)}"
    return ""


def _range(lower: float, upper: float, unit: str) -> str:
    """As ``10 to 12 threads``, ``512 KiB to 1.5 MiB`` or, where both read the same, ``10 threads``."""
    low, high = (format_quantity(end, unit) for end in (lower, upper))
    number, _, counted = low.partition(" ")
    if low == high:
        return high
    return f"{number if counted and high.endswith(f' {counted}') else low} to {high}"


def _when(finding: Finding, run: Run | None) -> str:
    curve = _curve(finding, run)
    if finding.window_s is None or _is_moment(finding):
        return curve
    start, end = (format_seconds(max(0.0, time)) for time in finding.window_s)
    when = f"outside at {start}" if start == end else f"outside from {start} to {end}"
    share = finding.outside_share
    if share is not None and not math.isnan(share):
        when += f" ({format_percent(share)} of the points)"
    return f"{curve}  {when}" if curve else when


def _curve(finding: Finding, run: Run | None) -> str:
    if run is None or finding.subject not in run.column_of or len(run.times_s) < 2:
        return ""
    even = np.linspace(run.times_s[0], run.times_s[-1], SPARKLINE_WIDTH)
    values = run.series(finding.subject)
    readable = np.isfinite(values)
    if not readable.any():
        return ""
    return sparkline(np.interp(even, run.times_s[readable], values[readable]), SPARKLINE_WIDTH)
