"""A check under a load that varies: all runs together, and how far its load is from that of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from buto.judging.effects import GROWTH, estimate_kept_by_classes, smallest_effects
from buto.judging.evidence import CLASSES, SIGN_OF_WORSE, Sizes, welcome_or_not
from buto.judging.evidence import Evidence as PlainEvidence
from buto.judging.judge_settings import JudgeSettings
from buto.judging.load.evidence import LoadEvidence, Scored, of_runs, scale_of
from buto.judging.load.models import Clusters, Sums, model, sums_of, together, varies
from buto.judging.load.observed import (
    MAY_LEAK,
    PAID_FOR,
    RATES,
    Observed,
    Predictors,
    choose,
    designs,
    matching,
)
from buto.run.model import BoolArray, FloatArray
from buto.run.properties import Kind, Property, is_counted, split_name
from buto.run.units import format_number, format_percent


@dataclass(frozen=True, eq=False)
class UnderLoad:
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
        once: the evidence of what is counted once; None if there is nothing.
    """

    settings: JudgeSettings
    properties: tuple[Property, ...]
    growth_of: tuple[int, ...]
    costs: BoolArray
    values: Sequence[FloatArray]
    design: Sequence[FloatArray]
    first_checked: int
    stretch_s: Sequence[float]
    predictors: Predictors
    load_names: tuple[str, ...]
    loads: FloatArray
    steps: FloatArray
    once: PlainEvidence | None = None

    @cached_property
    def sums(self) -> Sums:
        return sums_of(self.design, self.values)

    @cached_property
    def evidence(self) -> LoadEvidence:
        """Return how far the checked runs are from what the load explains."""
        n_checked = len(self.values) - self.first_checked
        seconds = [
            len(run_values) * length for run_values, length in zip(self.values, self.stretch_s, strict=True)
        ]
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
            self._counts,
        )
        counted = np.array([is_counted(prop) for prop in self.properties], np.bool_)
        return of_runs(self.sums, scale, n_checked, self.settings.alpha, counted, self.once)

    @cached_property
    def without_worst(self) -> LoadEvidence | None:
        """Return the evidence of what is adjusted without the training run that deviates most.

        Its p-value promises nothing, because the run is left out for its values.
        """
        worst = self.evidence.mattering.worst
        if worst is None:
            return None
        left = np.delete(np.arange(len(self.values)), worst).tolist()
        return replace(
            self,
            values=[self.values[run] for run in left],
            design=[self.design[run] for run in left],
            first_checked=self.first_checked - 1,
            stretch_s=[self.stretch_s[run] for run in left],
            loads=self.loads[left],
            once=None,
        ).evidence

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

    def share_explained(self, column: int) -> float:
        """Return the share of a property's variance over the training runs that the load explains."""
        measured = np.concatenate([run_values[:, column] for run_values in self.values[: self.first_checked]])
        predicted = np.concatenate(
            [prediction[:, column] for prediction in self.predicted[: self.first_checked]]
        )
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
            [prop.kind is Kind.COUNTER or self.grows(column) for column, prop in enumerate(self.properties)]
        )
        length = np.where(rate, seconds, 1.0)
        amounts = np.abs(self.sums.level).mean(axis=0) * length
        first = len(amounts) - len(self.growth_of)
        amounts[first:] = amounts[list(self.growth_of)]
        effects = smallest_effects(self.properties, amounts, self.settings.minimum_effect) / length
        effects[first:] *= GROWTH
        kept = np.where(effects > 0, estimate_kept_by_classes(self.properties) * seconds / length, 0.0)
        names = [prop.name for prop in self.properties]
        return Sizes(effects * (1.0 - 1e-9), kept, names.index(CLASSES) if CLASSES in names else None)

    def _counts(self, far: FloatArray) -> BoolArray:
        sign = np.array([SIGN_OF_WORSE[prop.better] for prop in self.properties])
        return welcome_or_not(far, sign, self.settings.fail_on)


def under_load(
    properties: Sequence[Property],
    training: Sequence[Observed],
    checked: Sequence[Observed],
    settings: JudgeSettings,
    once: PlainEvidence | None = None,
) -> UnderLoad:
    """Return the check of some runs by others.

    Args:
        properties: the columns of the observed rows.
        once: see :class:`UnderLoad`.
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
    return UnderLoad(
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
        once,
    )


MOST_NAMED = 3

NARROW = 0.25
"""The range of training counts as at least this share of its mean rate: arrivals are random."""


def beyond_training(check: UnderLoad, limit: float) -> str:
    """Return, in a sentence, that the load is further from training than the models allow; else nothing.

    Args:
        limit: the largest variance of a prediction, in variances of a run, see
            :attr:`buto.judging.load.judge.models.Residuals.reach`; and the largest distance
            of the mean rate from the range of training, in widths of this range.
    """
    reach, distance = check.evidence.reach, _distance(check.loads.sum(axis=1), check.first_checked)
    if max(reach, distance) <= limit:
        return ""
    measured = (
        f"the variance of their predictions is {format_number(reach)} times that of a run"
        if reach > limit
        else f"the mean rate is outside the range of training by {format_number(distance)} times its width"
    )
    listed = _outside(check)
    where = f": {', '.join(listed)}" if listed else ""
    return (
        "the load is beyond that of the training runs, so the models extrapolate "
        f"({measured}; the limit is {limit:g}){where}"
    )


def _distance(rates: FloatArray, first_checked: int) -> float:
    """Return how far the checked runs' mean rate is outside the range of the others, in widths of it.

    How a program depends on the rate within a run, where it also becomes warm, need not be how it depends on
    the mean rate of a run. If all training runs had the same rate, they do not show the latter.

    Args:
        rates: of each run, shape (n_runs,), 0 at no load.
    """
    usual, mean = rates[:first_checked], float(rates[first_checked:].mean())
    width = max(float(np.ptp(usual)), NARROW * abs(float(usual.mean())))
    outside = max(mean - float(usual.max()), float(usual.min()) - mean, 0.0)
    return outside / width if width else 0.0


def _outside(check: UnderLoad) -> list[str]:
    """Return the known kinds of load that are outside the range of the training runs' means."""
    outside = []
    for name, means in zip(check.load_names, check.loads.T, strict=True):
        usual, ours = means[: check.first_checked], means[check.first_checked :]
        low, high, mean = float(usual.min()), float(usual.max()), float(ours.mean())
        if mean > high or mean < low:
            side, bound = ("above", high) if mean > high else ("below", low)
            share = abs(mean / bound - 1) if bound else np.inf
            far = format_percent(share) if np.isfinite(share) else "far"
            outside.append((share, f"{name} is {far} {side} every training run"))
    return [text for _, text in sorted(outside, reverse=True)[:MOST_NAMED]]
