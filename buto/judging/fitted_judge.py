"""From what was found to a verdict, whatever was adjusted for; the rule is :mod:`buto.judging.procedure`.

One run never fails alone: it passes, or two more decide with it. Several runs accuse alone only where old and
new cannot be launched in turns.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from buto.errors import JudgeError
from buto.judging.judge_settings import NAME, JudgeSettings
from buto.judging.procedure import Do, FirstLook, Looked, Next, Procedure, Why
from buto.judging.protocol import FittedDetector
from buto.judging.verdict import Finding, Status, Verdict
from buto.run.model import RunSet
from buto.run.properties import DURATION, Property, is_time, property_for, title_of
from buto.run.units import format_list, format_number
from buto.steps import Action, Advice, Step


class Rank(Protocol):
    """How unusual runs under test are."""

    @property
    def p_value(self) -> float: ...

    @property
    def highest(self) -> bool:
        """Whether nothing unchanged is known that differs as much."""


R_co = TypeVar("R_co", bound=Rank, covariant=True)
R = TypeVar("R", bound=Rank)


class Ranks(Protocol[R_co]):
    """Ranks by two kinds of differences."""

    @property
    def mattering(self) -> R_co:
        """By the differences of a size that matters; this decides."""

    @property
    def any(self) -> R_co:
        """By all differences; what is certain here and does not matter is noted."""


@dataclass(frozen=True, eq=False, slots=True)
class Weighed(Generic[R]):
    """What was found of runs under test, before anything is decided.

    Attributes:
        ranks: how unusual they are.
        findings: names what differs, by one of the ranks.
        guarantee: the assumption of the p-values, in words.
        first: how far a single run is from training.
        counted: the p-value by counters that no machine moves.
        notes: what a single run is noted for, whatever is certain.
        adjusted: what was adjusted for, in words.
        reach: by property, how far it is on its way to a finding; None where only the view tells it.
        beyond: why nothing can be decided, whatever the p-value is.
        unexplained: why a small p-value would be no regression.
        too_few: why the training runs cannot show what they would have to; empty if they can.
        runs_needed: how many could; None if that is not known.
        hidden: why runs that do not fail may differ; a single one is followed by two more then, and several
            do not pass.
        unread: sentences on properties that could not be read: without a regression, the same.
        warnings: on what did not decide.
    """

    ranks: Ranks[R]
    findings: Callable[[R], tuple[Finding, ...]]
    guarantee: str
    first: FirstLook
    counted: float
    notes: tuple[Finding, ...] = ()
    adjusted: str = ""
    reach: Mapping[str, float] | None = None
    beyond: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    too_few: str = ""
    runs_needed: int | None = None
    hidden: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def take_look(self, n_runs: int, alpha: float) -> Looked:
        """Return what the rule of a check decides by."""
        p_value = self.ranks.mattering.p_value
        return Looked(
            n_runs,
            first=self.first if n_runs == 1 else None,
            p_value=p_value,
            counted=self.counted,
            is_comparable=not self.beyond and not (self.unexplained and p_value <= alpha),
            has_too_few=bool(self.too_few),
            may_hide=bool(self.hidden),
            lacks=bool(self.unread),
        )


def first_look_by_rank(ranks: Ranks[Rank]) -> FirstLook:
    """Return how far a single run is from training where only its rank is known."""
    return FirstLook(rank=ranks.mattering.p_value, is_farthest=ranks.any.highest)


class FittedJudge(FittedDetector):
    """What the judge has learned; a way of adjusting says what it found, and the rule decides."""

    __slots__ = ()
    settings: JudgeSettings

    @abstractmethod
    def weigh(self, runs: RunSet) -> Weighed[Any] | Verdict:
        """Return what was found of valid runs, at least one; a verdict if they cannot be compared at all."""

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one; see :func:`decide`."""
        if not len(runs):
            raise JudgeError(NO_RUN, advice=Advice("see which there are: ", Step(Action.LIST_RUNS)))
        weighed = self.weigh(runs)
        if isinstance(weighed, Verdict):
            return replace(weighed, looked=Looked(len(runs), is_comparable=False))
        return decide(weighed, len(runs), self.settings)


NO_RUN = "there is no valid run to judge"
NEEDS_TURNS = (
    "what differs follows the machine or a clock: only old and new in turns can tell the program from the "
    "machine"
)

_STATUS = {Do.PASS: Status.PASS, Do.FAIL: Status.REGRESSION}


def decide(weighed: Weighed[R], n_checked: int, settings: JudgeSettings) -> Verdict:
    """Return the verdict of training alone, without turns, by the rule of a check."""
    alpha, mattering, every = settings.alpha, weighed.ranks.mattering, weighed.ranks.any
    looked = weighed.take_look(n_checked, alpha)
    step = Procedure(alpha, has_turns=False).after_runs(looked)
    every_named = weighed.findings(mattering)
    timeless = tuple(finding for finding in every_named if not is_time(_property(finding)))
    # Where it fails by what is counted, times accuse nobody beside it: the machine moves them.
    named = timeless if timeless and step.why is Why.COUNTED else every_named
    times = tuple(finding for finding in every_named if finding not in named)
    verdict = Verdict(
        _STATUS.get(step.do, Status.INCONCLUSIVE),
        NAME,
        findings=named,
        noted=find_noted(every_named, weighed.findings(every) if every.p_value <= alpha else weighed.notes),
        warnings=weighed.warnings,
        p_value=mattering.p_value,
        alpha=alpha,
        guarantee=weighed.guarantee,
        adjusted=weighed.adjusted,
        reach=weighed.reach,
        looked=looked,
        steps=(step,),
    )
    if step.do is Do.FAIL:
        return replace(
            verdict,
            undecided=(*weighed.hidden, *weighed.unread),
            warnings=(*_not_told(times), *weighed.unread, *weighed.warnings),
        )
    if step.do is Do.LAUNCH:
        why = _why_more(weighed, step)
        reason = f"{why}, and one run never fails alone: three decide together"
        return replace(verdict, reasons=(reason, *weighed.unread), needs_more=why)
    runs_needed = weighed.runs_needed if step.why is Why.TOO_FEW else None
    return replace(verdict, reasons=_reasons(weighed, step), runs_needed=runs_needed)


def _reasons(weighed: Weighed[R], step: Next) -> tuple[str, ...]:
    if step.do is Do.PASS:
        return ()
    own = {
        Why.NOT_COMPARABLE: (*weighed.beyond, *weighed.unexplained),
        Why.TOO_FEW: (weighed.too_few,),
        Why.NEEDS_TURNS: (NEEDS_TURNS,),
    }.get(step.why, weighed.hidden)
    return (*own, *weighed.unread)


def _not_told(times: Sequence[Finding]) -> tuple[str, ...]:
    """Return, in a sentence, which times differ and were not judged; none if there are none."""
    names = format_list(list(dict.fromkeys(title_of(finding.subject) for finding in times)))
    return (f"not judged without turns, because it follows the machine: {names}",) if times else ()


def _property(finding: Finding) -> Property:
    return DURATION if finding.subject == DURATION.name else property_for(finding.subject)


def _why_more(weighed: Weighed[R], step: Next) -> str:
    """Return, in a clause, why more runs should decide with one."""
    if step.why is Why.HIDDEN:
        return "one odd training run may hide that the run differs"
    first = weighed.first
    if not first.quantity:
        return f"the run is not ordinary (p = {format_number(first.rank)})"
    return f"{title_of(first.quantity)} is beyond what training expects of a run"


def find_noted(named: tuple[Finding, ...], certain: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return what is certain and smaller than the size that matters."""
    failing = {finding.subject for finding in named}
    return tuple(finding for finding in certain if finding.subject not in failing)
