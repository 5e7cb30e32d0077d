"""Plain rivals of the published methods: a t-test, an envelope, and a percentage of one number a counter.

Each compares runs with prior ones, counter by counter. The worst counter is the score of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10

import numpy as np

from buto.run.model import FloatArray, Run
from buto.run.properties import Kind, Property
from buto_replications.detectors.machines.numbers import Work

GRAIN = 0.01
"""Smallest deviation of a counter that counts in a t-test, as a share of its level."""

ALPHA, MARGIN, SHARE = 0.05, 0.1, 0.3
"""What is typed: a level of significance, how far beyond all prior runs, and how far from their mean."""


def levels(runs: Sequence[Run], properties: Sequence[Property], work: Work | None = None) -> FloatArray:
    """Return one number of each run and counter: the growth in the window, or the mean of a gauge.

    Args:
        work: by which growth is scaled to the usual amount; None: it is not.

    Returns:
        Shape (n_runs, n_counters); NaN for what was never read.
    """
    return np.array([_levels(run, properties, work) for run in runs])


def _levels(run: Run, properties: Sequence[Property], work: Work | None) -> FloatArray:
    scale = 1.0 if work is None else float(work.scale(run, run.times_s[[0, -1]])[0])
    rows = [(run.series(prop.name), prop.kind) for prop in properties]
    return np.array([_level(values[~np.isnan(values)], kind, scale) for values, kind in rows])


def _level(values: FloatArray, kind: Kind, scale: float) -> float:
    if not len(values):
        return np.nan
    return scale * float(values[-1] - values[0]) if kind is Kind.COUNTER else float(values.mean())


def p_values(prior: FloatArray, new: FloatArray, mean_of: int = 1) -> FloatArray:
    """Return the p-value of each new run and counter by Student's t, two-sided, each run by itself.

    Args:
        prior: shape (n_prior, n_counters), two runs or more.
        new: shape (n_new, n_counters).
        mean_of: of how many runs each new row is the mean.

    Returns:
        Shape (n_new, n_counters).
    """
    from scipy.stats import t as students_t

    floor = GRAIN * np.abs(prior).mean(axis=0)
    deviation = np.hypot(prior.std(axis=0, ddof=1), np.where(floor > 0, floor, 1.0))
    error = deviation * np.sqrt(1 / mean_of + 1 / len(prior))
    two_sided: FloatArray = 2 * students_t.sf(np.abs(new - prior.mean(axis=0)) / error, len(prior) - 1)
    return two_sided


def outside(prior: FloatArray, new: FloatArray) -> FloatArray:
    """Return how far each new value is outside the range of the prior ones, as a share of the nearer end.

    0 inside; shapes as in :func:`p_values`.
    """
    low, high = prior.min(axis=0), prior.max(axis=0)
    return np.maximum(_share(new - high, high), _share(low - new, low)).clip(0.0)


def away(prior: FloatArray, new: FloatArray) -> FloatArray:
    """Return how far each new value is from the mean of the prior ones, as a share of it; see
    :func:`p_values`.
    """
    mean = prior.mean(axis=0)
    return np.abs(_share(new - mean, mean))


def _share(difference: FloatArray, of: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / np.abs(of))


Worst = Callable[[FloatArray, FloatArray, int], FloatArray]
"""From prior rows, new rows and of how many runs each of these is the mean, to one score for each new row."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A plain method.

    Attributes:
        worst: the score of the worst counter; counters that were not read are ignored.
        limit: a run fails if its score is larger.
    """

    title: str
    worst: Worst
    limit: float


def _evidence(prior: FloatArray, new: FloatArray, mean_of: int) -> FloatArray:
    """Return how many powers of ten the smallest p-value is below 1 after Bonferroni's correction."""
    smallest = np.nanmin(p_values(prior, new, mean_of), axis=1)
    powers: FloatArray = -np.log10(np.maximum(prior.shape[1] * smallest, 1e-300))
    return powers


def _most(measure: Callable[[FloatArray, FloatArray], FloatArray]) -> Worst:
    def worst(prior: FloatArray, new: FloatArray, mean_of: int) -> FloatArray:
        largest: FloatArray = np.nanmax(measure(prior, new), axis=1)
        return largest

    return worst


RIVALS = (
    Rival("t-test, Bonferroni", _evidence, -log10(ALPHA)),
    Rival("envelope ± 10 %", _most(outside), MARGIN),
    Rival("mean ± 30 %", _most(away), SHARE),
)
