"""Naive Bayes with normal distributions, learned by scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from buto.detectors.history.engine.models.model import BoolArray, Model, floats
from buto.runs import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class NaiveBayes(Model):
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

    def to_data(self) -> dict[str, Any]:
        return {"means": self.means.tolist(), "variances": self.variances.tolist(), "odds": self.odds}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
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
