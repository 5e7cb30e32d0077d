"""Clusters of counters by average linkage, and regressions within a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.load.models import Clusters, correlation, cut, merges, varies
from buto.run.model import FloatArray

DISTANCES = ("correlation", "eq1")

PAIRS, POINTS = "pairs", "points"
CUTS = (PAIRS, POINTS)
"""Of what the statistic that cuts is computed: pairwise distances, or the observations as coordinates."""

SINGULAR = 1e-8
"""Share of a variance below which what is left of it is rounding."""

MOST_CLUSTERS = 15
"""Of points: as many as the usual implementations of the textbook's statistic try."""


def distances(values: FloatArray, measure: str) -> FloatArray:
    """Return the distance of all pairs of counters, shape (n_counters, n_counters).

    ``correlation`` is one less the absolute correlation. ``eq1`` is equation 1 of Shang et al.: one less the
    correlation if that is positive, else its absolute value; so counters are near if they are uncorrelated
    with a slight fall, and far if one falls exactly as the other rises.

    Args:
        values: shape (n_observations, n_counters), each column with variance.
    """
    correlations = correlation(values)
    apart: FloatArray = 1.0 - np.abs(correlations)
    if measure == "eq1":
        apart = np.where(correlations >= 0, 1.0 - correlations, -correlations)
    np.fill_diagonal(apart, 0.0)
    return apart


def pseudo_f(dendrogram: FloatArray) -> FloatArray:
    """Return the pseudo-F statistic of every number of clusters from 2 to n - 1, shape (n - 2,).

    Calinski and Harabasz define it for points. On distances, the sum of a cluster's pairwise distances over
    its size takes the place of its sum of squares. The height of a merge in average linkage is the mean
    distance of the pairs that it joins, so the sums follow from the dendrogram alone.
    """
    n_counters = len(dendrogram) + 1
    sums, sizes = np.zeros(2 * n_counters - 1), np.ones(2 * n_counters - 1)
    within = np.zeros(n_counters)  # after so many merges
    for step, (first, second, height, size) in enumerate(dendrogram):
        joined, first_cluster, other = n_counters + step, int(first), int(second)
        sums[joined] = sums[first_cluster] + sums[other] + sizes[first_cluster] * sizes[other] * height
        sizes[joined] = size
        parts = sums[first_cluster] / sizes[first_cluster] + sums[other] / sizes[other]
        within[step + 1] = within[step] - parts + sums[joined] / size
    n_clusters = np.arange(2, n_counters)
    inside = within[n_counters - n_clusters].clip(0.0)
    between = within[-1] - inside
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: FloatArray = (between / (n_clusters - 1)) / (inside / (n_counters - n_clusters))
    return np.nan_to_num(ratios, nan=0.0, posinf=np.inf)


def pseudo_f_of_points(values: FloatArray, dendrogram: FloatArray) -> FloatArray:
    """Return the pseudo-F statistic of 2 to 15 clusters, at most n - 1, as Calinski and Harabasz define it.

    A counter is a point, and its standardised observations are the coordinates.

    Args:
        values: shape (n_observations, n_counters), each column with variance.
    """
    points = ((values - values.mean(axis=0)) / values.std(axis=0)).T
    n_counters = len(points)

    def find_spread(members: Sequence[int]) -> float:
        some = points[list(members)]
        return float(((some - some.mean(axis=0)) ** 2).sum())

    total, ratios = find_spread(range(n_counters)), []
    for n_clusters in range(2, min(MOST_CLUSTERS, n_counters - 1) + 1):
        inside = sum(map(find_spread, cut(dendrogram, n_clusters)))
        ratio = (total - inside) / inside if inside > SINGULAR * total else np.inf
        ratios.append(ratio * (n_counters - n_clusters) / (n_clusters - 1))
    return np.array(ratios)


def clustered(values: FloatArray, measure: str, of: str = PAIRS) -> Clusters:
    """Return the clusters of counters, by columns.

    The number of clusters is the one with the largest pseudo-F, the smallest of several. The statistic does
    not compare with a single cluster, so fewer than three counters are one cluster.

    Args:
        values: shape (n_observations, n_counters), each column with variance.
        measure: one of :data:`DISTANCES`.
        of: one of :data:`CUTS`.
    """
    if not values.shape[1]:
        return ()
    dendrogram = merges(distances(values, measure))
    statistic = pseudo_f(dendrogram) if of == PAIRS else pseudo_f_of_points(values, dendrogram)
    return cut(dendrogram, int(statistic.argmax()) + 2 if len(statistic) else 1)


def target_of(cluster: Sequence[int], statistics: FloatArray, names: Sequence[str]) -> int:
    """Return the column of the cluster whose distribution differs most; of equal ones, the first by name."""
    # Sums of shares such as 3/8 differ in the last digit, and such differences are no order.
    return min(cluster, key=lambda column: (-round(float(statistics[column]), 12), names[column]))


@dataclass(frozen=True, eq=False, slots=True)
class LinearModel:
    """A counter as a linear function of others.

    Attributes:
        centre: the mean of each predictor, shape (n_predictors,).
        slopes: of each predictor, 0 for one that was constant; shape (n_predictors,).
        level: the mean of the target.
        whitening: turns distances from the centre into independent ones of variance 1; shape (n_predictors,
            rank).
        furthest: the largest squared distance of an observation, so measured, that was learned from.
    """

    centre: FloatArray
    slopes: FloatArray
    level: float
    whitening: FloatArray
    furthest: float

    def predict(self, predictors: FloatArray) -> FloatArray:
        """Return the target of each row, shape (n_observations,)."""
        targets: FloatArray = self.level + (predictors - self.centre) @ self.slopes
        return targets

    def extrapolates(self, predictors: FloatArray) -> float:
        """Return the share of rows further from the centre than any that was learned from (by leverage)."""
        if not len(predictors) or not self.whitening.shape[1]:
            return 0.0
        squared = (((predictors - self.centre) @ self.whitening) ** 2).sum(axis=1)
        return float((squared > self.furthest * (1 + 1e-9)).mean())


def fitted(predictors: FloatArray, target: FloatArray) -> LinearModel:
    """Return the model of least squares, of several equally good ones that of the smallest slopes.

    Args:
        predictors: shape (n_observations, n_predictors); without any, the model is the target's mean.
        target: shape (n_observations,), at least one.
    """
    centre, level = predictors.mean(axis=0), float(target.mean())
    moving = varies(predictors)
    scale = np.where(moving, np.abs(predictors - centre).max(axis=0, initial=0.0), 1.0)
    centred = np.where(moving, (predictors - centre) / scale, 0.0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    rank = int((sizes > sizes.max(initial=0.0) * max(centred.shape) * np.finfo(float).eps).sum())
    left, sizes, right = left[:, :rank], sizes[:rank], right[:rank]
    slopes = right.T @ ((left.T @ (target - level)) / sizes) / scale
    whitening = (right.T / sizes) / scale[:, None]
    return LinearModel(centre, slopes, level, whitening, float((left**2).sum(axis=1).max(initial=0.0)))


TIE = 1e-9
"""Shares that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """Which counters are left.

    Attributes:
        kept: their columns, ascending.
        constant: columns without variance.
        redundant: columns that others predict, in the order in which they were left out, with their R² then.
    """

    kept: tuple[int, ...]
    constant: tuple[int, ...]
    redundant: tuple[tuple[int, float], ...]


def reduced(values: FloatArray, threshold: float) -> Reduced:
    """Leave out the counter with the largest R² on all others until none is above the threshold.

    Counters that are exact linear combinations of others go first, because the inverse of the correlation
    matrix does not exist with them; of two equal counters the second goes.

    Args:
        values: shape (n_observations, n_counters), finite.
        threshold: of R², below 1.
    """
    varying = np.flatnonzero(varies(values))
    constant = tuple(np.flatnonzero(~varies(values)).tolist())
    if not len(varying):
        return Reduced((), constant, ())
    correlations = correlation(values[:, varying])
    independent = _independent(correlations)
    dependent = np.setdiff1d(np.arange(len(varying)), independent)
    precision = np.asfortranarray(np.linalg.inv(correlations[np.ix_(independent, independent)]))
    removed = [(int(varying[column]), 1.0) for column in dependent]
    removed += [(int(varying[independent[column]]), share) for column, share in _remove(precision, threshold)]
    gone = {column for column, _ in removed}
    return Reduced(
        tuple(column for column in varying.tolist() if column not in gone), constant, tuple(removed)
    )


def _independent(correlations: FloatArray) -> FloatArray:
    """Return columns, ascending, of which none is a linear combination of others."""
    # Imported here: it takes a while, and every configuration is validated with this detector's keys.
    from scipy.linalg import lapack

    _, pivots, rank, _ = lapack.dpstrf(correlations, tol=SINGULAR)
    columns: FloatArray = np.sort(pivots[:rank] - 1)
    return columns


def _remove(precision: FloatArray, threshold: float) -> list[tuple[int, float]]:
    """Return which counters go, with their R².

    A counter's R² on all others is 1 - 1/p, where p is its element on the diagonal of the precision matrix.
    Without the counter, the precision matrix of the rest differs by a matrix of rank one.

    Args:
        precision: inverse of the correlation matrix in Fortran's order; it is overwritten.
    """
    from scipy.linalg import blas

    numbers = np.arange(len(precision))
    present = np.ones(len(precision), dtype=bool)
    removed: list[tuple[int, float]] = []
    while True:
        shares = 1.0 - 1.0 / np.where(present, precision.diagonal(), 1.0)
        # The last two counters have equal shares, which differ in rounding.
        worst = int(np.flatnonzero(shares >= shares.max() - TIE)[-1])
        share = shares[worst]
        if not share > threshold:
            return removed
        removed.append((int(numbers[worst]), float(share)))
        column = precision[:, worst].copy()
        precision = blas.dger(-1.0 / column[worst], column, column, a=precision, overwrite_a=1)
        present[worst] = False
        if 2 * present.sum() < len(present):
            precision = np.asfortranarray(precision[np.ix_(present, present)])
            numbers, present = numbers[present], present[present]
