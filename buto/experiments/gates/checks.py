"""Checks of recorded runs that any gate, with any number of confirming runs, can decide afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.judging.evidence import passes, weigh
from buto.detectors.calibrated.judging.obvious import obvious
from buto.detectors.calibrated.settings import gate_of
from buto.detectors.calibrated.training.profile import Profile
from buto.runs import FloatArray

MOST_CONFIRMING = 5
"""Most confirming runs that are tried."""

NO_GATE = 1.0
"""A gate that every first run passes."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check by one method.

    Attributes:
        rank: p-value by rank of the first run.
        far: whether the first run passes every gate, because a property is far beyond all training runs.
        p_values: of the first run with 1, 2, ... confirming runs; NaN where there are not so many.
    """

    rank: float
    far: bool
    p_values: tuple[float, ...]

    def follows(self, gate: float) -> bool:
        """Return whether confirming runs follow the first one."""
        return self.far or passes(self.rank, gate)

    def fails(self, gate: float, n_confirming: int, alpha: float) -> bool:
        """Return whether the check fails with this gate and as many confirming runs."""
        return self.follows(gate) and self.p_values[n_confirming - 1] <= alpha


def judged(profile: Profile, training: FloatArray, rows: FloatArray, settings: BandSettings) -> Check:
    """Judge a first run, alone and with each number of confirming runs.

    Args:
        profile: says what the columns are; its own values are not used.
        training: shape (n_training, n_features).
        rows: shape (n_checked, n_features), the first run and those that confirm it, in their order.
    """
    first = weigh(profile, np.vstack([training, rows[:1]]), 1, settings)
    far = gate_of(settings) is not None and bool(obvious(first, 1))
    found = [
        weigh(profile, np.vstack([training, rows[:n]]), n, settings).significance.p_value
        for n in range(2, min(len(rows), 1 + MOST_CONFIRMING) + 1)
    ]
    missing = [nan] * (MOST_CONFIRMING - len(found))
    return Check(first.significance.rank, far, (*found, *missing))
