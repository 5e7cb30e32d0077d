"""What the method ``machines`` has learned: what no machine changes, to judge runs of unknown ones by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from buto.judging.environments import environment_from, environment_of
from buto.judging.features import Feature, significant
from buto.judging.findings import MEASURES
from buto.judging.fitted_judge import FittedJudge, Weighed, first_look_by_rank
from buto.judging.judge_settings import NAME, JudgeSettings
from buto.judging.load.observed import RATES
from buto.judging.machines import (
    ELSEWHERE,
    ENVIRONMENTS,
    FittedMachines,
    in_order,
    learn_known,
    not_shown,
)
from buto.judging.profile import levels_of
from buto.judging.protocol import FittedDetector, Reasoning
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
from buto_replications.detectors.machines.findings import (
    WholeView,
    explain,
    findings,
    not_judged,
    of_training,
    too_few_environments,
    unread,
    what_is_judged,
)
from buto_replications.detectors.machines.groups import Dependence
from buto_replications.detectors.machines.model import WholeTests
from buto_replications.detectors.machines.numbers import (
    RunNumbers,
    learn_work,
    numbers_for,
    quantities_of,
    quantity_of,
    unknown_work,
    work_of,
    work_to_data,
)
from buto_replications.detectors.machines.ranking import RankedRun


def _write(whole: WholeTests) -> dict[str, Any]:
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
        "environments": [dict(environment) for environment in whole.environments],
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
class FittedElsewhere(FittedMachines, FittedJudge):
    """Training runs of several environments, and what a run of another one should have.

    Attributes:
        whole: all runs, for environments with fewer.
        unread: quantities that are not judged on an unknown machine, each with the reason.
    """

    whole: WholeTests
    unread: Mapping[str, str]

    def check_elsewhere(self, runs: RunSet) -> Verdict:
        """Judge runs of an environment that training hardly knows by what is the same on all machines."""
        return FittedJudge.check(self, runs)

    def weigh(self, runs: RunSet) -> Weighed[RankedRun] | Verdict:
        """Compare runs of an environment that training hardly knows with what no machine changes.

        A verdict if the training runs cannot judge this environment. A small p-value is no regression if
        something of the environment may be the cause that no training run shows.
        """
        environment, alpha = self.environment(runs.runs[0]), self.settings.alpha
        values = [self.whole.numbers.measure(run) for run in runs]
        judged = self.whole.judged(environment, values, self.settings)
        mattering = None if judged is None else judged.mattering
        lost, lacking = unread(self.whole, runs.runs, values, mattering)
        if judged is None or mattering is None:
            why = (*not_judged(self.whole, environment, alpha), *lost)
            return Verdict(Status.INCONCLUSIVE, NAME, reasons=why, alpha=alpha)
        n_environments = len(self.whole.groups.environments)
        more = 0 if mattering.needed is None else mattering.needed - n_environments
        return Weighed(
            judged,
            lambda ranked: findings(self.whole, runs.runs, values, ranked, alpha),
            NOT_SEEN,
            first_look_by_rank(judged),
            # On a machine that training does not know, all that is judged is what no machine changes.
            mattering.p_value,
            adjusted="adjusted for a machine that training does not know "
            f"({format_count(n_environments, 'environment')})",
            unexplained=not_shown(self.whole.environments, environment),
            too_few=too_few_environments(n_environments, more, alpha) if more else "",
            runs_needed=len(self.whole.values) + more * FEWEST_RUNS,
            unread=lost,
            warnings=(*lacking, what_is_judged(self.whole, mattering)),
        )

    @property
    def left_out(self) -> Mapping[str, str]:
        """What no known environment judges, or, without any, what is not judged elsewhere."""
        return super(FittedElsewhere, self).left_out if self.known else self.unread

    def warn_of_unjudged(self) -> tuple[str, ...]:
        return of_training(self.whole, self.settings.alpha)

    def levels(self) -> Iterable[Level]:
        """Return those of the environment with most runs; if none has enough, those of all runs."""
        if self.known:
            return FittedMachines.levels(self)
        numbers = self.whole.numbers
        return levels_of(numbers.catalogue, numbers.quantities, self.whole.values)

    def view(self, runs: Sequence[Run]) -> View:
        known = self.find_known(self.environment(runs[-1])) if runs else None
        names = {prop.name for prop in self.whole.numbers.sampled}
        if known is not None:
            return known.fitted.view(runs)
        return WholeView(runs, lambda prop: quantity_of(prop).name in names, self._reach)

    def explain(self, verdict: Verdict) -> Reasoning:
        is_known = any(
            verdict.adjusted.startswith(self.among(known_environment)) for known_environment in self.known
        )
        return FittedMachines.explain(self, verdict) if is_known else explain(verdict, self.whole)

    def to_data(self) -> dict[str, Any]:
        data = FittedMachines.to_data(self)
        del data[ENVIRONMENTS]
        return {**data, ELSEWHERE: _write(self.whole), "left_out": dict(sorted(self.unread.items()))}

    def _reach(self, runs: Sequence[Run]) -> dict[str, float]:
        values: list[FloatArray] = [self.whole.numbers.measure(run) for run in runs]
        judged = self.whole.judged(self.environment(runs[0]), values, self.settings)
        if judged is None:
            return {}
        names = [self.whole.numbers.quantities[place].name for place in judged.any.quantity]
        return dict(zip(names, judged.any.reach.tolist(), strict=True))


def read_elsewhere(data: Mapping[str, Any], known: FittedMachines) -> FittedElsewhere:
    """Return what was stored; raise BadFileError for data of another shape.

    Args:
        known: what judges the known environments, read from the same data.
    """
    with reading("the numbers of the machines"):
        whole, left_out = _read(data[ELSEWHERE]), texts_of(data["left_out"])
    return FittedElsewhere(known.settings, known.known, known.environments, whole, left_out)


def _read(data: Mapping[str, Any]) -> WholeTests:
    blocks: Sequence[Mapping[str, Any]] = data["quantities"]
    quantities = tuple(map(property_of, blocks))
    if not quantities or quantities[-1].name != DURATION.name:
        raise ValueError(f"the last quantity must be {DURATION.name}")
    environments = tuple(environment_from(environment) for environment in data["environments"])
    n_runs = count_of(len(environments), "training runs")
    grain = np.array([size_of(block["grain"]) for block in blocks])
    numbers = RunNumbers(quantities[:-1], grain, work_of(data.get("work")))
    rows = [
        array_of(blocks[feature.column]["numbers"][feature.name]["values"], n_runs, gaps=True)
        for feature in numbers.catalogue
    ]
    return WholeTests(numbers, np.array(rows).T.copy(), environments)


def learn(
    runs: RunSet, settings: JudgeSettings, alike: Callable[[RunSet], FittedDetector]
) -> FittedElsewhere:
    """Learn from valid runs of several environments.

    Args:
        alike: learns from runs of one environment, at least five.
    """
    whole, left_out = learn_whole(in_order(runs), settings)
    whole.sizes(settings.minimum_effect)
    known = learn_known(runs, whole.environments, alike)
    return FittedElsewhere(settings, known, whole.environments, whole, left_out)


def learn_whole(runs: Sequence[Run], settings: JudgeSettings) -> tuple[WholeTests, dict[str, str]]:
    """Return the runs as numbers, and quantities that are not judged, each with the reason.

    Args:
        runs: in the order of their ids.
    """
    work = learn_work(runs, [RATES])
    given = set() if work is None else set(work.names)
    quantities = tuple(prop for name, prop in quantities_of(runs, settings).items() if name not in given)
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
