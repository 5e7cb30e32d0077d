"""Scores of contrasts and their tail, for prior tests of several environments."""

from __future__ import annotations

import numpy as np

from buto.runs import FloatArray

LARGEST_CONTRAST = 8.0
"""Largest contrast of a property in the mean over all, so that one extreme number is only one finding."""

SOFTENING = 0.1
"""Added before the logarithm, which is undefined for runs that are equal in everything."""

DEVIATION_OF_LARGEST, DEVIATION_OF_MEAN = 0.34, 0.22
"""Usual deviations of the two logarithms between runs of an unchanged program."""

SMALLEST_TAIL = 0.001
"""Smallest p-value of the tail; no assumption on the tail of a few scores justifies a smaller one."""

FARTHEST = 1e9
"""Larger values of Student's t are treated as infinite, because their square overflows."""


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
