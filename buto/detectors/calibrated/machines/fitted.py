"""The judge of runs from several machines: each is judged alone, or by what machines do not change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from buto.detectors.calibrated.machines import data as machines_data
from buto.detectors.calibrated.machines import notices
from buto.detectors.calibrated.machines.deciding import decided
from buto.detectors.calibrated.machines.environments import Environment, environment_of
from buto.detectors.calibrated.machines.explanation import explain
from buto.detectors.calibrated.machines.findings import findings
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.calibrated.machines.numbers import quantity_of
from buto.detectors.calibrated.machines.view import WholeView
from buto.detectors.calibrated.settings import NAME, JudgeSettings
from buto.detectors.explanation import Explanation
from buto.detectors.levels import Level
from buto.detectors.protocol import FittedDetector
from buto.detectors.strength import Strengths
from buto.detectors.views import View
from buto.errors import JudgeError
from buto.runs import FloatArray, Run, RunSet
from buto.units import format_count
from buto.verdicts import Status, Verdict

NOT_SEEN = (
    "estimate: the machine is one more draw of what made the environments of the training runs, whose scores "
    "follow Student's t"
)


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """An environment with enough training runs.

    Attributes:
        n_runs: how many these are.
        fitted: what judges its runs; it has learned from these alone.
    """

    environment: Environment
    n_runs: int
    fitted: FittedDetector


@dataclass(frozen=True, eq=False, slots=True)
class FittedMachines(FittedDetector):
    """Training runs of several environments.

    Attributes:
        known: the environments with enough runs, that with most runs first. If hardly two runs share an
            environment, all runs are draws of whatever machines there are, and one without components.
        whole: all runs, for environments with fewer.
        unread: quantities that are not judged on an unknown machine, each with the reason.
    """

    settings: JudgeSettings
    known: tuple[Known, ...]
    whole: WholeTests
    unread: Mapping[str, str]

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs of one environment together, at least one.

        Runs of a known environment are judged by its own training runs. Others are judged by what is the same
        on all machines: a regression if the p-value is at most alpha, unless something of the environment may
        be the cause that no training run shows; inconclusive if the training runs cannot judge this
        environment, or if a quantity could not be read.
        """
        if not len(runs):
            raise JudgeError("there is no run to judge")
        environments = [self.environment(run) for run in runs]
        if any(one != environments[0] for one in environments):
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=(notices.MIXED,))
        known = self.known_of(environments[0])
        if known is None:
            return self._elsewhere(environments[0], runs)
        verdict = known.fitted.check(runs)
        adjusted = "; ".join(filter(None, (self._among(known), verdict.adjusted)))
        verdict = replace(verdict, n_training=known.n_runs, adjusted=adjusted)
        unlike = notices.not_shown(self.whole, environments[0]) if self.are_draws else ()
        if unlike and verdict.status is Status.REGRESSION:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=unlike)
        return verdict

    def known_of(self, environment: Environment) -> Known | None:
        """Return what judges runs of an environment alone; None if too few training runs are of it."""
        if self.are_draws:
            return self.known[0]
        return next((one for one in self.known if one.environment == environment), None)

    @property
    def are_draws(self) -> bool:
        """Whether hardly two training runs share an environment, and the next one is one more draw."""
        return bool(self.known) and not self.known[0].environment

    def _elsewhere(self, environment: Environment, runs: RunSet) -> Verdict:
        values, alpha = [self.whole.numbers.measure(run) for run in runs], self.settings.alpha
        judged = self.whole.judged(environment, values, self.settings)
        found = None if judged is None else judged.mattering
        unread, lacking = notices.unread(self.whole, runs.runs, values, found)
        if judged is None or found is None:
            why = (*notices.not_judged(self.whole, environment, alpha), *unread)
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=why, alpha=alpha)
        named = findings(self.whole, runs.runs, values, found, alpha)
        status = decided(self.whole, environment, found, alpha)
        certain = judged.any.p_value <= alpha and status is not Status.INCONCLUSIVE
        others = findings(self.whole, runs.runs, values, judged.any, alpha) if certain else ()
        n_environments = format_count(len(self.whole.groups.environments), "environment")
        verdict = Verdict(
            status,
            NAME,
            named,
            noted=tuple(one for one in others if one.subject not in {other.subject for other in named}),
            warnings=(*lacking, notices.what_is_judged(self.whole, found)),
            adjusted=f"adjusted for a machine that training does not know ({n_environments})",
            p_value=found.p_value,
            alpha=alpha,
            stands_out=found.stands_out,
            needs_more=self._why_more(found.p_value, found.stands_out) if len(runs) == 1 else "",
            guarantee=NOT_SEEN,
        )
        if status is Status.REGRESSION:
            return replace(verdict, warnings=(*unread, *verdict.warnings))
        reasons: tuple[str, ...] = ()
        if status is Status.INCONCLUSIVE and found.needed is not None:
            reasons = (notices.too_few(self.whole, found, alpha),)
            more = notices.more_needed(self.whole, found) * notices.FEWEST_LIKE
            verdict = replace(verdict, runs_needed=len(self.whole.values) + more)
        elif status is Status.INCONCLUSIVE:
            reasons = notices.not_shown(self.whole, environment)
        reasons = (*reasons, *unread)
        return replace(verdict, status=Status.INCONCLUSIVE, reasons=reasons) if reasons else verdict

    @property
    def judges_environments(self) -> bool:
        return True

    def why_confirm(self, verdict: Verdict) -> str | None:
        return verdict.needs_more or None

    @property
    def left_out(self) -> Mapping[str, str]:
        """What no known environment judges, or, without any, what is not judged elsewhere."""
        if not self.known:
            return self.unread
        first, *others = (one.fitted.left_out for one in self.known)
        return {name: why for name, why in first.items() if all(name in one for one in others)}

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        of_known = [
            sentence
            for one in self.known
            for sentence in one.fitted.training_warnings(
                RunSet(
                    tuple(run for run in runs if self.are_draws or self.environment(run) == one.environment)
                )
            )
        ]
        if self.are_draws:
            return (notices.draws(self.whole), *of_known)
        return (*notices.of_training(self.whole, self.settings.alpha), *dict.fromkeys(of_known))

    def levels(self) -> Iterable[Level]:
        """Yield those of the environment with most runs."""
        return self.known[0].fitted.levels() if self.known else ()

    def strengths(self, *, everything: bool) -> Strengths:
        """Return those of the environment with most runs."""
        return self.known[0].fitted.strengths(everything=everything) if self.known else Strengths()

    def view(self, runs: Sequence[Run]) -> View:
        known = self.known_of(self.environment(runs[-1])) if runs else None
        names = {one.name for one in self.whole.numbers.sampled}
        if known is not None:
            return known.fitted.view(runs)
        return WholeView(runs, lambda prop: quantity_of(prop).name in names, self._reach)

    def explain(self, verdict: Verdict) -> Explanation:
        known = next((one for one in self.known if verdict.adjusted.startswith(self._among(one))), None)
        return explain(verdict, self.whole) if known is None else known.fitted.explain(verdict)

    def to_data(self) -> dict[str, Any]:
        return machines_data.write(
            self.whole,
            [(one.environment, one.n_runs, one.fitted.to_data()) for one in self.known],
            self.unread,
        )

    def environment(self, run: Run) -> Environment:
        """Return the environment of a run."""
        return environment_of(run.metadata, self.settings.metadata)

    def _among(self, known: Known) -> str:
        if self.are_draws:
            machines = format_count(len(self.whole.groups.environments), "machine")
            return f"judged among {known.n_runs} training runs of {machines}, as one more draw of these"
        name = notices.told(known.environment, self.whole.groups.environments)
        return f"judged among the {known.n_runs} training runs of this machine ({name})"

    def _why_more(self, p_value: float, stands_out: bool) -> str:
        if stands_out:
            return "the run is further from the training runs than environments are from each other"
        return f"p = {p_value:.3g} is not above alpha" if p_value <= self.settings.alpha else ""

    def _reach(self, runs: Sequence[Run]) -> dict[str, float]:
        values: list[FloatArray] = [self.whole.numbers.measure(run) for run in runs]
        judged = self.whole.judged(self.environment(runs[0]), values, self.settings)
        if judged is None:
            return {}
        names = [self.whole.numbers.quantities[place].name for place in judged.any.quantity]
        return dict(zip(names, judged.any.reach.tolist(), strict=True))
