"""Group counters that rise and fall together: average linkage, cut by the pseudo-F statistic."""

from __future__ import annotations

import numpy as np

from buto.runs import FloatArray

DISTANCES = ("correlation", "eq1")

Clusters = tuple[tuple[int, ...], ...]


def varies(values: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which columns have more than rounding as variance, shape (n_counters,)."""
    if not len(values):
        return np.zeros(values.shape[1], dtype=bool)
    largest = np.abs(values).max(axis=0)
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.ptp(values, axis=0) > 1e-12 * largest
    return found


def correlation(values: FloatArray) -> FloatArray:
    """Return Pearson's correlation of all pairs of columns, which must vary; shape (n, n)."""
    centred = values - values.mean(axis=0)
    # The largest distance first, because squares of large numbers lose small ones.
    centred = centred / np.abs(centred).max(axis=0)
    centred /= np.sqrt((centred**2).sum(axis=0))
    found: FloatArray = (centred.T @ centred).clip(-1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


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


def merges(apart: FloatArray) -> FloatArray:
    """Return the dendrogram of average linkage as scipy writes it, shape (n_counters - 1, 4)."""
    # Imported here: it takes a while, and every configuration is validated with this detector's keys.
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    if len(apart) < 2:
        return np.empty((0, 4))
    found: FloatArray = linkage(squareform(apart, checks=False), "average")
    return found


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


def cut(dendrogram: FloatArray, n_clusters: int) -> Clusters:
    """Return the members of so many clusters, each ascending, the clusters by their first members."""
    n_counters = len(dendrogram) + 1
    members: dict[int, tuple[int, ...]] = {number: (number,) for number in range(n_counters)}
    for step in range(n_counters - n_clusters):
        one, other = (members.pop(int(number)) for number in dendrogram[step, :2])
        members[n_counters + step] = (*one, *other)
    return tuple(sorted(tuple(sorted(some)) for some in members.values()))


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
