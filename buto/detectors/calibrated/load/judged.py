"""A check: the training units and the checked ones together, judged by what the load explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from buto.detectors.calibrated.load.clusters import Clusters, varies
from buto.detectors.calibrated.load.evidence import FEWEST_RUNS, Evidence, of_runs, scale_of
from buto.detectors.calibrated.load.listed import MAY_LEAK, PAID_FOR
from buto.detectors.calibrated.load.models import Sums, model, sums_of
from buto.detectors.calibrated.load.observed import Observed, matching
from buto.detectors.calibrated.load.predictors import Predictors, choose, designs
from buto.detectors.calibrated.load.rates import RATES
from buto.detectors.calibrated.load.scores import Scored
from buto.detectors.calibrated.load.together import together
from buto.detectors.calibrated.relevance import CLASSES, Sizes
from buto.detectors.calibrated.settings import JudgeSettings
from buto.detectors.effects import GROWTH, kept_by_classes, smallest_effects
from buto.properties import Better, Kind, Property, split_name
from buto.runs import FloatArray


@dataclass(frozen=True, eq=False)
class Judged:
    """Everything that a verdict and a picture of it need; the checked runs are the last.

    Attributes:
        properties: of the columns of ``values``: those that vary and are predicted. A gauge that requests may
            keep is there twice: its level, and later its growth per second.
        growth_of: of the last columns, which are growths, the columns of their levels.
        costs: whether each column is a cost, shape (n_properties,).
        values: of each run, shape (n_stretches, n_properties).
        design: of each run, shape (n_stretches, n_predictors + 1).
        first_checked: number of the first checked run.
        stretch_s: of each run.
        predictors: what stands for the load.
        load_names: names of the properties that stand for it.
        loads: their means in each run, shape (n_runs, n_names).
        steps: smallest step of each counter, shape (n_properties,).
    """

    settings: JudgeSettings
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

    @cached_property
    def sums(self) -> Sums:
        return sums_of(self.design, self.values)

    @cached_property
    def evidence(self) -> Evidence:
        """Return how far the checked runs are from what the load explains."""
        n_checked = len(self.values) - self.first_checked
        seconds = [len(one) * length for one, length in zip(self.values, self.stretch_s, strict=True)]
        families = [
            (split_name(prop.name)[0], self.grows(column)) for column, prop in enumerate(self.properties)
        ]
        numbers = {family: number for number, family in enumerate(sorted(set(families)))}
        scored = Scored(np.array([numbers[family] for family in families], dtype=np.int64), self.costs)
        length = float(np.mean(seconds)) or 1.0
        scale = scale_of(
            self.sums,
            seconds,
            self.steps,
            self._magnitude(length),
            scored,
            self._sizes(length),
            self._sign(),
        )
        return of_runs(self.sums, scale, n_checked, self.settings.alpha)

    @cached_property
    def without_worst(self) -> Evidence | None:
        """Return the evidence without the training run that deviates most; None for few runs.

        Its p-value promises nothing, because the run is left out for its values.
        """
        worst = self.evidence.mattering.worst
        if worst is None or self.first_checked <= FEWEST_RUNS:
            return None
        left = np.delete(np.arange(len(self.values)), worst).tolist()
        return replace(
            self,
            values=[self.values[run] for run in left],
            design=[self.design[run] for run in left],
            first_checked=self.first_checked - 1,
            stretch_s=[self.stretch_s[run] for run in left],
            loads=self.loads[left],
        ).evidence

    @property
    def rates(self) -> FloatArray:
        """Return the mean rate of all requests in each run, shape (n_runs,)."""
        found: FloatArray = self.loads.sum(axis=1)
        return found

    @cached_property
    def predicted(self) -> list[FloatArray]:
        """Return what the model of all training runs predicts of each run, shape (n_stretches, m)."""
        slope, _ = model(self.sums, np.arange(self.first_checked))
        return [design @ slope for design in self.design]

    @cached_property
    def clusters(self) -> Clusters:
        """Return the clusters of properties that rise and fall together, over all runs."""
        return together(np.vstack(self.values))

    def grows(self, column: int) -> bool:
        """Return whether a column is a growth per second."""
        return column >= len(self.properties) - len(self.growth_of)

    def explained(self, column: int) -> float:
        """Return the share of a property's variance over the training runs that the load explains."""
        measured = np.concatenate([one[:, column] for one in self.values[: self.first_checked]])
        predicted = np.concatenate([one[:, column] for one in self.predicted[: self.first_checked]])
        total = float(((measured - measured.mean()) ** 2).sum())
        return max(0.0, 1 - float(((measured - predicted) ** 2).sum()) / total) if total > 0 else 0.0

    def _magnitude(self, seconds: float) -> FloatArray:
        """Return the smallest magnitude of each column, shape (m,).

        Of a growth it is the gauge's level over a run, so that a tiny growth of a large gauge means little.
        """
        level: FloatArray = np.abs(self.sums.level).mean(axis=0)
        levels = np.zeros(len(level) - len(self.growth_of))
        return np.concatenate([levels, level[list(self.growth_of)] / seconds])

    def _sizes(self, seconds: float) -> Sizes:
        """Return the smallest differences of the columns that matter.

        Sizes are of totals and levels, and columns are rates and growths in a second.
        """
        rate = np.array(
            [one.kind is Kind.COUNTER or self.grows(column) for column, one in enumerate(self.properties)]
        )
        length = np.where(rate, seconds, 1.0)
        amounts = np.abs(self.sums.level).mean(axis=0) * length
        first = len(amounts) - len(self.growth_of)
        amounts[first:] = amounts[list(self.growth_of)]
        effects = smallest_effects(self.properties, amounts, self.settings.minimum_effect) / length
        effects[first:] *= GROWTH
        kept = np.where(effects > 0, kept_by_classes(self.properties) * seconds / length, 0.0)
        names = [one.name for one in self.properties]
        return Sizes(effects * (1.0 - 1e-9), kept, names.index(CLASSES) if CLASSES in names else None)

    def _sign(self) -> FloatArray:
        """Return in which direction each column counts, see :class:`Scale`."""
        if self.settings.fail_on == "any":
            return np.zeros(len(self.properties))
        signs = {Better.LOWER: 1.0, Better.HIGHER: -1.0}
        return np.array([signs.get(one.better, np.nan) for one in self.properties])


def judged(
    properties: Sequence[Property],
    training: Sequence[Observed],
    checked: Sequence[Observed],
    settings: JudgeSettings,
) -> Judged:
    """Return the check of some runs by others.

    Args:
        properties: the columns of the observed rows.
    """
    runs = [*training, *checked]
    rates = matching(properties, [RATES])
    predictors = choose(runs, rates)
    moving = varies(np.vstack([run.rows for run in runs]))
    moving[list(rates)] = False
    levels = np.flatnonzero(moving).tolist()
    grows = moving & varies(np.vstack([run.growth for run in runs]))
    growing = [
        column
        for column in matching(properties, MAY_LEAK)
        if grows[column] and properties[column].kind is Kind.GAUGE
    ]
    costs = {*matching(properties, PAID_FOR)}
    steps = np.array([run.step for run in runs])
    positive = np.where(steps > 0, steps, np.inf).min(axis=0)
    return Judged(
        settings,
        tuple(properties[column] for column in (*levels, *growing)),
        tuple(levels.index(column) for column in growing),
        np.array([*(column in costs for column in levels), *(True for _ in growing)], dtype=bool),
        [np.hstack([run.rows[:, levels], run.growth[:, growing]]) for run in runs],
        designs(runs, predictors),
        len(training),
        [run.stretch_s for run in runs],
        predictors,
        tuple(properties[column].name for column in predictors.columns),
        np.array([run.rows[:, predictors.columns].mean(axis=0) for run in runs]),
        np.concatenate([np.where(np.isfinite(positive), positive, 0.0)[levels], np.zeros(len(growing))]),
    )
