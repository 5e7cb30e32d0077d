"""From what was found to a verdict: one rule, whatever was adjusted for.

One run never fails alone: it passes, or two more decide with it. Several runs decide by their p-value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from buto.errors import JudgeError
from buto.judging.calibrated.settings import GATE, NAME, JudgeSettings
from buto.judging.protocol import FittedDetector
from buto.judging.rank import TIE
from buto.judging.verdict import Finding, Status, Verdict
from buto.run.model import RunSet


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
        adjusted: what was adjusted for, in words.
        reach: by property, how far it is on its way to a finding; None where only the view tells it.
        far: by the names of properties far beyond all training runs, a sentence each.
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
    adjusted: str = ""
    reach: Mapping[str, float] | None = None
    far: Mapping[str, str] = field(default_factory=dict)
    beyond: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    too_few: str = ""
    runs_needed: int | None = None
    hidden: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class FittedJudge(FittedDetector):
    """What the judge has learned; a way of adjusting says what it found, and the rule decides."""

    __slots__ = ()
    settings: JudgeSettings

    @abstractmethod
    def weighed(self, runs: RunSet) -> Weighed[Any] | Verdict:
        """Return what was found of valid runs, at least one; a verdict if they cannot be compared at all."""

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one; see :func:`decide`."""
        if not len(runs):
            raise JudgeError("there is no run to judge")
        found = self.weighed(runs)
        return found if isinstance(found, Verdict) else decide(found, len(runs), self.settings)


def decide(found: Weighed[R], n_checked: int, settings: JudgeSettings) -> Verdict:
    """Return the verdict.

    Inconclusive if nothing can be decided. A single run that goes through the gate is, too: two more must
    decide with it. Several runs are a regression if the p-value of differences that matter is at most alpha.
    Else inconclusive if the training runs are too few, or a property could not be read; else a pass.
    """
    alpha, mattering, every = settings.alpha, found.ranks.mattering, found.ranks.any
    named = found.findings(mattering)
    verdict = Verdict(
        Status.INCONCLUSIVE,
        NAME,
        findings=named,
        noted=noted(named, found.findings(every) if every.p_value <= alpha else ()),
        warnings=found.warnings,
        p_value=mattering.p_value,
        alpha=alpha,
        guarantee=found.guarantee,
        adjusted=found.adjusted,
        stands_out=mattering.highest,
        obvious=tuple(found.far),
        reach=found.reach,
    )
    if found.beyond or (found.unexplained and mattering.p_value <= alpha):
        return replace(verdict, reasons=(*found.beyond, *found.unexplained, *found.unread))
    if n_checked == 1 and (why := _why_more(found)):
        reason = f"{why}, and one run never fails alone: three decide together"
        return replace(verdict, reasons=(reason, *found.unread), needs_more=why)
    if mattering.p_value <= alpha and n_checked > 1:
        return replace(verdict, status=Status.REGRESSION, warnings=(*found.unread, *found.warnings))
    if found.too_few and n_checked > 1:
        reasons = (found.too_few, *found.unread)
        return replace(verdict, reasons=reasons, runs_needed=found.runs_needed)
    if found.hidden or found.unread:
        return replace(verdict, reasons=(*found.hidden, *found.unread))
    return replace(verdict, status=Status.PASS, warnings=(*found.far.values(), *found.warnings))


def noted(named: tuple[Finding, ...], certain: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return what is certain and smaller than the size that matters."""
    failing = {one.subject for one in named}
    return tuple(one for one in certain if one.subject not in failing)


def passes_gate(found: Ranks[Rank]) -> bool:
    """Return whether two more runs follow a first one.

    They do if its mattering differences are unusual enough to pass the gate, or if no training run differs as
    much in anything. The three runs together then decide by a p-value of their own, so no gate raises the
    share of unchanged programs that fail above alpha.
    """
    return found.mattering.p_value <= GATE + TIE or found.any.highest


def _why_more(found: Weighed[R]) -> str:
    """Return, in a clause, why two more runs should decide with one; empty if it passes alone."""
    p_value = found.ranks.mattering.p_value
    if p_value <= GATE + TIE:
        return f"the run is not ordinary enough to decide alone (p = {p_value:.3g}, gate {GATE:g})"
    if passes_gate(found.ranks):
        return f"the run differs from all training runs, by little (p = {found.ranks.any.p_value:.3g})"
    if found.hidden:
        return "one odd training run may hide that the run differs"
    return f"the run is far beyond all training runs in {next(iter(found.far))}" if found.far else ""
