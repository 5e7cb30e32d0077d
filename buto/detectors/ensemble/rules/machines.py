"""The machine factor of times in intervals: on a slower machine, some of them are longer by one factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.series import significant as rounded
from buto.detectors.ensemble.rules.violations import BoolArray
from buto.runs import FloatArray

FEWEST_SCALED, FEWEST_TESTS = 3, 3
"""A factor must explain so many counters in so many tests, or it explains nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Machines:
    """Which counters are divided by the factor of the machine.

    Attributes:
        levels: shape (n_counters,), median on the usual machine; NaN for counters that no factor explains.
    """

    levels: FloatArray

    @property
    def scaled(self) -> BoolArray:
        """Which counters these are, shape (n_counters,)."""
        chosen: BoolArray = ~np.isnan(self.levels)
        return chosen

    def factor(self, values: FloatArray) -> float:
        """Return how slow the machine of a test is; 1 if its times do not tell.

        Args:
            values: shape (n_intervals, n_counters).
        """
        medians = medians_of(values)
        known = self.scaled & (np.nan_to_num(medians) > 0)
        return float(np.median(medians[known] / self.levels[known])) if known.any() else 1.0

    def divided(self, values: FloatArray) -> FloatArray:
        """Return the values of a test as they would be on the usual machine, same shape."""
        return np.where(self.scaled, values / self.factor(values), values) if self.scaled.any() else values


def learn_machines(tests: Sequence[FloatArray], times: BoolArray) -> Machines:
    """Return what a factor of each test explains.

    These are the times that scatter less between tests after division by it. The factor of a test is the
    median of how much longer than usual they are.

    Args:
        tests: each of shape (n_intervals, n_counters).
        times: shape (n_counters,), which counters are times.
    """
    levels = np.full(len(times), np.nan)
    medians = np.array([medians_of(values) for values in tests])
    candidates = np.flatnonzero(times & (np.nan_to_num(medians) > 0).all(axis=0))
    if len(tests) < FEWEST_TESTS or len(candidates) < FEWEST_SCALED:
        return Machines(levels)
    logs = np.log(medians[:, candidates])
    away = logs - logs.mean(axis=0)
    factors = np.median(away, axis=1)
    explained = ((away - factors[:, None]) ** 2).sum(axis=0) < (away**2).sum(axis=0)
    if explained.sum() >= FEWEST_SCALED:
        levels[candidates[explained]] = rounded(np.exp(logs.mean(axis=0)[explained]))
    return Machines(levels)


def medians_of(values: FloatArray) -> FloatArray:
    """Return the median of each counter, shape (n_counters,); NaN for what was never read."""
    read = ~np.isnan(values).all(axis=0)
    medians = np.full(values.shape[1], np.nan)
    medians[read] = np.nanmedian(values[:, read], axis=0)
    return medians
