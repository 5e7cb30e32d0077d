"""Equal-width bins of counters over all prior tests, with open outer bins for what none of them had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.analysis.series import significant as rounded
from buto.runs import FloatArray

IntArray = npt.NDArray[np.int64]

UNREAD = -1
"""The bin of a value that could not be read."""

MOST_BINS = 60


@dataclass(frozen=True, eq=False, slots=True)
class Bins:
    """The bins of each counter: 0 is below all prior tests, 1 to ``counts`` inside, the next one above.

    Attributes:
        low, high: shape (n_counters,), limits of what prior tests had.
        counts: shape (n_counters,), number of inner bins, at least 1.
    """

    low: FloatArray
    high: FloatArray
    counts: IntArray

    def limits(self, counter: int, number: int) -> tuple[float, float]:
        """Return the lower and upper limit of a bin; infinite for the open side of an outer bin."""
        low, high, count = float(self.low[counter]), float(self.high[counter]), int(self.counts[counter])
        width = (high - low) / count
        lower = -np.inf if number < 1 else high if number > count else low + (number - 1) * width
        upper = low if number < 1 else np.inf if number > count else low + number * width
        return float(lower), float(upper)


def number_of_bins(n_unique: int) -> int:
    """Return the paper's number of bins for so many different values: max(1, 2 ln u), rounded."""
    return min(MOST_BINS, max(1, round(2 * float(np.log(max(1, n_unique))))))


def learn_bins(tests: Sequence[FloatArray], resolution: float, apart: FloatArray | float = 0.0) -> Bins:
    """Return the bins of the values of all prior tests together.

    Args:
        tests: each of shape (n_intervals, n_counters); NaN where nothing was read. Each counter has a value.
        resolution: no bin is narrower than this share of the counter's largest magnitude, and a value must
            lie further outside than this share to be in an outer bin; 0 for no limit.
    """
    values = np.vstack(tests)
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    counts = np.ones(values.shape[1], dtype=np.int64)
    for counter, column in enumerate(values.T):
        counts[counter] = number_of_bins(len(np.unique(column[~np.isnan(column)])))
    narrowest = margin(low, high, resolution, apart)
    some = narrowest > 0
    wide_enough = np.floor((high - low)[some] / narrowest[some]).astype(np.int64)
    counts[some] = np.clip(counts[some], 1, np.maximum(1, wide_enough))
    return Bins(*widened(low, high, resolution, apart), counts)


def margin(
    low: FloatArray, high: FloatArray, resolution: float, apart: FloatArray | float = 0.0
) -> FloatArray:
    """Return the smallest difference of each counter that means something, same shape."""
    return np.maximum(resolution * np.maximum(np.abs(low), np.abs(high)), apart)


def widened(
    low: FloatArray, high: FloatArray, resolution: float, apart: FloatArray | float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return limits that are further out by the :func:`margin`, with few digits; the same ones without it."""
    beyond = margin(low, high, resolution, apart)
    lower, upper = rounded(low - beyond), rounded(high + beyond)
    return np.where(beyond > 0, lower, low), np.where(beyond > 0, upper, high)


def discretise(values: FloatArray, bins: Bins) -> IntArray:
    """Return the number of the bin of each value, same shape; :data:`UNREAD` for NaN."""
    span = bins.high - bins.low
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = np.floor((values - bins.low) / np.where(span > 0, span, 1.0) * bins.counts)
    numbers = np.clip(np.nan_to_num(inside), 0, bins.counts - 1).astype(np.int64) + 1
    numbers = np.where(values < bins.low, 0, np.where(values > bins.high, bins.counts + 1, numbers))
    return np.where(np.isnan(values), UNREAD, numbers)
