"""Whether training runs are what the calibrated oracle takes them for: exchangeable draws of one behaviour.

Three ways in which they are not, each of which makes an oracle wide and blind without a word: one run that
stands apart, a drift from the first to the last, and two behaviours instead of one.

Each is looked for over all features together. Of 500 simulated trainings of 55 quantities with none of the
three, so many percent were warned of (error .4; outlier / drift / two groups):

    scatter of levels                              6 runs          10 runs         20 runs
    normal                                         0 / .6 / 0      0 / .8 / 0      0 / 2.0 / 0
    normal, half of the variance shared by all     .8 / 1.4 / 0    1.0 / .8 / 0    .2 / 1.0 / 0
    Student's t of 3 degrees of freedom            0 / .2 / 0      0 / .4 / 0      0 / 1.2 / 0
    whole numbers around six                       0 / 1.4 / 0     0 / 1.0 / 0     0 / 1.6 / 0

And found were, in 200 trainings of 10 and of 20 runs: one run with all quantities off by 3 deviations in 54
and 46 %, by 4 in all; half of the quantities by 5 in 11 and 71 %; five of them in none, however far. A drift
of all quantities by one deviation from first to last in 73 and 100 %, of five by 3 in 12 and 84 %. Two groups
that differ in one quantity by 10 deviations in 9 and 64 %, by 15 in 43 and 99 %.
"""

from __future__ import annotations

from enum import Enum
from math import ceil

import numpy as np
from msgspec import Struct

from buto.judging.binomial import chance_of_reaching
from buto.judging.contrasts import BETWEEN_MACHINES, COUNT_GRAIN, Stable, contrasts, stabilise
from buto.judging.effects import is_ever_minded
from buto.judging.profile import TrainingProfile, first_levels
from buto.judging.rank import largest_of_each, ranks, students_t
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.properties import Property

RARE = 0.01
"""Share of good trainings that may be warned of drift, and of two groups."""

RARE_OUTLIER = 0.05
"""Of the p-value of the run that differs most, times the number of runs. Hardly one good training in a
hundred is warned of, not five: that p-value is made for heavier tails than good runs have."""

LARGEST_CONTRAST = 8.0
"""Larger contrasts count as this, so that one extreme number does not decide."""

SOFTENING = 0.1
"""Added before the logarithm, which is undefined for runs that are equal in everything."""

USUAL_DEVIATION, PRIOR_FREEDOM, TAIL_FREEDOM = 0.22, 20.0, 6
"""Usual deviation of that logarithm between good runs, its weight as a number of runs, and the degrees of
freedom of the Student's t that it is assumed to follow; a few runs do not show how heavy its tails are."""

N_ORDERS = 999
"""Random orders that the one in which the runs were made is compared with."""

SMALLEST_GROUP = 0.25
"""Share of the runs; fewer of them are outliers and no behaviour."""

MOST_NAMED = 3


class AnomalyKind(Enum):
    OUTLIER = "outlier"
    DRIFT = "drift"
    TWO_GROUPS = "two groups"


class Symptom(Struct, frozen=True):
    """One feature in which something shows.

    Attributes:
        quantity: whose feature it is.
        feature: its name.
        there: its mean in the runs that stand apart; of a drift, in the last half of the runs.
        elsewhere: in the others.
    """

    quantity: Property
    feature: str
    there: float
    elsewhere: float


class Anomaly(Struct, frozen=True):
    """One thing that is wrong with training runs.

    Attributes:
        kind: what.
        runs: places of the runs that stand apart: the outlier, or the smaller group; none for a drift.
        symptoms: one for each quantity in which it shows most clearly, that one first.
        p_value: over all features together.
    """

    kind: AnomalyKind
    runs: tuple[int, ...]
    symptoms: tuple[Symptom, ...]
    p_value: float


def find_anomalies(profile: TrainingProfile) -> tuple[Anomaly, ...]:
    """Return what is wrong with the runs of a profile, at most one anomaly of each kind.

    Args:
        profile: of at least four runs, in the order in which they were made.
    """
    features = _Features(profile)
    anomalies = (_outlier(features), _drift(features), _two_groups(features))
    return tuple(anomaly for anomaly in anomalies if anomaly is not None)


class _Features:
    """Features that could be read in all runs, and may fail a check, on the scale on which runs are alike."""

    def __init__(self, profile: TrainingProfile) -> None:
        counts = np.array(
            [is_ever_minded(profile.quantities[feature.column].name) for feature in profile.catalogue], bool
        )
        kept = np.flatnonzero(~np.isnan(profile.values).any(axis=0) & counts)
        self.profile = profile
        self.values = profile.values[:, kept]
        self.of = [profile.catalogue[place] for place in kept]
        self.columns: IntArray = np.array([feature.column for feature in self.of])
        levels = profile.levels(np.where(np.isnan(profile.values), 0.0, profile.values))
        # A count that is now and then one more is no second behaviour: half a count is the error of counting.
        grain = np.where(profile.grain == COUNT_GRAIN, BETWEEN_MACHINES.count, profile.grain)
        self.stable: Stable = stabilise(self.values, grain[self.columns], levels[self.columns])

    def levels(self) -> IntArray:
        """Return one feature of each quantity: its level."""
        places = first_levels(self.of, self.profile.quantities)
        return np.array(list(places.values()), np.int64)

    def counts(self) -> BoolArray:
        """Return which features scatter by more than the smallest meaningful deviation."""
        counts: BoolArray = self.stable.values.std(axis=0) > self.stable.floor
        return counts

    def symptoms(self, by_clarity: IntArray, there: IntArray) -> tuple[Symptom, ...]:
        """Return the first features of three quantities, and these runs."""
        first: dict[int, int] = {}
        for place in by_clarity:
            first.setdefault(int(self.columns[place]), int(place))
        elsewhere = np.setdiff1d(np.arange(len(self.values)), there)
        return tuple(
            Symptom(
                self.profile.quantities[column],
                self.of[place].name,
                float(self.values[there, place].mean()),
                float(self.values[elsewhere, place].mean()),
            )
            for column, place in list(first.items())[:MOST_NAMED]
        )


def _outlier(features: _Features) -> Anomaly | None:
    """Return the run that differs most from the others, if so much is rare even for the most different.

    A run differs by the root mean square of the largest contrasts of its quantities. The logarithms are
    compared by Student's t, with their deviation shrunk to the usual one. No single quantity decides, because
    one of many is often far off in a good run. Two runs that are alike hide each other: with either of them
    the others scatter widely.
    """
    n_runs = len(features.values)
    contrast = contrasts(features.stable, np.arange(n_runs)[:, None])
    largest = np.minimum(largest_of_each(contrast, features.columns), LARGEST_CONTRAST)
    differs = np.log(SOFTENING + np.sqrt((largest**2).mean(axis=1)))
    run = int(np.argmax(differs))
    others = np.delete(differs, run)
    freedom = len(others) - 1
    squares = PRIOR_FREEDOM * USUAL_DEVIATION**2 + freedom * others.var(ddof=1)
    error = np.sqrt(squares / (PRIOR_FREEDOM + freedom) * (1 + 1 / len(others)))
    p_value = n_runs * float(students_t(TAIL_FREEDOM, (others.mean() - differs[run]) / error))
    if p_value > RARE_OUTLIER:
        return None
    by_clarity = np.argsort(-np.abs(contrast[run]), kind="stable")
    return Anomaly(AnomalyKind.OUTLIER, (run,), features.symptoms(by_clarity, np.array([run])), p_value)


def _drift(features: _Features) -> Anomaly | None:
    """Return a drift: ranks of features against the runs' order, by Spearman, compared with random orders.

    Two questions in one, each in its deviations over random orders: how clear is the clearest drift of
    any quantity, and how clear are those of all quantities together.
    """
    places = np.flatnonzero(features.counts())
    if not len(places):
        return None
    n_runs = len(features.values)
    rank = _ranks(features.stable.values[:, places]) - (n_runs + 1) / 2
    rank /= np.sqrt((rank**2).sum(axis=0))
    order = np.arange(n_runs) - (n_runs - 1) / 2
    order /= np.sqrt((order**2).sum())
    random = np.random.default_rng(0)
    orders = np.vstack([order, random.permuted(np.tile(order, (N_ORDERS, 1)), axis=1)])
    correlation = orders @ rank
    largest = largest_of_each(correlation, features.columns[places])
    each = np.stack([largest.max(axis=1), (largest**2).mean(axis=1)])
    deviation = np.maximum(each.std(axis=1, keepdims=True), 1e-12)
    score = ((each - each.mean(axis=1, keepdims=True)) / deviation).max(axis=0)
    p_value = float(ranks(score))
    if p_value > RARE:
        return None
    by_clarity = places[np.argsort(-np.abs(correlation[0]), kind="stable")]
    later = np.arange((n_runs + 1) // 2, n_runs)
    return Anomaly(AnomalyKind.DRIFT, (), features.symptoms(by_clarity, later), p_value)


def _ranks(values: FloatArray) -> FloatArray:
    """Return the ranks in each column, from 1 on, equal values with their mean rank; importing scipy.stats
    takes longer.
    """
    ranks = [(values < value).sum(axis=0) + ((values == value).sum(axis=0) + 1) / 2 for value in values]
    return np.array(ranks)


def _two_groups(features: _Features) -> Anomaly | None:
    """Return a gap in the levels of a quantity that is wide compared with the groups on both sides.

    Compared with runs that scatter evenly, of all distributions with one mode the one with the widest
    gaps: between the sorted levels are then independent exponential distances, so that the chance of a
    gap of r times the larger width of two groups is a simple integral. It is multiplied by the number of
    places for a gap and of quantities.
    """
    candidates = [place for place in features.levels() if features.counts()[place]]
    n_runs = len(features.values)
    smallest = max(2, ceil(SMALLEST_GROUP * n_runs))
    sizes = np.arange(smallest, n_runs - smallest + 1)
    if not candidates or not len(sizes):
        return None
    ordered = np.sort(features.stable.values[:, candidates], axis=0)
    gap = ordered[sizes] - ordered[sizes - 1]
    width = np.maximum(ordered[sizes - 1] - ordered[0], ordered[-1] - ordered[sizes])
    # What may be rounding is taken from the gap and given to the groups.
    rounding = 2 * features.stable.floor[candidates]
    ratio = np.maximum(gap - rounding, 0.0) / (width + rounding)
    chance = _chance_of_gap(ratio, sizes[:, None], n_runs) * ratio.size
    split, best = np.unravel_index(int(np.argmin(chance)), chance.shape)
    p_value = float(chance[split, best])
    if p_value > RARE:
        return None
    lower = np.argsort(features.stable.values[:, candidates[best]], kind="stable")
    groups = (lower[: sizes[split]], lower[sizes[split] :])
    apart = np.sort(min(groups, key=len))
    by_clarity = np.array(candidates)[np.argsort(chance.min(axis=0), kind="stable")]
    clear = by_clarity[: int((chance.min(axis=0) <= RARE).sum())]
    return Anomaly(
        AnomalyKind.TWO_GROUPS, tuple(int(run) for run in apart), features.symptoms(clear, apart), p_value
    )


def _chance_of_gap(ratio: FloatArray, size: IntArray, n_runs: int) -> FloatArray:
    """Return the chance that one distance is this many times the larger of two sums, of size - 1 and of the
    others.

    Args:
        ratio: any shape; 0 gives 1.
        size: of the lower group, to be broadcast with it.
    """
    distance, weight = np.polynomial.laguerre.laggauss(64)
    reach = distance / np.maximum(ratio, 1e-9)[..., None]
    both = chance_of_reaching(size[..., None] - 1, reach) * chance_of_reaching(
        n_runs - size[..., None] - 1, reach
    )
    chance: FloatArray = both @ weight
    return chance
