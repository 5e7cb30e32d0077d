"""How ordinary the runs under test are: a score for every choice of runs, and the exact p-value of its rank.

*The p-value.* If no run differs, each choice of k runs is equally likely to have the highest score. The share
of choices that score at least as high as the runs under test is then an exact p-value, for any distribution
of the features (a permutation test). It cannot be smaller than one divided by the number of choices: with
three runs under test and ten training runs there are 286.

*The score* says how much likelier a change is than none, by Bayes factors of two-sample t-tests: Gönen,
Johnson, Lu and Westfall, "The Bayesian two-sample t test" (The American Statistician 59, 2005). Under a
change, the difference of the means is normal with a standard deviation that is given beforehand. Features are
on a logarithmic scale far from zero, so this is the usual *relative* size of a change. The factor of a
feature that varies more between runs than changes usually do is near 1, whatever its values are: noisy
features say nothing, neither for a change nor against one, and adding some of them costs little power.

A difference that speaks against a change, or that does not count, has the factor 1, so that no choice of runs
has a high score only because the others speak against a change. The factor of a quantity is the weighted mean
over its features, of which those that say how much there is weigh most. The score of a choice of runs is the
logarithm of the mean over quantities, the likelihood that one of them has changed. All runs are treated
alike, and therefore the p-value by rank is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from math import comb

import numpy as np
from msgspec import Struct, structs

from buto.judging.contrasts import Stable, compare_choices
from buto.run.model import BoolArray, FloatArray, IntArray

FARTHEST = 1e9
"""Larger values of Student's t are treated as infinite, because their square overflows."""

TIE = 1e-9
"""Scores that differ by less are equal, apart from rounding; of scores beyond 1, by this share."""

FEWEST_RUNS = 5
"""Fewer runs do not show how far runs deviate from each other."""

MOST_CHOICES = 2000
"""Enough for a p-value of 0.0005; more would take longer than it tells."""


class Significance(Struct, frozen=True):
    """A p-value by rank.

    Attributes:
        p_value: share of all choices that score at least as high as the runs under test.
        n_choices: how many choices there are.
        smallest: the smallest possible p-value; doubled if another choice always has the same score.
    """

    p_value: float
    n_choices: int
    smallest: float

    @property
    def highest(self) -> bool:
        """Whether no other choice has as high a score."""
        return self.p_value * self.n_choices < 1.5


def significance(score: FloatArray, *, mirrored: bool = False) -> Significance:
    """Return how ordinary the first of these scores is among all of them.

    Args:
        score: shape (n_choices,); the runs under test come first.
        mirrored: whether another choice always has the same score.
    """
    return Significance(float(ranks(score)), len(score), (2 if mirrored else 1) / len(score))


def ranks(score: FloatArray) -> FloatArray:
    """Return the share of choices that score at least as high as the first, shape (...).

    Args:
        score: shape (..., n_choices).
    """
    return as_high(score, score[..., :1])


def as_high(scores: FloatArray, score: FloatArray | float) -> FloatArray:
    """Return the share of scores along the last axis that are at least as high as one, or tie with it."""
    share: FloatArray = (scores >= score - TIE * np.maximum(1.0, np.abs(score))).mean(axis=-1)
    return share


def smallest_p_value(n_ways: int, *, mirrored: bool = False) -> float:
    """Return the p-value of the largest possible difference by rank among so many choices.

    Args:
        mirrored: whether another choice always has the same score.
    """
    return max((2 if mirrored else 1) / n_ways, 1 / MOST_CHOICES)


def runs_needed(smallest: Callable[[int], float], alpha: float) -> int:
    """Return the fewest runs, FEWEST_RUNS or more, whose smallest p-value is at most alpha.

    Args:
        smallest: gives the smallest p-value that a number of runs can show; at most alpha for some number.
    """
    return next(n_runs for n_runs in count(FEWEST_RUNS) if smallest(n_runs) <= alpha)


def training_needed(n_checked: int, alpha: float) -> int:
    """Return how many training runs allow a decision on so many checked ones at this level.

    Never as many as are checked, for each choice of runs has a mirror image then.
    """
    return runs_needed(
        lambda n: 1.0 if n == n_checked else smallest_p_value(comb(n + n_checked, n_checked)), alpha
    )


def largest_of_each(contrast: FloatArray, quantity: IntArray) -> FloatArray:
    """Return the largest absolute contrast of each quantity's features, shape (n_choices, n_quantities).

    Args:
        contrast: shape (n_choices, n_features).
        quantity: shape (n_features,), the number of each feature's quantity, in increasing order.
    """
    starts = np.flatnonzero(np.diff(quantity, prepend=-1))
    largest: FloatArray = np.maximum.reduceat(np.abs(contrast), starts, axis=1)
    return largest


def students_t(freedom: int, t: FloatArray) -> FloatArray:
    """Return Student's distribution function at even degrees of freedom: Abramowitz and Stegun, 26.7.4.

    It is a finite sum, so that a check does not have to import scipy.special. Absolute error below 1e-15; NaN
    gives NaN.

    Args:
        freedom: even, at least 2.
        t: any shape, infinities too.
    """
    t = np.clip(t, -FARTHEST, FARTHEST)
    sine = t / np.sqrt(freedom + t**2)
    term, total = np.ones_like(sine), np.ones_like(sine)
    for k in range(1, freedom // 2):
        term = term * (1 - sine**2) * (2 * k - 1) / (2 * k)
        total = total + term
    return (1 + sine * total) / 2


USUAL_CHANGES = (0.03, 0.1, 0.3, 1.0)
"""Equally likely sizes of a change on the scale of features: from 3 % to almost threefold."""

LARGEST_LOGARITHM = 600.0
"""Larger logarithms would overflow as factors."""


class Differences(Struct, frozen=True, eq=False):
    """Differences of means between the chosen runs and the others.

    Attributes:
        squared_t: shape (n_choices, n_features), squares of Student's t.
        variance: shape (n_choices, n_features), of one run within its group.
        sizes: the sum of the reciprocal sizes of both groups, or more with a load; see :class:`Compared`.
        freedom: degrees of freedom of t.
    """

    squared_t: FloatArray
    variance: FloatArray
    sizes: FloatArray | float
    freedom: float


def differences(stable: Stable, chosen: IntArray) -> Differences:
    """Return the differences of every choice of runs in every feature.

    Args:
        stable: its floor is added to the variance as that of an independent deviation.
        chosen: see :func:`compared`.
    """
    compared = compare_choices(stable.values, chosen, stable.load)
    variance = compared.variance + stable.floor**2
    squared = compared.difference**2 / (variance * compared.sizes)
    return Differences(squared, variance, compared.sizes, float(compared.freedom))


def factors(gaps: Differences) -> FloatArray:
    """Return the Bayes factor of each choice and feature, shape (n_choices, n_features); 1 says nothing.

    It is the mean over USUAL_CHANGES, and increases with Student's t without a limit that matters.
    """
    freedom = gaps.freedom
    plain = np.log1p(gaps.squared_t / freedom)
    result = np.zeros_like(gaps.squared_t)
    for change in USUAL_CHANGES:
        ratio = change**2 / (gaps.variance * gaps.sizes)
        fitted = np.log1p(gaps.squared_t / (freedom * (1 + ratio)))
        logarithm = (freedom + 1) / 2 * (plain - fitted) - np.log1p(ratio) / 2
        result += np.exp(np.minimum(logarithm, LARGEST_LOGARITHM))
    return result / len(USUAL_CHANGES)


def for_a_change(factor: FloatArray, counts: BoolArray) -> FloatArray:
    """Return the same factors, at least 1, and 1 where a difference does not count."""
    return np.where(counts, np.maximum(factor, 1.0), 1.0)


def factors_for_a_change(gaps: Differences, counts: BoolArray) -> FloatArray:
    """Return what :func:`for_a_change` makes of all factors; only those that can be above 1 are computed."""
    # With a t of at most 1, no size of a change makes the difference likelier than none does.
    likely = counts & (gaps.squared_t > 1.0)
    sizes = np.broadcast_to(gaps.sizes, counts.shape)[likely]
    some = structs.replace(
        gaps, squared_t=gaps.squared_t[likely], variance=gaps.variance[likely], sizes=sizes
    )
    result = np.ones(counts.shape)
    result[likely] = np.maximum(factors(some), 1.0)
    return result


def mean_of_each(values: FloatArray, group: IntArray, weights: FloatArray) -> FloatArray:
    """Return the weighted mean over the columns of each group, shape (n_choices, n_groups).

    Args:
        group: shape (n_columns,), the number of each column's group, in increasing order.
        weights: shape (n_columns,), positive.
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    total = np.add.reduceat(weights, starts)
    means: FloatArray = np.add.reduceat(values * weights, starts, axis=1) / total
    return means


def score(of_each: FloatArray) -> FloatArray:
    """Return the score of each choice, shape (n_choices,), from the factors of quantities.

    Args:
        of_each: shape (n_choices, n_quantities).
    """
    likelihood: FloatArray = np.log(of_each.mean(axis=1))
    return likelihood
