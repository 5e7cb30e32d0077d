"""What stands for the load: known rates of requests, or the counters that most others follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.regression_models.by_load.clusters import together
from buto.detectors.regression_models.by_load.observed import Unit
from buto.detectors.regression_models.redundancy import varies
from buto.runs import FloatArray

FEWEST_MEMBERS = 3
"""Fewer counters that rise and fall together do not show a load."""

ROWS_FOR_EACH = 4
"""So many observations are needed for each predictor; with fewer, the sum of all kinds of requests is one."""


@dataclass(frozen=True, slots=True)
class Predictors:
    """Which columns stand for the load.

    Attributes:
        columns: of the known rates; of the cluster, if there are none; empty if no counters agree.
        known: whether they are rates of requests that were sent.
        together: whether the known rates are added up.
    """

    columns: tuple[int, ...]
    known: bool
    together: bool = False

    @property
    def count(self) -> int:
        """Number of predictors besides the constant; the last is what has accumulated since the start."""
        if not self.columns:
            return 0
        return 2 if self.together or not self.known else len(self.columns) + 1


def choose(units: Sequence[Unit], known: Sequence[int]) -> Predictors:
    """Return what stands for the load in these units, the checked ones among them.

    The known rates that vary; without any, the largest cluster of counters by absolute correlation.
    """
    rows = np.vstack([unit.rows for unit in units])
    moving = varies(rows)
    if known:
        columns = tuple(column for column in known if moving[column])
        return Predictors(columns, True, together=len(rows) < ROWS_FOR_EACH * (len(columns) + 2))
    candidates = np.flatnonzero(moving)
    groups = together(rows[:, candidates])
    largest = max(groups, key=len, default=())
    if len(largest) < FEWEST_MEMBERS:
        return Predictors((), False)
    return Predictors(tuple(candidates[list(largest)].tolist()), False)


def designs(units: Sequence[Unit], chosen: Predictors) -> list[FloatArray]:
    """Return the predictors of each unit, shape (n_stretches, 1 + n_predictors).

    A constant, the load, and the load that has accumulated since the start of the run, because a gauge may
    grow with each request. All but the constant have mean 0 and variance 1 over all units.
    """
    ones = [np.ones((len(unit.rows), 1)) for unit in units]
    if not chosen.columns:
        return ones
    if chosen.known:
        loads = [unit.rows[:, chosen.columns] for unit in units]
        before = [float(unit.before[list(chosen.columns)].sum()) for unit in units]
    else:
        loads, before = _index(units, chosen.columns)
    totals = [load.sum(axis=1) for load in loads]
    if chosen.together:
        loads = [total[:, None] for total in totals]
    sums = [
        earlier + (total.cumsum() - total / 2) * unit.stretch_s
        for unit, total, earlier in zip(units, totals, before, strict=True)
    ]
    parts = [np.column_stack(pair) for pair in zip(loads, sums, strict=True)]
    together = np.vstack(parts)
    centre, scale = together.mean(axis=0), together.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return [np.hstack([one, (part - centre) / scale]) for one, part in zip(ones, parts, strict=True)]


def _index(units: Sequence[Unit], columns: Sequence[int]) -> tuple[list[FloatArray], list[float]]:
    """Return the cluster's index, shape (n_stretches, 1), and its sum over earlier blocks.

    It is the median of the counters, each in its own deviations from its mean, and of the sign with which it
    follows the first. A change of few of them hardly moves it. The smallest value is 0.
    """
    places = list(columns)
    rows = np.vstack([unit.rows[:, places] for unit in units])
    centred = rows - rows.mean(axis=0)
    deviation = centred.std(axis=0)
    sign = np.where(centred.T @ centred[:, 0] < 0, -1.0, 1.0)
    centre = rows.mean(axis=0)

    def index(values: FloatArray) -> FloatArray:
        found: FloatArray = np.median(sign * (values - centre) / deviation, axis=-1)
        return found

    shift = -min(float(index(unit.rows[:, places]).min()) for unit in units)
    loads = [(index(unit.rows[:, places]) + shift)[:, None] for unit in units]
    before: list[float] = []
    earlier = 0.0
    for unit, load in zip(units, loads, strict=True):
        new_run = not unit.before.any()
        before.append(0.0 if new_run else before[-1] + earlier)
        earlier = float(load.sum()) * unit.stretch_s
    return loads, before
