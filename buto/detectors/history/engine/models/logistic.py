"""Logistic regression: by scikit-learn from labels, and by Newton's method from shares of a label."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from buto.detectors.history.engine.models.model import BoolArray, Model, floats
from buto.runs import FloatArray

STRENGTH = 1.0
"""Of the penalty on the squared weights."""

MOST_ITERATIONS = 1000


@dataclass(frozen=True, eq=False, slots=True)
class Logistic(Model):
    """Log odds that are linear in the columns.

    Attributes:
        weights: shape (n_columns,).
    """

    weights: FloatArray
    intercept: float

    def scores(self, rows: FloatArray) -> FloatArray:
        scores: FloatArray = rows @ self.weights + self.intercept
        return scores

    def to_data(self) -> dict[str, Any]:
        return {"weights": self.weights.tolist(), "intercept": self.intercept}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
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
