"""Judge new observations by old ones: clusters, their models, and the models' errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.load_findings import Errors, errors_of, ks_statistics
from buto.detectors.regression_models.clusters import clustered
from buto.detectors.regression_models.models import fitted, target_of
from buto.detectors.regression_models.redundancy import reduced
from buto.runs import FloatArray

GRAIN = 0.01
"""The smallest relative error that means something."""

LARGEST = 1e6
"""Larger relative errors, also infinite ones, are equally wrong."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One cluster of counters, by their columns.

    Attributes:
        target: the counter that is predicted.
        predictors: the other counters of the cluster; without any, the target's mean is predicted.
        new: errors of the new observations.
        usual: for each old run, its errors when it is predicted from the other old runs.
        expected, measured: means of the target over the new observations, predicted and measured.
        extrapolated: share of the new observations that lie beyond the old ones.
    """

    target: int
    predictors: tuple[int, ...]
    new: Errors
    usual: tuple[Errors, ...]
    expected: float
    measured: float
    extrapolated: float


def judged(
    old: Sequence[FloatArray], new: FloatArray, names: Sequence[str], redundant: float, distance: str
) -> Iterator[Judged]:
    """Return every cluster of counters in old and new observations with its model's errors.

    Args:
        old: for each run, shape (n_observations, n_counters).
        new: shape (n_observations, n_counters), at least one.
        names: of the counters.
        redundant: the R² above which a counter is left out.
        distance: between counters, see :func:`clusters.distances`.
    """
    before = np.vstack(old)
    both = np.vstack([before, new])
    kept = reduced(both, redundant).kept
    statistics = ks_statistics(before, new)
    for cluster in clustered(both[:, kept], distance):
        members = [kept[one] for one in cluster]
        target = target_of(members, statistics, names)
        predictors = tuple(one for one in members if one != target)
        model = fitted(before[:, predictors], before[:, target])
        predicted = model.predict(new[:, predictors])
        yield Judged(
            target,
            predictors,
            errors_of(predicted, new[:, target]),
            tuple(_usual(old, predictors, target)),
            float(predicted.mean()),
            float(new[:, target].mean()),
            model.extrapolates(new[:, predictors]),
        )


def excesses(clusters: Sequence[Judged], measure: str) -> tuple[FloatArray, float]:
    """Return how many times as large as usual the errors are, and how much of that is usual.

    An excess is an error over the largest one of the training runs in the same cluster. A training run has
    the excesses that it would have as a check of the others. With many clusters, an unchanged check is
    worse than all training runs in some of them; it is so by a larger factor than every training run only as
    often as any other run is the worst of all.

    Args:
        clusters: at least one, each with the errors of two or more training runs.
        measure: see :meth:`Errors.by`.

    Returns:
        The excess of each cluster, shape (n_clusters,), and the largest excess of any training run.
    """
    new = np.minimum([one.new.by(measure) for one in clusters], LARGEST)
    usual = np.minimum([[error.by(measure) for error in one.usual] for one in clusters], LARGEST)
    second, first = np.sort(usual, axis=1)[:, -2:].T[..., None]
    others = np.where(usual == first, second, first)
    return new / (first[:, 0] + GRAIN), float((usual / (others + GRAIN)).max())


def _usual(old: Sequence[FloatArray], predictors: Sequence[int], target: int) -> Iterator[Errors]:
    """Return nothing for a single old run, which no other predicts."""
    for number, run in enumerate(old if len(old) > 1 else ()):
        others = np.vstack([one for place, one in enumerate(old) if place != number])
        model = fitted(others[:, predictors], others[:, target])
        yield errors_of(model.predict(run[:, predictors]), run[:, target])
