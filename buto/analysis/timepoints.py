"""Merge runs into time points; each is the distribution of the runs' values at one time.

Source: thesis, section 4.4.2. ``linear`` groups by the index of the sample, ``rounding`` by its time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.analysis.series import Series
from buto.analysis.smoothing import middle
from buto.runs import FloatArray

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class TimePoints:
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
    n_points = max((len(one) for one in series), default=0)
    n_properties = series[0].values.shape[1] if series else 0
    values = np.full((len(series), n_points, n_properties), np.nan)
    times = np.full((len(series), n_points, 1), np.nan)
    for row, one in enumerate(series):
        values[row, : len(one)] = one.values
        times[row, : len(one), 0] = one.times_s
    return time_points(distribution(times).mean[:, 0], values)


def rounding(series: Sequence[Series], interval_s: float) -> TimePoints:
    """Group by time: all samples whose times round to the same multiple of the interval form a point.

    The thesis specifies no more than that. Decided here: half an interval is rounded up; a group without
    samples gives no point; two samples of a run in one group both count, so the count of a point can differ
    from the number of runs. An infinite interval makes one group. The order of the runs does not matter.
    """
    if not any(len(one) for one in series):
        return linear(series)
    times = np.concatenate([one.times_s for one in series])
    values = np.concatenate([one.values for one in series])
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


@dataclass(frozen=True, eq=False, slots=True)
class Distribution:
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
