"""How far the checked runs are from what the load explains, compared with every other choice of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb

import numpy as np

from buto.analysis.contrasts import choices
from buto.analysis.timepoints import IntArray
from buto.detectors.regression_models.by_load.models import (
    Residuals,
    Sums,
    model,
    models_without_each,
    residuals,
    spread_of,
)
from buto.detectors.regression_models.by_load.scores import Scored
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
        event: variance of a unit's rate if single steps of the counter came at random.
        scored: how deviations become a score.
    """

    level: FloatArray
    event: FloatArray
    scored: Scored


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What was found of the units under test.

    Attributes:
        deviation: of each counter, in deviations of unchanged units; shape (m,).
        usual: the largest deviation of each counter in choices of other units alone; shape (m,).
        residual: measured less predicted, mean over all stretches, shape (m,).
        reach: see :class:`Residuals`.
        p_value: by rank.
        smallest: the smallest p-value that these numbers of units allow.
        highest: whether the score is higher than that of every other choice.
        exceeded: whether another choice has a higher score.
        worst: number of the training unit whose choices have the highest scores on average; None for blocks.
    """

    deviation: FloatArray
    usual: FloatArray
    residual: FloatArray
    reach: float
    p_value: float
    smallest: float
    highest: bool
    exceeded: bool = False
    worst: int | None = None


def scale_of(
    sums: Sums, seconds: Sequence[float], steps: FloatArray, least: FloatArray, scored: Scored
) -> Scale:
    """Return the scale of each counter.

    Args:
        seconds: length of each unit.
        steps: smallest step of each counter, 0 for gauges; shape (m,).
        least: smallest magnitude that each counter counts as; shape (m,).
    """
    level: FloatArray = np.maximum(np.abs(sums.level).mean(axis=0), least)
    length = float(np.mean(seconds)) or 1.0
    moving = steps > 0
    events = np.where(moving, level * length / np.where(moving, steps, 1.0), 0.0)
    event = np.where(moving, (steps * np.sqrt(np.maximum(events, 1.0)) / length) ** 2, 0.0)
    return Scale(level, event, scored)


def of_runs(sums: Sums, scale: Scale, n_checked: int, alpha: float) -> Evidence:
    """Return the evidence of the last units against all others, every choice of as many treated alike.

    For each choice of units, models are learned from the others, and deviations are measured in those of the
    others, each predicted without itself and without the chosen.
    """
    n_units = len(sums.sizes)
    chosen = choices(n_units, n_checked, max(MOST_CHOICES, ceil(1 / alpha)))
    every = np.arange(n_units)
    both, usual = np.empty((len(chosen), 2)), np.zeros(sums.level.shape[1])
    for row, some in enumerate(chosen):
        learned = np.setdiff1d(every, some)
        residual = residuals(sums, some, learned)
        deviation = deviations(residual, spread_of(sums, learned), scale, n_checked)
        both[row] = scale.scored.both(deviation)
        if not row:
            ours, our_deviation = residual, deviation
        elif not np.isin(some, chosen[0]).any():
            usual = np.maximum(usual, np.abs(deviation))
    scores = scale.scored.together(both, both)
    return Evidence(
        our_deviation,
        usual,
        ours.far[0],
        ours.reach,
        float((scores >= scores[0] - ROUNDING).mean()),
        1 / len(scores),
        bool((scores[1:] < scores[0] - ROUNDING).all()),
        bool((scores > scores[0] + ROUNDING).any()),
        _worst(scores, chosen, n_units - n_checked),
    )


def _worst(scores: FloatArray, chosen: IntArray, n_training: int) -> int | None:
    """Return the training unit whose choices have the highest scores on average.

    If the choices are random, a unit may be in none of them. Such units are left out.
    """
    units = np.intersect1d(chosen, np.arange(n_training)).tolist()
    return max(units, key=lambda unit: float(scores[(chosen == unit).any(axis=1)].mean()), default=None)


def of_blocks(sums: Sums, scale: Scale, n_checked: int) -> Evidence:
    """Return the evidence of the last units against all others, where units are blocks of long runs.

    Each checked block is compared by rank with the blocks of training, each of them predicted without itself.
    Twice the median of these p-values is a p-value however the checked blocks depend on each other. That of
    one block assumes that blocks of both runs are exchangeable.
    """
    learned = np.arange(len(sums.sizes) - n_checked)
    checked = np.arange(len(learned), len(sums.sizes))
    alone = [
        residuals(sums, np.array([place]), learned[learned != place], known)
        for place, known in zip(learned.tolist(), models_without_each(sums, learned), strict=True)
    ]
    whole = model(sums, learned)
    squares = np.array([one.far**2 / (1 + one.reach) for one in alone])
    total, n_others = squares.sum(axis=0), max(1, len(learned) - 1)
    usual = [
        deviations(one, (total - square) / n_others, scale, 1)
        for one, square in zip(alone, squares, strict=True)
    ]
    found = [residuals(sums, np.array([place]), learned, whole) for place in checked.tolist()]
    each = [deviations(one, total / len(learned), scale, 1) for one in found]
    known, found_both = (np.array([scale.scored.both(one) for one in some]) for some in (usual, each))
    scores, ours = (scale.scored.together(some, known) for some in (known, found_both))
    ranks = 1 + (scores >= ours[:, None] - ROUNDING).sum(axis=1)
    smallest = 1 / (len(learned) + 1)
    return Evidence(
        np.median(each, axis=0),
        np.abs(usual).max(axis=0),
        np.mean([one.far[0] for one in found], axis=0),
        float(np.median([one.reach for one in found])),
        min(1.0, 2 * float(np.median(ranks)) * smallest),
        2 * smallest,
        bool(np.median(ranks) == 1),
    )


def deviations(residual: Residuals, spread: FloatArray, scale: Scale, n_chosen: int) -> FloatArray:
    """Return residuals in deviations of unchanged units, shape (m,); 0 for a counter that never moves.

    Of the mean residual and the one that grows with the prediction, the larger.

    Args:
        spread: mean squares of the residuals of single units, shape (2, m).
    """
    variance = (spread + scale.event + WITHIN * residual.within) * (1 / n_chosen + residual.reach)
    variance = variance + (LEVEL_SHARE * scale.level) ** 2 * (1 + residual.reach)
    found = np.zeros(variance.shape)
    np.divide(residual.far, np.sqrt(variance), out=found, where=variance > 0)
    mean, tilt = found
    larger: FloatArray = np.where(np.abs(tilt) > np.abs(mean), tilt, mean)
    return larger


def runs_needed(n_checked: int, alpha: float) -> int:
    """Return the number of training runs that allow a decision at this level."""
    n = FEWEST_RUNS
    while comb(n + n_checked, n_checked) < 1 / alpha:
        n += 1
    return n
