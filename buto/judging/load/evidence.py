"""How far runs are from what the load explains, compared with every other choice of as many runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
from msgspec import Struct

from buto.judging.contrasts import LevelShare, choices
from buto.judging.evidence import Evidence as PlainEvidence
from buto.judging.evidence import Sizes
from buto.judging.load.models import Residuals, Sums, measure_spread, residuals
from buto.judging.rank import TIE, Significance, significance
from buto.run.model import BoolArray, FloatArray, IntArray

LARGEST = 100.0
"""Larger deviations are as large as this."""

WORST, SHARE_OF_WORST = 5, 0.1
"""So many quantities, and at most so large a share of all, make up the broad part."""

SOFTENING = 0.1
"""Added to deviations before their logarithm is taken."""

FINEST = 0.1
"""Smallest scatter of a part over choices: a tenth of a deviation."""


class Scored(Struct, frozen=True, eq=False):
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
            exact: scores of the same choices by what is counted once, shape (n,); None without any.
        """
        parts = both if self.costs.any() else both[:, :1]
        parts = parts if exact is None else np.column_stack([parts, exact])
        middle = np.median(parts, axis=0)
        scatter = np.maximum(np.abs(parts - middle).mean(axis=0), FINEST)
        scores: FloatArray = ((parts - middle) / scatter).max(axis=1)
        return scores


FEW_CHOICES = 500
"""Enough for a p-value of 0.002; more would take longer than it tells."""

WITHIN = 0.25
"""Share of the variance within a run that counts against its mean: a burst in one stretch is no change."""


class Scale(Struct, frozen=True, eq=False):
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


class RankedCounters(Struct, frozen=True, eq=False):
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


class LoadEvidence(Struct, frozen=True, eq=False):
    """What was found of the runs under test.

    Attributes:
        mattering: only differences of a size that matters count; this decides.
        any: all differences count; what is certain here and does not matter is noted.
        exact: of the mattering ones only those of counters that no machine moves, given the load.
        residual: measured less predicted, mean over all stretches, shape (m,).
        reach: see :class:`Residuals`.
    """

    mattering: RankedCounters
    any: RankedCounters
    exact: RankedCounters
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
    sums: Sums,
    scale: Scale,
    n_checked: int,
    alpha: float,
    counted: BoolArray,
    once: PlainEvidence | None = None,
) -> LoadEvidence:
    """Return the evidence of the last runs against all others, every choice of as many treated alike.

    For each choice of runs, models are learned from the others, and deviations are measured in those of the
    others, each predicted without itself and without the chosen. What does not count is taken out of every
    choice alike, so that a p-value stays one.

    Args:
        counted: shape (m,), which counters no machine moves.
    """
    n_runs = len(sums.sizes)
    chosen = choices(n_runs, n_checked, most_choices(alpha))
    every = np.arange(n_runs)
    deviations = np.empty((len(chosen), 3, sums.level.shape[1]))
    for row, some in enumerate(chosen):
        learned = np.setdiff1d(every, some)
        residual = residuals(sums, some, learned)
        deviation = np.where(
            scale.counts(residual.far),
            in_deviations(residual, measure_spread(sums, learned), scale, n_checked),
            0.0,
        )
        large = np.where(scale.sizes.matter(np.abs(residual.far)), deviation, 0.0)
        deviations[row] = larger(large), larger(deviation), larger(np.where(counted, large, 0.0))
        if not row:
            ours = residual
    scores = (None,) * 3 if once is None else (once.mattering.score, once.any.score, once.exact.score)
    mattering, every_kind, exact = (
        _rank(deviations[:, kind], chosen, scale.scored, score, n_runs - n_checked)
        for kind, score in enumerate(scores)
    )
    return LoadEvidence(mattering, every_kind, exact, ours.far[0], ours.reach)


def _rank(
    deviation: FloatArray, chosen: IntArray, scored: Scored, exact: FloatArray | None, n_training: int
) -> RankedCounters:
    """Return the rank of the first choice.

    Args:
        deviation: shape (n_choices, m).
    """
    both = np.array([scored.both(deviations) for deviations in deviation])
    scores = scored.together(both, exact)
    apart = ~np.isin(chosen, chosen[0]).any(axis=1)
    return RankedCounters(
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
    deviations = np.zeros(variance.shape)
    np.divide(residual.far, np.sqrt(variance), out=deviations, where=variance > 0)
    return deviations


def larger(both: FloatArray) -> FloatArray:
    """Return the mean residual or the one that grows with the prediction, whichever is larger; shape (m,)."""
    mean, tilt = both
    largest: FloatArray = np.where(np.abs(tilt) > np.abs(mean), tilt, mean)
    return largest
