"""Judge new observations by old ones: clusters, their models, and the models' errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.regression_models.clusters import clustered
from buto.detectors.regression_models.models import Errors, errors_of, fitted, ks_statistics, target_of
from buto.detectors.regression_models.redundancy import reduced
from buto.runs import FloatArray


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


def _usual(old: Sequence[FloatArray], predictors: Sequence[int], target: int) -> Iterator[Errors]:
    """Return nothing for a single old run, which no other predicts."""
    for number, run in enumerate(old if len(old) > 1 else ()):
        others = np.vstack([one for place, one in enumerate(old) if place != number])
        model = fitted(others[:, predictors], others[:, target])
        yield errors_of(model.predict(run[:, predictors]), run[:, target])
