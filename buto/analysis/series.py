"""The values of one run for analysis: columns in a given order, with their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.properties import Kind, Property
from buto.runs import FloatArray, Run
from buto.runs.long import LongRun

LARGEST = 1e100
"""Larger readings, such as the largest double in place of no value, are excluded from statistics."""

_ROWS_AT_ONCE = 4096

_MISSING = -1
"""Column number of a property that a run does not have: the one after all of its columns."""


@dataclass(frozen=True, eq=False, slots=True)
class Series:
    """Several properties over time.

    Attributes:
        times_s: shape (n_samples,), increasing, seconds from the program's start.
        values: shape (n_samples, n_properties), NaN where nothing could be read.
    """

    times_s: FloatArray
    values: FloatArray

    def __len__(self) -> int:
        return len(self.times_s)


def countable(values: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which readings can be used in statistics: neither NaN nor beyond LARGEST."""
    small: npt.NDArray[np.bool_] = np.abs(values) <= LARGEST
    return small


def significant(values: FloatArray, digits: int = 6) -> FloatArray:
    """Return values rounded to so many significant digits, which print short; the same shape."""
    rounded = [float(f"{value:.{digits}g}") for value in np.ravel(values).tolist()]
    return np.array(rounded, dtype=float).reshape(np.shape(values))


def series_of(run: Run, properties: Sequence[Property]) -> Series:
    """Return the columns of a run in the order of ``properties``; all samples of a long run.

    Missing properties and readings that are not :func:`countable` are NaN. The values may be the run's own
    array and must not be changed.
    """
    if isinstance(run, LongRun):
        run = run.part(properties)
    found = list(map(run.column_of.get, [prop.name for prop in properties]))
    sources = [_MISSING if source is None else source for source in found]
    values = run.values
    if sources == list(range(values.shape[1])) and values.flags.c_contiguous and _all_countable(values):
        return Series(run.times_s, values)
    if _MISSING in sources:
        values = np.hstack([values, np.full((len(run.times_s), 1), np.nan)])
    # take, unlike an index, returns contiguous rows, which makes the following steps faster.
    values = values.take(sources, axis=1)
    for start in range(0, len(values), _ROWS_AT_ONCE):
        block = values[start : start + _ROWS_AT_ONCE]
        block[~countable(block)] = np.nan
    return Series(run.times_s, values)


def _all_countable(values: FloatArray) -> bool:
    return not values.size or bool(values.max() <= LARGEST and values.min() >= -LARGEST)


SUMMARIES = ("mean", "last")
"""Names of the numbers that summarise a run, in the order of the rows of :func:`summaries`."""


def summaries(series: Series, properties: Sequence[Property]) -> FloatArray:
    """Return the mean over all samples and the last value of counters, shape (2, n_properties).

    Unreadable values are left out. NaN if a property was never read, and for the last value of a gauge: that
    of a counter is its total, but that of a gauge is of an arbitrary moment. The mean of equal values is
    exactly that value.
    """
    result = np.full((len(SUMMARIES), series.values.shape[1]), np.nan)
    if not len(series):
        return result
    unreadable = np.isnan(series.values)
    if unreadable.any():
        last = series.values[len(series) - 1 - unreadable[::-1].argmin(axis=0), np.arange(len(properties))]
        distances = np.where(unreadable, 0.0, series.values - last)
        counts = np.maximum((~unreadable).sum(axis=0), 1)
    else:
        last, counts = series.values[-1], np.array(len(series))
        distances = series.values - last
    counter = Kind.COUNTER
    result[0] = last + distances.sum(axis=0) / counts
    result[1] = np.where([prop.kind is counter for prop in properties], last, np.nan)
    return result


def sampling_interval(series: Sequence[Series]) -> float:
    """Return the median time between two samples of all runs, in seconds; infinite if no run has two."""
    steps = [np.diff(one.times_s) for one in series if len(one) > 1]
    return float(np.median(np.concatenate(steps))) if steps else float("inf")
