"""A check: the training units and the checked ones together, judged by what the load explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from buto.detectors.regression_models.by_load.clusters import together
from buto.detectors.regression_models.by_load.evidence import (
    FEWEST_RUNS,
    Evidence,
    of_blocks,
    of_runs,
    scale_of,
)
from buto.detectors.regression_models.by_load.models import Sums, model, sums_of
from buto.detectors.regression_models.by_load.observed import Observed, Unit, matching, units_of
from buto.detectors.regression_models.by_load.predictors import Predictors, choose, designs
from buto.detectors.regression_models.by_load.scores import Scored
from buto.detectors.regression_models.clusters import Clusters
from buto.detectors.regression_models.redundancy import varies
from buto.properties import Kind, Property, split_name
from buto.runs import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the settings ask of a check.

    Attributes:
        predictors: patterns of properties that are the load.
        costs: of those of which one can decide alone.
        kept: of gauges of which the growth is judged, too.
        blocks: into how many each run is divided; 1 if runs are the units.
        alpha: the share of false alarms.
    """

    predictors: Sequence[str] = ()
    costs: Sequence[str] = ()
    kept: Sequence[str] = ()
    blocks: int = 1
    alpha: float = 0.01


@dataclass(frozen=True, eq=False)
class Judged:
    """Everything that a verdict and a picture of it need; the checked units are the last.

    Attributes:
        properties: of the columns of ``values``: those that vary and are predicted. A gauge that requests may
            keep is there twice: its level, and later its growth per second.
        growth_of: of the last columns, which are growths, the columns of their levels.
        costs: whether each column is a cost, shape (n_properties,).
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
    growth_of: tuple[int, ...]
    costs: npt.NDArray[np.bool_]
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
        families = [
            (split_name(prop.name)[0], self.grows(column)) for column, prop in enumerate(self.properties)
        ]
        numbers = {family: number for number, family in enumerate(sorted(set(families)))}
        scored = Scored(np.array([numbers[family] for family in families], dtype=np.int64), self.costs)
        scale = scale_of(self.sums, seconds, self.steps, self._least(float(np.mean(seconds))), scored)
        if self.blocks > 1:
            return of_blocks(self.sums, scale, n_checked)
        return of_runs(self.sums, scale, n_checked, self.alpha)

    @cached_property
    def without_worst(self) -> Evidence | None:
        """Return the evidence without the training run that deviates most; None for blocks and few runs.

        Its p-value promises nothing, because the run is left out for its values.
        """
        worst = self.evidence.worst
        if worst is None or self.first_checked <= FEWEST_RUNS:
            return None
        left = np.delete(np.arange(len(self.values)), worst).tolist()
        return replace(
            self,
            values=[self.values[unit] for unit in left],
            design=[self.design[unit] for unit in left],
            first_checked=self.first_checked - 1,
            stretch_s=[self.stretch_s[unit] for unit in left],
            loads=self.loads[left],
        ).evidence

    @property
    def rates(self) -> FloatArray:
        """Return the mean rate of all requests in each unit, shape (n_units,); 0 if it is not known."""
        if not self.predictors.known:
            return np.zeros(len(self.values))
        found: FloatArray = self.loads.sum(axis=1)
        return found

    @cached_property
    def predicted(self) -> list[FloatArray]:
        """Return what the model of all training units predicts of each unit, shape (n_stretches, m)."""
        slope, _ = model(self.sums, np.arange(self.first_checked))
        return [design @ slope for design in self.design]

    @cached_property
    def clusters(self) -> Clusters:
        """Return the clusters of properties that rise and fall together, over all units."""
        return together(np.vstack(self.values))

    def grows(self, column: int) -> bool:
        """Return whether a column is a growth per second."""
        return column >= len(self.properties) - len(self.growth_of)

    def _least(self, seconds: float) -> FloatArray:
        """Return the smallest magnitude of each column, shape (m,).

        Of a growth it is the gauge's level over a unit, so that a tiny growth of a large gauge means little.
        """
        level: FloatArray = np.abs(self.sums.level).mean(axis=0)
        levels = np.zeros(len(level) - len(self.growth_of))
        return np.concatenate([levels, level[list(self.growth_of)] / (seconds or 1.0)])

    def explained(self, column: int) -> float:
        """Return the share of a property's variance over the training units that the load explains."""
        measured = np.concatenate([one[:, column] for one in self.values[: self.first_checked]])
        predicted = np.concatenate([one[:, column] for one in self.predicted[: self.first_checked]])
        total = float(((measured - measured.mean()) ** 2).sum())
        return max(0.0, 1 - float(((measured - predicted) ** 2).sum()) / total) if total > 0 else 0.0


def judged(
    properties: Sequence[Property], training: Sequence[Observed], checked: Sequence[Observed], asked: Asked
) -> Judged:
    """Return the check of some runs by others.

    Args:
        properties: the columns of the observed rows.
    """
    before = [unit for run in training for unit in units_of(run, asked.blocks)]
    units: list[Unit] = [*before, *(unit for run in checked for unit in units_of(run, asked.blocks))]
    known = matching(properties, asked.predictors)
    predictors = choose(units, known)
    moving = varies(np.vstack([unit.rows for unit in units]))
    moving[list(known)] = False
    levels = np.flatnonzero(moving).tolist()
    grows = moving & varies(np.vstack([unit.growth for unit in units]))
    growing = [
        column
        for column in matching(properties, asked.kept)
        if grows[column] and properties[column].kind is Kind.GAUGE
    ]
    costs = {*matching(properties, asked.costs)}
    steps = np.array([run.step for run in (*training, *checked)])
    positive = np.where(steps > 0, steps, np.inf).min(axis=0)
    return Judged(
        tuple(properties[column] for column in (*levels, *growing)),
        tuple(levels.index(column) for column in growing),
        np.array([*(column in costs for column in levels), *(True for _ in growing)], dtype=bool),
        [np.hstack([unit.rows[:, levels], unit.growth[:, growing]]) for unit in units],
        designs(units, predictors),
        len(before),
        [unit.stretch_s for unit in units],
        predictors,
        tuple(properties[column].name for column in predictors.columns),
        np.array([unit.rows[:, predictors.columns].mean(axis=0) for unit in units]),
        np.concatenate([np.where(np.isfinite(positive), positive, 0.0)[levels], np.zeros(len(growing))]),
        asked.blocks,
        asked.alpha,
    )
