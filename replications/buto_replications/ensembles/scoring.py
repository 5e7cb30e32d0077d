"""Precision, recall and F of flagged counters as the paper defines them, and alarms of whole tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.verdict import Status
from buto_replications.bed.labels import NO_FAULT, BedRun
from buto_replications.ensembles.ablation import ablated
from buto_replications.ensembles.methods import FlaggedCounters, case_of, judged
from buto_replications.ensembles.scenarios import OF_THE_PAPER, Scenario, changed, named, scenarios


@dataclass(frozen=True, slots=True)
class FlagScore:
    """What a method says of a judged run.

    Attributes:
        flagged: number of flagged counters.
        right: how many of them the fault changes, side effects included.
        expected: how many should be flagged.
        hits: how many of those are.
        status: of the whole test; None if the method cannot judge it.
    """

    flagged: int
    right: int
    expected: int
    hits: int
    status: Status | None

    @property
    def precision(self) -> float:
        return self.right / self.flagged if self.flagged else 1.0

    @property
    def recall(self) -> float:
        return self.hits / self.expected if self.expected else 1.0

    @property
    def f(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class ScoredScenario:
    scenario: Scenario
    scores: Mapping[str, FlagScore]


def results(
    runs: Sequence[BedRun], earlier: Sequence[BedRun] = (), step_s: float | None = None
) -> Iterator[ScoredScenario]:
    """Judge every scenario that these runs allow, by every method; see :func:`scenarios` for earlier runs.

    Args:
        step_s: length of an interval; None for the usual one.
    """
    for scenario in scenarios(runs, earlier):
        case = case_of(scenario, step_s)
        flags = judged(case)
        if scenario.study in OF_THE_PAPER:
            flags |= ablated(case)
        yield ScoredScenario(scenario, scored(scenario, [prop.name for prop in case.properties], flags))


def scored(
    scenario: Scenario, names: Iterable[str], flags: Mapping[str, FlaggedCounters]
) -> dict[str, FlagScore]:
    """Return the score of each method, and of each ablation.

    Recall is relative to what any of the methods flags rightly, or to the counters that a report on this
    fault should name. If none flags one rightly, all missed what the fault changes. The paper has three
    methods; here the plain rivals add to what there is to find, too.
    """
    right = changed(scenario.fault, names)
    wanted = named(scenario.fault, right)
    if scenario.is_relative:
        wanted = (right & frozenset().union(*(counters.counters for counters in flags.values()))) or right
    return {
        name: FlagScore(
            len(flags[name].counters),
            len(flags[name].counters & right),
            len(wanted),
            len(flags[name].counters & wanted),
            flags[name].status,
        )
        for name in flags
    }


def means(some: Sequence[ScoredScenario], method: str) -> tuple[float, float, float]:
    """Return mean precision, recall and F of the runs that a method judged; NaN if it judged none."""
    known = [scenario.scores[method] for scenario in some if scenario.scores[method].status is not None]
    if not known:
        return np.nan, np.nan, np.nan
    each = np.array([(score.precision, score.recall, score.f) for score in known])
    first, second, third = each.mean(axis=0).tolist()
    return first, second, third


def alarms(some: Sequence[ScoredScenario], method: str, *, faulty: bool) -> tuple[int, int, int]:
    """Return of the runs with or without a fault how many fail, are inconclusive, and were judged."""
    of = [
        scenario.scores[method].status for scenario in some if (scenario.scenario.fault != NO_FAULT) is faulty
    ]
    known = [status for status in of if status is not None]
    return known.count(Status.REGRESSION), known.count(Status.INCONCLUSIVE), len(known)


def difference(some: Sequence[ScoredScenario], method: str, other: str) -> tuple[float, float]:
    """Return by how much the mean F of a method is above that of another one on the same runs, and the
    standard error of this, clustered by environment; NaN without such runs.
    """
    both = [
        scenario
        for scenario in some
        if all(scenario.scores[name].status is not None for name in (method, other))
    ]
    return _cluster(
        [scenario.scores[method].f - scenario.scores[other].f for scenario in both],
        [scenario.scenario.judged.labels.environment for scenario in both],
    )


def mean_f(some: Sequence[ScoredScenario], method: str) -> tuple[float, float]:
    """Return the mean F of the runs that a method judged, and its standard error clustered by environment."""
    known = [
        (scenario, scenario.scores[method]) for scenario in some if scenario.scores[method].status is not None
    ]
    return _cluster(
        [score.f for _, score in known],
        [scenario.scenario.judged.labels.environment for scenario, _ in known],
    )


def false_alarms(some: Sequence[ScoredScenario], method: str) -> tuple[float, float]:
    """Return the share of unchanged runs that fail, and its standard error clustered by environment."""
    fine = [
        scenario
        for scenario in some
        if scenario.scenario.fault == NO_FAULT and scenario.scores[method].status is not None
    ]
    failed = [float(scenario.scores[method].status is Status.REGRESSION) for scenario in fine]
    return _cluster(failed, [scenario.scenario.judged.labels.environment for scenario in fine])


def _cluster(values: Sequence[float], clusters: Sequence[str]) -> tuple[float, float]:
    """Return a mean and its standard error, if values of one cluster depend on each other; NaN if unknown."""
    if not values:
        return np.nan, np.nan
    mean = float(np.mean(values))
    names = sorted(set(clusters))
    if len(names) < 2:
        return mean, np.nan
    away = np.array(values) - mean
    sums = np.array([away[[cluster == name for cluster in clusters]].sum() for name in names])
    return mean, float(np.sqrt(len(names) / (len(names) - 1) * (sums**2).sum()) / len(values))
