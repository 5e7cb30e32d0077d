"""The learners by name: logistic regression, a support vector machine, naive Bayes, a tree and a forest.

Logistic regression learns by scikit-learn from labels, and by Newton's method from shares of a label. Naive
Bayes has normal distributions. Both it and the decision tree are learned by scikit-learn, and a tree is kept
as arrays.

A forest is the mean of many trees, each learned from its own random rows (Chen, Liaw and Breiman, 2004): as
many rows of both classes as the smaller class has, drawn with replacement. So rare rows count as much as
others, and yet all normal rows are used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Self

import numpy as np

from buto.errors import UsageError
from buto.run.model import FloatArray
from buto_replications.detectors.history.similarity import (
    MOST_NODES,
    BoolArray,
    IntArray,
    MixtureModel,
    Similarity,
    TreeBayes,
    floats,
    learn_similarity,
    learn_tan,
    log_odds,
    wholes,
)

STRENGTH = 1.0
"""Of the penalty on the squared weights."""

MOST_ITERATIONS = 1000


@dataclass(frozen=True, eq=False, slots=True)
class Logistic(MixtureModel):
    """Log odds that are linear in the columns.

    Attributes:
        weights: shape (n_columns,).
    """

    weights: FloatArray
    intercept: float

    def scores(self, rows: FloatArray) -> FloatArray:
        scores: FloatArray = rows @ self.weights + self.intercept
        return scores

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        weights = floats(data, "weights")
        if len(weights) != n_columns:
            raise ValueError(f"there must be {n_columns} weights")
        return cls(weights, float(floats(data, "intercept", 0)))


def learn_logistic(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> Logistic:
    """Return the regression of rows of both classes; ``weights`` as for a tree."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    learner = LogisticRegression(C=1 / STRENGTH, max_iter=MOST_ITERATIONS, random_state=seed)
    with warnings.catch_warnings():
        # The last iterations of a flat optimum change no verdict.
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(rows, abnormal, sample_weight=weights)
    return Logistic(learner.coef_[0].astype(float), float(learner.intercept_[0]))


def learn_svm(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> Logistic:
    """Return the linear support vector machine of rows of both classes; ``weights`` as for a tree.

    Its scores are distances from the border, not log odds.
    """
    from sklearn.svm import LinearSVC

    learner = LinearSVC(C=1 / STRENGTH, dual=False, max_iter=MOST_ITERATIONS, random_state=seed)
    learner.fit(rows, abnormal, sample_weight=weights)
    return Logistic(learner.coef_[0].astype(float), float(learner.intercept_[0]))


@dataclass(frozen=True, eq=False, slots=True)
class NaiveBayes(MixtureModel):
    """A normal distribution of each column in each class.

    Attributes:
        means, variances: shape (2, n_columns), of normal and abnormal rows.
        odds: log odds of a row of which nothing is known.
    """

    means: FloatArray
    variances: FloatArray
    odds: float

    def scores(self, rows: FloatArray) -> FloatArray:
        normal, abnormal = (
            -0.5 * (np.log(variance) + (rows - mean) ** 2 / variance).sum(axis=1)
            for mean, variance in zip(self.means, self.variances, strict=True)
        )
        scores: FloatArray = self.odds + abnormal - normal
        return scores

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        means, variances = floats(data, "means", 2), floats(data, "variances", 2)
        if means.shape != (2, n_columns) or variances.shape != means.shape or not (variances > 0).all():
            raise ValueError(f"there must be {n_columns} means and positive variances of each class")
        return cls(means, variances, float(floats(data, "odds", 0)))


def learn_naive_bayes(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> NaiveBayes:
    """Return the distributions of rows of both classes; ``weights`` as for a tree."""
    from sklearn.naive_bayes import GaussianNB

    # A column that never varies would have no distribution.
    learner = GaussianNB(var_smoothing=1e-6).fit(rows, abnormal, sample_weight=weights)
    prior = np.log(learner.class_prior_)
    variances = np.maximum(learner.var_, 1e-12)
    return NaiveBayes(learner.theta_.astype(float), variances.astype(float), float(prior[1] - prior[0]))


FEWEST_IN_LEAF = 3
LEAF = -1


@dataclass(frozen=True, eq=False, slots=True)
class DecisionTree(MixtureModel):
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

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        children = [wholes(data, side, LEAF, MOST_NODES) for side in ("left", "right")]
        column = wholes(data, "column", 0, n_columns - 1)
        threshold, odds = floats(data, "threshold"), floats(data, "odds")
        n_nodes = len(odds)
        if not n_nodes or {len(array) for array in (*children, column, threshold)} != {n_nodes}:
            raise ValueError("the arrays of a tree must have the same length")
        left, right = children
        inner = left != LEAF
        later = [(side[inner] > np.flatnonzero(inner)) & (side[inner] < n_nodes) for side in children]
        if not np.array_equal(inner, right != LEAF) or not np.all(later):
            raise ValueError("a child must come after its parent")
        return cls(left, right, column, threshold, odds)


def learn_tree(
    rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int, *, few_columns: bool = False
) -> DecisionTree:
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
    return DecisionTree(left, right, column, threshold, log_odds(share))


N_TREES = 100
MOST_TREES = 1000
"""In a stored forest."""


@dataclass(frozen=True, eq=False, slots=True)
class Forest(MixtureModel):
    trees: tuple[DecisionTree, ...]

    def scores(self, rows: FloatArray) -> FloatArray:
        shares = np.mean([1 / (1 + np.exp(-tree.scores(rows))) for tree in self.trees], axis=0)
        return log_odds(shares)

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        blocks = data["trees"]
        if not isinstance(blocks, list) or not 0 < len(blocks) <= MOST_TREES:
            raise ValueError(f"there must be 1 to {MOST_TREES} trees")
        return cls(tuple(DecisionTree.from_data(block, n_columns) for block in blocks))


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


TREE, FOREST, LOGISTIC = "tree", "forest", "logistic"
NAIVE_BAYES, TAN, SIMILARITY, SVM = "naive-bayes", "tan", "similarity", "svm"

Learn = Callable[[FloatArray, BoolArray, FloatArray, int], MixtureModel]
Read = Callable[[Mapping[str, Any], int], MixtureModel]

LEARNERS: Mapping[str, Learn] = {
    TREE: learn_tree,
    FOREST: learn_forest,
    LOGISTIC: learn_logistic,
    NAIVE_BAYES: learn_naive_bayes,
    TAN: learn_tan,
    SIMILARITY: learn_similarity,
    SVM: learn_svm,
}
"""From rows, whether they are abnormal, what it costs to get each wrong, and a seed, to a model."""

READERS: Mapping[str, Read] = {
    TREE: DecisionTree.from_data,
    FOREST: Forest.from_data,
    LOGISTIC: Logistic.from_data,
    NAIVE_BAYES: NaiveBayes.from_data,
    TAN: TreeBayes.from_data,
    SIMILARITY: Similarity.from_data,
    SVM: Logistic.from_data,
}
"""From stored data and the number of columns to a model; KeyError, TypeError or ValueError for other data."""


def require_learners() -> None:
    """Raise UsageError if the package that learns is not installed; judging does not need it."""
    if find_spec("sklearn") is None:
        raise UsageError("learning from labelled runs needs scikit-learn", advice="pip install scikit-learn")
