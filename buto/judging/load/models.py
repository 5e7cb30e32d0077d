"""Models of every counter by the load, and which counters rise and fall together.

Models are computed from sums over each run, so that they can be had without some of the runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from buto.run.model import BoolArray, FloatArray, IntArray

ROUNDING = 1e-6
"""Smaller shares of a prediction are rounding."""

RIDGE = 1e-9
"""Keeps predictors apart that are the same, such as the rates of two kinds of requests in a fixed ratio."""


class Sums(Struct, frozen=True, eq=False):
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


class Residuals(Struct, frozen=True, eq=False):
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
        np.array([float(len(value)) for value in values]),
        np.array([design.T @ design for design in designs]),
        np.array([design.T @ value for design, value in zip(designs, values, strict=True)]),
        np.array([(value**2).sum(axis=0) for value in values]),
        np.array([design.mean(axis=0) for design in designs]),
        np.array([value.mean(axis=0) for value in values]),
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


def measure_spread(sums: Sums, learned: IntArray) -> FloatArray:
    """Return the mean square of single units' residuals, each from the model of the others, shape (2, m).

    Residuals under an unusual load count less, because a part of them is the prediction's variance.
    """
    total = np.zeros((2, sums.level.shape[1]))
    for place in learned.tolist():
        residual = residuals(sums, np.array([place]), learned[learned != place])
        total += residual.far**2 / (1 + residual.reach)
    return total / len(learned)


Clusters = tuple[tuple[int, ...], ...]


def varies(values: FloatArray) -> BoolArray:
    """Return which columns have more than rounding as variance, shape (n_counters,)."""
    if not len(values):
        return np.zeros(values.shape[1], dtype=bool)
    largest = np.abs(values).max(axis=0)
    moves: BoolArray = np.ptp(values, axis=0) > 1e-12 * largest
    return moves


def correlation(values: FloatArray) -> FloatArray:
    """Return Pearson's correlation of all pairs of columns, which must vary; shape (n, n)."""
    centred = values - values.mean(axis=0)
    # The largest distance first, because squares of large numbers lose small ones.
    centred = centred / np.abs(centred).max(axis=0)
    centred /= np.sqrt((centred**2).sum(axis=0))
    correlations: FloatArray = (centred.T @ centred).clip(-1.0, 1.0)
    np.fill_diagonal(correlations, 1.0)
    return correlations


def distances(values: FloatArray) -> FloatArray:
    """Return the distance of all pairs of counters, one less the absolute correlation, shape (n, n).

    Args:
        values: shape (n_observations, n_counters), each column with variance.
    """
    return 1.0 - np.abs(correlation(values))


def merges(apart: FloatArray) -> FloatArray:
    """Return the dendrogram of average linkage as scipy writes it, shape (n_counters - 1, 4).

    Each row has the numbers of two clusters, their distance, and how many counters both have; a new cluster
    has the next number. Found by the nearest-neighbour chain, which needs no more than n² steps.

    Args:
        apart: distances, shape (n_counters, n_counters).
    """
    n_counters = len(apart)
    if n_counters < 2:
        return np.empty((0, 4))
    away = apart.copy()
    np.fill_diagonal(away, np.inf)
    sizes = np.ones(n_counters)
    chain: list[int] = []
    pairs = []
    for _ in range(n_counters - 1):
        if not chain:
            chain = [int(np.argmax(sizes > 0))]
        while True:
            last = chain[-1]
            nearest = int(np.argmin(away[last]))
            if len(chain) > 1 and not away[last, nearest] < away[last, chain[-2]]:
                break
            chain.append(nearest)
        first, other = sorted((chain.pop(), chain.pop()))
        pairs.append((first, other, float(away[first, other])))
        weights = sizes[first] + sizes[other]
        mean = (sizes[first] * away[first] + sizes[other] * away[other]) / weights
        sizes[first], sizes[other] = 0, weights
        away[first], away[:, first] = np.inf, np.inf
        mean[[first, other]] = np.inf
        away[other], away[:, other] = mean, mean
    return _number(sorted(pairs, key=lambda merge: merge[2]))


def _number(pairs: Sequence[tuple[int, int, float]]) -> FloatArray:
    """Return merges, nearest first, with the number of each cluster in place of one of its counters."""
    number = list(range(len(pairs) + 1))
    members = [[counter] for counter in number]
    rows = np.empty((len(pairs), 4))
    for row, (first, other, distance) in enumerate(pairs):
        both = members[first] + members[other]
        rows[row] = (*sorted((number[first], number[other])), distance, len(both))
        for counter in both:
            number[counter], members[counter] = len(pairs) + 1 + row, both
    return rows


def cut(dendrogram: FloatArray, n_clusters: int) -> Clusters:
    """Return the members of so many clusters, each ascending, the clusters by their first members."""
    n_counters = len(dendrogram) + 1
    members: dict[int, tuple[int, ...]] = {number: (number,) for number in range(n_counters)}
    for step in range(n_counters - n_clusters):
        first, other = (members.pop(int(number)) for number in dendrogram[step, :2])
        members[n_counters + step] = (*first, *other)
    return tuple(sorted(tuple(sorted(some)) for some in members.values()))


APART = 0.3
"""Largest mean distance within a cluster: an absolute correlation of 0.7."""


def together(values: FloatArray) -> Clusters:
    """Return the clusters of counters by absolute correlation and average linkage, by columns.

    The pseudo-F statistic is not used: real systems have many counters that are the same, and there it makes
    nearly as many clusters as there are different counters.

    Args:
        values: shape (n_observations, n_counters), each column with variance.
    """
    if not values.shape[1]:
        return ()
    dendrogram = merges(distances(values))
    return cut(dendrogram, int((dendrogram[:, 2] > APART).sum()) + 1)
