"""The values of one run as the analysis sees them: columns in a given order, times beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.properties import Kind, Property
from buto.runs import FloatArray, Run
from buto.runs.long import LongRun

LARGEST = 1e100
"""Of larger readings, such as the largest double that stands for none, no statistic can be made."""

_ROWS_AT_ONCE = 4096

_MISSING = -1
"""Column of a property that a run lacks: the one behind all that it has."""


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
    """Which readings are numbers that statistics can be made of: neither NaN nor beyond LARGEST."""
    small: npt.NDArray[np.bool_] = np.abs(values) <= LARGEST
    return small


def series_of(run: Run, properties: Sequence[Property]) -> Series:
    """The columns of a run in the order of ``properties``, of a long run all samples.

    A property that the run lacks is all NaN; so is a reading that is not :func:`countable`. The values may be
    the run's own, and must not be changed.
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
    # take, unlike an index, gives rows that lie together, which all that follows is faster for.
    values = values.take(sources, axis=1)
    for start in range(0, len(values), _ROWS_AT_ONCE):
        block = values[start : start + _ROWS_AT_ONCE]
        block[~countable(block)] = np.nan
    return Series(run.times_s, values)


def _all_countable(values: FloatArray) -> bool:
    return not values.size or bool(values.max() <= LARGEST and values.min() >= -LARGEST)


SUMMARIES = ("mean", "last")
"""Numbers that stand for a whole run, in the order of the rows of :func:`summaries`."""


def summaries(series: Series, properties: Sequence[Property]) -> FloatArray:
    """The mean over all samples and, of counters, the last value, shape (2, n_properties).

    Unreadable values are left out; NaN where a property was never read, and for the last value of a
    gauge: while that of a counter is its total, that of a gauge is of an arbitrary moment. The mean of
    equal values is exactly that value.
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
    """The median time between two samples over all runs, seconds; infinite if none has two samples."""
    steps = [np.diff(one.times_s) for one in series if len(one) > 1]
    return float(np.median(np.concatenate(steps))) if steps else float("inf")
