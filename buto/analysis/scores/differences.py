"""How far chosen runs differ from the others, and how well that is known: Student's t without a limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.analysis.contrasts import Stable
from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

MAD_OF_NORMAL = 1.4826
"""Deviation of a normal distribution, divided by its median absolute deviation."""


@dataclass(frozen=True, eq=False, slots=True)
class Differences:
    """Differences of means between the chosen runs and the others.

    Attributes:
        squared_t: shape (n_choices, n_features), squares of Student's t.
        variance: shape (n_choices, n_features), of one run within its group.
        sizes: shape (n_choices, n_features) or one that broadcasts to it, the sum of the reciprocal sizes of
            both groups.
        freedom: degrees of freedom of t.
    """

    squared_t: FloatArray
    variance: FloatArray
    sizes: FloatArray
    freedom: float


def differences(
    stable: Stable, chosen: IntArray, weights: FloatArray | None = None, prior_freedom: float = 0.0
) -> Differences:
    """Return the differences of every choice of runs in every feature.

    Args:
        stable: its floor is added to the variance as that of an independent deviation.
        chosen: shape (n_choices, size).
        weights: shape (n_runs, n_features), positive; of each run in means and squares, the same for every
            choice. None: all are 1.
        prior_freedom: weight, in degrees of freedom, of the usual variance of all features. Each feature's
            own variance is shrunk towards it, as in Smyth, "Linear models and empirical Bayes methods"
            (2004), with a given weight and the geometric mean of the pooled variances as the usual one.
    """
    weights = np.ones_like(stable.values) if weights is None else weights
    values = stable.values - np.average(stable.values, axis=0, weights=weights)
    n_runs = len(values)
    members = np.zeros((len(chosen), n_runs))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    size, total = members @ weights, weights.sum(axis=0)
    ours = members @ (weights * values)
    theirs = -ours
    others = total - size
    squares = (weights * values**2).sum(axis=0)
    within = np.maximum(squares - ours**2 / size - theirs**2 / others, 0.0)
    freedom = n_runs - 2.0
    variance = within / freedom + stable.floor**2
    if prior_freedom:
        pooled = squares / (n_runs - 1.0) + stable.floor**2
        usual = np.exp(np.log(pooled).mean())
        variance = (freedom * variance + prior_freedom * usual) / (freedom + prior_freedom)
    sizes = 1 / size + 1 / others
    squared = (ours / size - theirs / others) ** 2 / (variance * sizes)
    return Differences(squared, variance, sizes, freedom + prior_freedom)


def huber_weights(stable: Stable, limit: float) -> FloatArray:
    """Return Huber's weight of each run in each feature, shape (n_runs, n_features).

    It is 1 up to ``limit`` robust deviations from the median of all runs, and falls with the reciprocal of
    the distance beyond. Runs under test have the same weights as any other runs.
    """
    distance = np.abs(stable.values - np.median(stable.values, axis=0))
    deviation = np.hypot(MAD_OF_NORMAL * np.median(distance, axis=0), stable.floor)
    weights: FloatArray = limit / np.maximum(distance / deviation, limit)
    return weights
