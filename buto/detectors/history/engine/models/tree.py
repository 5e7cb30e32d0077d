"""A decision tree, learned by scikit-learn and kept as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from buto.detectors.history.engine.models.model import (
    MOST_NODES,
    BoolArray,
    IntArray,
    Model,
    floats,
    log_odds,
    wholes,
)
from buto.runs import FloatArray

FEWEST_IN_LEAF = 3
LEAF = -1


@dataclass(frozen=True, eq=False, slots=True)
class Tree(Model):
    """A binary tree; arrays of shape (n_nodes,), the root first, each child after its parent.

    Attributes:
        left, right: the children's places, -1 for a leaf.
        column: what an inner node compares.
        threshold: rows with a value of at most this go left.
        odds: of the training rows in a node, the log odds to be abnormal.
    """

    left: IntArray
    right: IntArray
    column: IntArray
    threshold: FloatArray
    odds: FloatArray

    def scores(self, rows: FloatArray) -> FloatArray:
        # Learned from numbers of single precision, so compared in it.
        values, place = rows.astype(np.float32), np.zeros(len(rows), dtype=np.int64)
        inside = self.left[place] != LEAF
        while inside.any():
            at = place[inside]
            goes_left = values[inside, self.column[at]] <= self.threshold[at]
            place[inside] = np.where(goes_left, self.left[at], self.right[at])
            inside = self.left[place] != LEAF
        return self.odds[place]

    def to_data(self) -> dict[str, Any]:
        return {
            "left": self.left.tolist(),
            "right": self.right.tolist(),
            "column": self.column.tolist(),
            "threshold": self.threshold.tolist(),
            "odds": self.odds.tolist(),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
        children = [wholes(data, side, LEAF, MOST_NODES) for side in ("left", "right")]
        column = wholes(data, "column", 0, n_columns - 1)
        threshold, odds = floats(data, "threshold"), floats(data, "odds")
        n_nodes = len(odds)
        if not n_nodes or {len(one) for one in (*children, column, threshold)} != {n_nodes}:
            raise ValueError("the arrays of a tree must have the same length")
        left, right = children
        inner = left != LEAF
        later = [(side[inner] > np.flatnonzero(inner)) & (side[inner] < n_nodes) for side in children]
        if not np.array_equal(inner, right != LEAF) or not np.all(later):
            raise ValueError("a child must come after its parent")
        return cls(left, right, column, threshold, odds)


def learn_tree(
    rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int, *, few_columns: bool = False
) -> Tree:
    """Return the tree of rows of both classes.

    Args:
        weights: shape (n_rows,), what it costs to get a row wrong.
        few_columns: whether each node chooses among a few random columns only: the square root
            of their number. For forests.
    """
    from sklearn.tree import DecisionTreeClassifier

    learner = DecisionTreeClassifier(
        min_samples_leaf=FEWEST_IN_LEAF, max_features="sqrt" if few_columns else None, random_state=seed
    )
    learner.fit(rows, abnormal, sample_weight=weights)
    tree = learner.tree_
    # One row more of each class, so that odds are finite.
    size = tree.weighted_n_node_samples
    share = (tree.value[:, 0, 1] * size + 1) / (size + 2)
    left, right = (
        np.where(side < 0, LEAF, side).astype(np.int64) for side in (tree.children_left, tree.children_right)
    )
    column = np.maximum(tree.feature, 0).astype(np.int64)
    threshold = np.where(left == LEAF, 0.0, tree.threshold)
    return Tree(left, right, column, threshold, log_odds(share))
