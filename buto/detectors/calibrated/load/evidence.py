"""How far the checked runs are from what the load explains, compared with every other choice of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb

import numpy as np
import numpy.typing as npt

from buto.analysis.contrasts import choices
from buto.analysis.timepoints import IntArray
from buto.detectors.calibrated.load.models import Residuals, Sums, residuals, spread_of
from buto.detectors.calibrated.load.scores import Scored
from buto.detectors.calibrated.relevance import Sizes
from buto.runs import FloatArray

MOST_CHOICES = 500
"""Enough for a p-value of 0.002; more would take longer than it tells."""

LEVEL_SHARE = 0.01
"""Share of a counter's level: a smaller difference means little."""

WITHIN = 0.25
"""Share of the variance within a run that counts against its mean: a burst in one stretch is no change."""

FEWEST_RUNS = 3
"""Fewer do not show how far runs deviate from each other."""

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, slots=True)
class Scale:
    """What a deviation of each counter is measured by besides the runs; shapes (m,).

    Attributes:
        level: usual magnitude.
        event: variance of a run's rate if single steps of the counter came at random.
        scored: how deviations become a score.
        sizes: the smallest differences that matter.
        sign: 1 where only more is worse and counts, -1 where only less does, 0 where both count, NaN if none.
    """

    level: FloatArray
    event: FloatArray
    scored: Scored
    sizes: Sizes
    sign: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """All choices of runs compared; the runs under test are the first choice.

    Attributes:
        deviation: of each counter, in deviations of unchanged runs, zero where it does not count; shape (m,).
        usual: the largest deviation of each counter in choices of other runs alone; shape (m,).
        p_value: by rank.
        highest: whether the score is higher than that of every other choice.
        exceeded: whether another choice has a higher score.
        worst: number of the training run whose choices have the highest scores on average.
    """

    deviation: FloatArray
    usual: FloatArray
    p_value: float
    highest: bool
    exceeded: bool
    worst: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What was found of the runs under test.

    Attributes:
        mattering: only differences of a size that matters count; this decides.
        any: all differences count; what is certain here and does not matter is noted.
        residual: measured less predicted, mean over all stretches, shape (m,).
        reach: see :class:`Residuals`.
        smallest: the smallest p-value that these numbers of runs allow.
    """

    mattering: Ranked
    any: Ranked
    residual: FloatArray
    reach: float
    smallest: float


def scale_of(
    sums: Sums,
    seconds: Sequence[float],
    steps: FloatArray,
    magnitude: FloatArray,
    scored: Scored,
    sizes: Sizes,
    sign: FloatArray,
) -> Scale:
    """Return the scale of each counter.

    Args:
        seconds: length of each run.
        steps: smallest step of each counter, 0 for gauges; shape (m,).
        magnitude: smallest magnitude that each counter counts as; shape (m,).
        sizes, sign: see :class:`Scale`.
    """
    level: FloatArray = np.maximum(np.abs(sums.level).mean(axis=0), magnitude)
    length = float(np.mean(seconds)) or 1.0
    moving = steps > 0
    events = np.where(moving, level * length / np.where(moving, steps, 1.0), 0.0)
    event = np.where(moving, (steps * np.sqrt(np.maximum(events, 1.0)) / length) ** 2, 0.0)
    return Scale(level, event, scored, sizes, sign)


def of_runs(sums: Sums, scale: Scale, n_checked: int, alpha: float) -> Evidence:
    """Return the evidence of the last runs against all others, every choice of as many treated alike.

    For each choice of runs, models are learned from the others, and deviations are measured in those of the
    others, each predicted without itself and without the chosen. What does not count is taken out of every
    choice alike, so that a p-value stays one.
    """
    n_runs = len(sums.sizes)
    chosen = choices(n_runs, n_checked, max(MOST_CHOICES, ceil(1 / alpha)))
    every = np.arange(n_runs)
    found = np.empty((len(chosen), 2, sums.level.shape[1]))
    for row, some in enumerate(chosen):
        learned = np.setdiff1d(every, some)
        residual = residuals(sums, some, learned)
        deviation = np.where(
            worse(residual.far, scale.sign),
            in_deviations(residual, spread_of(sums, learned), scale, n_checked),
            0.0,
        )
        large = np.where(scale.sizes.matter(np.abs(residual.far)), deviation, 0.0)
        found[row] = larger(large), larger(deviation)
        if not row:
            ours = residual
    ranked = [_ranked(found[:, kind], chosen, scale.scored, n_runs - n_checked) for kind in (0, 1)]
    return Evidence(ranked[0], ranked[1], ours.far[0], ours.reach, 1 / len(chosen))


def worse(far: FloatArray, sign: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which differences are in a direction that counts, the shape of ``far``.

    Args:
        sign: see :class:`Scale`.
    """
    found: npt.NDArray[np.bool_] = (sign == 0) | (far * sign > 0)
    return found


def _ranked(deviation: FloatArray, chosen: IntArray, scored: Scored, n_training: int) -> Ranked:
    """Return the rank of the first choice.

    Args:
        deviation: shape (n_choices, m).
    """
    both = np.array([scored.both(one) for one in deviation])
    scores = scored.together(both, both)
    apart = ~np.isin(chosen, chosen[0]).any(axis=1)
    return Ranked(
        deviation[0],
        np.abs(deviation[apart]).max(axis=0, initial=0.0),
        float((scores >= scores[0] - ROUNDING).mean()),
        bool((scores[1:] < scores[0] - ROUNDING).all()),
        bool((scores > scores[0] + ROUNDING).any()),
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
    variance = variance + (LEVEL_SHARE * scale.level) ** 2 * (1 + residual.reach)
    found = np.zeros(variance.shape)
    np.divide(residual.far, np.sqrt(variance), out=found, where=variance > 0)
    return found


def larger(both: FloatArray) -> FloatArray:
    """Return the mean residual or the one that grows with the prediction, whichever is larger; shape (m,)."""
    mean, tilt = both
    found: FloatArray = np.where(np.abs(tilt) > np.abs(mean), tilt, mean)
    return found


def runs_needed(n_checked: int, alpha: float) -> int:
    """Return the number of training runs that allow a decision at this level."""
    n = FEWEST_RUNS
    while comb(n + n_checked, n_checked) < 1 / alpha:
        n += 1
    return n
