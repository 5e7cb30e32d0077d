"""Smoothing with a window that slides over the samples (thesis, section 4.4.1).

Source: the window's centre is replaced by the mean or the median of what the window holds, and half
a window is lost at either end. The thesis says nothing of unreadable values, of windows that are
longer than the run, nor of rounding; what holds here stands at :func:`smooth`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from buto.analysis.series import Series
from buto.runs import FloatArray

SMOOTHERS: dict[str, Callable[[FloatArray], FloatArray] | None]
"""Name to a function from windows (window, n_points, n_properties) to (n_points, n_properties)."""


def smooth(series: Series, method: str, window: int) -> Series:
    """Smooth every property of a run; the time of a point is that of the window's centre.

    Args:
        method: a name in ``SMOOTHERS``; ``none`` returns the series as it is.
        window: odd number of samples, at least 1; ValueError otherwise.

    Returns:
        ``n_samples - window + 1`` points, none if the run is shorter than the window. NaN: left out
        of its windows; a window of nothing else gives NaN. A constant stays that very constant, with
        no rounding residue.
    """
    if window < 1 or window % 2 == 0:
        raise ValueError(f"a smoothing window has an odd number of samples, not {window}")
    smoother = SMOOTHERS[method]
    if smoother is None or window == 1:
        return series
    n_points = max(0, len(series) - window + 1)
    half = window // 2
    windows = np.stack([series.values[shift : shift + n_points] for shift in range(window)])
    return Series(series.times_s[half : half + n_points], smoother(windows))


def fitting_window(window: int, n_samples: int) -> int:
    """The largest odd window up to ``window`` that loses no more than a third of ``n_samples``.

    A departure from the thesis, whose runs all had some fifty samples: a program of a few samples
    would be smoothed away whole.
    """
    largest = n_samples // 3 + 1
    return max(1, min(window, largest if largest % 2 else largest - 1))


def _mean(windows: FloatArray) -> FloatArray:
    # Summing distances from the smallest value keeps constants exact.
    readable = ~np.isnan(windows)
    counts = readable.sum(axis=0)
    base = np.where(readable, windows, np.inf).min(axis=0, initial=np.inf)
    base = np.where(counts > 0, base, np.nan)
    distances = np.where(readable, windows - base, 0.0).sum(axis=0)
    smoothed: FloatArray = base + distances / np.maximum(counts, 1)
    return smoothed


def _median(windows: FloatArray) -> FloatArray:
    counts = (~np.isnan(windows)).sum(axis=0)
    ordered = np.sort(windows, axis=0)
    return middle(ordered, counts)


def middle(ordered: FloatArray, counts: npt.NDArray[np.int64]) -> FloatArray:
    """Median along the first axis of values sorted with NaN last, of which ``counts`` are no NaN."""
    below = np.take_along_axis(ordered, np.maximum(counts - 1, 0)[np.newaxis] // 2, axis=0)[0]
    above = np.take_along_axis(ordered, (counts // 2)[np.newaxis].clip(max=len(ordered) - 1), axis=0)[0]
    # a + (b - a) / 2 is exact where both are equal; (a + b) / 2 may overflow.
    return np.where(counts > 0, below + (above - below) / 2, np.nan)


SMOOTHERS = {"none": None, "mean": _mean, "median": _median}
