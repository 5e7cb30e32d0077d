"""What stands for the load: the rates of requests, and how many there have been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.load.clusters import varies
from buto.detectors.calibrated.load.observed import Observed
from buto.runs import FloatArray

ROWS_FOR_EACH = 4
"""So many observations are needed for each predictor; with fewer, the sum of all kinds of requests is one."""


@dataclass(frozen=True, slots=True)
class Predictors:
    """Which columns stand for the load.

    Attributes:
        columns: of the rates that vary.
        together: whether they are added up.
    """

    columns: tuple[int, ...]
    together: bool = False

    @property
    def count(self) -> int:
        """Number of predictors besides the constant; the last is what has accumulated since the start."""
        if not self.columns:
            return 0
        return 2 if self.together else len(self.columns) + 1


def choose(runs: Sequence[Observed], rates: Sequence[int]) -> Predictors:
    """Return what stands for the load in these runs, the checked ones among them: the rates that vary."""
    rows = np.vstack([run.rows for run in runs])
    moving = varies(rows)
    columns = tuple(column for column in rates if moving[column])
    return Predictors(columns, together=len(rows) < ROWS_FOR_EACH * (len(columns) + 2))


def designs(runs: Sequence[Observed], chosen: Predictors) -> list[FloatArray]:
    """Return the predictors of each run, shape (n_stretches, 1 + n_predictors).

    A constant, the load, and the load that has accumulated since the start of the run, because a gauge may
    grow with each request. All but the constant have mean 0 and variance 1 over all runs.
    """
    ones = [np.ones((len(run.rows), 1)) for run in runs]
    if not chosen.columns:
        return ones
    loads = [run.rows[:, chosen.columns] for run in runs]
    totals = [load.sum(axis=1) for load in loads]
    if chosen.together:
        loads = [total[:, None] for total in totals]
    sums = [(total.cumsum() - total / 2) * run.stretch_s for run, total in zip(runs, totals, strict=True)]
    parts = [np.column_stack(pair) for pair in zip(loads, sums, strict=True)]
    together = np.vstack(parts)
    centre, scale = together.mean(axis=0), together.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return [np.hstack([one, (part - centre) / scale]) for one, part in zip(ones, parts, strict=True)]
