"""Smooth with a window that slides over the samples (thesis, section 4.4.1).

Source: the window's centre is replaced by the mean or the median of what the window holds, and half
a window is lost at either end. The thesis does not specify unreadable values, windows longer
than the run, and rounding; see :func:`smooth` for these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from buto.analysis.series import Series
from buto.runs import FloatArray

_Scalar = TypeVar("_Scalar", bound=np.generic)

SMOOTHERS: dict[str, Callable[[FloatArray, int], FloatArray] | None]
"""Name to a function from values (n_samples, n_properties) and a window that fits into them to
(n_samples - window + 1, n_properties)."""


def smooth(series: Series, method: str, window: int) -> Series:
    """Smooth every property of a run; a point has the time of its window's centre.

    Args:
        method: a name in ``SMOOTHERS``; ``none`` returns the series as it is.
        window: odd number of samples, at least 1; ValueError otherwise.

    Returns:
        ``n_samples - window + 1`` points, none if the run is shorter than the window. NaN is left
        out of windows; a window of only NaN gives NaN. A constant stays exactly that constant.
    """
    if window < 1 or window % 2 == 0:
        raise ValueError(f"a smoothing window has an odd number of samples, not {window}")
    smoother = SMOOTHERS[method]
    if smoother is None or window == 1:
        return series
    if window > len(series):
        return Series(series.times_s[:0], series.values[:0])
    half = window // 2
    return Series(series.times_s[half : len(series) - half], smoother(series.values, window))


def _mean(values: FloatArray, window: int) -> FloatArray:
    # Sum distances from the first readable value of a window, so that constants stay exact.
    first, *others = shifted = _shifted(values, window)
    readable = ~np.isnan(values)
    total = np.zeros_like(first)
    if readable.all():
        distance = np.empty_like(first)
        for one in others:
            np.subtract(one, first, out=distance)
            total += distance
        total /= window
        return np.add(total, first, out=total)
    base = functools.reduce(_or_else, shifted)
    for one in others:
        total += _or_else(one - base, np.zeros(()))
    counts = np.sum(_shifted(readable, window), axis=0)
    smoothed: FloatArray = base + total / np.maximum(counts, 1)
    return smoothed


def _or_else(values: FloatArray, others: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), others, values)


def _median(values: FloatArray, window: int) -> FloatArray:
    windows: FloatArray = np.stack(_shifted(values, window))
    counts = (~np.isnan(windows)).sum(axis=0)
    windows.sort(axis=0)
    return middle(windows, counts)


def _shifted(values: npt.NDArray[_Scalar], window: int) -> list[npt.NDArray[_Scalar]]:
    """Yield the first values of all windows, then the second ones, and so on."""
    n_points = len(values) - window + 1
    return [values[shift : shift + n_points] for shift in range(window)]


def middle(ordered: FloatArray, counts: npt.NDArray[np.int64]) -> FloatArray:
    """Return the median along the first axis of values sorted with NaN last.

    ``counts`` of them are not NaN.
    """
    if (counts == len(ordered)).all():
        below, above = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    else:
        rows = np.maximum(counts - 1, 0) // 2, np.minimum(counts // 2, len(ordered) - 1)
        below, above = (np.take_along_axis(ordered, row[np.newaxis], axis=0)[0] for row in rows)
    # a + (b - a) / 2 is exact where both are equal; (a + b) / 2 may overflow.
    median: FloatArray = below + (above - below) / 2
    return median


SMOOTHERS = {"none": None, "mean": _mean, "median": _median}
