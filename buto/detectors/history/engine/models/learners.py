"""The learners by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from buto.detectors.history.engine.models.forest import Forest, learn_forest
from buto.detectors.history.engine.models.logistic import Logistic, learn_logistic
from buto.detectors.history.engine.models.model import BoolArray, Model
from buto.detectors.history.engine.models.naive_bayes import NaiveBayes, learn_naive_bayes
from buto.detectors.history.engine.models.similarity import Similarity, learn_similarity
from buto.detectors.history.engine.models.tan import TreeBayes, learn_tan
from buto.detectors.history.engine.models.tree import Tree, learn_tree
from buto.errors import UsageError
from buto.runs import FloatArray

TREE, FOREST, LOGISTIC = "tree", "forest", "logistic"
NAIVE_BAYES, TAN, SIMILARITY = "naive-bayes", "tan", "similarity"

Learn = Callable[[FloatArray, BoolArray, FloatArray, int], Model]
Read = Callable[[Mapping[str, Any], int], Model]

LEARNERS: Mapping[str, Learn] = {
    TREE: learn_tree,
    FOREST: learn_forest,
    LOGISTIC: learn_logistic,
    NAIVE_BAYES: learn_naive_bayes,
    TAN: learn_tan,
    SIMILARITY: learn_similarity,
}
"""From rows, whether they are abnormal, what it costs to get each wrong, and a seed, to a model."""

READERS: Mapping[str, Read] = {
    TREE: Tree.from_data,
    FOREST: Forest.from_data,
    LOGISTIC: Logistic.from_data,
    NAIVE_BAYES: NaiveBayes.from_data,
    TAN: TreeBayes.from_data,
    SIMILARITY: Similarity.from_data,
}
"""From stored data and the number of columns to a model."""


def require_learners() -> None:
    """Raise UsageError if the package that learns is not installed; judging does not need it."""
    if find_spec("sklearn") is None:
        raise UsageError(
            "learning from labelled runs needs scikit-learn", advice="pip install 'buto[history]'"
        )
