"""From runs to time points, each of which is the distribution of the runs' values at one time.

Smoothing comes first (thesis, section 4.4.1): a window slides over the samples, its centre is replaced by the
mean or the median of what the window holds, and half a window is lost at either end. The thesis does not
specify unreadable values, windows longer than the run, and rounding; see :func:`smooth` for these.

Then runs are merged (thesis, section 4.4.2): ``linear`` groups by the index of the sample, ``rounding`` by
its time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.judging.features import Series
from buto.run.model import FloatArray, IntArray

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
    first, *others = shifted = _shift(values, window)
    readable = ~np.isnan(values)
    total = np.zeros_like(first)
    if readable.all():
        distance = np.empty_like(first)
        for other_values in others:
            np.subtract(other_values, first, out=distance)
            total += distance
        total /= window
        return np.add(total, first, out=total)
    base = functools.reduce(_or_else, shifted)
    for other_values in others:
        total += _or_else(other_values - base, np.zeros(()))
    counts = np.sum(_shift(readable, window), axis=0)
    smoothed: FloatArray = base + total / np.maximum(counts, 1)
    return smoothed


def _or_else(values: FloatArray, others: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), others, values)


def _median(values: FloatArray, window: int) -> FloatArray:
    windows: FloatArray = np.stack(_shift(values, window))
    counts = (~np.isnan(windows)).sum(axis=0)
    windows.sort(axis=0)
    return middle(windows, counts)


def _shift(values: npt.NDArray[_Scalar], window: int) -> list[npt.NDArray[_Scalar]]:
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


class TimePoints(Struct, frozen=True, eq=False):
    """Distributions of several properties over time.

    Attributes:
        times_s: shape (n_points,), the mean time of the samples in a point.
        counts: shape (n_points, n_properties), number of values; with ``linear``, at most one of each run.
        mean, median: shape (n_points, n_properties); NaN where there is no value.
        std: the same shape, with n - 1 in the denominator (ddof 1); NaN if there is no value, and 0
            if there is one, as in Commons Math, which the thesis's listings call.
    """

    times_s: FloatArray
    counts: IntArray
    mean: FloatArray
    median: FloatArray
    std: FloatArray

    def __len__(self) -> int:
        return len(self.times_s)


def linear(series: Sequence[Series]) -> TimePoints:
    """Group by index: the i-th samples of all runs form the i-th point.

    Runs may differ in length: a point contains the runs that are long enough, and there are as many points as
    the longest run has samples. The order of the runs does not matter.
    """
    n_points = max((len(run_series) for run_series in series), default=0)
    n_properties = series[0].values.shape[1] if series else 0
    values = np.full((len(series), n_points, n_properties), np.nan)
    times = np.full((len(series), n_points, 1), np.nan)
    for row, run_series in enumerate(series):
        values[row, : len(run_series)] = run_series.values
        times[row, : len(run_series), 0] = run_series.times_s
    return time_points(distribution(times).mean[:, 0], values)


def rounding(series: Sequence[Series], interval_s: float) -> TimePoints:
    """Group by time: all samples whose times round to the same multiple of the interval form a point.

    The thesis specifies no more than that. Decided here: half an interval is rounded up; a group without
    samples gives no point; two samples of a run in one group both count, so the count of a point can differ
    from the number of runs. An infinite interval makes one group. The order of the runs does not matter.
    """
    if not any(len(run_series) for run_series in series):
        return linear(series)
    times = np.concatenate([run_series.times_s for run_series in series])
    values = np.concatenate([run_series.values for run_series in series])
    _, group, sizes = np.unique(np.floor(times / interval_s + 0.5), return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    group = group[order]
    slot = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
    grouped = np.full((sizes.max(), len(sizes), values.shape[1]), np.nan)
    grouped[slot, group] = values[order]
    times_grouped = np.full((sizes.max(), len(sizes)), np.nan)
    times_grouped[slot, group] = times[order]
    return time_points(distribution(times_grouped).mean, grouped)


def time_points(times_s: FloatArray, values: FloatArray) -> TimePoints:
    """Return points at times (n_points,) from values (n_runs, n_points, n_properties); NaN is left out."""
    spread = distribution(values)
    return TimePoints(times_s, spread.counts, spread.mean, spread.median, spread.std)


class Distribution(Struct, frozen=True, eq=False):
    """Return count, mean, median and deviation along the first axis; see :class:`TimePoints`."""

    counts: IntArray
    mean: FloatArray
    median: FloatArray
    std: FloatArray


_BLOCK = 1 << 14
"""Number of values that are summarised at once, so that they and the results fit into a processor's cache."""


def distribution(values: FloatArray) -> Distribution:
    """Summarise values (n_runs, n_points, ...) over the runs; NaN is left out.

    Equal values give exactly their value and a deviation of exactly 0. The order of runs does not change a
    bit.
    """
    n_points = values.shape[1]
    size = max(1, _BLOCK * n_points // max(1, values.size))
    blocks = [_distribution(values[:, start : start + size]) for start in range(0, max(1, n_points), size)]
    return Distribution(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _distribution(values: FloatArray) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    ordered = np.sort(values, axis=0)
    base = ordered[0] if len(ordered) else np.full(values.shape[1:], np.nan)
    above_base = ordered - base
    unreadable = np.isnan(above_base)
    some_lack = bool(unreadable.any())
    counts = len(ordered) - (unreadable.sum(axis=0) if some_lack else np.zeros(base.shape, dtype=np.int64))
    if some_lack:
        above_base[unreadable] = 0.0
    mean_above = above_base.sum(axis=0) / np.maximum(counts, 1)
    above_base -= mean_above
    if some_lack:
        above_base[unreadable] = 0.0
    squares = np.square(above_base, out=above_base).sum(axis=0)
    std = np.where(counts > 0, np.sqrt(squares / np.maximum(counts - 1, 1)), np.nan)
    median = middle(ordered, counts) if len(ordered) else base
    return counts, base + mean_above, median, std


GENERATORS: dict[str, Callable[[Sequence[Series], float], TimePoints]] = {
    "linear": lambda series, _: linear(series),
    "rounding": rounding,
}
"""By name, a function from the runs' series and the interval between two samples, in seconds."""
