"""Models of every counter by the load, without some of the runs, from sums over each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

ROUNDING = 1e-6
"""Smaller shares of a prediction are rounding."""

RIDGE = 1e-9
"""Keeps predictors apart that are the same, such as the rates of two kinds of requests in a fixed ratio."""


@dataclass(frozen=True, eq=False, slots=True)
class Sums:
    """All that models need of the units; n is their number, p that of predictors, m that of counters.

    Attributes:
        sizes: numbers of stretches, shape (n,).
        gram: sums of products of predictors, shape (n, p, p).
        cross: sums of products of predictors and counters, shape (n, p, m).
        squares: sums of squares of counters, shape (n, m).
        load: means of predictors, shape (n, p).
        level: means of counters, shape (n, m).
    """

    sizes: FloatArray
    gram: FloatArray
    cross: FloatArray
    squares: FloatArray
    load: FloatArray
    level: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Residuals:
    """How far some units together are from the model of others.

    Attributes:
        far: measured less predicted, shape (2, m): the mean over all stretches, and the part that grows with
            the prediction, at one deviation of the prediction above its mean. The second sees a reversed or a
            scaled relation whose mean is right.
        within: variance of a unit's mean, as far as its stretches differ from their mean; shape (m,).
        reach: variance of the prediction where each unit that was learned from deviates by 1. It is 1/n at
            the usual load of n units, and large where the model is extrapolated.
    """

    far: FloatArray
    within: FloatArray
    reach: float


def sums_of(designs: Sequence[FloatArray], values: Sequence[FloatArray]) -> Sums:
    """Return the sums.

    Args:
        designs: for each unit, shape (n_stretches, p).
        values: for each unit, shape (n_stretches, m).
    """
    return Sums(
        np.array([float(len(one)) for one in values]),
        np.array([one.T @ one for one in designs]),
        np.array([one.T @ value for one, value in zip(designs, values, strict=True)]),
        np.array([(one**2).sum(axis=0) for one in values]),
        np.array([one.mean(axis=0) for one in designs]),
        np.array([one.mean(axis=0) for one in values]),
    )


Model = tuple[FloatArray, FloatArray]
"""Slopes of least squares, shape (p, m), and the inverse of the gram, shape (p, p)."""


def model_of(gram: FloatArray, cross: FloatArray, size: float) -> Model:
    """Return the model of units with these sums and this number of stretches."""
    ridge: FloatArray = np.diag(np.full(len(gram), RIDGE * size))
    inverse = np.linalg.inv(gram + ridge)
    return np.asarray(inverse @ cross, dtype=np.float64), np.asarray(inverse, dtype=np.float64)


def model(sums: Sums, learned: IntArray) -> Model:
    """Return the model of some units."""
    gram, cross = sums.gram[learned].sum(axis=0), sums.cross[learned].sum(axis=0)
    return model_of(gram, cross, float(sums.sizes[learned].sum()))


def residuals(sums: Sums, chosen: IntArray, learned: IntArray) -> Residuals:
    """Return how far the chosen units together are from the model of the others that were learned from."""
    slope, inverse = model(sums, learned)
    load = sums.load[chosen].mean(axis=0)
    reach = (sums.sizes[learned] * (sums.load[learned] @ (inverse @ load))) ** 2
    sizes = sums.sizes[chosen][:, None]
    predicted = sums.load[chosen] @ slope
    mean = sums.level[chosen] - predicted
    products = np.einsum("pm,npm->nm", slope, sums.cross[chosen]) / sizes
    explained = np.einsum("pm,npq,qm->nm", slope, sums.gram[chosen], slope, optimize=True) / sizes
    moves = np.sqrt((explained - predicted**2).clip(0.0))
    tilt = np.zeros(mean.shape)
    np.divide(
        products - explained - mean * predicted, moves, out=tilt, where=moves > ROUNDING * np.abs(predicted)
    )
    squares = sums.squares[chosen] / sizes - 2 * products + explained
    variance = (squares - mean**2).clip(0.0) / (sizes - 1).clip(1.0)
    far = np.array([mean.mean(axis=0), tilt.mean(axis=0)])
    return Residuals(far, variance.mean(axis=0), float(reach.sum()))


def spread_of(sums: Sums, learned: IntArray) -> FloatArray:
    """Return the mean square of single units' residuals, each from the model of the others, shape (2, m).

    Residuals under an unusual load count less, because a part of them is the prediction's variance.
    """
    total = np.zeros((2, sums.level.shape[1]))
    for place in learned.tolist():
        one = residuals(sums, np.array([place]), learned[learned != place])
        total += one.far**2 / (1 + one.reach)
    return total / len(learned)
