"""Predict one counter of a cluster from the others, and measure how wrong the prediction is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.load_models import varies
from buto.runs import FloatArray


def target_of(cluster: Sequence[int], statistics: FloatArray, names: Sequence[str]) -> int:
    """Return the column of the cluster whose distribution differs most; of equal ones, the first by name."""
    # Sums of shares such as 3/8 differ in the last digit, and such differences are no order.
    return min(cluster, key=lambda column: (-round(float(statistics[column]), 12), names[column]))


@dataclass(frozen=True, eq=False, slots=True)
class LinearModel:
    """A counter as a linear function of others.

    Attributes:
        centre: the mean of each predictor, shape (n_predictors,).
        slopes: of each predictor, 0 for one that was constant; shape (n_predictors,).
        level: the mean of the target.
        whitening: turns distances from the centre into independent ones of variance 1; shape (n_predictors,
            rank).
        furthest: the largest squared distance of an observation, so measured, that was learned from.
    """

    centre: FloatArray
    slopes: FloatArray
    level: float
    whitening: FloatArray
    furthest: float

    def predict(self, predictors: FloatArray) -> FloatArray:
        """Return the target of each row, shape (n_observations,)."""
        found: FloatArray = self.level + (predictors - self.centre) @ self.slopes
        return found

    def extrapolates(self, predictors: FloatArray) -> float:
        """Return the share of rows further from the centre than any that was learned from (by leverage)."""
        if not len(predictors) or not self.whitening.shape[1]:
            return 0.0
        squared = (((predictors - self.centre) @ self.whitening) ** 2).sum(axis=1)
        return float((squared > self.furthest * (1 + 1e-9)).mean())


def fitted(predictors: FloatArray, target: FloatArray) -> LinearModel:
    """Return the model of least squares, of several equally good ones that of the smallest slopes.

    Args:
        predictors: shape (n_observations, n_predictors); without any, the model is the target's mean.
        target: shape (n_observations,), at least one.
    """
    centre, level = predictors.mean(axis=0), float(target.mean())
    moving = varies(predictors)
    scale = np.where(moving, np.abs(predictors - centre).max(axis=0, initial=0.0), 1.0)
    centred = np.where(moving, (predictors - centre) / scale, 0.0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    rank = int((sizes > sizes.max(initial=0.0) * max(centred.shape) * np.finfo(float).eps).sum())
    left, sizes, right = left[:, :rank], sizes[:rank], right[:rank]
    slopes = right.T @ ((left.T @ (target - level)) / sizes) / scale
    whitening = (right.T / sizes) / scale[:, None]
    return LinearModel(centre, slopes, level, whitening, float((left**2).sum(axis=1).max(initial=0.0)))
