"""The judge of runs from several machines: each is judged alone, or by what machines do not change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buto.judging.alarms import Strengths
from buto.judging.calibrated.environments import Environment, environment_from, environment_of
from buto.judging.calibrated.findings import MEASURES
from buto.judging.calibrated.load_observed import RATES
from buto.judging.calibrated.machine_findings import (
    MIXED,
    WholeView,
    draws,
    explain,
    findings,
    not_judged,
    not_shown,
    of_training,
    told,
    too_few_environments,
    unread,
    what_is_judged,
)
from buto.judging.calibrated.machine_groups import Dependence, grouped
from buto.judging.calibrated.machine_model import WholeTests
from buto.judging.calibrated.machine_numbers import (
    Numbers,
    learn_work,
    numbers_for,
    quantities_of,
    quantity_of,
    unknown_work,
    work_of,
    work_to_data,
)
from buto.judging.calibrated.machine_ranking import Ranked
from buto.judging.calibrated.profile import levels_of
from buto.judging.calibrated.settings import NAME, JudgeSettings
from buto.judging.calibrated.verdict import FittedJudge, Weighed
from buto.judging.features import Feature, significant
from buto.judging.protocol import Explanation, FittedDetector
from buto.judging.rank import FEWEST_RUNS
from buto.judging.readable import Level, seldom_read
from buto.judging.stored import (
    array_of,
    array_to_data,
    count_of,
    property_of,
    property_to_data,
    reading,
    size_of,
    texts_of,
)
from buto.judging.verdict import Status, Verdict
from buto.judging.views import View
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import DURATION, Kind, Property
from buto.run.units import format_count, format_range

MACHINES = "machines"
"""The key of what each known environment's own judge has learned."""


def _written(whole: WholeTests) -> dict[str, Any]:
    """Return plain data: a block for each quantity, with a sentence and the values of each number."""
    columns: list[dict[str, Any]] = [{} for _ in whole.numbers.quantities]
    kept = {int(place): number for number, place in enumerate(whole.kept)}
    for place, feature in enumerate(whole.numbers.catalogue):
        columns[feature.column][feature.name] = {
            "says": _sentence(whole, kept.get(place), feature, whole.values[:, place]),
            "values": array_to_data(whole.values[:, place]),
        }
    blocks = [
        {**property_to_data(prop), "grain": float(grain), "numbers": numbers}
        for prop, grain, numbers in zip(whole.numbers.quantities, whole.numbers.grain, columns, strict=True)
    ]
    return {
        "environments": [dict(one) for one in whole.environments],
        **({"work": work_to_data(whole.numbers.work)} if whole.numbers.work else {}),
        "quantities": blocks,
    }


def _sentence(whole: WholeTests, number: int | None, feature: Feature, values: FloatArray) -> str:
    prop = whole.numbers.quantities[feature.column]
    what = MEASURES[feature.name]
    if number is None:
        return f"the {what} is not judged: not every training run has it"
    limits = format_range(float(values.min()), float(values.max()), prop.unit)
    if whole.dependences is None:
        return f"the {what} is {limits}"
    depends = whole.dependences.of(number)
    if depends is Dependence.SAME:
        return f"the {what} is {limits} on every machine"
    if depends is Dependence.SCALED:
        return f"the {what} is {limits}, and the same on every machine after division by its factor"
    return f"the {what} is {limits}, and differs between machines"


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
class FittedMachines(FittedJudge):
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

        Runs of a known environment are judged by its own training runs, others by what is the same on all
        machines.
        """
        environments = [self.environment(run) for run in runs]
        if any(one != environments[0] for one in environments):
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=(MIXED,))
        known = self.known_of(environments[0]) if environments else None
        if known is None:
            return FittedJudge.check(self, runs)
        verdict = known.fitted.check(runs)
        adjusted = "; ".join(filter(None, (self._among(known), verdict.adjusted)))
        verdict = replace(verdict, n_training=known.n_runs, adjusted=adjusted)
        unlike = not_shown(self.whole, environments[0]) if self.are_draws else ()
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

    def weighed(self, runs: RunSet) -> Weighed[Ranked] | Verdict:
        """Compare runs of an environment that training hardly knows with what no machine changes.

        A verdict if the training runs cannot judge this environment. A small p-value is no regression if
        something of the environment may be the cause that no training run shows.
        """
        environment, alpha = self.environment(runs.runs[0]), self.settings.alpha
        values = [self.whole.numbers.measure(run) for run in runs]
        judged = self.whole.judged(environment, values, self.settings)
        found = None if judged is None else judged.mattering
        lost, lacking = unread(self.whole, runs.runs, values, found)
        if judged is None or found is None:
            why = (*not_judged(self.whole, environment, alpha), *lost)
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=why, alpha=alpha)
        n_environments = len(self.whole.groups.environments)
        more = 0 if found.needed is None else found.needed - n_environments
        return Weighed(
            judged,
            lambda ranked: findings(self.whole, runs.runs, values, ranked, alpha),
            NOT_SEEN,
            adjusted="adjusted for a machine that training does not know "
            f"({format_count(n_environments, 'environment')})",
            unexplained=not_shown(self.whole, environment),
            too_few=too_few_environments(n_environments, more, alpha) if more else "",
            runs_needed=len(self.whole.values) + more * FEWEST_RUNS,
            unread=lost,
            warnings=(*lacking, what_is_judged(self.whole, found)),
        )

    @property
    def judges_environments(self) -> bool:
        return True

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
            return (draws(self.whole), *of_known)
        return (*of_training(self.whole, self.settings.alpha), *dict.fromkeys(of_known))

    def levels(self) -> Iterable[Level]:
        """Return those of the environment with most runs; if none has enough, those of all runs."""
        if self.known:
            return self.known[0].fitted.levels()
        numbers = self.whole.numbers
        return levels_of(numbers.catalogue, numbers.quantities, self.whole.values)

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
        return {
            MACHINES: [
                {"environment": dict(one.environment), "runs": one.n_runs, "model": one.fitted.to_data()}
                for one in self.known
            ],
            "elsewhere": _written(self.whole),
            "left_out": dict(sorted(self.unread.items())),
        }

    def environment(self, run: Run) -> Environment:
        """Return the environment of a run."""
        return environment_of(run.metadata, self.settings.metadata)

    def _among(self, known: Known) -> str:
        if self.are_draws:
            machines = format_count(len(self.whole.groups.environments), "machine")
            return f"judged among {known.n_runs} training runs of {machines}, as one more draw of these"
        name = told(known.environment, self.whole.groups.environments)
        return f"judged among the {known.n_runs} training runs of this machine ({name})"

    def _reach(self, runs: Sequence[Run]) -> dict[str, float]:
        values: list[FloatArray] = [self.whole.numbers.measure(run) for run in runs]
        judged = self.whole.judged(self.environment(runs[0]), values, self.settings)
        if judged is None:
            return {}
        names = [self.whole.numbers.quantities[place].name for place in judged.any.quantity]
        return dict(zip(names, judged.any.reach.tolist(), strict=True))


def read(
    data: Mapping[str, Any], settings: JudgeSettings, fitted: Callable[[Mapping[str, Any]], FittedDetector]
) -> FittedMachines:
    """Return what was stored; raise BadFileError for data of another shape.

    Args:
        fitted: gives what judges the runs of one environment, from its own data.
    """
    with reading("the numbers of the machines"):
        whole, left_out = _read(data["elsewhere"]), texts_of(data["left_out"])
        known = [
            (environment_from(one["environment"]), count_of(one["runs"], "training runs"), dict(one["model"]))
            for one in data[MACHINES]
        ]
    parts = tuple(Known(one, n_runs, fitted(model)) for one, n_runs, model in known)
    return FittedMachines(settings, parts, whole, left_out)


def _read(data: Mapping[str, Any]) -> WholeTests:
    blocks: Sequence[Mapping[str, Any]] = data["quantities"]
    quantities = tuple(map(property_of, blocks))
    if not quantities or quantities[-1].name != DURATION.name:
        raise ValueError(f"the last quantity must be {DURATION.name}")
    environments = tuple(environment_from(one) for one in data["environments"])
    n_runs = count_of(len(environments), "training runs")
    grain = np.array([size_of(block["grain"]) for block in blocks])
    numbers = Numbers(quantities[:-1], grain, work_of(data.get("work")))
    rows = [
        array_of(blocks[one.column]["numbers"][one.name]["values"], n_runs, gaps=True)
        for one in numbers.catalogue
    ]
    return WholeTests(numbers, np.array(rows).T.copy(), environments)


def learn(runs: RunSet, settings: JudgeSettings, alike: Callable[[RunSet], FittedDetector]) -> FittedMachines:
    """Learn from valid runs of several environments.

    Args:
        alike: learns from runs of one environment, at least FEWEST_RUNS.
    """
    ordered = sorted(runs, key=lambda run: run.id)
    whole, left_out = learn_whole(ordered, settings)
    whole.sizes(settings.minimum_effect)
    place, different = grouped(whole.environments)
    counts = np.bincount(place)
    if 2 * len(different) > len(ordered):
        return FittedMachines(settings, (Known({}, len(ordered), alike(runs)),), whole, left_out)
    known = [
        Known(
            different[one],
            int(counts[one]),
            alike(RunSet(tuple(run for run, where in zip(ordered, place, strict=True) if where == one))),
        )
        for one in np.argsort(-counts, kind="stable").tolist()
        if counts[one] >= FEWEST_RUNS
    ]
    return FittedMachines(settings, tuple(known), whole, left_out)


def learn_whole(runs: Sequence[Run], settings: JudgeSettings) -> tuple[WholeTests, dict[str, str]]:
    """Return the runs as numbers, and quantities that are not judged, each with the reason.

    Args:
        runs: in the order of their ids.
    """
    work = learn_work(runs, [RATES])
    given = set() if work is None else set(work.names)
    quantities = tuple(one for name, one in quantities_of(runs, settings).items() if name not in given)
    numbers = numbers_for(runs, quantities, work)
    values = significant(np.array([numbers.measure(run) for run in runs]))
    environments = tuple(environment_of(run.metadata, settings.metadata) for run in runs)
    lost: dict[Property, int] = {}
    for feature, column in zip(numbers.catalogue, values.T, strict=True):
        quantity = numbers.quantities[feature.column]
        lost[quantity] = max(lost.get(quantity, 0), int(np.isnan(column).sum()))
    unknown = unknown_work(work, runs)
    left_out = {
        quantity.name: unknown
        if unknown and quantity.kind is Kind.COUNTER
        else seldom_read(len(runs) - number, len(runs))
        for quantity, number in lost.items()
        if number
    }
    return WholeTests(numbers, values, environments), left_out
