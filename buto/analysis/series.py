"""The values of one run as the analysis sees them: columns in a given order, times beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.properties import Property
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


def last_values(series: Series) -> FloatArray:
    """The last value that could be read of each property, shape (n_properties,); NaN without one."""
    last = np.full(series.values.shape[1], np.nan)
    readable = ~np.isnan(series.values)
    columns = np.flatnonzero(readable.any(axis=0))
    rows = len(series) - 1 - readable[::-1, columns].argmax(axis=0)
    last[columns] = series.values[rows, columns]
    return last


def sampling_interval(series: Sequence[Series]) -> float:
    """The median time between two samples over all runs, seconds; infinite if none has two samples."""
    steps = [np.diff(one.times_s) for one in series if len(one) > 1]
    return float(np.median(np.concatenate(steps))) if steps else float("inf")
