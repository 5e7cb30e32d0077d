"""Counters that rise and fall together."""

from __future__ import annotations

from buto.detectors.calibrated.load.clusters import Clusters, cut, distances, merges
from buto.runs import FloatArray

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
    dendrogram = merges(distances(values, "correlation"))
    return cut(dendrogram, int((dendrogram[:, 2] > APART).sum()) + 1)
