"""The result of judging: a verdict with its findings, which every report renders.

A detector lists findings by the strength of their evidence. How people read them is in
:mod:`buto.judging.story`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from math import floor
from typing import Any

from msgspec import Struct

from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, EXIT_REGRESSION
from buto.judging.procedure import Looked, Next
from buto.run.display import Displayed
from buto.run.properties import Better


class Status(Enum):
    PASS = "pass"
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"
    """Nothing could be decided; never a pass."""

    @property
    def exit_code(self) -> int:
        return {
            Status.PASS: EXIT_PASS,
            Status.REGRESSION: EXIT_REGRESSION,
            Status.INCONCLUSIVE: EXIT_NOT_JUDGED,
        }[self]


class Direction(Enum):
    MORE = "more"
    LESS = "less"
    OTHER = "other"
    """A difference without a size: a missing notification, another value of a text."""


class Effect(Enum):
    BETTER = "better"
    WORSE = "worse"
    UNKNOWN = "unknown"


def effect_of(better: Better, direction: Direction) -> Effect:
    """Return whether a difference in this direction is welcome."""
    if better is Better.UNKNOWN or direction is Direction.OTHER:
        return Effect.UNKNOWN
    return Effect.BETTER if (direction is Direction.LESS) == (better is Better.LOWER) else Effect.WORSE


NOTIFICATION = "notification"
"""The source of findings of which the subject is a kind of notification."""

GROWTH = "growth"
"""Source and subject of the finding that something grows in every round of the program's work."""

OUTSIDE = "outside"
"""The source of findings that old and new share: what lies beyond training in both."""

LIMIT = "limit"
"""The source of the finding that a run needs more memory than its test allows."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a finding compares: one number of each run, in the order of their start.

    Attributes:
        known: of the training runs, or of those of the old program.
        judged: of the runs under test.
    """

    known: tuple[float, ...]
    judged: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of a property there was before and now, in the number that says most of it.

    Attributes:
        measure: which number it is, as ``total`` or ``kept at the exit``; empty if it is the property itself.
        old, new: means over the runs, in the property's unit.
        window_s: the part of the run that it is of, in seconds from the program's start; None for all of it.
        numbers: of each run; None if they are not known.
    """

    measure: str
    old: float
    new: float
    window_s: tuple[float, float] | None = None
    numbers: Numbers | None = field(default=None, compare=False, repr=False)

    @property
    def change(self) -> float:
        return self.new - self.old

    def as_whole(self) -> Amount:
        """Return the means as whole numbers if each run has one: nobody has 7.3 threads.

        Both stay as they are if they would become equal, as of a thread more in every third run.
        """
        if self.numbers is None:
            return self
        is_whole = all(map(float.is_integer, (*self.numbers.known, *self.numbers.judged)))
        # Halves go up in both, so that a thread more stays one.
        old, new = (float(floor(mean + 0.5)) for mean in (self.old, self.new))
        return replace(self, old=old, new=new) if is_whole and old != new else self


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference between a run and what is expected of it: of numbers, or a statement.

    Attributes:
        source: what detected it: ``bounds``, ``notification``, ``metadata``, ``growth``.
        subject: the property's name, or the notification or metadata key.
        run_id: the run in which it was observed.
        direction: more or less of the subject than expected.
        effect: whether that is better or worse.
        severity: for sorting, larger is worse: distance beyond the bound in widths of the band, or the
            detector's own measure.
        evidence: share of this subject in all evidence for a change, 0 to 1; None if the detector has none.
        text: one sentence on what nothing else here says; may be empty.
    """

    source: str
    subject: str
    run_id: str
    direction: Direction = Direction.OTHER
    effect: Effect = Effect.UNKNOWN
    severity: float = field(default=0.0, kw_only=True)
    evidence: float | None = field(default=None, kw_only=True)
    text: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Statement(Finding):
    """A difference that is no number: a notification that is missing, metadata of another value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Finding):
    """A difference of numbers.

    Attributes:
        unit: of observed, lower, upper and expected.
        observed: the value outside the band that is furthest from ``expected``, at ``at_s``.
        lower, upper: the band at that time.
        expected: the centre of the band at that time; None if only its ends are known.
        at_s: time of that value, in seconds from the program's start.
        window_s: start and end of the time outside the band, in seconds.
        outside_share: share of the compared points that lie outside.
        measure: what of the subject the numbers are: ``largest value``, ``growth from the first to the
            last third``, ``total``; empty if they are the subject itself at a time.
        is_level: whether ``observed`` is a level of the property over a time, which a chart can draw as a
            line; not so for a moment, a growth or a scatter.
        part: of the subject, what the numbers are of, as the name of a class; empty if they are of all of it.
        amount: the change in the number that says most to people; None where only ``observed`` is known.
        numbers: what was compared; None if it is not a number of each run.
    """

    unit: str
    observed: float
    expected: float | None = None
    lower: float | None = None
    upper: float | None = None
    at_s: float | None = None
    window_s: tuple[float, float] | None = None
    outside_share: float | None = None
    measure: str = ""
    is_level: bool = False
    part: str = ""
    amount: Amount | None = None
    numbers: Numbers | None = field(default=None, compare=False, repr=False)

    @property
    def is_moment(self) -> bool:
        """Whether the observed value is itself a time, of a notification that came late or early."""
        return self.source == NOTIFICATION and self.at_s is not None

    @property
    def size(self) -> Amount | None:
        """How much changed: the amount, or what was observed and expected; None if neither is known."""
        if self.amount is not None or self.expected is None or self.is_moment:
            return self.amount
        return Amount(self.measure, self.expected, self.observed, numbers=self.numbers)

    @property
    def told_size(self) -> Amount | None:
        """The size as people say it: things that are counted in whole numbers, where every run has them."""
        is_counted = self.unit.startswith("{") and self.unit.endswith("}")
        return self.size if self.size is None or not is_counted else self.size.as_whole()


class Waiver(Struct, frozen=True):
    """A commit's word that a change is meant, see :mod:`buto.judging.waivers`.

    Attributes:
        test: the name of the test.
        subject: the full name of the property.
        direction: more or less.
        size: how much, without a sign: an amount in the property's unit, or a share of its level before.
        reason: why it is meant, in the author's words.
        commit, author: full name of the commit that has it, and who wrote that; empty if that is not known.
    """

    test: str
    subject: str
    direction: Direction
    size: str
    reason: str
    commit: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that is meant, with all the waivers that together cover it."""

    finding: Difference
    waivers: tuple[Waiver, ...]


@dataclass(frozen=True, slots=True)
class CommitShare:
    """What some commits gave to the sum since a release.

    Attributes:
        commits: full names, oldest first; several where no first run tells them apart.
        text: which they are, for people.
        change, half: in the property's unit, with half the width of its 95 % interval.
    """

    commits: tuple[str, ...]
    text: str
    change: float
    half: float


@dataclass(frozen=True, slots=True)
class Since:
    """How much a property has changed since a release.

    Attributes:
        subject, unit: of the property.
        release: what the release is called.
        old, new: levels at the release and now.
        shares: of commits, in their order; empty if none is certain, or nobody looked.
        limits: why there are no shares, or not all of them, as a clause; else empty.
        budget: by how much it may change, in the property's unit; None without one.
        by_change: what the change under check has added; None where that was not asked.
    """

    subject: str
    unit: str
    release: str
    old: float
    new: float
    shares: tuple[CommitShare, ...] = ()
    limits: str = ""
    budget: float | None = None
    by_change: float | None = None

    @property
    def total(self) -> float:
        return self.new - self.old

    @property
    def rest(self) -> float:
        """What no commit gave certainly."""
        return self.total - sum(share.change for share in self.shares)


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of the two sides. In a comparison they are the names of the programs, which are untrusted text.

    Attributes:
        judged, known: one word, for the head of a column.
        judged_runs, known_runs: used after a number or an article.
    """

    judged: str
    judged_runs: str
    known: str
    known_runs: str


OF_CHECK = Roles("checked", "checked runs", "training", "training runs")


@dataclass(frozen=True, slots=True)
class Verdict(Displayed):
    """The answer to one check.

    Attributes:
        status: pass, regression or inconclusive.
        detector: name of the detector.
        settings: the detector's settings, for the record.
        findings: what the check fails for, worst first. A pass may carry some that were not enough to fail.
        noted: changes that are certain and smaller than the size that matters; they fail no check.
        waived: changes that a commit of the program says are meant; they fail no check.
        since: how much has changed since the last release: what fails a check of that sum, and budgets.
        reasons: why it is inconclusive; of a verdict by turns first what decided; else empty.
        undecided: why it would be inconclusive without its findings; empty if it would pass.
        warnings: what the reader should know, but what did not decide.
        run_ids: the runs that were judged.
        n_training: number of training runs that the judged runs were compared with.
        p_value, alpha: None if the detector has none.
        needs_more: in a clause, why more runs should decide with these; empty if they decide.
        looked: what the rule of a check decides by; None for methods that decide by themselves.
        steps: what the check did, and why, as far as it was launched; the last one is the decision.
        adjusted: what the judge adjusted for, in a line: the load, or a machine; empty if runs were compared
            as they are.
        guarantee: the assumption of the p-value, in words; empty if there is none.
        without_turns: why old and new were not launched in turns, which should have decided, as a clause;
            empty if they were, or need not be.
        started_as: with which program and arguments the runs were started, and with which the oracle's, as a
            clause; empty if they are the same.
        runs_needed: number of training runs that would decide an inconclusive verdict; None if not known.
        roles: names of the judged runs and of the ``n_training`` runs that they are compared with.
        reach: by property, how far it is on its way to a finding, as :meth:`buto.judging.views.View.reach`
            has it; None where only that tells it.
    """

    status: Status
    detector: str
    findings: tuple[Finding, ...] = ()
    noted: tuple[Finding, ...] = ()
    waived: tuple[Waived, ...] = ()
    since: tuple[Since, ...] = ()
    reasons: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    run_ids: tuple[str, ...] = ()
    n_training: int = 0
    p_value: float | None = None
    alpha: float | None = None
    needs_more: str = ""
    looked: Looked | None = None
    steps: tuple[Next, ...] = ()
    adjusted: str = ""
    guarantee: str = ""
    without_turns: str = ""
    started_as: str = ""
    runs_needed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    roles: Roles = OF_CHECK
    reach: Mapping[str, float] | None = field(default=None, compare=False, repr=False)

    @property
    def compares_programs(self) -> bool:
        """Whether the two sides are two programs, which may run in different environments on purpose."""
        return self.roles != OF_CHECK

    @property
    def changes(self) -> tuple[Finding, ...]:
        """The findings that compare runs: all but that something grows."""
        return tuple(finding for finding in self.findings if finding.source != GROWTH)

    @property
    def is_only_growth(self) -> bool:
        """Whether nothing differs from the other side, and the check fails for what grows."""
        return bool(self.findings) and not self.changes
