"""Tree-augmented naive Bayes: each column depends on the class and on at most one other column.

Columns are cut into bins of equally many rows. The tree joins columns that tell most of each other within
the classes (Friedman, Geiger and Goldszmidt, 1997): a spanning tree of greatest conditional mutual
information, directed away from the first column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from buto.detectors.history.engine.models.model import BoolArray, IntArray, Model, floats, wholes
from buto.runs import FloatArray

N_BINS = 5
PRIOR = 1.0
"""Rows that each bin has before any is seen."""

ROOT = -1


@dataclass(frozen=True, eq=False, slots=True)
class TreeBayes(Model):
    """The tree and its tables.

    Attributes:
        edges: shape (n_columns, n_bins - 1), limits of the bins.
        parent: shape (n_columns,), the column that a column depends on, -1 for none.
        ratios: shape (n_columns, n_bins, n_bins), log of how much more likely a bin is in abnormal rows than
            in normal ones, by the parent's bin and its own; of a column without a parent all rows are equal.
        odds: log odds of a row of which nothing is known.
    """

    edges: FloatArray
    parent: IntArray
    ratios: FloatArray
    odds: float

    def scores(self, rows: FloatArray) -> FloatArray:
        bins = binned(rows, self.edges)
        above = bins[:, np.maximum(self.parent, 0)]
        scores: FloatArray = self.odds + self.ratios[np.arange(len(self.parent)), above, bins].sum(axis=1)
        return scores

    def to_data(self) -> dict[str, Any]:
        return {
            "edges": self.edges.tolist(),
            "parent": self.parent.tolist(),
            "ratios": self.ratios.tolist(),
            "odds": self.odds,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
        edges, ratios = floats(data, "edges", 2), floats(data, "ratios", 3)
        parent = wholes(data, "parent", ROOT, n_columns - 1)
        n_bins = edges.shape[1] + 1
        if len(parent) != n_columns or len(edges) != n_columns:
            raise ValueError(f"there must be {n_columns} columns")
        if ratios.shape != (n_columns, n_bins, n_bins):
            raise ValueError("each column must have a table of its bins by those of its parent")
        return cls(edges, parent, ratios, float(floats(data, "odds", 0)))


def learn_tan(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> TreeBayes:
    """Return the network of rows of both classes; ``weights`` as for a tree. Nothing is random."""
    edges = bin_edges(rows)
    bins = binned(rows, edges)
    joint = np.stack([_joint(bins, np.where(abnormal == one, weights, 0.0)) for one in (False, True)])
    parent = spanning_tree(information(joint))
    return TreeBayes(edges, parent, _ratios(joint, parent), _odds(abnormal, weights))


def bin_edges(rows: FloatArray) -> FloatArray:
    """Return limits between bins of equally many rows, shape (n_columns, N_BINS - 1)."""
    edges: FloatArray = np.quantile(rows, np.arange(1, N_BINS) / N_BINS, axis=0).T
    return edges


def binned(rows: FloatArray, edges: FloatArray) -> IntArray:
    """Return the bin of each value, shape (n_rows, n_columns); a value that is a limit is above it."""
    bins = np.zeros(rows.shape, dtype=np.int64)
    for limit in edges.T:
        bins += rows >= limit
    return bins


def information(joint: FloatArray) -> FloatArray:
    """Return what two columns tell of each other within the classes, shape (n_columns, n_columns).

    Args:
        joint: shape (2, n_columns, n_bins, n_columns, n_bins), the weight of rows of each class in two bins
            of two columns, see :func:`joint_weights`.
    """
    total = joint[:, 0, :, 0, :].sum()
    found = np.zeros((joint.shape[1], joint.shape[1]))
    for table in joint:
        size = table[0, :, 0, :].sum()
        if size == 0:
            continue
        single = np.einsum("iaia->ia", table)
        expected = single[:, :, None, None] * single[None, None] / size
        with np.errstate(divide="ignore", invalid="ignore"):
            found += (
                np.nansum(np.where(table > 0, table * np.log(table / expected), 0.0), axis=(1, 3)) / total
            )
    return found


def joint_weights(bins: IntArray, abnormal: BoolArray) -> FloatArray:
    """Return the number of rows of each class in two bins of two columns, see :func:`information`."""
    return np.stack([_joint(bins, (abnormal == one).astype(float)) for one in (False, True)])


def spanning_tree(weights: FloatArray) -> IntArray:
    """Return each column's parent in the spanning tree of greatest weight from column 0, shape (n_columns,).

    Prim's algorithm; of equal weights the first column counts.

    Args:
        weights: shape (n_columns, n_columns), symmetric.
    """
    n_columns = len(weights)
    parent = np.full(n_columns, ROOT, dtype=np.int64)
    best, source = weights[0].copy(), np.zeros(n_columns, dtype=np.int64)
    outside = np.arange(n_columns) > 0
    for _ in range(n_columns - 1):
        nearest = int(np.argmax(np.where(outside, best, -np.inf)))
        parent[nearest], outside[nearest] = source[nearest], False
        nearer = outside & (weights[nearest] > best)
        best[nearer], source[nearer] = weights[nearest][nearer], nearest
    return parent


def _joint(bins: IntArray, weights: FloatArray) -> FloatArray:
    n_rows, n_columns = bins.shape
    indicators = (bins[:, :, None] == np.arange(N_BINS)).reshape(n_rows, -1).astype(float)
    table: FloatArray = indicators.T @ (indicators * weights[:, None])
    return table.reshape(n_columns, N_BINS, n_columns, N_BINS)


def _ratios(joint: FloatArray, parent: IntArray) -> FloatArray:
    """Return the log ratio of both classes' tables, see :class:`TreeBayes`."""
    logs = []
    for table in joint:
        columns = np.arange(len(parent))
        below = table[np.maximum(parent, 0), :, columns, :].copy()
        single = np.einsum("iaia->ia", table)
        below[parent == ROOT] = single[parent == ROOT][:, None, :]
        smooth = below + PRIOR
        logs.append(np.log(smooth / smooth.sum(axis=2, keepdims=True)))
    ratios: FloatArray = logs[1] - logs[0]
    return ratios


def _odds(abnormal: BoolArray, weights: FloatArray) -> float:
    return float(np.log(weights[abnormal].sum() / weights[~abnormal].sum()))
