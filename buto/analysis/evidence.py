"""Compute one p-value from contrasts: how ordinary is the score of the runs under test among all scores?

There are two ways, from the same scores. *Rank*: if no run differs, each choice of k runs is equally likely
to have the highest score. The share of choices that score at least as high as the runs under test is then an
exact p-value, for any distribution of the features. It cannot be smaller than one divided by the number of
choices. *Tail*: the scores of the other choices are assumed to be drawn from Student's t. The share of that
distribution beyond the score is a p-value as good as this assumption. With one run under test there are only
n + 1 choices, so only the tail can reach small levels; with three, ten training runs give 286 choices.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

LARGEST_CONTRAST = 8.0
"""Largest contrast of a property in the mean over all, so that one extreme number is only one finding."""

SOFTENING = 0.1
"""Added before the logarithm, which is undefined for runs that are equal in everything."""

DEVIATION_OF_LARGEST, DEVIATION_OF_MEAN = 0.34, 0.22
"""Usual deviations of the two logarithms between runs of an unchanged program."""

PRIOR_DEVIATION, PRIOR_FREEDOM = 1.0, 20.0
"""Usual deviation of the score between runs of an unchanged program, and its weight as a number of runs."""

TAIL_FREEDOM = 6
"""Degrees of freedom of the Student's t that scores are assumed to follow. Its tails are heavier than the
normal ones, because another process disturbs a run from time to time. A few runs do not show how heavy they
are."""

SMALLEST_TAIL = 0.001
"""Smallest p-value of the tail; no assumption on the tail of a few scores justifies a smaller one."""

FARTHEST = 1e9
"""Larger values of Student's t are treated as infinite, because their square overflows."""

TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Significance:
    """A p-value and its basis.

    Attributes:
        p_value: of the runs under test.
        rank: share of all choices that score at least as high.
        smallest_rank: the smallest possible rank, if no other choice had the same score.
        exact: whether the p-value is the rank.
        smallest: the smallest possible p-value.
    """

    p_value: float
    rank: float
    smallest_rank: float
    exact: bool
    smallest: float

    @property
    def highest(self) -> bool:
        """Whether no other choice has as high a score."""
        return self.rank <= self.smallest_rank


def largest_of_each(contrast: FloatArray, quantity: IntArray) -> FloatArray:
    """Return the largest absolute contrast of each quantity's features, shape (n_choices, n_quantities).

    Args:
        contrast: shape (n_choices, n_features).
        quantity: shape (n_features,), the number of each feature's quantity, in increasing order.
    """
    starts = np.flatnonzero(np.diff(quantity, prepend=-1))
    largest: FloatArray = np.maximum.reduceat(np.abs(contrast), starts, axis=1)
    return largest


def scores(largest: FloatArray) -> FloatArray:
    """Return one score for each choice, over all quantities together, shape (n_choices,).

    Args:
        largest: see :func:`largest_of_each`.
    """
    capped = np.minimum(largest, LARGEST_CONTRAST)
    return combined(largest.max(axis=1), (capped**2).mean(axis=1))


def combined(largest: FloatArray, mean_square: FloatArray) -> FloatArray:
    """Return the score of choices, shape (..., n_choices).

    The score is the larger of two logarithms, each minus its mean over all choices and divided by its usual
    deviation: that of the largest contrast, which shows a change of one quantity, and that of the root mean
    square, which shows a small change of many.

    Args:
        largest: shape (..., n_choices), largest contrast of any quantity.
        mean_square: of all quantities' contrasts, each limited to LARGEST_CONTRAST.
    """
    one = np.log(SOFTENING + largest)
    many = np.log(SOFTENING + np.sqrt(mean_square))
    score: FloatArray = np.maximum(
        (one - one.mean(axis=-1, keepdims=True)) / DEVIATION_OF_LARGEST,
        (many - many.mean(axis=-1, keepdims=True)) / DEVIATION_OF_MEAN,
    )
    return score


def significance(
    score: FloatArray, size: int, alpha: float, *, mirrored: bool = False, by_rank: bool = False
) -> Significance:
    """Return how ordinary the first of these scores is among all of them.

    The p-value is the rank if that can reach alpha, else the tail. If another choice scores as high, the rank
    must be low, too, so that a run with a lower score than some training run never fails.

    Args:
        score: shape (n_choices,); the runs under test come first.
        size: number of runs under test.
        mirrored: whether another choice always has the same score.
        by_rank: whether only the rank may decide, also where it cannot reach alpha.
    """
    rank = 1 / len(score)
    if by_rank:
        found = float(_rank(score))
        return Significance(found, found, rank, True, 2 * rank if mirrored else rank)
    exact = rank <= alpha
    smallest = 2 * rank if mirrored else rank if exact else min(rank, SMALLEST_TAIL)
    return Significance(float(p_values(score, size, alpha)), float(_rank(score)), rank, exact, smallest)


def p_values(score: FloatArray, size: int, alpha: float) -> FloatArray:
    """Return the p-values of :func:`significance` for many checks at once, shape (...).

    Args:
        score: shape (..., n_choices).
    """
    rank, smallest = _rank(score), 1 / score.shape[-1]
    if smallest <= alpha:
        return rank
    tail = np.maximum(_tail(score[..., 0], score[..., 1:], size), SMALLEST_TAIL)
    return np.where(rank <= smallest, tail, np.maximum(tail, rank))


def _rank(score: FloatArray) -> FloatArray:
    """Return the share of choices that score at least as high as the first."""
    rank: FloatArray = (score >= score[..., :1] - TIE).sum(axis=-1) / score.shape[-1]
    return rank


def _tail(ours: FloatArray, others: FloatArray, size: int) -> FloatArray:
    """Return the probability of a score beyond the first; the deviation of scores is shrunk to the usual one.

    Overlapping choices are not independent: they count only as the number of disjoint ones.
    """
    n_others = others.shape[-1]
    n = n_others if size == 1 else max(2.0, _n_runs(n_others + 1, size) / size)
    squares = PRIOR_FREEDOM * PRIOR_DEVIATION**2 + (n - 1) * others.var(axis=-1, ddof=1)
    variance = squares / (PRIOR_FREEDOM + n - 1)
    return students_t(TAIL_FREEDOM, (others.mean(axis=-1) - ours) / np.sqrt(variance * (1 + 1 / n)))


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


def _n_runs(n_choices: int, size: int) -> int:
    """Return the number of runs that has this number of choices."""
    n = size
    while comb(n, size) < n_choices:
        n += 1
    return n
