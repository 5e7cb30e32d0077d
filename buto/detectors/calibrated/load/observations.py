"""From a run to observations: each property's mean, or rate, over stretches of the run's time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.analysis.series import series_of
from buto.properties import Kind, Property
from buto.runs import FloatArray, Run

DIGITS = 6


def observations(run: Run, properties: Sequence[Property], stretches: int) -> FloatArray:
    """Return one row for each stretch of a run, shape (n_stretches, n_properties), to six digits.

    Stretches have equally many samples, or nearly so; a run of few samples has fewer stretches. Of a counter,
    a stretch has the rate per second, because totals grow with time and would all be correlated; of any other
    property the mean. Gaps are filled linearly.

    Args:
        properties: those that are :func:`buto.detectors.readable.readable` in the run.
        stretches: how many, at most.
    """
    series = series_of(run, properties)
    n_steps = len(series) - 1
    if n_steps < 1:
        return np.empty((0, len(properties)))
    values = _without_gaps(series.times_s, series.values)
    edges = np.linspace(0, n_steps, min(stretches, n_steps) + 1).round().astype(int)
    widths = np.diff(edges)[:, None]
    means = np.add.reduceat(values[1:], edges[:-1], axis=0) / widths
    rates = np.diff(values[edges], axis=0) / np.diff(series.times_s[edges])[:, None]
    counters = [prop.kind is Kind.COUNTER for prop in properties]
    # Of equal values the sum over a width is not exactly that value.
    result = _rounded(np.where(counters, rates, means))
    constant = np.ptp(values, axis=0) == 0
    return np.where(constant & ~np.array(counters), values[0], result)


def _without_gaps(times_s: FloatArray, values: FloatArray) -> FloatArray:
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    values = values.copy()
    for column in np.flatnonzero(gaps.any(axis=0)):
        missing = gaps[:, column]
        values[missing, column] = np.interp(times_s[missing], times_s[~missing], values[~missing, column])
    return values


def _rounded(values: FloatArray) -> FloatArray:
    """Return values with few digits, so that an oracle file is short."""
    sizes = np.abs(values)
    tiny = sizes < 1e-300
    digits = DIGITS - 1 - np.floor(np.log10(np.where(tiny, 1.0, sizes)))
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.round(values * 10.0**digits) / 10.0**digits
    return np.where(tiny, 0.0, np.where(np.isfinite(scaled), scaled, values))
