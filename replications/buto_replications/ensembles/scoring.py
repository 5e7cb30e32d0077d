"""Precision, recall and F of flagged counters as the paper defines them, and alarms of whole tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.verdict import Status
from buto_replications.bed.labels import NO_FAULT, BedRun
from buto_replications.ensembles.ablation import ablated
from buto_replications.ensembles.methods import Flagged, case_of, judged
from buto_replications.ensembles.scenarios import OF_THE_PAPER, Scenario, changed, named, scenarios


@dataclass(frozen=True, slots=True)
class Score:
    """What a method says of a judged run.

    Attributes:
        flagged: number of flagged counters.
        right: how many of them the fault changes, side effects included.
        expected: how many should be flagged.
        found: how many of those are.
        status: of the whole test; None if the method cannot judge it.
    """

    flagged: int
    right: int
    expected: int
    found: int
    status: Status | None

    @property
    def precision(self) -> float:
        return self.right / self.flagged if self.flagged else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.expected if self.expected else 1.0

    @property
    def f(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    scenario: Scenario
    scores: Mapping[str, Score]


def results(
    runs: Sequence[BedRun], earlier: Sequence[BedRun] = (), step_s: float | None = None
) -> Iterator[Judged]:
    """Judge every scenario that these runs allow, by every method; see :func:`scenarios` for earlier runs.

    Args:
        step_s: length of an interval; None for the usual one.
    """
    for scenario in scenarios(runs, earlier):
        case = case_of(scenario, step_s)
        found = judged(case)
        if scenario.study in OF_THE_PAPER:
            found |= ablated(case)
        yield Judged(scenario, scored(scenario, [prop.name for prop in case.properties], found))


def scored(scenario: Scenario, names: Iterable[str], found: Mapping[str, Flagged]) -> dict[str, Score]:
    """Return the score of each method, and of each ablation.

    Recall is relative to what any of the methods flags rightly, or to the counters that a report on this
    fault should name. If none flags one rightly, all missed what the fault changes. The paper has three
    methods; here the plain rivals add to what there is to find, too.
    """
    right = changed(scenario.fault, names)
    wanted = named(scenario.fault, right)
    if scenario.is_relative:
        wanted = (right & frozenset().union(*(one.counters for one in found.values()))) or right
    return {
        name: Score(
            len(found[name].counters),
            len(found[name].counters & right),
            len(wanted),
            len(found[name].counters & wanted),
            found[name].status,
        )
        for name in found
    }


def means(some: Sequence[Judged], method: str) -> tuple[float, float, float]:
    """Return mean precision, recall and F of the runs that a method judged; NaN if it judged none."""
    known = [one.scores[method] for one in some if one.scores[method].status is not None]
    if not known:
        return np.nan, np.nan, np.nan
    each = np.array([(one.precision, one.recall, one.f) for one in known])
    first, second, third = each.mean(axis=0).tolist()
    return first, second, third


def alarms(some: Sequence[Judged], method: str, *, faulty: bool) -> tuple[int, int, int]:
    """Return of the runs with or without a fault how many fail, are inconclusive, and were judged."""
    of = [one.scores[method].status for one in some if (one.scenario.fault != NO_FAULT) is faulty]
    known = [status for status in of if status is not None]
    return known.count(Status.REGRESSION), known.count(Status.INCONCLUSIVE), len(known)


def difference(some: Sequence[Judged], method: str, other: str) -> tuple[float, float]:
    """Return by how much the mean F of a method is above that of another one on the same runs, and the
    standard error of this, clustered by environment; NaN without such runs.
    """
    both = [one for one in some if all(one.scores[name].status is not None for name in (method, other))]
    return _clustered(
        [one.scores[method].f - one.scores[other].f for one in both],
        [one.scenario.judged.labels.environment for one in both],
    )


def mean_f(some: Sequence[Judged], method: str) -> tuple[float, float]:
    """Return the mean F of the runs that a method judged, and its standard error clustered by environment."""
    known = [(one, one.scores[method]) for one in some if one.scores[method].status is not None]
    return _clustered(
        [score.f for _, score in known], [one.scenario.judged.labels.environment for one, _ in known]
    )


def false_alarms(some: Sequence[Judged], method: str) -> tuple[float, float]:
    """Return the share of unchanged runs that fail, and its standard error clustered by environment."""
    fine = [one for one in some if one.scenario.fault == NO_FAULT and one.scores[method].status is not None]
    failed = [float(one.scores[method].status is Status.REGRESSION) for one in fine]
    return _clustered(failed, [one.scenario.judged.labels.environment for one in fine])


def _clustered(values: Sequence[float], clusters: Sequence[str]) -> tuple[float, float]:
    """Return a mean and its standard error, if values of one cluster depend on each other; NaN if unknown."""
    if not values:
        return np.nan, np.nan
    mean = float(np.mean(values))
    names = sorted(set(clusters))
    if len(names) < 2:
        return mean, np.nan
    away = np.array(values) - mean
    sums = np.array([away[[one == name for one in clusters]].sum() for name in names])
    return mean, float(np.sqrt(len(names) / (len(names) - 1) * (sums**2).sum()) / len(values))
