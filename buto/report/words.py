"""A verdict and its findings in words, the same in every format; no layout, no markup."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from buto.judging.class_changes import ClassChange
from buto.judging.story import story_of
from buto.judging.verdict import (
    GROWTH,
    LIMIT,
    CommitShare,
    Difference,
    Direction,
    Effect,
    Finding,
    Roles,
    Since,
    Status,
    Verdict,
)
from buto.oracle.check import METADATA_SOURCE
from buto.report.environment import EnvironmentRow, Likeness
from buto.report.panels import Panel
from buto.report.sanitize import MAX_TEXT, one_line
from buto.run.model import WORKER, MetadataValue
from buto.run.properties import DURATION, property_for, title_of
from buto.run.units import (
    format_before_and_after,
    format_bytes,
    format_change,
    format_count,
    format_number,
    format_percent,
    format_quantity,
    format_seconds,
    join_quantities,
)

NOTED = "certain, and less than what fails a check"
"""What it means that a change is noted."""

MAX_CLASS = 60
"""Characters of the name of a class."""

MAX_NAME = 100
"""Characters of a name from outside in a headline."""

SHORT = {
    "mean over the run": "mean",
    "largest value": "peak",
    "last value": "last",
    "p10 over the run": "p10",
    "median over the run": "median",
    "p90 over the run": "p90",
    "growth from the first to the last third": "growth",
}
"""Measures that have a shorter name for headlines."""

CHANGED = "changed"
"""What a check is called that fails only for what is better."""

ALL_MEANT = "all that matters is accepted"

LEAST_SHARE = 0.0005
"""A smaller share would read as none."""


def status_of(verdict: Verdict) -> str:
    """Return the verdict in a word: that of its status, or ``changed`` if all that differs is better."""
    welcome = verdict.status is Status.REGRESSION and story_of(verdict).is_welcome
    return CHANGED if welcome else verdict.status.value


def old_to_new(finding: Finding) -> str:
    """Return what there was before and now, as ``total 40.2 → 56 MiB``; empty without both."""
    size = finding.told_size if isinstance(finding, Difference) else None
    if not isinstance(finding, Difference) or size is None:
        return ""
    measure = one_line(SHORT.get(size.measure, size.measure), MAX_NAME)
    values = format_before_and_after(size.old, size.new, finding.unit)
    return f"{measure} {values}" if measure else values


def chance_of(verdict: Verdict) -> str:
    """Return the p-value and the accepted rate of false alarms, as ``p = 0.012 (alpha 0.05)``."""
    if verdict.p_value is None:
        return ""
    alpha = "" if verdict.alpha is None else f" (alpha {format_number(verdict.alpha)})"
    return f"p = {format_number(verdict.p_value)}{alpha}"


def certainty(verdict: Verdict) -> str:
    """Return of a regression how certain it is, and against what; empty if its method has no p-value."""
    chance = chance_of(verdict)
    if verdict.status is not Status.REGRESSION or verdict.is_only_growth or not chance:
        return ""
    in_turns = verdict.compares_programs
    return chance if in_turns else f"{chance} against {verdict.n_training} {verdict.roles.known_runs}"


def reasons(verdict: Verdict) -> tuple[str, ...]:
    """Return the reasons, the first with how certain a regression is, or that a difference was meant."""
    meant = ALL_MEANT if verdict.reasons and verdict.waived and verdict.status is Status.PASS else ""
    first = "; ".join(filter(None, (*verdict.reasons[:1], meant, certainty(verdict))))
    return (*filter(None, (first,)), *verdict.reasons[1:])


def describe_adjustment(verdict: Verdict) -> str:
    """Return what the judge adjusted for; empty if it compared runs as they are."""
    return verdict.adjusted.removeprefix("judged ")


def since(sum_since: Since) -> str:
    """Return a sum since a release: who gave which share of it, or how much of its budget is used."""
    name = one_line(title_of(sum_since.subject), MAX_NAME)
    if sum_since.by_change is not None and sum_since.budget is not None:
        # Less than before uses nothing of what may be added.
        spent = sum_since.total if sum_since.total * sum_since.budget > 0 else 0.0
        used, budget = (_share(size, sum_since).lstrip("+") for size in (spent, sum_since.budget))
        number = used.removesuffix(" %") if budget.endswith(" %") else used
        used_since = f"{number} of {budget} used since {sum_since.release}"
        return f"{name} {_share(sum_since.by_change, sum_since)} by this change; {used_since}"
    total = f"{name} {_share(sum_since.total, sum_since)} since {sum_since.release}"
    allowed = (
        "" if sum_since.budget is None else f", of {_share(sum_since.budget, sum_since).lstrip('+')} allowed"
    )
    if not sum_since.shares:
        return f"{total}{allowed}{f': {sum_since.limits}' if sum_since.limits else ''}"
    parts = [f"{_interval(share, sum_since)} by {share.text}" for share in sum_since.shares]
    if abs(sum_since.rest) > LEAST_SHARE * abs(sum_since.old):
        parts.append(f"{_share(sum_since.rest, sum_since)} in smaller steps")
    return f"{total}{allowed}: {', '.join(parts)}{f'; {sum_since.limits}' if sum_since.limits else ''}"


def _share(size: float, of: Since) -> str:
    """Return an amount as a share of the level at the release, ``+2.1 %``; too small a share as an amount."""
    if not of.old or 0 < abs(size) < LEAST_SHARE * abs(of.old):
        sign = "+" if size >= 0 else "-"
        return f"{sign}{format_quantity(abs(size), of.unit)}"
    return f"{f'{100 * size / abs(of.old):+.1f}'.removesuffix('.0')} %".replace("-0 %", "+0 %")


def _interval(share: CommitShare, of: Since) -> str:
    if not of.old:
        return f"{_share(share.change, of)} ± {format_quantity(share.half, of.unit)}"
    change, half = (100 * size / abs(of.old) for size in (share.change, share.half))
    return f"{change:+.1f} ± {max(half, 0.1):.1f} %"


def lacking(verdict: Verdict) -> str:
    """Return how many training runs an inconclusive check needs; empty if that is not known."""
    if verdict.runs_needed is None:
        return ""
    needed = format_count(verdict.runs_needed, "training run")
    return f"a decision needs {needed}, not {verdict.n_training}"


def list_findings(verdict: Verdict) -> tuple[Finding, ...]:
    """Return the findings without those that the reasons state: what differs in the environment."""
    if verdict.status is not Status.INCONCLUSIVE:
        return verdict.findings
    return tuple(finding for finding in verdict.findings if finding.source != METADATA_SOURCE)


def change(finding: Finding) -> str:
    """Return the change, as ``+3 MiB (+300 %)``, ``105 ms later`` or, without numbers, ``less``."""
    if finding.source == GROWTH:
        return "in every round"
    if not isinstance(finding, Difference):
        return "differs" if finding.direction is Direction.OTHER else finding.direction.value
    if finding.is_moment and finding.expected is not None:
        shift = finding.observed - finding.expected
        return f"{format_seconds(abs(shift))} {'later' if shift > 0 else 'earlier'}"
    size = finding.told_size
    if size is None:
        return f"{finding.direction.value} than {'its limit' if finding.source == LIMIT else 'expected'}"
    return format_change(size.old, size.new, finding.unit)


def effect(finding: Finding) -> str:
    """Return ``better`` or ``worse``; empty if that is not known."""
    return "" if finding.effect is Effect.UNKNOWN else finding.effect.value


def describe_observed(finding: Finding) -> str:
    """Return the value and its time, as ``4 MiB at 4 s``; empty without a number."""
    if not isinstance(finding, Difference):
        return ""
    value = format_quantity(finding.observed, finding.unit)
    if finding.at_s is None or finding.is_moment:
        return value
    # Smoothing makes fractions of whole numbers.
    smoothed = finding.unit.startswith("{") and not finding.observed.is_integer()
    return f"{value} {'on average around' if smoothed else 'at'} {format_seconds(finding.at_s)}"


def describe_expected(finding: Finding) -> str:
    """Return the expected range, as ``512 KiB to 1.5 MiB`` or ``at most 10 threads``; empty without one."""
    if not isinstance(finding, Difference):
        return ""
    lower = -math.inf if finding.lower is None else finding.lower
    upper = math.inf if finding.upper is None else finding.upper
    if math.isinf(lower) and math.isinf(upper):
        return ""
    if math.isinf(lower):
        return f"at most {format_quantity(upper, finding.unit)}"
    if math.isinf(upper):
        return f"at least {format_quantity(lower, finding.unit)}"
    ends = (format_quantity(lower, finding.unit), format_quantity(upper, finding.unit))
    return join_quantities(*ends, " to ")


def describe_measured(finding: Finding) -> str:
    """Return what was measured with its value, as ``largest value 4 MiB``; empty without a number."""
    value = describe_observed(finding)
    measure = finding.measure if isinstance(finding, Difference) else ""
    return f"{measure} {value}" if measure and value else value


def expectation(finding: Finding) -> str:
    """Return ``expected 512 KiB to 1.5 MiB``; empty without a range."""
    text = describe_expected(finding)
    return f"expected {text}" if text else ""


def window(finding: Finding) -> str:
    """Return when it was outside, as ``from 1.5 s to 4 s (62.5 % of the points)``; empty without a time."""
    if not isinstance(finding, Difference) or finding.window_s is None or finding.is_moment:
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


def short_class(name: str) -> str:
    """Return the name of a class without its package, as ``Orders$Line[]``."""
    return one_line(name.rpartition(".")[2], MAX_CLASS)


def class_change(change: ClassChange, *, whole: bool = False) -> str:
    """Return ``Session +10.2 MiB (2,512 more)``, or with the package of the class."""
    name = one_line(change.name, MAX_TEXT) if whole else short_class(change.name)
    sign = "+" if change.size_bytes > 0 else "-"
    size = f"{sign}{format_bytes(abs(change.size_bytes))}"
    if not change.instances:
        return f"{name} {size}"
    direction = "more" if change.instances > 0 else "fewer"
    return f"{name} {size} ({format_number(abs(change.instances))} {direction})"


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
