"""A check under a load that varies: how far runs are from what the load explains, compared with every other
choice of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

import numpy as np

from buto.analysis.contrasts import choices
from buto.analysis.evidence import TIE, Significance, significance
from buto.analysis.matching import BoolArray
from buto.analysis.spread import LevelShare
from buto.analysis.timepoints import IntArray
from buto.detectors.calibrated.evidence import Evidence as PlainEvidence
from buto.detectors.calibrated.load_models import (
    Clusters,
    Residuals,
    Sums,
    model,
    residuals,
    spread_of,
    sums_of,
    together,
    varies,
)
from buto.detectors.calibrated.load_observed import (
    MAY_LEAK,
    PAID_FOR,
    RATES,
    Observed,
    Predictors,
    choose,
    designs,
    matching,
)
from buto.detectors.calibrated.relevance import CLASSES, SIGN_OF_WORSE, Sizes, welcome_or_not
from buto.detectors.calibrated.settings import JudgeSettings
from buto.detectors.effects import GROWTH, kept_by_classes, smallest_effects
from buto.properties import Kind, Property, split_name
from buto.runs import FloatArray
from buto.units import format_number, format_percent

LARGEST = 100.0
"""Larger deviations are as large as this."""

WORST, SHARE_OF_WORST = 5, 0.1
"""So many quantities, and at most so large a share of all, make up the broad part."""

SOFTENING = 0.1
"""Added to deviations before their logarithm is taken."""

FINEST = 0.1
"""Smallest scatter of a part over choices: a tenth of a deviation."""


@dataclass(frozen=True, eq=False, slots=True)
class Scored:
    """How deviations become a score of several parts.

    The *broad* part is the mean logarithm of the largest deviations: of a tenth of the quantities, at most of
    five, whatever they are and in either direction. The more quantities there are, the more often one of them
    is odd in an unchanged run, so none of them decides alone. Only the largest of each quantity's instances
    counts, so that forty caches that are idle together are one.

    The *peak* is the logarithm of the largest increase of a cost. There are few costs, so one can decide.

    Attributes:
        family: number of the quantity that each counter is an instance of, shape (m,).
        costs: whether each counter is a cost, shape (m,).
    """

    family: IntArray
    costs: BoolArray

    def both(self, deviation: FloatArray) -> tuple[float, float]:
        """Return the two parts for deviations of shape (m,)."""
        worst = np.zeros(int(self.family.max(initial=-1)) + 1)
        np.maximum.at(worst, self.family, np.minimum(np.abs(deviation), LARGEST))
        if not len(worst):
            return 0.0, 0.0
        n_worst = min(WORST, ceil(SHARE_OF_WORST * len(worst)))
        broad = float(np.log(SOFTENING + np.sort(worst)[-n_worst:]).mean())
        increase = min(LARGEST, float(deviation[self.costs].max(initial=0.0)))
        return broad, float(np.log(SOFTENING + increase))

    def together(self, both: FloatArray, exact: FloatArray | None = None) -> FloatArray:
        """Return scores: the largest part, each in its own scatter around its median; shape (n,).

        The scatter is the mean distance from the median. The median distance would not do: in most unchanged
        runs no cost increases, so that most peaks are alike, and a usual peak would be an extreme one.

        Args:
            both: the parts of every choice of runs, shape (n, 2).
            exact: scores of the same choices by what is not adjusted, shape (n,); None without any.
        """
        parts = both if self.costs.any() else both[:, :1]
        parts = parts if exact is None else np.column_stack([parts, exact])
        middle = np.median(parts, axis=0)
        scatter = np.maximum(np.abs(parts - middle).mean(axis=0), FINEST)
        found: FloatArray = ((parts - middle) / scatter).max(axis=1)
        return found


FEW_CHOICES = 500
"""Enough for a p-value of 0.002; more would take longer than it tells."""

WITHIN = 0.25
"""Share of the variance within a run that counts against its mean: a burst in one stretch is no change."""


@dataclass(frozen=True, eq=False, slots=True)
class Scale:
    """What a deviation of each counter is measured by besides the runs; shapes (m,).

    Attributes:
        level: usual magnitude.
        event: variance of a run's rate if single steps of the counter came at random.
        scored: how deviations become a score.
        sizes: the smallest differences that matter.
        counts: which differences are in a direction that counts.
    """

    level: FloatArray
    event: FloatArray
    scored: Scored
    sizes: Sizes
    counts: Callable[[FloatArray], BoolArray]


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """All choices of runs compared; the runs under test are the first choice.

    Attributes:
        deviation: of each counter, in deviations of unchanged runs, zero where it does not count; shape (m,).
        usual: the largest deviation of each counter in choices of other runs alone; shape (m,).
        significance: by rank.
        exceeded: whether another choice has a higher score.
        worst: number of the training run whose choices have the highest scores on average.
    """

    deviation: FloatArray
    usual: FloatArray
    significance: Significance
    exceeded: bool
    worst: int | None

    @property
    def p_value(self) -> float:
        return self.significance.p_value

    @property
    def highest(self) -> bool:
        return self.significance.highest


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What was found of the runs under test.

    Attributes:
        mattering: only differences of a size that matters count; this decides.
        any: all differences count; what is certain here and does not matter is noted.
        residual: measured less predicted, mean over all stretches, shape (m,).
        reach: see :class:`Residuals`.
    """

    mattering: Ranked
    any: Ranked
    residual: FloatArray
    reach: float


def scale_of(
    sums: Sums,
    seconds: Sequence[float],
    steps: FloatArray,
    magnitude: FloatArray,
    scored: Scored,
    sizes: Sizes,
    counts: Callable[[FloatArray], BoolArray],
) -> Scale:
    """Return the scale of each counter.

    Args:
        seconds: length of each run.
        steps: smallest step of each counter, 0 for gauges; shape (m,).
        magnitude: smallest magnitude that each counter counts as; shape (m,).
        sizes, counts: see :class:`Scale`.
    """
    level: FloatArray = np.maximum(np.abs(sums.level).mean(axis=0), magnitude)
    length = float(np.mean(seconds)) or 1.0
    moving = steps > 0
    events = np.where(moving, level * length / np.where(moving, steps, 1.0), 0.0)
    event = np.where(moving, (steps * np.sqrt(np.maximum(events, 1.0)) / length) ** 2, 0.0)
    return Scale(level, event, scored, sizes, counts)


def most_choices(alpha: float) -> int:
    """Return how many choices of runs are compared."""
    return max(FEW_CHOICES, ceil(1 / alpha))


def of_runs(
    sums: Sums, scale: Scale, n_checked: int, alpha: float, once: PlainEvidence | None = None
) -> Evidence:
    """Return the evidence of the last runs against all others, every choice of as many treated alike.

    For each choice of runs, models are learned from the others, and deviations are measured in those of the
    others, each predicted without itself and without the chosen. What does not count is taken out of every
    choice alike, so that a p-value stays one.
    """
    n_runs = len(sums.sizes)
    chosen = choices(n_runs, n_checked, most_choices(alpha))
    every = np.arange(n_runs)
    found = np.empty((len(chosen), 2, sums.level.shape[1]))
    for row, some in enumerate(chosen):
        learned = np.setdiff1d(every, some)
        residual = residuals(sums, some, learned)
        deviation = np.where(
            scale.counts(residual.far),
            in_deviations(residual, spread_of(sums, learned), scale, n_checked),
            0.0,
        )
        large = np.where(scale.sizes.matter(np.abs(residual.far)), deviation, 0.0)
        found[row] = larger(large), larger(deviation)
        if not row:
            ours = residual
    exact = (None, None) if once is None else (once.mattering.score, once.any.score)
    ranked = [
        _ranked(found[:, kind], chosen, scale.scored, exact[kind], n_runs - n_checked) for kind in (0, 1)
    ]
    return Evidence(ranked[0], ranked[1], ours.far[0], ours.reach)


def _ranked(
    deviation: FloatArray, chosen: IntArray, scored: Scored, exact: FloatArray | None, n_training: int
) -> Ranked:
    """Return the rank of the first choice.

    Args:
        deviation: shape (n_choices, m).
    """
    both = np.array([scored.both(one) for one in deviation])
    scores = scored.together(both, exact)
    apart = ~np.isin(chosen, chosen[0]).any(axis=1)
    return Ranked(
        deviation[0],
        np.abs(deviation[apart]).max(axis=0, initial=0.0),
        significance(scores),
        bool((scores > scores[0] + TIE).any()),
        _worst(scores, chosen, n_training),
    )


def _worst(scores: FloatArray, chosen: IntArray, n_training: int) -> int | None:
    """Return the training run whose choices have the highest scores on average.

    If the choices are random, a run may be in none of them. Such runs are left out.
    """
    runs = np.intersect1d(chosen, np.arange(n_training)).tolist()
    return max(runs, key=lambda run: float(scores[(chosen == run).any(axis=1)].mean()), default=None)


def in_deviations(residual: Residuals, spread: FloatArray, scale: Scale, n_chosen: int) -> FloatArray:
    """Return both residuals in deviations of unchanged runs, shape (2, m); 0 for a counter that never moves.

    Args:
        spread: mean squares of the residuals of single runs, shape (2, m).
    """
    variance = (spread + scale.event + WITHIN * residual.within) * (1 / n_chosen + residual.reach)
    variance = variance + (LevelShare.LOAD * scale.level) ** 2 * (1 + residual.reach)
    found = np.zeros(variance.shape)
    np.divide(residual.far, np.sqrt(variance), out=found, where=variance > 0)
    return found


def larger(both: FloatArray) -> FloatArray:
    """Return the mean residual or the one that grows with the prediction, whichever is larger; shape (m,)."""
    mean, tilt = both
    found: FloatArray = np.where(np.abs(tilt) > np.abs(mean), tilt, mean)
    return found


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
        once: the evidence of what is counted once and not adjusted; None if there is nothing.
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
            self._counts,
        )
        return of_runs(self.sums, scale, n_checked, self.settings.alpha, self.once)

    @cached_property
    def without_worst(self) -> Evidence | None:
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

    def _counts(self, far: FloatArray) -> BoolArray:
        sign = np.array([SIGN_OF_WORSE[one.better] for one in self.properties])
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
            :attr:`buto.detectors.calibrated.load.models.Residuals.reach`; and the largest distance
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
    found = []
    for name, means in zip(check.load_names, check.loads.T, strict=True):
        usual, ours = means[: check.first_checked], means[check.first_checked :]
        low, high, mean = float(usual.min()), float(usual.max()), float(ours.mean())
        if mean > high or mean < low:
            side, bound = ("above", high) if mean > high else ("below", low)
            share = abs(mean / bound - 1) if bound else np.inf
            far = format_percent(share) if np.isfinite(share) else "far"
            found.append((share, f"{name} is {far} {side} every training run"))
    return [text for _, text in sorted(found, reverse=True)[:MOST_NAMED]]
