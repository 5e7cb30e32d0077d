"""Compute one p-value from scores: how ordinary is the score of the runs under test among all scores?

If no run differs, each choice of k runs is equally likely to have the highest score. The share of choices
that score at least as high as the runs under test is then an exact p-value, for any distribution of the
features (a permutation test). It cannot be smaller than one divided by the number of choices: with three runs
under test and ten training runs there are 286.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import comb

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

FARTHEST = 1e9
"""Larger values of Student's t are treated as infinite, because their square overflows."""

TIE = 1e-9
"""Scores that differ by less are equal, apart from rounding."""

FEWEST_RUNS = 5
"""Fewer runs do not show how far runs deviate from each other."""

MOST_CHOICES = 2000
"""Enough for a p-value of 0.0005; more would take longer than it tells."""


@dataclass(frozen=True, slots=True)
class Significance:
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
    share: FloatArray = (scores >= score - TIE).mean(axis=-1)
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
