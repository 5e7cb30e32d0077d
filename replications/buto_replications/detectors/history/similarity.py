"""Similarity learning: a regression that says of two vectors whether they differ, learned by EM.

Each vector of a pair has a hidden class Y with P(Y = 1 | x) = sigma(w x + b), the same w for both. The pair
is abnormal if the classes differ: P(abnormal) = p (1 - q) + (1 - p) q. The E-step gives both hidden classes
their probabilities, the M-step fits a logistic regression to them.

At w = 0 both classes are equally likely whatever the pair, and EM never leaves it although it is only a
saddle point: a start there is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from buto.errors import UsageError
from buto.run.model import FloatArray
from buto_replications.detectors.history.model import BoolArray, Model, floats

RIDGE = 1.0
"""Strength of the penalty on the squared weights."""

MOST_STEPS = 300
TOLERANCE = 1e-7
"""EM ends when a step improves the objective by less than this share."""

STARTS = 3


@dataclass(frozen=True, eq=False, slots=True)
class Similarity(Model):
    """The weights that both vectors of a pair share.

    Attributes:
        weights: shape (n_columns,).
    """

    weights: FloatArray
    intercept: float

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the log odds of each pair to be abnormal.

        Args:
            rows: shape (n_pairs, 2 * n_columns), the target's columns before the baseline's.
        """
        target, baseline = np.hsplit(rows, 2)
        return pair_odds(target @ self.weights + self.intercept, baseline @ self.weights + self.intercept)

    def to_data(self) -> dict[str, Any]:
        return {"weights": self.weights.tolist(), "intercept": self.intercept}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
        weights = floats(data, "weights")
        if 2 * len(weights) != n_columns:
            raise ValueError(f"there must be {n_columns // 2} weights")
        return cls(weights, float(floats(data, "intercept", 0)))


@dataclass(frozen=True, eq=False, slots=True)
class Learned:
    """What EM found.

    Attributes:
        model: with the largest objective of all starts.
        objectives: penalised log likelihood after each step; never falls.
    """

    model: Similarity
    objectives: tuple[float, ...]


def learn_similarity(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> Similarity:
    """Return the best model from some random starts; ``weights`` as for a tree."""
    random = np.random.default_rng(seed)
    n_columns = rows.shape[1] // 2
    starts = random.normal(0, 1 / np.sqrt(n_columns), (STARTS, n_columns + 1))
    found = [expectation_maximisation(rows, abnormal, weights, start) for start in starts]
    return max(found, key=lambda one: one.objectives[-1]).model


def expectation_maximisation(
    rows: FloatArray, abnormal: BoolArray, weights: FloatArray, start: FloatArray
) -> Learned:
    """Return the model to which EM climbs from a start.

    Args:
        rows: as for :meth:`Similarity.scores`.
        start: shape (n_columns + 1,), weights and intercept.

    Raises:
        UsageError: all weights of the start are zero.
    """
    if not np.any(start[:-1]):
        raise UsageError(
            "EM cannot start with all weights zero: it would never leave them; use a random start"
        )
    n_pairs = len(rows)
    both = np.vstack(np.hsplit(rows, 2))
    columns = np.column_stack([both, np.ones(len(both))])
    twice = np.concatenate([weights, weights])
    found, objectives = start.astype(float), [objective(start, columns, abnormal, weights)]
    for _ in range(MOST_STEPS):
        hidden = _hidden(columns[:n_pairs] @ found, columns[n_pairs:] @ found, abnormal)
        found = _maximised(columns, hidden, twice, found)
        objectives.append(objective(found, columns, abnormal, weights))
        if objectives[-1] - objectives[-2] <= TOLERANCE * abs(objectives[-1]):
            break
    return Learned(Similarity(found[:-1].copy(), float(found[-1])), tuple(objectives))


def objective(parameters: FloatArray, columns: FloatArray, abnormal: BoolArray, weights: FloatArray) -> float:
    """Return the penalised log likelihood.

    Args:
        parameters: shape (n_columns + 1,), weights and intercept.
        columns: shape (2 * n_pairs, n_columns + 1), all targets before all baselines, the last column 1.
    """
    target, baseline = np.split(columns @ parameters, 2)
    odds = pair_odds(target, baseline)
    likely = -np.logaddexp(0.0, np.where(abnormal, -odds, odds))
    return float(weights @ likely - 0.5 * RIDGE * parameters[:-1] @ parameters[:-1])


def pair_odds(target: FloatArray, baseline: FloatArray) -> FloatArray:
    """Return the log odds that the hidden classes of two vectors differ, from the log odds of each."""
    odds: FloatArray = np.logaddexp(target, baseline) - np.logaddexp(0.0, target + baseline)
    return odds


def _hidden(target: FloatArray, baseline: FloatArray, abnormal: BoolArray) -> FloatArray:
    """Return the probabilities of class 1 given the labels, of all targets, then of all baselines."""
    alike = _sigma(target + baseline)
    differ = _sigma(target - baseline)
    return np.concatenate([np.where(abnormal, differ, alike), np.where(abnormal, 1 - differ, alike)])


def _maximised(columns: FloatArray, hidden: FloatArray, weights: FloatArray, start: FloatArray) -> FloatArray:
    """Return parameters after one step of Newton's method, halved until the expected likelihood rises."""
    penalty = np.full(len(start), RIDGE)
    penalty[-1] = 0.0

    def expected(parameters: FloatArray) -> float:
        odds = columns @ parameters
        return float(
            weights @ (hidden * odds - np.logaddexp(0.0, odds)) - 0.5 * parameters @ (penalty * parameters)
        )

    probability = _sigma(columns @ start)
    gradient = columns.T @ (weights * (hidden - probability)) - penalty * start
    curvature = weights * probability * (1 - probability)
    hessian = (columns.T * curvature) @ columns + np.diag(penalty + 1e-9)
    step, before = np.linalg.solve(hessian, gradient), expected(start)
    for _ in range(30):
        if expected(start + step) >= before:
            moved: FloatArray = start + step
            return moved
        step = step / 2
    return start


def _sigma(odds: FloatArray) -> FloatArray:
    share: FloatArray = np.exp(-np.logaddexp(0.0, -odds))
    return share
