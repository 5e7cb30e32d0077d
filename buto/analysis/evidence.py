"""From contrasts to one p-value: how ordinary is the score of the runs under test among all scores?

Two arguments, from one set of scores. *Rank*: if no run differs, each choice of k runs is as likely as any
other to score highest, so that the share of choices that score at least as high as the runs under test is a
p-value, exactly, whatever the features are distributed like. It cannot fall below one in the number of
choices. *Tail*: scores of the other choices are taken for draws from Student's t, and the share of that
beyond the score is a p-value as good as that assumption. With one run under test there are only n + 1
choices, so only the tail can reach small levels; with three, ten training runs have 286.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

LARGEST_CONTRAST = 8.0
"""A property counts no more than this in the mean over all: one number gone wild is one finding."""

SOFTENING = 0.1
"""Added before the logarithm is taken, which has no value for runs that are equal in everything."""

DEVIATION_OF_LARGEST, DEVIATION_OF_MEAN = 0.34, 0.22
"""Usual deviations of the two logarithms over runs of an unchanged program."""

PRIOR_DEVIATION, PRIOR_FREEDOM = 1.0, 20.0
"""Usual deviation of the score over runs of an unchanged program, and how many runs this is worth."""

TAIL_FREEDOM = 6
"""Of the Student's t that scores are taken to follow: heavier tails than the normal's, since now and then
another process disturbs a run. No handful of runs can tell how heavy."""

SMALLEST_TAIL = 0.001
"""No assumption on the tail of a few scores is good for smaller p-values."""

FARTHEST = 1e9
"""Student's t from here on is as infinity, whose square cannot be divided by."""

TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Significance:
    """A p-value and what it rests on.

    Attributes:
        p_value: of the runs under test.
        rank: the share of all choices that score at least as high.
        smallest_rank: the smallest that this could have been, if no other choice scored alike.
        exact: whether the p-value is the rank.
        smallest: the smallest p-value that there could have been.
    """

    p_value: float
    rank: float
    smallest_rank: float
    exact: bool
    smallest: float

    @property
    def highest(self) -> bool:
        """Whether no other choice scores as high."""
        return self.rank <= self.smallest_rank


def largest_of_each(contrast: FloatArray, quantity: IntArray) -> FloatArray:
    """The largest contrast of each quantity's features, without sign, shape (n_choices, n_quantities).

    Args:
        contrast: shape (n_choices, n_features).
        quantity: shape (n_features,), the quantity of each feature, not falling.
    """
    starts = np.flatnonzero(np.diff(quantity, prepend=-1))
    largest: FloatArray = np.maximum.reduceat(np.abs(contrast), starts, axis=1)
    return largest


def scores(largest: FloatArray) -> FloatArray:
    """One number for each choice: how far it stands apart in all quantities together, shape (n_choices,).

    Args:
        largest: see :func:`largest_of_each`.
    """
    capped = np.minimum(largest, LARGEST_CONTRAST)
    return combined(largest.max(axis=1), (capped**2).mean(axis=1))


def combined(largest: FloatArray, mean_square: FloatArray) -> FloatArray:
    """The score of choices, in the shape of the arguments.

    The larger of two logarithms, each from its mean over all choices and in its usual deviation: of the
    largest contrast, which sees a change of one quantity, and of the root of the mean square, which sees
    a small change of many.

    Args:
        largest: shape (..., n_choices), largest contrast of any quantity.
        mean_square: of all quantities' contrasts, none taken for larger than LARGEST_CONTRAST.
    """
    one = np.log(SOFTENING + largest)
    many = np.log(SOFTENING + np.sqrt(mean_square))
    score: FloatArray = np.maximum(
        (one - one.mean(axis=-1, keepdims=True)) / DEVIATION_OF_LARGEST,
        (many - many.mean(axis=-1, keepdims=True)) / DEVIATION_OF_MEAN,
    )
    return score


def significance(score: FloatArray, size: int, alpha: float, *, mirrored: bool = False) -> Significance:
    """How ordinary the first of these scores is among all of them.

    By rank if rank can reach alpha; else by the tail, unless some other choice scores as high: then
    rank, too, has to be low, so that a run that some training run surpasses never fails.

    Args:
        score: shape (n_choices,), that of the runs under test first.
        size: how many runs are under test.
        mirrored: whether another choice scores as high whatever the values are.
    """
    rank = 1 / len(score)
    exact = rank <= alpha
    smallest = 2 * rank if mirrored else rank if exact else min(rank, SMALLEST_TAIL)
    return Significance(float(p_values(score, size, alpha)), float(_rank(score)), rank, exact, smallest)


def p_values(score: FloatArray, size: int, alpha: float) -> FloatArray:
    """The p-values of many checks at once, as :func:`significance` has them, of shape (...).

    Args:
        score: shape (..., n_choices).
    """
    rank, smallest = _rank(score), 1 / score.shape[-1]
    if smallest <= alpha:
        return rank
    tail = np.maximum(_tail(score[..., 0], score[..., 1:], size), SMALLEST_TAIL)
    return np.where(rank <= smallest, tail, np.maximum(tail, rank))


def _rank(score: FloatArray) -> FloatArray:
    """Share of the choices that score as high as the first or higher."""
    rank: FloatArray = (score >= score[..., :1] - TIE).sum(axis=-1) / score.shape[-1]
    return rank


def _tail(ours: FloatArray, others: FloatArray, size: int) -> FloatArray:
    """Beyond one more value of the other scores' distribution; their deviation is shrunk to the usual one.

    Of choices that overlap only as many are counted as lie side by side.
    """
    n_others = others.shape[-1]
    n = n_others if size == 1 else max(2.0, _n_runs(n_others + 1, size) / size)
    squares = PRIOR_FREEDOM * PRIOR_DEVIATION**2 + (n - 1) * others.var(axis=-1, ddof=1)
    variance = squares / (PRIOR_FREEDOM + n - 1)
    return students_t(TAIL_FREEDOM, (others.mean(axis=-1) - ours) / np.sqrt(variance * (1 + 1 / n)))


def students_t(freedom: int, t: FloatArray) -> FloatArray:
    """Student's distribution function at even degrees of freedom: Abramowitz and Stegun, 26.7.4.

    A finite sum, so that a check need not wait for scipy.special. Absolute error below 1e-15; NaN gives NaN.

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
    """Of how many runs there are so many choices."""
    n = size
    while comb(n, size) < n_choices:
        n += 1
    return n
