"""The tail of scores, for training runs of several environments."""

from __future__ import annotations

import numpy as np

from buto.runs import FloatArray

SOFTENING = 0.1
"""Added before the logarithm, which is undefined for runs that are equal in everything."""

DEVIATION_OF_LARGEST = 0.34
"""Usual deviation of the logarithm of the largest contrast between runs of an unchanged program."""

SMALLEST_TAIL = 0.001
"""Smallest p-value of the tail; no assumption on the tail of a few scores justifies a smaller one."""

FARTHEST = 1e9
"""Larger values of Student's t are treated as infinite, because their square overflows."""


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
