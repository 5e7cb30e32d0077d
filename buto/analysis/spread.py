"""Enlarge the deviation of few runs by what they cannot show.

A departure from the thesis, which uses the standard deviation of the training runs as it is. For few runs
this has two faults. A counter that is equal in all of them has a deviation of zero, so that a single class
more fails the next run. And the deviation of five runs is so uncertain that a band of twenty deviations may
be too narrow. So there are a floor and a small-sample factor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from buto.analysis.timepoints import IntArray, TimePoints
from buto.properties import Property
from buto.runs import FloatArray

GRAIN = {"By": 65536.0, "s": 0.004}
"""Smallest meaningful deviation by unit: a size class of allocators, the tick of a 250 Hz kernel."""

CPU_GRAIN_S = 0.015
"""Smallest meaningful deviation of processor time, which kernels count in ticks of 4 to 10 ms."""

_ROWS_AT_ONCE = 4096

COUNT_GRAIN = 0.5
"""Smallest meaningful deviation of whole numbers: half a count, the error of counting."""

NOMINAL_DEVIATIONS = 4.0
"""Deviations at which the small-sample factor is computed, so that it does not depend on the settings."""


def grains(properties: Sequence[Property], values: Iterable[FloatArray]) -> FloatArray:
    """Return the smallest meaningful deviation of each property by its unit, shape (n_properties,).

    Args:
        values: one array (n_samples, n_properties) for each run; a property of a unit without a grain
            counts as whole numbers if all of its values are, and has none otherwise.
    """
    whole = np.ones(len(properties), dtype=np.bool_)
    for one in values:
        for start in range(0, len(one), _ROWS_AT_ONCE):
            some = one[start : start + _ROWS_AT_ONCE]
            some = some if whole.all() else some[:, whole]
            broken = some != np.rint(some)
            if broken.any():
                whole[whole] = ~(broken & ~np.isnan(some)).any(axis=0)
    return np.array([_grain(prop, bool(whole[column])) for column, prop in enumerate(properties)])


def _grain(prop: Property, whole: bool) -> float:
    if "cpu" in prop.name and prop.unit == "s":
        return CPU_GRAIN_S
    return GRAIN.get(prop.unit, COUNT_GRAIN if whole or prop.unit.startswith("{") else 0.0)


def small_sample_factor(counts: IntArray) -> FloatArray:
    """Return the factor for a deviation estimated from ``counts`` values, same shape.

    A band of four standard deviations around a mean that is known holds a certain share of a normal
    population. To hold the same share of *new* values when mean and deviation come from n values, it
    must be ``t * sqrt(1 + 1/n)`` deviations wide, with Student's t for n - 1 degrees of freedom at the
    same probability: 5.2 times as wide for 5 values, 1.8 for 10, 1.3 for 20. t by the inverse of
    Wallace's approximation (Annals of Mathematical Statistics 30, 1959), which gives too wide bands:
    by 8 % at 5 values and 1 % at 10. Infinite for a single value.
    """
    freedom = np.maximum(counts - 1.0, 0.0)
    correction = (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = (NOMINAL_DEVIATIONS * correction) ** 2 / freedom
        student = np.sqrt(freedom * np.expm1(exponent))
        factor = student * np.sqrt(1.0 + 1.0 / counts) / NOMINAL_DEVIATIONS
    return np.where(counts > 1, factor, np.inf)


def floors(grain: FloatArray, points: TimePoints, level_share: float) -> FloatArray:
    """Return the smallest deviation of each property, shape (n_properties,).

    It is the grain and a share of the mean level over all time points, added as independent deviations.
    """
    readable = ~np.isnan(points.mean)
    level = np.where(readable, np.abs(points.mean), 0.0).sum(axis=0) / np.maximum(readable.sum(axis=0), 1)
    floor: FloatArray = np.hypot(grain, level_share * level)
    return floor


def widen(points: TimePoints, floor: FloatArray, factor: FloatArray | float = 1.0) -> TimePoints:
    """Return time points with deviations enlarged for few runs.

    The factor applies to the estimated deviation, not to the floor, which is known beforehand.

    Args:
        floor: shape (n_properties,), added as an independent deviation.
        factor: shape (n_points, n_properties), see :func:`small_sample_factor`.
    """
    scattered = points.std > 0
    estimated = points.std * np.where(scattered, factor, 1.0)
    return replace(points, std=np.hypot(estimated, floor))
