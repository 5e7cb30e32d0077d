"""The ensemble: bins of all prior tests together, the rules of each, and what they say of a new test.

A new test violates rules of a prior test, by the drop of their confidence. Prior tests then vote on a
counter: by bagging, or by stacking, weighted by likeness of environments. The machine factor is one by which
some times in intervals are longer on a slower machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np
import numpy.typing as npt

from buto.judging.environments import Environment, components_shared, weights
from buto.judging.features import significant
from buto.run.model import FloatArray
from buto_replications.detectors.ensemble.mining import (
    NONE,
    STRIDE,
    UNREAD,
    Bins,
    IntArray,
    Rules,
    Thresholds,
    discretise,
    learn_bins,
    mine,
    widened,
)

BoolArray = npt.NDArray[np.bool_]


def confidence_change(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return 1 - cosine similarity of (c, 1 - c) before and after, same shape; 0 where ``after`` is NaN."""
    dot = before * after + (1 - before) * (1 - after)
    change = 1 - dot / (np.hypot(before, 1 - before) * np.hypot(after, 1 - after))
    return np.where(np.isnan(after), 0.0, np.clip(change, 0.0, 1.0))


def broken(bins: IntArray, rules: Rules) -> tuple[BoolArray, BoolArray]:
    """Return where premises hold, and where also the consequent does not; both (n_intervals, n_rules).

    An interval in which the consequent's counter was not read counts as one without the premise.
    """
    counters = rules.consequents // STRIDE
    applies = bins[:, counters] != UNREAD
    for item in rules.premises.T:
        applies &= (item == NONE) | (bins[:, item // STRIDE] == item % STRIDE)
    return applies, applies & (bins[:, counters] != rules.consequents % STRIDE)


def changes(bins: IntArray, rules: Rules) -> FloatArray:
    """Return by how much a new test changes the confidence of each rule, shape (n_rules,); 0 for a rule whose
    premise never holds, or whose confidence rises.
    """
    applies, fails = broken(bins, rules)
    times = applies.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        after = np.where(times > 0, 1 - fails.sum(axis=0) / times, np.nan)
    drops = after < rules.confidences
    return np.where(drops, confidence_change(rules.confidences, after), 0.0)


def flagged(consequents: IntArray, violated: BoolArray, n_counters: int) -> BoolArray:
    """Return which counters are in the consequent of a violated rule, shape (n_counters,)."""
    result = np.zeros(n_counters, dtype=bool)
    result[consequents[violated] // STRIDE] = True
    return result


FEWEST_SCALED, FEWEST_TESTS = 3, 3
"""A factor must explain so many counters in so many tests, or it explains nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Machines:
    """Which counters are divided by the factor of the machine.

    Attributes:
        levels: shape (n_counters,), median on the usual machine; NaN for counters that no factor explains.
    """

    levels: FloatArray

    @property
    def scaled(self) -> BoolArray:
        """Which counters these are, shape (n_counters,)."""
        chosen: BoolArray = ~np.isnan(self.levels)
        return chosen

    def factor(self, values: FloatArray) -> float:
        """Return how slow the machine of a test is; 1 if its times do not tell.

        Args:
            values: shape (n_intervals, n_counters).
        """
        medians = medians_of(values)
        known = self.scaled & (np.nan_to_num(medians) > 0)
        return float(np.median(medians[known] / self.levels[known])) if known.any() else 1.0

    def divided(self, values: FloatArray) -> FloatArray:
        """Return the values of a test as they would be on the usual machine, same shape."""
        return np.where(self.scaled, values / self.factor(values), values) if self.scaled.any() else values


def learn_machines(tests: Sequence[FloatArray], times: BoolArray) -> Machines:
    """Return what a factor of each test explains.

    These are the times that scatter less between tests after division by it. The factor of a test is the
    median of how much longer than usual they are.

    Args:
        tests: each of shape (n_intervals, n_counters).
        times: shape (n_counters,), which counters are times.
    """
    levels = np.full(len(times), np.nan)
    medians = np.array([medians_of(values) for values in tests])
    candidates = np.flatnonzero(times & (np.nan_to_num(medians) > 0).all(axis=0))
    if len(tests) < FEWEST_TESTS or len(candidates) < FEWEST_SCALED:
        return Machines(levels)
    logs = np.log(medians[:, candidates])
    away = logs - logs.mean(axis=0)
    factors = np.median(away, axis=1)
    explained = ((away - factors[:, None]) ** 2).sum(axis=0) < (away**2).sum(axis=0)
    if explained.sum() >= FEWEST_SCALED:
        levels[candidates[explained]] = significant(np.exp(logs.mean(axis=0)[explained]))
    return Machines(levels)


def medians_of(values: FloatArray) -> FloatArray:
    """Return the median of each counter, shape (n_counters,); NaN for what was never read."""
    read = ~np.isnan(values).all(axis=0)
    medians = np.full(values.shape[1], np.nan)
    medians[read] = np.nanmedian(values[:, read], axis=0)
    return medians


_TINY = 1e-9


def bagged(votes: BoolArray) -> BoolArray:
    """Return the counters that at least half of the prior tests flag; votes have shape (n_tests, n)."""
    most: BoolArray = votes.sum(axis=0) * 2 >= len(votes)
    return most & votes.any(axis=0)


def stacked_weights(votes: BoolArray, weight: FloatArray) -> FloatArray:
    """Return the weight of the prior tests that flag each counter, shape (n,), 0 to 1."""
    total: FloatArray = weight @ votes
    return total


def stacked(votes: BoolArray, weight: FloatArray) -> BoolArray:
    """Return the counters that prior tests of more than half of the weight flag."""
    over: BoolArray = stacked_weights(votes, weight) > 0.5 + _TINY
    return over


ComponentWeights = tuple[tuple[str, float], ...]
"""By shell pattern, how much it counts that two environments share a component. The first pattern that
matches decides; a component without one counts 1."""


def likeness(environment: Environment, other: Environment, chosen: ComponentWeights = ()) -> float:
    """Return the sum of the weights of the components that are equal in both environments."""
    return sum(
        next((weight for pattern, weight in chosen if fnmatchcase(key, pattern)), 1.0)
        for key in components_shared(environment, other)
    )


def lone(shared: Sequence[float]) -> int | None:
    """Return the one prior test whose environment is most like the new test's, if it cannot flag a counter
    alone; None if several are equally like, all are unlike, or it decides alone.
    """
    most = max(shared, default=0)
    alike = [place for place, number in enumerate(shared) if number == most]
    if most == 0 or len(alike) > 1 or weights(shared)[alike[0]] > 0.5 + _TINY:
        return None
    return alike[0]


@dataclass(frozen=True, eq=False, slots=True)
class PriorTest:
    """One prior test.

    Attributes:
        lowest, highest: shape (n_counters,), the range of each counter.
    """

    run_id: str
    environment: Environment
    rules: Rules
    lowest: FloatArray
    highest: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Ensemble:
    bins: Bins
    tests: tuple[PriorTest, ...]
    machines: Machines


@dataclass(frozen=True, slots=True)
class Judging:
    """How a new test is judged.

    Attributes:
        change: the drop of confidence (1 - cosine similarity) above which a rule is violated.
        stacking: whether prior tests are weighted by likeness; if not, each has the same vote.
        ranges: whether leaving a prior test's range counts as breaking a rule without a premise.
        components: how much each component of an environment counts for likeness.
    """

    change: float = 0.2
    stacking: bool = True
    ranges: bool = False
    components: ComponentWeights = ()


@dataclass(frozen=True, eq=False, slots=True)
class Judgement:
    """What an ensemble says of one new test.

    Attributes:
        values: shape (n_intervals, n_counters), of the new test, on the usual machine.
        factor: by which its times were divided for that.
        bins: shape (n_intervals, n_counters), the bins of the new test.
        shared: shape (n_tests,), sum of the weights of the components that each prior test's environment
            shares: their number, unless an analyst chose weights.
        weight: shape (n_tests,), sum 1.
        changes: for each prior test, shape (n_rules,), by how much each rule's confidence drops.
        range_changes: shape (n_tests, n_counters), the same for the rule that a counter stays in the range.
        votes: shape (n_tests, n_counters), which counters each prior test flags.
        flagged: shape (n_counters,), which counters the ensemble flags.
        share: shape (n_counters,), the weight of the prior tests that flag each counter.
        broken: shape (n_intervals, n_counters), in which intervals a violated rule is broken.
    """

    values: FloatArray
    factor: float
    bins: IntArray
    shared: tuple[float, ...]
    weight: FloatArray
    changes: tuple[FloatArray, ...]
    range_changes: FloatArray
    votes: BoolArray
    flagged: BoolArray
    share: FloatArray
    broken: BoolArray

    @property
    def severity(self) -> FloatArray:
        """Share of the intervals in which each counter breaks a violated rule, shape (n_counters,)."""
        severity: FloatArray = self.broken.mean(axis=0)
        return severity


@dataclass(frozen=True, slots=True)
class Learning:
    """How an ensemble is learned.

    Attributes:
        resolution: differences below this share of a counter's largest value mean nothing.
        consistent: whether prior tests of one environment have one range of each counter, and no rule of one
            is kept that another violates by a larger change than this; None to keep all.
        deviations: so many standard deviations of the prior tests' medians mean nothing, either.
        machines: whether times are divided by a factor of the machine, if one explains them.
    """

    thresholds: Thresholds
    resolution: float = 0.0
    consistent: float | None = None
    deviations: float = 0.0
    machines: bool = False


def learn(
    tests: Sequence[tuple[str, Environment, FloatArray]], how: Learning, times: BoolArray | None = None
) -> Ensemble:
    """Learn from prior tests: id, environment and values, shape (n_intervals, n_counters), of each.

    Each counter has a value in every test.

    Args:
        times: shape (n_counters,), which counters are times; None if it is not known of any.
    """
    recorded = [values for _, _, values in tests]
    if times is None or not how.machines:
        times = np.zeros(recorded[0].shape[1], dtype=bool)
    machines = learn_machines(recorded, times)
    all_values = [machines.divided(values) for values in recorded]
    apart = how.deviations * _scatter(all_values)
    bins = learn_bins(all_values, how.resolution, apart)
    numbers = [discretise(values, bins) for values in all_values]
    prior = []
    for (run_id, environment, _), values, number in zip(tests, all_values, numbers, strict=True):
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        limits = widened(low, high, how.resolution, apart)
        prior.append(PriorTest(run_id, environment, mine(number, how.thresholds), *limits))
    if how.consistent is None:
        return Ensemble(bins, tuple(prior), machines)
    same = tuple(_consistent(rule, prior, numbers, how.consistent) for rule in prior)
    return Ensemble(bins, same, machines)


def _scatter(tests: Sequence[FloatArray]) -> FloatArray:
    """Return the standard deviation of the tests' medians, shape (n_counters,); 0 if there is one test."""
    medians = np.array([medians_of(values) for values in tests])
    if len(medians) < 2:
        return np.zeros(medians.shape[1])
    scatter: FloatArray = medians.std(axis=0, ddof=1)
    return scatter


def _consistent(
    test: PriorTest, tests: Sequence[PriorTest], numbers: Sequence[IntArray], change: float
) -> PriorTest:
    """Return a prior test with what holds in all prior tests of its environment."""
    same = [place for place, other in enumerate(tests) if other.environment == test.environment]
    holds = np.all([changes(numbers[place], test.rules) <= change for place in same], axis=0)
    return replace(
        test,
        rules=only(test.rules, holds),
        lowest=np.min([tests[place].lowest for place in same], axis=0),
        highest=np.max([tests[place].highest for place in same], axis=0),
    )


def judge(ensemble: Ensemble, environment: Environment, values: FloatArray, how: Judging) -> Judgement:
    """Return what the ensemble says of a new test with at least one interval."""
    factor = ensemble.machines.factor(values)
    values = ensemble.machines.divided(values)
    bins = discretise(values, ensemble.bins)
    shared = tuple(likeness(test.environment, environment, how.components) for test in ensemble.tests)
    weight = weights(shared if how.stacking else [0] * len(shared))
    all_changes = tuple(changes(bins, test.rules) for test in ensemble.tests)
    ranges = np.array([range_changes(values, test) for test in ensemble.tests])
    votes = np.array(
        [
            flagged(test.rules.consequents, change > how.change, values.shape[1])
            for test, change in zip(ensemble.tests, all_changes, strict=True)
        ]
    )
    if how.ranges:
        votes |= ranges > how.change
    chosen = stacked(votes, weight) if how.stacking else bagged(votes)
    where = _find_broken(ensemble, bins, all_changes, how)
    if how.ranges:
        for test, left in zip(ensemble.tests, ranges > how.change, strict=True):
            where |= outside(values, test) & left
    share = stacked_weights(votes, weight)
    return Judgement(
        values=values,
        factor=factor,
        bins=bins,
        shared=shared,
        weight=weight,
        changes=all_changes,
        range_changes=ranges,
        votes=votes,
        flagged=chosen,
        share=share,
        broken=where & chosen,
    )


def _find_broken(
    ensemble: Ensemble, bins: IntArray, all_changes: Sequence[FloatArray], how: Judging
) -> BoolArray:
    """Return in which intervals each counter breaks a violated rule, same shape as ``bins``."""
    where = np.zeros(bins.shape, dtype=bool)
    for test, change in zip(ensemble.tests, all_changes, strict=True):
        violated = only(test.rules, change > how.change)
        _, fails = broken(bins, violated)
        for column, counter in enumerate(violated.consequents // STRIDE):
            where[:, counter] |= fails[:, column]
    return where


def outside(values: FloatArray, test: PriorTest) -> BoolArray:
    """Return which values are outside the ranges of a prior test, same shape."""
    beyond: BoolArray = (values < test.lowest) | (values > test.highest)
    return beyond


def range_changes(values: FloatArray, test: PriorTest) -> FloatArray:
    """Return by how much the confidence drops that a counter stays in its range of a prior test, shape
    (n_counters,); 0 for counters that were not read.
    """
    read = ~np.isnan(values)
    beyond = outside(values, test)
    with np.errstate(invalid="ignore", divide="ignore"):
        after = 1 - beyond.sum(axis=0) / np.where(read.any(axis=0), read.sum(axis=0), np.nan)
    return confidence_change(np.ones(values.shape[1]), after)


def only(rules: Rules, chosen: BoolArray) -> Rules:
    return Rules(rules.premises[chosen], rules.consequents[chosen], rules.confidences[chosen])
