"""Everything that a report of one check shows, collected once; renderers decide nothing.

This includes, in one line, which changes of what matters to most users a check would detect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from pathlib import Path

from buto.judging.alarms import TIMES_LEVEL, Strength
from buto.judging.class_changes import ClassChange, class_changes, typical_histogram
from buto.judging.protocol import Explanation
from buto.judging.verdict import FindingGroup, Order, Roles, Status, Verdict, grouped, in_line
from buto.judging.views import ClusterView
from buto.oracle import Checked, Oracle
from buto.report import words
from buto.report.environment import EnvironmentRow, environment_rows
from buto.report.likeness import Like
from buto.report.panels import NO_RUNS, Charted, beside, costs_of, panels_of, stride_of
from buto.run.model import RunSet
from buto.run.properties import title_of
from buto.run.units import format_percent, format_quantity
from buto.run.window import measured_set
from buto.steps import Advice, Setting

MATTERS = (
    "run.duration",
    "jvm.cpu.time",
    "jvm.memory.heap.used",
    "jvm.thread.count",
    "jvm.class.loaded",
)
"""Quantities in the order of the line."""

NOTHING = f"a check detects no lasting change up to {TIMES_LEVEL:.0f} times as much of "
INTRODUCTION = "a check detects 9 of 10 lasting changes of this size: "

LARGE_SHARE = 1.0
"""An oracle that misses a quantity's increase by this share of its level says little of this quantity."""


def detectable(strengths: Sequence[Strength]) -> str:
    """Return the line; empty if nothing is known of any quantity that matters."""
    known = [(title_of(one.quantity.name), change(one)) for one in _that_matter(strengths)]
    found = ", ".join(f"{name} {size}" for name, size in known if size)
    missed = ", ".join(name for name, size in known if not size)
    if not found:
        return f"{NOTHING}{missed}" if missed else ""
    return f"{INTRODUCTION}{found}{f'; none of {missed}' if missed else ''}"


def discouraging(strengths: Sequence[Strength], n_runs: int) -> Advice | None:
    """Return a warning if large changes of most of these quantities would be missed, with what helps."""
    known = _that_matter(strengths)
    # That a decrease is detected does not help against one who fears an increase.
    blind = [one for one in known if one.more > LARGE_SHARE * abs(one.level)]
    if not blind or 2 * len(blind) < len(known):
        return None
    names = ", ".join(title_of(one.quantity.name) for one in blind)
    return Advice(
        f"a check may miss that a quantity doubles ({names}). What helps: more runs (",
        Setting("runs", str(2 * n_runs)),
        "), a longer program, a smaller heap (-Xmx), a quieter machine, or counters of its own (MBeans)",
    )


def change(one: Strength) -> str:
    """Return the smallest detected change, as ``±838 KiB (13.5 %)``; empty if none is detected."""
    if isfinite(one.more) and isfinite(one.less):
        return f"±{_size(one, max(one.more, one.less))}"
    if isfinite(one.more):
        return f"+{_size(one, one.more)}"
    return f"-{_size(one, one.less)}" if isfinite(one.less) else ""


def _that_matter(strengths: Sequence[Strength]) -> list[Strength]:
    by_name = {one.quantity.name: one for one in strengths}
    return [by_name[name] for name in MATTERS if name in by_name]


def _size(one: Strength, size: float) -> str:
    share = f" ({format_percent(size / abs(one.level))})" if one.level else ""
    return f"{format_quantity(size, one.quantity.unit)}{share}"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CheckReport(Charted):
    """One check, for renderers. ``checked`` also has runs that could not be judged.

    Attributes:
        verdict: the answer, with every number that decides.
        explanation: how the detector came to the verdict, in its own words.
        oracle_path: the oracle's file; None for one that was trained only for this comparison.
        training_ids: of all training runs.
        unjudged: properties that are not judged, each with the reason.
        environment: metadata of both sides, differences first.
        oracle_warnings: warnings from training.
        next_steps: next commands.
        order: of the findings.
        classes: whose live objects changed, the largest change first; empty if a side was recorded without.
        likes: labelled runs of the past in which about the same changed, the nearest first.
        clusters: of the findings, where the detector has clusters.
        strengths: of a pass, the smallest changes that a check detects; empty if the detector knows none.
    """

    verdict: Verdict
    explanation: Explanation
    oracle_path: Path | None
    training_ids: tuple[str, ...]
    unjudged: Mapping[str, str]
    environment: tuple[EnvironmentRow, ...]
    oracle_warnings: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    order: Order = Order.MEANING
    classes: tuple[ClassChange, ...] = ()
    likes: tuple[Like, ...] = ()
    clusters: tuple[ClusterView, ...] = ()
    strengths: tuple[Strength, ...] = ()

    @property
    def detectable(self) -> str:
        """Of a pass, one line on which changes a check would have detected; else empty."""
        return detectable(self.strengths)

    @property
    def roles(self) -> Roles:
        """What the judged and the known runs are called."""
        return self.verdict.roles

    @property
    def groups(self) -> tuple[FindingGroup, ...]:
        """The findings, those of one cause together, without those that the reasons state."""
        return grouped(words.listed_findings(self.verdict), self.order)

    @property
    def noted(self) -> tuple[FindingGroup, ...]:
        """What is certain and smaller than the size that matters, in the same way."""
        return grouped(self.verdict.noted, self.order)

    def ordered(self, order: Order) -> CheckReport:
        """Return the same report with its findings, and the panels of these, in another order."""
        listed = (self.verdict.findings, self.verdict.noted)
        changes = [one for findings in listed for one in in_line(grouped(findings, order))]
        rank = {finding.subject: place for place, finding in reversed(list(enumerate(changes)))}
        panels = sorted(self.panels, key=lambda panel: rank.get(panel.prop.name, len(changes)))
        return replace(self, order=order, panels=tuple(panels))


def check_report(
    checked: Checked,
    training: RunSet = NO_RUNS,
    *,
    made: datetime,
    oracle_path: Path | None = None,
    next_steps: Sequence[str] = (),
    likes: tuple[Like, ...] = (),
) -> CheckReport:
    """Return the report of a check, or of a comparison.

    Args:
        checked: with runs that are valid or not; only those that the verdict names are drawn.
        training: those of the oracle's training runs that are still in the store; of a comparison the runs
            of the other program are taken.
        made: an aware time.
        likes: see :class:`CheckReport`.
    """
    oracle, verdict = checked.oracle, checked.verdict
    runs, training = measured_set(checked.runs), measured_set(checked.against or training)
    judged = [run for run in runs if run.id in verdict.run_ids and run.quality.valid]
    view = oracle.fitted.view((*training, *judged))
    changes, noted = in_line(grouped(verdict.findings)), in_line(grouped(verdict.noted))
    return CheckReport(
        test=oracle.test,
        verdict=verdict,
        explanation=checked.explanation,
        made=made,
        oracle_path=oracle_path,
        checked=runs,
        training=training,
        training_ids=oracle.run_ids,
        panels=(
            *panels_of(view, training.runs, judged, changes, noted, verdict.reach),
            *beside(view, training.runs, judged),
        ),
        costs=costs_of(training.runs, runs.runs),
        unjudged=dict(view.left_out),
        environment=environment_rows(oracle, runs, training),
        emitters=view.emitters,
        oracle_warnings=oracle.warnings,
        next_steps=tuple(next_steps),
        reach_of=view.reach_of,
        stride=stride_of(training, runs),
        smoothing=view.smoothing,
        clusters=view.clusters(judged, verdict.findings),
        classes=class_changes(oracle.classes, typical_histogram(judged)),
        likes=likes,
        strengths=_strengths(verdict, oracle),
    )


def _strengths(verdict: Verdict, oracle: Oracle) -> tuple[Strength, ...]:
    """Return what a check by this oracle detects if it has passed a program; it takes some tenths of a
    second.
    """
    if verdict.status is not Status.PASS or verdict.compares_programs:
        return ()
    return oracle.fitted.strengths(everything=False).found
