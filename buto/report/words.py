"""A verdict and its findings in words, the same in every format; no layout, no markup."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from buto.judging.class_changes import ClassChange
from buto.judging.verdict import NOTIFICATION, Direction, Effect, Finding, Roles, Status, Verdict, grouped
from buto.oracle.check import METADATA_SOURCE
from buto.report.environment import EnvironmentRow, Likeness
from buto.report.panels import Panel
from buto.report.sanitize import MAX_TEXT, one_line
from buto.run.model import WORKER, MetadataValue
from buto.run.properties import DURATION, property_for, title_of
from buto.run.units import (
    format_bytes,
    format_change,
    format_count,
    format_number,
    format_percent,
    format_quantity,
    format_seconds,
    format_share,
)

MOST_CHANGES = 3
"""Changes that a headline names."""

NOTED = "certain, and smaller than the size that matters"
"""What it means that a change is noted."""

MAX_NAME = 100
"""Characters of a name from outside in a headline."""

SHORT = {
    "mean over the run": "mean",
    "p10 over the run": "p10",
    "median over the run": "median",
    "p90 over the run": "p90",
    "growth from the first to the last third": "growth",
}
"""Measures that have a shorter name for headlines."""


def headline(verdict: Verdict) -> str:
    """Return the result without the status and the test's name, which each format sets its own way.

    A regression names what it fails for first, as people call it; a pass what is noted.
    """
    run_word = "run" if len(verdict.run_ids) == 1 else format_count(len(verdict.run_ids), "run")
    known = f"the {verdict.n_training} {verdict.roles.known_runs}"
    if verdict.status is Status.INCONCLUSIVE:
        text = "could not be judged"
    elif verdict.status is Status.REGRESSION and not verdict.findings:
        text = f"differs from {known}"
    elif verdict.status is Status.REGRESSION:
        welcome = ", for the better" if verdict.is_welcome else ""
        text = f"fails for {changes(verdict.findings, most=1)}{welcome}, against {known}"
    elif verdict.obvious:
        n_more = len(verdict.obvious) - 1
        others = f" and {format_count(n_more, 'other property')}" if n_more else ""
        are = "are" if n_more else "is"
        name = verdict.obvious[0]
        sized = (one for one in verdict.findings if one.subject == name)
        first = next(map(titled, sized), title_of(one_line(name, MAX_NAME)))
        text = f"no regression, but {first}{others} {are} far beyond all training runs"
    elif verdict.findings:
        text = f"{changes(verdict.findings, most=1)}, not enough to fail against {known}"
    elif verdict.noted:
        text = f"no change that matters against {known}"
    else:
        text = f"the {run_word} did what {known} did"
    chance = chance_of(verdict)
    whole = f"{text}, {chance}" if chance else text
    noted = changes(verdict.noted) if verdict.status is Status.PASS else ""
    return f"noted: {noted}; {whole}" if noted else whole


def changes(findings: Sequence[Finding], most: int = MOST_CHANGES) -> str:
    """Return the changes that lead in reading order, and how many more there are; empty without findings.

    As ``allocated bytes +39 % (total 40.2 → 56 MiB), threads +25 % (mean 8 → 10 threads) and 4 more``.
    """
    shown = [group.leading for group in grouped(findings)[:most]]
    left = len(findings) - len(shown)
    return f"{', '.join(map(titled, shown))}{f' and {left} more' if left else ''}"


def titled(finding: Finding) -> str:
    """Return a change in the words of people, with its size and what was measured."""
    name = title_of(one_line(finding.subject, MAX_NAME))
    if finding.observed is None or finding.expected is None or is_moment(finding):
        return f"{name} ({change(finding)})"
    return f"{name} {format_share(finding.expected, finding.observed, finding.unit)} ({old_to_new(finding)})"


def old_to_new(finding: Finding) -> str:
    """Return what was measured before and now, as ``total 40.2 → 56 MiB``; empty without both."""
    if finding.observed is None or finding.expected is None or is_moment(finding):
        return ""
    measure = one_line(SHORT.get(finding.measure, finding.measure), MAX_NAME)
    values = _range(finding.expected, finding.observed, finding.unit, " → ")
    return f"{measure} {values}" if measure else values


def chance_of(verdict: Verdict) -> str:
    """Return the p-value and the accepted rate of false alarms, as ``p = 0.012 (alpha 0.05)``."""
    if verdict.p_value is None:
        return ""
    alpha = "" if verdict.alpha is None else f" (alpha {format_number(verdict.alpha)})"
    return f"p = {format_number(verdict.p_value)}{alpha}"


def adjusted(verdict: Verdict) -> str:
    """Return what the judge adjusted for; empty if it compared runs as they are."""
    return verdict.adjusted.removeprefix("judged ")


def lacking(verdict: Verdict) -> str:
    """Return how many training runs an inconclusive check needs; empty if that is not known."""
    if verdict.runs_needed is None:
        return ""
    needed = format_count(verdict.runs_needed, "training run")
    return f"a decision needs {needed}, not {verdict.n_training}"


def listed_findings(verdict: Verdict) -> tuple[Finding, ...]:
    """Return the findings without those that the reasons state: what differs in the environment."""
    if verdict.status is not Status.INCONCLUSIVE:
        return verdict.findings
    return tuple(finding for finding in verdict.findings if finding.source != METADATA_SOURCE)


def change(finding: Finding) -> str:
    """Return the change, as ``+3 MiB (+300 %)``, ``105 ms later`` or, without numbers, ``less``."""
    if finding.observed is None:
        return "differs" if finding.direction is Direction.OTHER else finding.direction.value
    if finding.expected is None:
        return f"{finding.direction.value} than expected"
    if is_moment(finding):
        shift = finding.observed - finding.expected
        return f"{format_seconds(abs(shift))} {'later' if shift > 0 else 'earlier'}"
    return format_change(finding.expected, finding.observed, finding.unit)


def effect(finding: Finding) -> str:
    """Return ``better`` or ``worse``; empty if that is not known."""
    return "" if finding.effect is Effect.UNKNOWN else finding.effect.value


def observed(finding: Finding) -> str:
    """Return the value and its time, as ``4 MiB at 4 s``; empty without a number."""
    if finding.observed is None:
        return ""
    value = format_quantity(finding.observed, finding.unit)
    if finding.at_s is None or is_moment(finding):
        return value
    # Smoothing makes fractions of whole numbers.
    smoothed = finding.unit.startswith("{") and not finding.observed.is_integer()
    return f"{value} {'on average around' if smoothed else 'at'} {format_seconds(finding.at_s)}"


def expected(finding: Finding) -> str:
    """Return the expected range, as ``512 KiB to 1.5 MiB`` or ``at most 10 threads``; empty without one."""
    lower = -math.inf if finding.lower is None else finding.lower
    upper = math.inf if finding.upper is None else finding.upper
    if finding.observed is None or (math.isinf(lower) and math.isinf(upper)):
        return ""
    if math.isinf(lower):
        return f"at most {format_quantity(upper, finding.unit)}"
    if math.isinf(upper):
        return f"at least {format_quantity(lower, finding.unit)}"
    return _range(lower, upper, finding.unit)


def measured(finding: Finding) -> str:
    """Return what was measured with its value, as ``largest value 4 MiB``; empty without a number."""
    value = observed(finding)
    return f"{finding.measure} {value}" if finding.measure and value else value


def expectation(finding: Finding) -> str:
    """Return ``expected 512 KiB to 1.5 MiB``; empty without a range."""
    text = expected(finding)
    return f"expected {text}" if text else ""


def window(finding: Finding) -> str:
    """Return when it was outside, as ``from 1.5 s to 4 s (62.5 % of the points)``; empty without a time."""
    if finding.window_s is None or is_moment(finding):
        return ""
    start, end = (format_seconds(max(0.0, time)) for time in finding.window_s)
    when = f"at {start}" if start == end else f"from {start} to {end}"
    share = finding.outside_share
    if share is not None and not math.isnan(share):
        when += f" ({format_percent(share)} of the points)"
    return when


def weight(finding: Finding) -> str:
    """Return ``58 % of the evidence``; empty if the detector does not divide it."""
    return "" if finding.evidence is None else f"{format_percent(finding.evidence)} of the evidence"


def is_moment(finding: Finding) -> bool:
    """Return whether the observed value is itself a time."""
    return finding.source == NOTIFICATION and finding.at_s is not None


def class_change(change: ClassChange) -> str:
    """Return ``+2,512 com.acme.Session (+10.2 MiB)``."""
    sign = "+" if change.size_bytes > 0 else "-"
    size = f"{sign}{format_bytes(abs(change.size_bytes))}"
    return f"{change.instances:+,} {one_line(change.name, MAX_TEXT)} ({size})"


def unit_of(name: str) -> str:
    """Return the unit of a property by its name."""
    return DURATION.unit if name == DURATION.name else property_for(name).unit


def band_name(decides: bool, roles: Roles) -> str:
    """Return what the band of a chart is."""
    return "expected" if decides else f"range of the {roles.known_runs}"


def outside_since(panel: Panel, roles: Roles) -> str:
    """Return ``outside its band since 401 ms``; empty if the run does not stay outside."""
    if panel.since_s is None:
        return ""
    band = "its band" if panel.band_decides else f"the {band_name(panel.band_decides, roles)}"
    return f"outside {band} since {format_seconds(max(0.0, panel.since_s))}"


def _range(lower: float, upper: float, unit: str, to: str = " to ") -> str:
    """Return ``10 to 12 threads``, ``512 KiB to 1.5 MiB`` or, where both read the same, ``10 threads``."""
    low, high = (format_quantity(end, unit) for end in (lower, upper))
    number, _, counted = low.partition(" ")
    if low == high:
        return high
    return f"{number if counted and high.endswith(f' {counted}') else low}{to}{high}"


def hosts(rows: Sequence[EnvironmentRow], known: str) -> str:
    """Return which hosts of a cluster recorded the runs; empty without a cluster.

    Args:
        known: what the runs are called with which the judged ones are compared.
    """
    row = next((row for row in rows if row.key == WORKER), None)
    if row is None:
        return ""
    judged = ", ".join(sorted({name or "none" for name in row.observed})) or "none"
    trained = "several" if row.likeness is Likeness.VARIES else row.expected or "none"
    return judged if judged == trained else f"{judged}; {known}: {trained}"


def environment(metadata: Mapping[str, MetadataValue]) -> str:
    """Return JVM and machine in one line, without what is not known."""

    def text(*keys: str) -> str:
        return " ".join(str(metadata[key]) for key in keys if metadata.get(key) not in (None, ""))

    heap, cores, others = text("jvm.memory.heap.max"), text("host.cores"), metadata.get("host.load.foreign")
    parts = [
        text("jvm.vm.name", "jvm.vm.version"),
        text("jvm.gc.collectors"),
        f"heap at most {format_bytes(float(heap))}" if heap.isdecimal() else "",
        f"{format_count(int(cores), 'core')} {text('host.cpu.model')}".strip() if cores.isdecimal() else "",
        f"other programs used {format_percent(others)} of them" if isinstance(others, float) else "",
    ]
    return one_line("; ".join(part for part in parts if part), 2 * MAX_TEXT)
