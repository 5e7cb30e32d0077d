"""A check: the training units and the checked ones together, judged by what the load explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from buto.detectors.regression_models.by_load.clusters import together
from buto.detectors.regression_models.by_load.evidence import Evidence, of_blocks, of_runs, scale_of
from buto.detectors.regression_models.by_load.models import Sums, model, sums_of
from buto.detectors.regression_models.by_load.observed import Observed, Unit, units_of
from buto.detectors.regression_models.by_load.predictors import Predictors, choose, designs
from buto.detectors.regression_models.clusters import Clusters
from buto.detectors.regression_models.redundancy import varies
from buto.properties import Property, split_name
from buto.runs import FloatArray


@dataclass(frozen=True, eq=False)
class Judged:
    """Everything that a verdict and a picture of it need; the checked units are the last.

    Attributes:
        properties: the columns of ``values``: those that vary and are predicted.
        values: of each unit, shape (n_stretches, n_properties).
        design: of each unit, shape (n_stretches, n_predictors + 1).
        first_checked: number of the first checked unit.
        stretch_s: of each unit.
        predictors: what stands for the load.
        load_names: names of the properties that stand for it.
        loads: their means in each unit, shape (n_units, n_names).
        steps: smallest step of each counter, shape (n_properties,).
        blocks: into how many each run is divided.
    """

    properties: tuple[Property, ...]
    values: Sequence[FloatArray]
    design: Sequence[FloatArray]
    first_checked: int
    stretch_s: Sequence[float]
    predictors: Predictors
    load_names: tuple[str, ...]
    loads: FloatArray
    steps: FloatArray
    blocks: int
    alpha: float

    @cached_property
    def sums(self) -> Sums:
        return sums_of(self.design, self.values)

    @cached_property
    def evidence(self) -> Evidence:
        """Return how far the checked units are from what the load explains."""
        n_checked = len(self.values) - self.first_checked
        seconds = [len(one) * length for one, length in zip(self.values, self.stretch_s, strict=True)]
        families = [split_name(prop.name)[0] for prop in self.properties]
        scale = scale_of(self.sums, seconds, self.steps, families)
        if self.blocks > 1:
            return of_blocks(self.sums, scale, n_checked)
        return of_runs(self.sums, scale, n_checked, self.alpha)

    @cached_property
    def predicted(self) -> list[FloatArray]:
        """Return what the model of all training units predicts of each unit, shape (n_stretches, m)."""
        slope, _ = model(self.sums, np.arange(self.first_checked))
        return [design @ slope for design in self.design]

    @cached_property
    def clusters(self) -> Clusters:
        """Return the clusters of properties that rise and fall together, over all units."""
        return together(np.vstack(self.values))

    def explained(self, column: int) -> float:
        """Return the share of a property's variance over the training units that the load explains."""
        measured = np.concatenate([one[:, column] for one in self.values[: self.first_checked]])
        predicted = np.concatenate([one[:, column] for one in self.predicted[: self.first_checked]])
        total = float(((measured - measured.mean()) ** 2).sum())
        return max(0.0, 1 - float(((measured - predicted) ** 2).sum()) / total) if total > 0 else 0.0


def judged(
    properties: Sequence[Property],
    training: Sequence[Observed],
    checked: Sequence[Observed],
    known: Sequence[int],
    blocks: int,
    alpha: float,
) -> Judged:
    """Return the check of some runs by others.

    Args:
        properties: the columns of the observed rows.
        known: columns of the properties that are the load.
        blocks: into how many each run is divided; 1 if runs are the units.
    """
    before = [unit for run in training for unit in units_of(run, blocks)]
    units: list[Unit] = [*before, *(unit for run in checked for unit in units_of(run, blocks))]
    predictors = choose(units, known)
    moving = varies(np.vstack([unit.rows for unit in units]))
    moving[list(known)] = False
    steps = np.array([run.step for run in (*training, *checked)])
    positive = np.where(steps > 0, steps, np.inf).min(axis=0)
    return Judged(
        tuple(prop for prop, moves in zip(properties, moving, strict=True) if moves),
        [unit.rows[:, moving] for unit in units],
        designs(units, predictors),
        len(before),
        [unit.stretch_s for unit in units],
        predictors,
        tuple(properties[column].name for column in predictors.columns),
        np.array([unit.rows[:, predictors.columns].mean(axis=0) for unit in units]),
        np.where(np.isfinite(positive), positive, 0.0)[moving],
        blocks,
        alpha,
    )
