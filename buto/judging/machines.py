"""The judge of runs from several machines: each is judged among the training runs of its own.

A run of a machine of which there are too few training runs is not judged by them: old and new in turns decide
there, or more runs of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from msgspec import Struct, structs

from buto.errors import JudgeError
from buto.judging.alarms import Strengths
from buto.judging.beyond import Beyond
from buto.judging.environments import (
    Environment,
    environment_from,
    environment_of,
    environment_words,
    group,
)
from buto.judging.fitted_judge import NO_RUN
from buto.judging.judge_settings import NAME, JudgeSettings
from buto.judging.procedure import Looked
from buto.judging.protocol import FittedDetector, Reasoning
from buto.judging.rank import FEWEST_RUNS
from buto.judging.readable import Level
from buto.judging.stored import count_of, reading
from buto.judging.verdict import Status, Verdict
from buto.judging.views import RunsView, View
from buto.run.model import Run, RunSet
from buto.run.units import format_count, format_list
from buto.steps import Action, Advice, Setting, Step

MACHINES = "machines"
"""The key of what each known environment's own judge has learned."""

ENVIRONMENTS = "environments"
"""The key of the environment of each training run."""

ELSEWHERE = "elsewhere"
"""The key of what earlier versions learned of machines that they do not know."""

MIXED = "the runs are of different environments, and only runs of one can be judged together"


class KnownEnvironment(Struct, frozen=True, eq=False):
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
        environments: of each training run.
    """

    settings: JudgeSettings
    known: tuple[KnownEnvironment, ...]
    environments: tuple[Environment, ...]

    @property
    def judges_environments(self) -> bool:
        return True

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs of one environment together, at least one, by its own training runs."""
        if not len(runs):
            raise JudgeError(NO_RUN, advice=Advice("see which there are: ", Step(Action.LIST_RUNS)))
        environments = [self.environment(run) for run in runs]
        if any(environment != environments[0] for environment in environments):
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=(MIXED,))
        known = self.find_known(environments[0])
        if known is None:
            return self.check_elsewhere(runs)
        verdict = known.fitted.check(runs)
        adjusted = "; ".join(filter(None, (self.among(known), verdict.adjusted)))
        verdict = replace(verdict, n_training=known.n_runs, adjusted=adjusted)
        unlike = not_shown(self.environments, environments[0]) if self.are_draws else ()
        if unlike and verdict.status is Status.REGRESSION:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=unlike)
        return verdict

    def check_elsewhere(self, runs: RunSet) -> Verdict:
        """Return that training says nothing of runs of this environment, and what would."""
        environment, alpha = self.environment(runs.runs[0]), self.settings.alpha
        test = runs.runs[0].test
        have = sum(known_environment == environment for known_environment in self.environments)
        said = format_count(have, "training run") if have else "no training run"
        reason = Advice(
            f"record {FEWEST_RUNS} here: ",
            Step(Action.RECORD, test, runs=FEWEST_RUNS),
            "; then train with all: ",
            Step(Action.TRAIN, test, from_runs="all"),
            fact=f"{said} {'are' if have > 1 else 'is'} of this environment "
            f"({describe_difference(environment, self.environments)}), "
            f"and only {FEWEST_RUNS} or more could judge it",
        )
        looked = Looked(len(runs), is_elsewhere=True)
        return Verdict(Status.INCONCLUSIVE, NAME, reasons=(reason,), alpha=alpha, looked=looked)

    def find_known(self, environment: Environment) -> KnownEnvironment | None:
        """Return what judges runs of an environment alone; None if too few training runs are of it."""
        if self.are_draws:
            return self.known[0]
        return next(
            (
                known_environment
                for known_environment in self.known
                if known_environment.environment == environment
            ),
            None,
        )

    def with_mood(self, runs: Sequence[Run]) -> FittedDetector:
        """Return the same, where the runs of each environment say in which mood that is."""
        of_known: dict[int, list[Run]] = {}
        for run in runs:
            known = self.find_known(self.environment(run))
            if known is not None:
                of_known.setdefault(self.known.index(known), []).append(run)
        return replace(
            self,
            known=tuple(
                structs.replace(known, fitted=known.fitted.with_mood(of_known.get(place, ())))
                for place, known in enumerate(self.known)
            ),
        )

    def beyond_training(self, runs: RunSet) -> tuple[Beyond, ...]:
        """Return those of the runs' environment; none where training does not show what is new in it."""
        if self.are_draws and any(not_shown(self.environments, self.environment(run)) for run in runs):
            return ()
        known = self._find_known_of(runs)
        return () if known is None else known.fitted.beyond_training(runs)

    def moved_by_machine(self, runs: RunSet) -> frozenset[str]:
        known = self._find_known_of(runs)
        return frozenset() if known is None else known.fitted.moved_by_machine(runs)

    def before(self, runs: RunSet) -> object | None:
        known = self._find_known_of(runs)
        return None if known is None else known.fitted.before(runs)

    def _find_known_of(self, runs: RunSet) -> KnownEnvironment | None:
        """Return what judges these runs; None if nothing does, or not all of them alike."""
        environments = [self.environment(run) for run in runs]
        if not environments or any(environment != environments[0] for environment in environments):
            return None
        return self.find_known(environments[0])

    @property
    def are_draws(self) -> bool:
        """Whether hardly two training runs share an environment, and the next one is one more draw."""
        return bool(self.known) and not self.known[0].environment

    @property
    def left_out(self) -> Mapping[str, str]:
        """What no known environment judges."""
        if not self.known:
            return {}
        first, *others = (known_environment.fitted.left_out for known_environment in self.known)
        return {name: why for name, why in first.items() if all(name in other for other in others)}

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        of_known = [
            sentence
            for known_environment in self.known
            for sentence in known_environment.fitted.training_warnings(
                RunSet(
                    tuple(
                        run
                        for run in runs
                        if self.are_draws or self.environment(run) == known_environment.environment
                    )
                )
            )
        ]
        if self.are_draws:
            return (draws(self.environments), *of_known)
        return (*self.warn_of_unjudged(), *dict.fromkeys(of_known))

    def warn_of_unjudged(self) -> tuple[str, ...]:
        """Return what to know of environments with too few training runs, or with none."""
        place, different = group(self.environments)
        counts = np.bincount(place).tolist()
        lone = [
            describe_difference(environment, different)
            for environment, count in zip(different, counts, strict=True)
            if count < FEWEST_RUNS
        ]
        if not lone:
            return ()
        return (
            f"fewer than {FEWEST_RUNS} training runs are of {format_list(lone)}: a check there needs turns",
        )

    def levels(self) -> Iterable[Level]:
        """Return those of the environment with most runs."""
        return self.known[0].fitted.levels() if self.known else ()

    def strengths(self, *, everything: bool, roughly: bool = False) -> Strengths:
        """Return those of the environment with most runs."""
        if not self.known:
            return Strengths()
        return self.known[0].fitted.strengths(everything=everything, roughly=roughly)

    def view(self, runs: Sequence[Run]) -> View:
        known = self.find_known(self.environment(runs[-1])) if runs else None
        return RunsView(runs) if known is None else known.fitted.view(runs)

    def explain(self, verdict: Verdict) -> Reasoning:
        known = next(
            (
                known_environment
                for known_environment in self.known
                if verdict.adjusted.startswith(self.among(known_environment))
            ),
            None,
        )
        return FittedDetector.explain(self, verdict) if known is None else known.fitted.explain(verdict)

    def to_data(self) -> dict[str, Any]:
        return {
            MACHINES: [
                {
                    "environment": dict(known_environment.environment),
                    "runs": known_environment.n_runs,
                    "model": known_environment.fitted.to_data(),
                }
                for known_environment in self.known
            ],
            ENVIRONMENTS: [dict(environment) for environment in self.environments],
        }

    def environment(self, run: Run) -> Environment:
        """Return the environment of a run."""
        return environment_of(run.metadata, self.settings.metadata)

    def among(self, known: KnownEnvironment) -> str:
        """Return among which training runs a run is judged, in words."""
        _, different = group(self.environments)
        if self.are_draws:
            machines = format_count(len(different), "machine")
            return f"judged among {known.n_runs} training runs of {machines}, as one more draw of these"
        name = describe_difference(known.environment, different)
        return f"judged among the {known.n_runs} training runs of this machine ({name})"


def read(
    data: Mapping[str, Any], settings: JudgeSettings, fitted: Callable[[Mapping[str, Any]], FittedDetector]
) -> FittedMachines:
    """Return what was stored, by this or an earlier version; raise BadFileError for data of another shape.

    Args:
        fitted: gives what judges the runs of one environment, from its own data.
    """
    with reading("the numbers of the machines"):
        written = data[ENVIRONMENTS] if ENVIRONMENTS in data else data[ELSEWHERE][ENVIRONMENTS]
        environments = tuple(map(environment_from, written))
        count_of(len(environments), "training runs")
        known = [
            (
                environment_from(machine["environment"]),
                count_of(machine["runs"], "training runs"),
                dict(machine["model"]),
            )
            for machine in data[MACHINES]
        ]
    parts = tuple(
        KnownEnvironment(environment, n_runs, fitted(model)) for environment, n_runs, model in known
    )
    return FittedMachines(settings, parts, environments)


def learn(runs: RunSet, settings: JudgeSettings, alike: Callable[[RunSet], FittedDetector]) -> FittedMachines:
    """Learn from valid runs of several environments.

    Args:
        alike: learns from runs of one environment, at least FEWEST_RUNS.

    Raises:
        JudgeError: the runs share environments, and none of these has FEWEST_RUNS.
    """
    environments = tuple(environment_of(run.metadata, settings.metadata) for run in in_order(runs))
    known = learn_known(runs, environments, alike)
    if not known:
        raise JudgeError(
            f"no environment has {FEWEST_RUNS} of these {len(runs)} runs, so that no run could be judged",
            advice=Advice("record more in one of them: ", Setting("runs", "10")),
        )
    return FittedMachines(settings, known, environments)


def in_order(runs: Iterable[Run]) -> list[Run]:
    """Return runs in the order of their ids, which is that of the environments."""
    return sorted(runs, key=lambda run: run.id)


def learn_known(
    runs: RunSet, environments: Sequence[Environment], alike: Callable[[RunSet], FittedDetector]
) -> tuple[KnownEnvironment, ...]:
    """Learn each environment that has enough runs, see :class:`FittedMachines`; none if none has.

    Args:
        environments: of the runs in the order of their ids.
        alike: see :func:`learn`.
    """
    place, different = group(environments)
    counts = np.bincount(place)
    if 2 * len(different) > len(runs):
        return (KnownEnvironment({}, len(runs), alike(runs)),)
    ordered = in_order(runs)
    return tuple(
        KnownEnvironment(
            different[position],
            int(counts[position]),
            alike(RunSet(tuple(run for run, where in zip(ordered, place, strict=True) if where == position))),
        )
        for position in np.argsort(-counts, kind="stable").tolist()
        if counts[position] >= FEWEST_RUNS
    )


def describe_difference(environment: Environment, environments: Iterable[Environment]) -> str:
    """Return what of an environment differs from any of the others, in words."""
    others = list(environments)
    differs = {
        key: value for key, value in environment.items() if any(other.get(key) != value for other in others)
    }
    return environment_words(differs)


def not_shown(environments: Sequence[Environment], environment: Environment) -> tuple[str, ...]:
    """Return what of the environment is new where all training runs are alike."""
    first = environments[0]
    return tuple(
        f"{key} is {environment[key]!r} and was {first.get(key)!r} in all training runs, which do not show "
        "what it changes: train with runs of both"
        for key in new_components(environments, environment)
    )


def new_components(environments: Sequence[Environment], environment: Environment) -> tuple[str, ...]:
    """Return the components whose value is new, although all training runs have one value."""
    return tuple(
        key
        for key, value in environment.items()
        if value not in (known := {known_environment.get(key) for known_environment in environments})
        and len(known) == 1
    )


def draws(environments: Sequence[Environment]) -> str:
    """Return that hardly two training runs share an environment, and what follows."""
    return (
        f"{len(environments)} training runs are of {len(group(environments)[1])} environments: too few of "
        "each to show what a machine changes, so a checked run counts as one more draw of all machines"
    )
