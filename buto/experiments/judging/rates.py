"""Shares of trials, with standard errors clustered by run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan

import numpy as np


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of trials.

    Attributes:
        value: NaN if there are no trials.
        error: standard error; all trials with the same first run under test are one observation.
        n_trials, n_runs: how many there are.
    """

    value: float
    error: float
    n_trials: int
    n_runs: int

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.error:.3f}"


def rate(values: Iterable[tuple[str, bool]]) -> Rate:
    """Return the share of true values, with the linearised standard error of a ratio over clusters.

    Args:
        values: the cluster of each, and whether it is true.
    """
    listed = list(values)
    if not listed:
        return Rate(nan, nan, 0, 0)
    names, place = np.unique([name for name, _ in listed], return_inverse=True)
    true = np.array([value for _, value in listed], dtype=float)
    share = float(true.mean())
    residual = np.bincount(place, weights=true) - share * np.bincount(place)
    n = len(names)
    error = float(np.sqrt(n / (n - 1) * (residual**2).sum()) / len(listed)) if n > 1 else nan
    return Rate(share, error, len(listed), n)
