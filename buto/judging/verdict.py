"""The result of judging: a verdict with its findings, which every report renders.

A detector lists findings by the strength of their evidence. That says how sure a change is, and not how
much it matters: a pool that repeats exactly may come before processor time that has doubled. So people read
findings in an order of their own, with the echoes of one cause together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS, EXIT_REGRESSION
from buto.run.display import Displayed
from buto.run.properties import Better, Topic, reading_rank, topic_of


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
class Finding:
    """One difference between a run and what the oracle expects.

    Attributes:
        source: what detected it: ``bounds``, ``notification``, ``metadata``.
        subject: the property's name, or the notification or metadata key.
        run_id: the run in which it was observed.
        direction: more or less of the subject than expected.
        effect: whether that is better or worse.
        unit: of observed, lower, upper and expected; empty if there is no number.
        observed: the value outside the band that is furthest from ``expected``, at ``at_s``.
        lower, upper: the band at that time.
        expected: the centre of the band at that time.
        at_s: time of that value, in seconds from the program's start.
        window_s: start and end of the time outside the band, in seconds.
        outside_share: share of the compared points that lie outside.
        severity: for sorting, larger is worse: distance beyond the bound in widths of the band, or the
            detector's own measure.
        evidence: share of this subject in all evidence for a change, 0 to 1; None if the detector has none.
        measure: what of the subject the numbers are: ``largest value``, ``growth from the first to the
            last third``, ``total``; empty if they are the subject itself at a time.
        text: one sentence on what the numbers above do not show; may be empty.
        is_level: whether ``observed`` is a level of the property over a time, which a chart can draw as a
            line; not so for a moment, a growth or a scatter.
        numbers: what was compared; None if it is not a number of each run.
    """

    source: str
    subject: str
    run_id: str
    direction: Direction = Direction.OTHER
    effect: Effect = Effect.UNKNOWN
    unit: str = ""
    observed: float | None = None
    lower: float | None = None
    upper: float | None = None
    expected: float | None = None
    at_s: float | None = None
    window_s: tuple[float, float] | None = None
    outside_share: float | None = None
    severity: float = 0.0
    evidence: float | None = None
    measure: str = ""
    text: str = ""
    is_level: bool = False
    numbers: Numbers | None = field(default=None, compare=False, repr=False)


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
        reasons: why it is inconclusive; of a verdict by turns first what decided; else empty.
        warnings: what the reader should know, but what did not decide.
        run_ids: the runs that were judged.
        n_training: number of training runs that the judged runs were compared with.
        p_value, alpha: None if the detector has none.
        stands_out: whether the runs differ more from the others than any other choice of as many runs, even
            if this is not enough to fail. False if the detector has no p-value.
        obvious: names of properties that lie many times the range of training beyond all training runs.
        needs_more: in a clause, why two more runs should decide with a single one; empty if it decides.
        adjusted: what the judge adjusted for, in a line: the load, or a machine; empty if runs were compared
            as they are.
        guarantee: the assumption of the p-value, in words; empty if there is none.
        runs_needed: number of training runs that would decide an inconclusive verdict; None if not known.
        roles: names of the judged runs and of the ``n_training`` runs that they are compared with.
        reach: by property, how far it is on its way to a finding, as :meth:`buto.judging.views.View.reach`
            has it; None where only that tells it.
    """

    status: Status
    detector: str
    findings: tuple[Finding, ...] = ()
    noted: tuple[Finding, ...] = ()
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    run_ids: tuple[str, ...] = ()
    n_training: int = 0
    p_value: float | None = None
    alpha: float | None = None
    stands_out: bool = False
    obvious: tuple[str, ...] = ()
    needs_more: str = ""
    adjusted: str = ""
    guarantee: str = ""
    runs_needed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    roles: Roles = OF_CHECK
    reach: Mapping[str, float] | None = field(default=None, compare=False, repr=False)

    @property
    def compares_programs(self) -> bool:
        """Whether the two sides are two programs, which may run in different environments on purpose."""
        return self.roles != OF_CHECK

    @property
    def is_welcome(self) -> bool:
        """Whether there are findings and all are better."""
        return bool(self.findings) and all(one.effect is Effect.BETTER for one in self.findings)


SMALL = 0.1
"""A change by a smaller share of what was expected is named after larger ones."""

_EFFECTS = (Effect.WORSE, Effect.UNKNOWN, Effect.BETTER)


class Order(Enum):
    """How findings are listed."""

    MEANING = "meaning"
    """By what they mean to people, those of one topic together."""
    EVIDENCE = "evidence"
    """As the detector lists them, each by itself."""


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings that probably have one cause.

    Attributes:
        leading: what says most to people.
        parts: the others, what says most first.
    """

    leading: Finding
    parts: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.leading, *self.parts


def grouped(findings: Sequence[Finding], order: Order = Order.MEANING) -> tuple[FindingGroup, ...]:
    """Return findings in groups.

    By meaning, what people ask about comes before its parts (pools), and these before sizes that the JVM sets
    aside (committed) or adapts (eden, survivors); then what is worse before what is better; then changes that
    are not :data:`SMALL`; then the order of :class:`buto.run.properties.Topic`.
    Findings of one topic make one group. Those that are not about a property of the JVM are groups of their
    own: what a program itself counts has causes of its own.
    """
    if order is Order.EVIDENCE:
        return tuple(map(FindingGroup, findings))
    by_topic: dict[Topic | str, list[Finding]] = {}
    for finding in sorted(findings, key=_reading_key):
        topic = topic_of(finding.subject)
        by_topic.setdefault(finding.subject if topic is Topic.PROGRAM else topic, []).append(finding)
    return tuple(FindingGroup(leading, tuple(parts)) for leading, *parts in by_topic.values())


def in_line(groups: Sequence[FindingGroup]) -> tuple[Finding, ...]:
    """Return the findings of all groups, one behind the other."""
    return tuple(finding for group in groups for finding in group.findings)


def _reading_key(finding: Finding) -> tuple[int, int, bool, int, int]:
    remoteness, topic, place = reading_rank(finding.subject)
    return remoteness, _EFFECTS.index(finding.effect), _is_small(finding), topic, place


def _is_small(finding: Finding) -> bool:
    if finding.observed is None or finding.expected is None:
        return False
    return abs(finding.observed - finding.expected) < SMALL * abs(finding.expected)
