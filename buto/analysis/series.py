"""The values of one run as the analysis sees them: columns in a given order, times beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.properties import Kind, Property
from buto.runs import FloatArray, Run


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


def series_of(run: Run, properties: Sequence[Property]) -> Series:
    """The columns of a run in the order of ``properties``.

    A property that the run lacks is all NaN; so is an infinite reading, which no statistic survives.
    """
    values = np.full((len(run.times_s), len(properties)), np.nan)
    for column, prop in enumerate(properties):
        source = run.column_of.get(prop.name)
        if source is not None:
            values[:, column] = run.values[:, source]
    return Series(run.times_s, np.where(np.isfinite(values), values, np.nan))


SUMMARIES = ("mean", "last")
"""Numbers that stand for a whole run, in the order of the rows of :func:`summaries`."""


def summaries(series: Series, properties: Sequence[Property]) -> FloatArray:
    """The mean over all samples and, of counters, the last value, shape (2, n_properties).

    Unreadable values are left out; NaN where a property was never read, and for the last value of a
    gauge: while that of a counter is its total, that of a gauge is of an arbitrary moment. The mean of
    equal values is exactly that value.
    """
    readable = ~np.isnan(series.values)
    result = np.full((len(SUMMARIES), series.values.shape[1]), np.nan)
    columns = np.flatnonzero(readable.any(axis=0))
    if not len(columns):
        return result
    values, readable = series.values[:, columns], readable[:, columns]
    last = values[len(series) - 1 - readable[::-1].argmax(axis=0), range(len(columns))]
    result[0, columns] = last + np.where(readable, values - last, 0.0).sum(axis=0) / readable.sum(axis=0)
    result[1, columns] = last
    counters = [prop.kind is Kind.COUNTER for prop in properties]
    result[1] = np.where(counters, result[1], np.nan)
    return result


def sampling_interval(series: Sequence[Series]) -> float:
    """The median time between two samples over all runs, seconds; infinite if none has two samples."""
    steps = [np.diff(one.times_s) for one in series if len(one) > 1]
    return float(np.median(np.concatenate(steps))) if steps else float("inf")
