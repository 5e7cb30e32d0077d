"""The clusters of counters of Shang et al.: average linkage, cut by the pseudo-F statistic."""

from __future__ import annotations

import numpy as np

from buto.judging.calibrated.load_models import Clusters, correlation, cut, merges
from buto.run.model import FloatArray

DISTANCES = ("correlation", "eq1")


def distances(values: FloatArray, measure: str) -> FloatArray:
    """Return the distance of all pairs of counters, shape (n_counters, n_counters).

    ``correlation`` is one less the absolute correlation. ``eq1`` is equation 1 of Shang et al.: one less the
    correlation if that is positive, else its absolute value; so counters are near if they are uncorrelated
    with a slight fall, and far if one falls exactly as the other rises.

    Args:
        values: shape (n_observations, n_counters), each column with variance.
    """
    found = correlation(values)
    apart: FloatArray = 1.0 - np.abs(found)
    if measure == "eq1":
        apart = np.where(found >= 0, 1.0 - found, -found)
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
        joined, one, other = n_counters + step, int(first), int(second)
        sums[joined] = sums[one] + sums[other] + sizes[one] * sizes[other] * height
        sizes[joined] = size
        parts = sums[one] / sizes[one] + sums[other] / sizes[other]
        within[step + 1] = within[step] - parts + sums[joined] / size
    n_clusters = np.arange(2, n_counters)
    inside = within[n_counters - n_clusters].clip(0.0)
    between = within[-1] - inside
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = (between / (n_clusters - 1)) / (inside / (n_counters - n_clusters))
    return np.nan_to_num(found, nan=0.0, posinf=np.inf)


def clustered(values: FloatArray, measure: str) -> Clusters:
    """Return the clusters of counters, by columns.

    The number of clusters is the one with the largest pseudo-F, the smallest of several. The statistic does
    not compare with a single cluster, so fewer than three counters are one cluster.

    Args:
        values: shape (n_observations, n_counters), each column with variance.
        measure: one of :data:`DISTANCES`.
    """
    if not values.shape[1]:
        return ()
    dendrogram = merges(distances(values, measure))
    statistic = pseudo_f(dendrogram)
    return cut(dendrogram, int(statistic.argmax()) + 2 if len(statistic) else 1)
