"""A forest: the mean of many trees, each learned from its own random rows (Chen, Liaw and Breiman, 2004).

Each tree learns from as many rows of both classes as the smaller class has, drawn with replacement. So rare
rows count as much as others, and yet all normal rows are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from buto.detectors.history.engine.models.model import BoolArray, Model, log_odds
from buto.detectors.history.engine.models.tree import Tree, learn_tree
from buto.runs import FloatArray

N_TREES = 100
MOST_TREES = 1000
"""In a stored forest."""


@dataclass(frozen=True, eq=False, slots=True)
class Forest(Model):
    """The trees, at least one."""

    trees: tuple[Tree, ...]

    def scores(self, rows: FloatArray) -> FloatArray:
        shares = np.mean([1 / (1 + np.exp(-tree.scores(rows))) for tree in self.trees], axis=0)
        return log_odds(shares)

    def to_data(self) -> dict[str, Any]:
        return {"trees": [tree.to_data() for tree in self.trees]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
        blocks = data["trees"]
        if not isinstance(blocks, list) or not 0 < len(blocks) <= MOST_TREES:
            raise ValueError(f"there must be 1 to {MOST_TREES} trees")
        return cls(tuple(Tree.from_data(block, n_columns) for block in blocks))


def learn_forest(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> Forest:
    """Return the forest of rows of both classes; ``weights`` as for a tree."""
    random = np.random.default_rng(seed)
    classes = np.flatnonzero(abnormal), np.flatnonzero(~abnormal)
    size = min(map(len, classes))
    trees = []
    for number in range(N_TREES):
        drawn = np.concatenate([random.choice(rows_of_class, size) for rows_of_class in classes])
        trees.append(
            learn_tree(rows[drawn], abnormal[drawn], weights[drawn], seed + number, few_columns=True)
        )
    return Forest(tuple(trees))
