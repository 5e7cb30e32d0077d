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

from buto.run.model import FloatArray
from buto_replications.detectors.history.model import BoolArray, IntArray, Model, floats, wholes

N_BINS = 5
BLOCK = 64
"""Columns that are compared with all others at once, so that memory suffices for thousands of columns."""

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
    parent = spanning_tree(information(bins, abnormal, weights))
    return TreeBayes(edges, parent, _ratios(bins, abnormal, weights, parent), _odds(abnormal, weights))


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


def information(bins: IntArray, abnormal: BoolArray, weights: FloatArray) -> FloatArray:
    """Return what two columns tell of each other within the classes, shape (n_columns, n_columns).

    Args:
        bins: shape (n_rows, n_columns), from 0 to N_BINS - 1.
        abnormal, weights: shape (n_rows,), the class of each row and how much it counts.
    """
    n_columns = bins.shape[1]
    found = np.zeros((n_columns, n_columns))
    for one in (False, True):
        ours, weight = bins[abnormal == one], weights[abnormal == one]
        seen = (ours[:, :, None] == np.arange(N_BINS)).reshape(len(ours), -1).astype(float)
        weighted, size = seen * weight[:, None], weight.sum()
        single = weighted.sum(axis=0).reshape(n_columns, N_BINS)
        for first in range(0, n_columns if size else 0, BLOCK):
            block = slice(first, first + BLOCK)
            table = weighted[:, first * N_BINS : (first + BLOCK) * N_BINS].T @ seen
            table = table.reshape(-1, N_BINS, n_columns, N_BINS)
            expected = single[block][:, :, None, None] * single[None, None] / size
            with np.errstate(divide="ignore", invalid="ignore"):
                told = np.where(table > 0, table * np.log(table / expected), 0.0)
            found[block] += told.sum(axis=(1, 3)) / weights.sum()
    return found


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


def _ratios(bins: IntArray, abnormal: BoolArray, weights: FloatArray, parent: IntArray) -> FloatArray:
    """Return the log ratio of both classes' tables, see :class:`TreeBayes`."""
    n_columns = len(parent)
    above = bins[:, np.maximum(parent, 0)]
    cell = (np.arange(n_columns) * N_BINS + above) * N_BINS + bins
    logs = []
    for one in (False, True):
        weight = np.where(abnormal == one, weights, 0.0).repeat(n_columns)
        table = np.bincount(cell.ravel(), weight, n_columns * N_BINS**2).reshape(n_columns, N_BINS, N_BINS)
        table[parent == ROOT] = table[parent == ROOT].sum(axis=1, keepdims=True)
        smooth = table + PRIOR
        logs.append(np.log(smooth / smooth.sum(axis=2, keepdims=True)))
    ratios: FloatArray = logs[1] - logs[0]
    return ratios


def _odds(abnormal: BoolArray, weights: FloatArray) -> float:
    return float(np.log(weights[abnormal].sum() / weights[~abnormal].sum()))
