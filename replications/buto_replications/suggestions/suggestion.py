"""The search for minimum effects with which false alarms of the past pass and regressions still fail.

It is pure: it is given the checks as values, with what is true of them, and what judges a check again.

Each false alarm is made to pass in turn: the property with the strongest evidence gets a minimum effect above
its change, then the next, until no property of the check stands out. A step that misses a regression is not
taken. In the end every effect is left out that is not needed. So the result has few lines, but other lines
might do, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from math import sqrt

from buto.judging.effects import NEVER, effect_text
from buto.judging.verdict import Direction, Status
from buto.steps import Action

CHECK = Action.CHECK.value

CONFIDENCE = 0.95
"""Of the interval of a share."""


class Truth(Enum):
    """What is known of a check's program."""

    UNCHANGED = "unchanged"
    """A person or a bisection says so: if the check fails, it is a false alarm."""
    REGRESSION = "regression"
    MEANT = "meant"
    """It was changed on purpose: the check was right to fail."""
    UNKNOWN = "unknown"
    """No label; a check that passes is taken for one of an unchanged program."""


@dataclass(frozen=True, slots=True)
class PastCheck:
    """One check of the past.

    Attributes:
        run_ids: the valid runs that were judged together, in the order of their start.
        at: start of the first of them.
        command, person, reason: of the label; empty without one.
    """

    run_ids: tuple[str, ...]
    at: datetime
    truth: Truth
    command: str = ""
    person: str = ""
    reason: str = ""

    @property
    def is_unconfirmed(self) -> bool:
        """Whether only the check itself says that it is a regression: a person may still say otherwise."""
        return self.truth is Truth.REGRESSION and self.command == CHECK


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """By how much the runs of a check differed in one property.

    Attributes:
        subject: its name.
        size: in the unit, without sign; of growth or of a part of the run, that of the whole run's level
            that matters as much.
    """

    subject: str
    unit: str
    size: float
    direction: Direction


@dataclass(frozen=True, slots=True)
class JudgedCheck:
    """What some settings say of a check.

    Attributes:
        fails: whether ``buto check`` would fail.
        changes: what its findings are about, the strongest evidence first; a pass may have some.
    """

    status: Status
    fails: bool
    changes: tuple[PropertyChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejudged:
    """One check of the past, as the present settings judge it, and as the proposed ones do."""

    check: PastCheck
    now: JudgedCheck
    then: JudgedCheck


@dataclass(frozen=True, slots=True)
class CheckShare:
    """How many of some checks."""

    count: int
    of: int

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of rates that these numbers leave possible (Clopper and Pearson, two-sided 95 %)."""
        from scipy.special import betaincinv

        count, of, tail = self.count, self.of, (1 - CONFIDENCE) / 2
        least = 0.0 if count == 0 else float(betaincinv(count, of - count + 1, tail))
        most = 1.0 if count == of else float(betaincinv(count + 1, of - count, 1 - tail))
        return least, most


@dataclass(frozen=True, slots=True)
class Rates:
    """How often checks failed.

    Attributes:
        alarms: of checks of an unchanged program.
        found: of regressions that a person or a bisection has labelled. Those that only their check has
            labelled do not count: they failed by definition.
        meant: of changes on purpose; nobody is harmed if they fail or do not.
    """

    alarms: CheckShare
    found: CheckShare
    meant: CheckShare


@dataclass(frozen=True, slots=True)
class AlarmCause:
    """A property that differed in false alarms, by the present settings.

    Attributes:
        n_alarms: number of false alarms in which it did.
        largest: of its changes in them.
        n_regressions: number of regressions in which it did.
        smallest: of its changes in them; None if it did in none.
    """

    subject: str
    unit: str
    n_alarms: int
    largest: float
    n_regressions: int
    smallest: float | None


class UnjudgedReason(Enum):
    """Why a check of the past could not be judged again."""

    RUNS_GONE = "the runs are deleted"
    BASELINE_GONE = "the training runs are deleted"
    NOT_JUDGED = "the verdict is inconclusive"


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A check of the past that tells nothing."""

    check: PastCheck
    why: UnjudgedReason


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Minimum effects that would have avoided false alarms, and what they would have cost.

    Attributes:
        present: the minimum effects of the oracle.
        effects: those to add, by property; empty if nothing is suggested.
        checks: those that were judged again, in the order of time.
        causes: of false alarms, the most frequent first.
        held_out: the same rates if a false alarm or regression is judged by what is suggested without it.
            Those that were not held out do not count. None if there are no false alarms.
        n_held_out: how many false alarms and regressions were held out.
        unjudged: checks that tell nothing.
    """

    test: str
    present: Mapping[str, str]
    effects: Mapping[str, str]
    checks: tuple[Rejudged, ...]
    causes: tuple[AlarmCause, ...] = ()
    held_out: Rates | None = None
    n_held_out: int = 0
    unjudged: tuple[Unjudged, ...] = ()

    @property
    def minimum_effect(self) -> dict[str, str]:
        """The whole value of ``minimum-effect`` with what is suggested; of patterns, the last one holds."""
        kept = {name: text for name, text in self.present.items() if name not in self.effects}
        return {**kept, **self.effects}

    @property
    def unlabelled_alarms(self) -> tuple[Rejudged, ...]:
        """Checks that fail now and of which nobody has said whether that is right; no rate contains them."""
        return tuple(check for check in self.checks if check.check.truth is Truth.UNKNOWN and check.now.fails)

    @property
    def unconfirmed(self) -> tuple[Rejudged, ...]:
        """Regressions that only their check has labelled; no rate contains them."""
        return tuple(check for check in self.checks if check.check.is_unconfirmed)

    @property
    def false_alarms(self) -> tuple[Rejudged, ...]:
        """Those of the present settings."""
        return tuple(
            check for check in self.checks if check.check.truth is Truth.UNCHANGED and check.now.fails
        )

    @property
    def now(self) -> Rates:
        """The rates of the present settings."""
        return rates({check.check.run_ids: check.now for check in self.checks}, self.checks)

    @property
    def then(self) -> Rates:
        """The rates of the proposed settings, on the checks from which they were chosen."""
        return rates({check.check.run_ids: check.then for check in self.checks}, self.checks)


def rates(judged: Mapping[tuple[str, ...], JudgedCheck], checks: tuple[Rejudged, ...]) -> Rates:
    """Return how often checks fail.

    Args:
        judged: by run ids; checks that are not in it do not count.
    """

    def share(*truths: Truth) -> CheckShare:
        ours = [
            judged[check.check.run_ids].fails
            for check in checks
            if check.check.truth in truths
            and check.check.run_ids in judged
            and not check.check.is_unconfirmed
            and not (check.check.truth is Truth.UNKNOWN and check.now.fails)
        ]
        return CheckShare(sum(ours), len(ours))

    return Rates(share(Truth.UNCHANGED, Truth.UNKNOWN), share(Truth.REGRESSION), share(Truth.MEANT))


MARGIN = 1.25
"""An effect is so many times the change in the false alarm, because the next one may be a little larger."""

ERRATIC = 10.0
"""A property is left out if its changes in false alarms differ by such a factor: the next may be any."""

FEWEST_ERRATIC = 3
"""So many false alarms show that a property is erratic."""

MOST_STEPS = 200
"""Steps for one false alarm, of which each silences one feature of one property."""

Key = tuple[str, ...]
"""The runs of a check."""

Judge = Callable[[Key, Mapping[str, str]], JudgedCheck]
"""Judges a check again, with these minimum effects beside the present ones."""


def effects_that_avoid(judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key]) -> dict[str, str]:
    """Return minimum effects by property with which as many of these alarms pass as possible.

    Args:
        alarms: fail by the present settings.
        regressions: fail by the present settings, and shall do so by the returned ones.
    """
    while True:
        known = _Known(judge, alarms, regressions)
        effects: dict[str, str] = {}
        avoided = []
        for alarm in alarms:
            raised = _find_raised(judge, alarm, regressions, effects, known)
            if not judge(alarm, raised).fails:
                effects = raised
                avoided.append(alarm)
        if len(avoided) == len(alarms):
            return _find_needed(judge, alarms, regressions, effects)
        # Again without those that cannot be avoided, so that their changes make no effect larger.
        alarms = avoided


class _Known:
    """By how much properties change in false alarms and in regressions, by the present settings."""

    def __init__(self, judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key]) -> None:
        self._alarms = sizes(judge(alarm, {}) for alarm in alarms)
        self._regressions = sizes(judge(regression, {}) for regression in regressions)

    def texts(self, change: PropertyChange) -> list[str]:
        """Return the effects to try that silence a change, the preferred one first."""
        seen = self._alarms.get(change.subject, [])
        is_erratic = len(seen) >= FEWEST_ERRATIC and max(seen) >= ERRATIC * min(seen)
        never = [NEVER] if is_erratic and change.subject not in self._regressions else []
        largest = max([change.size, *seen])
        return [
            *never,
            *(effect_text(self._above(change.subject, size), change.unit) for size in (largest, change.size)),
        ]

    def _above(self, subject: str, size: float) -> float:
        """Return a size above this one: by the margin, or halfway to a regression that is nearer."""
        larger = [known_size for known_size in self._regressions.get(subject, []) if known_size > size]
        # Halfway on a logarithmic scale.
        return min([MARGIN * size, *(sqrt(size * known_size) for known_size in larger)])


def sizes(judged: Iterable[JudgedCheck]) -> dict[str, list[float]]:
    """Return by property the largest change of it in each of these checks that has one."""
    by_property: dict[str, list[float]] = {}
    for check in judged:
        largest: dict[str, float] = {}
        for change in check.changes:
            largest[change.subject] = max(change.size, largest.get(change.subject, 0.0))
        for subject, size in largest.items():
            by_property.setdefault(subject, []).append(size)
    return by_property


def _find_raised(
    judge: Judge, alarm: Key, regressions: Sequence[Key], effects: Mapping[str, str], known: _Known
) -> dict[str, str]:
    """Return effects with which no property of an alarm stands out, as far as all regressions still fail."""
    raised, blocked = dict(effects), set[str]()
    for _ in range(MOST_STEPS):
        left = [change for change in judge(alarm, raised).changes if change.subject not in blocked]
        if not left:
            break
        for text in known.texts(left[0]):
            tried = {**raised, left[0].subject: text}
            if all(judge(regression, tried).fails for regression in regressions):
                raised = tried
                break
        else:
            blocked.add(left[0].subject)
    return raised


def _find_needed(
    judge: Judge, avoided: Sequence[Key], regressions: Sequence[Key], effects: Mapping[str, str]
) -> dict[str, str]:
    """Return the effects without which an avoided alarm would fail, or would have more that stands out."""
    needed = dict(effects)
    for subject in reversed(list(effects)):
        tried = {name: text for name, text in needed.items() if name != subject}
        as_quiet = all(
            not judge(raised, tried).fails
            and len(judge(raised, tried).changes) <= len(judge(raised, needed).changes)
            for raised in avoided
        )
        if as_quiet and all(judge(regression, tried).fails for regression in regressions):
            needed = tried
    return needed
