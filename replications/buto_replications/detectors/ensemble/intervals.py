"""From a run to intervals of equal length with one value of each counter: the paper's normalisation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.judging.calibrated.machine_numbers import Work
from buto.judging.features import sampling_interval, series_of, significant
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import Kind, Property

MOST_INTERVALS = 720
"""Largest number of intervals of a training run: an hour of five seconds each, as in the paper."""

COLUMNS_AT_ONCE = 256

JITTER = 0.1
"""A sample that is early by at most this share of an interval belongs to the next one."""


def interval_for(runs: RunSet) -> float:
    """Return the length of an interval in seconds for these runs: the time between two samples, or longer if
    that gives more than :data:`MOST_INTERVALS`; 1 if no run has two samples.
    """
    series = [series_of(run, ()) for run in runs]
    longest = max((float(one.times_s[-1]) for one in series if len(one)), default=0.0)
    interval = max(sampling_interval(series), longest / MOST_INTERVALS)
    return float(f"{interval:.4g}") if np.isfinite(interval) and interval > 0 else 1.0


def intervals_of(
    run: Run, properties: Sequence[Property], interval_s: float, work: Work | None = None
) -> FloatArray:
    """Return the values of a run in intervals, shape (n_intervals, n_properties).

    Of gauges the median of the samples in the interval, of counters the growth during it. NaN if nothing
    could be read. A run without samples has no intervals. Values have six digits.

    Args:
        work: if given, growth is what the usual amount of work would cause; NaN in intervals without work.
    """
    # A long run is too large to be read at once.
    starts = range(0, max(1, len(properties)), COLUMNS_AT_ONCE)
    parts = [properties[start : start + COLUMNS_AT_ONCE] for start in starts]
    values = np.hstack([_intervals(run, part, interval_s) for part in parts])
    if work is not None:
        counters = [column for column, prop in enumerate(properties) if prop.kind is Kind.COUNTER]
        edges_s: FloatArray = np.arange(len(values) + 1, dtype=float) * interval_s
        values[:, counters] *= work.scale(run, edges_s)[:, None]
    return significant(values)


def _intervals(run: Run, properties: Sequence[Property], interval_s: float) -> FloatArray:
    series = series_of(run, properties)
    if not len(series):
        return np.empty((0, len(properties)))
    n_intervals = max(1, round(float(series.times_s[-1]) / interval_s))
    place = np.clip(np.floor(series.times_s / interval_s + JITTER).astype(int), 0, n_intervals - 1)
    values = np.full((n_intervals, len(properties)), np.nan)
    gauges = [column for column, prop in enumerate(properties) if prop.kind is not Kind.COUNTER]
    for number, rows in _groups(place):
        values[number, gauges] = _median(series.values[rows][:, gauges])
    edges: FloatArray = np.arange(n_intervals + 1, dtype=float) * interval_s
    for column, prop in enumerate(properties):
        if prop.kind is Kind.COUNTER:
            values[:, column] = _growth(series.times_s, series.values[:, column], edges)
    return values


def _groups(place: np.ndarray) -> list[tuple[int, slice]]:
    """Return each number in ``place``, which does not decrease, with the rows that have it."""
    numbers, starts = np.unique(place, return_index=True)
    ends = [*starts[1:], len(place)]
    return [
        (int(number), slice(start, end)) for number, start, end in zip(numbers, starts, ends, strict=True)
    ]


def _median(values: FloatArray) -> FloatArray:
    if len(values) == 1:
        only: FloatArray = values[0]
        return only
    read = ~np.isnan(values).all(axis=0)
    medians = np.full(values.shape[1], np.nan)
    medians[read] = np.nanmedian(values[:, read], axis=0)
    return medians


def _growth(times_s: FloatArray, values: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the growth between edges; NaN where no sample was read between or beside them."""
    read = ~np.isnan(values)
    if not read.any():
        return np.full(len(edges) - 1, np.nan)
    growth: FloatArray = np.diff(np.interp(edges, times_s[read], values[read]))
    return growth
