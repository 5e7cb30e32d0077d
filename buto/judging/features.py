"""A run as numbers for analysis: its values over time, and features that do not depend on the samples' phase.

The values over time are columns in a given order, with their times (:class:`Series`).

The bounds of the thesis compare runs moment by moment, so a saw-tooth that starts half a period later differs
at each moment. A feature summarises a whole run or a third of it, so that it is the same for two runs that do
the same work: the mean, the scatter, the last value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.run.model import FloatArray, Run
from buto.run.properties import Kind, Property

LARGEST = 1e100
"""Larger readings, such as the largest double in place of no value, are excluded from statistics."""

_ROWS_AT_ONCE = 4096

_MISSING = -1
"""Column number of a property that a run does not have: the one after all of its columns."""


class Series(Struct, frozen=True, eq=False):
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
    """Return the columns of a run in the order of ``properties``.

    Missing properties and readings that are not :func:`countable` are NaN. The values may be the run's own
    array and must not be changed.
    """
    columns = list(map(run.column_of.get, [prop.name for prop in properties]))
    sources = [_MISSING if source is None else source for source in columns]
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
    steps = [np.diff(run_series.times_s) for run_series in series if len(run_series) > 1]
    return float(np.median(np.concatenate(steps))) if steps else float("inf")


N_GRID = 60
"""Points of the common grid; a multiple of three, as many as samples in a run of the thesis."""

GAUGE_FEATURES = (
    "mean",
    "mean-early",
    "mean-middle",
    "mean-late",
    "slope",
    "deviation",
    "low",
    "median",
    "high",
    "largest",
    "last",
    "roughness",
)
COUNTER_FEATURES = ("total", "mean", "increase-early", "increase-middle", "increase-late")

TOTAL = "total"
"""What a counter has counted by the end."""

SLOPE = "slope"
"""How much a gauge grows from the first to the last third."""


class Feature(Struct, frozen=True):
    """One feature of one property.

    Attributes:
        column: number of its property.
        name: one of the names above.
    """

    column: int
    name: str


def catalogue(properties: Sequence[Property]) -> tuple[Feature, ...]:
    """Return the features of properties in the order of :func:`features`; constants have none."""
    return tuple(
        Feature(column, name) for column, prop in enumerate(properties) for name in _names(prop.kind)
    )


def on_grid(series: Series, end_s: float, n_points: int = N_GRID) -> FloatArray:
    """Return values at evenly spaced times from the program's start to ``end_s``, shape (n_points,
    n_properties).

    Values are interpolated linearly between readable samples, and constant before the first and after the
    last one. NaN for a property without any value.
    """
    if not len(series):
        return np.full((n_points, series.values.shape[1]), np.nan)
    return _interpolate(np.linspace(0.0, end_s, n_points), series.times_s, _without_gaps(series))


N_PARTS = 3
"""Parts of a run whose means are compared."""


def means_of_thirds(series: Series, end_s: float) -> FloatArray:
    """Return means over each third of the time from the program's start to ``end_s``, shape (3,
    n_properties).

    Means are of the same lines as :func:`on_grid`, and all samples count. The mean of equal values is exactly
    that value. NaN for a property without any value.
    """
    if not len(series):
        return np.full((N_PARTS, series.values.shape[1]), np.nan)
    times, values = series.times_s, _without_gaps(series)
    edges = np.linspace(0.0, end_s, N_PARTS + 1)
    at_edges = _interpolate(edges, times, values)
    first, last = np.searchsorted(times, edges, side="right"), np.searchsorted(times, edges)
    means = at_edges[:-1].copy()
    for part in range(N_PARTS if end_s > 0 else 0):
        inside = slice(first[part], max(first[part], last[part + 1]))
        steps = np.diff([edges[part], *times[inside], edges[part + 1]])[:, None]
        above = np.vstack([at_edges[part], values[inside], at_edges[part + 1]]) - at_edges[part]
        means[part] += ((above[1:] + above[:-1]) * steps).sum(axis=0) / (2 * (edges[part + 1] - edges[part]))
    return means


def features(series: Series, properties: Sequence[Property], end_s: float | None = None) -> FloatArray:
    """Return all features of a run, shape (n_features,), in the properties' units; NaN if not readable.

    Gauges: means of the run and of its thirds, the late less the early third's, standard deviation,
    quantiles .1, .5 and .9, the largest value, the last sample's, mean step. Counters: the last sample's
    value, the mean, and the increases in each third. The last sample may lie behind ``end_s``; it is taken at
    the program's exit, where threads and descriptors that are left are the same in equal runs.

    Args:
        series: columns as ``properties``.
        end_s: end of the last third; the largest value is that until then, at even moments. None for the
            whole run: a run that is faster has shorter thirds, and the largest value is that of any sample.
    """
    last = _last(series)
    series = Series(series.times_s, _without_gaps(series))
    end = (float(series.times_s[-1]) if len(series) else 0.0) if end_s is None else end_s
    grid, thirds = on_grid(series, end), means_of_thirds(series, end)
    largest = (grid if end_s is not None or not len(series) else series.values).max(axis=0)
    gauges = [column for column, prop in enumerate(properties) if prop.kind is Kind.GAUGE]
    counters = [column for column, prop in enumerate(properties) if prop.kind is Kind.COUNTER]
    of_gauges = _of_gauges(grid[:, gauges], thirds[:, gauges], largest[gauges], last[gauges])
    blocks = {
        **dict(zip(gauges, of_gauges.T, strict=True)),
        **dict(
            zip(counters, _of_counters(grid[:, counters], thirds[:, counters], last[counters]).T, strict=True)
        ),
    }
    return np.concatenate([blocks[column] for column in sorted(blocks)]) if blocks else np.empty(0)


def observations(run: Run, properties: Sequence[Property], stretches: int) -> FloatArray:
    """Return one row for each stretch of a run's time, shape (n_stretches, n_properties), to six digits.

    Stretches have equally many samples, or nearly so; a run of few samples has fewer stretches. Of a counter,
    a stretch has the rate per second, because totals grow with time and would all be correlated; of any other
    property the mean. Gaps are filled linearly.

    Args:
        properties: each with a value in the run.
        stretches: how many, at most.
    """
    series = series_of(run, properties)
    n_steps = len(series) - 1
    if n_steps < 1:
        return np.empty((0, len(properties)))
    values = _without_gaps(series)
    edges = np.linspace(0, n_steps, min(stretches, n_steps) + 1).round().astype(int)
    means = np.add.reduceat(values[1:], edges[:-1], axis=0) / np.diff(edges)[:, None]
    rates = np.diff(values[edges], axis=0) / np.diff(series.times_s[edges])[:, None]
    counters = np.array([prop.kind is Kind.COUNTER for prop in properties])
    # Of equal values the sum over a width is not exactly that value.
    constant = (np.ptp(values, axis=0) == 0) & ~counters
    return np.where(constant, values[0], significant(np.where(counters, rates, means)))


def _without_gaps(series: Series) -> FloatArray:
    """Return values with gaps filled as :func:`on_grid` says; NaN for a property without any value."""
    gaps = np.isnan(series.values)
    filled = series.values.copy() if gaps.any() else series.values
    for column in np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0)):
        read = ~gaps[:, column]
        filled[:, column] = np.interp(series.times_s, series.times_s[read], series.values[read, column])
    return filled


def _of_gauges(grid: FloatArray, thirds: FloatArray, largest: FloatArray, last: FloatArray) -> FloatArray:
    low, median, high = quantiles(grid, [0.1, 0.5, 0.9])
    return np.stack(
        [
            _mean(thirds),
            *thirds,
            thirds[-1] - thirds[0],
            grid.std(axis=0),
            low,
            median,
            high,
            largest,
            last,
            np.abs(np.diff(grid, axis=0)).mean(axis=0),
        ]
    )


def quantiles(values: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Return quantiles of each column, shape (n_shares, n_columns), to the bit those of ``np.quantile``.

    That function imports numpy's masked arrays, which takes a fiftieth of a check.

    Args:
        values: shape (n_rows, n_columns), at least one row; each column without NaN, or of nothing else.
    """
    ordered = np.sort(values, axis=0)
    places = np.multiply(shares, len(values) - 1)
    below = np.floor(places).astype(np.intp)
    low, high = ordered[below], ordered[np.minimum(below + 1, len(values) - 1)]
    step, share = high - low, (places - below)[:, None]
    numbers: FloatArray = np.where(share < 0.5, low + step * share, high - step * (1 - share))
    return numbers


def _of_counters(grid: FloatArray, thirds: FloatArray, last: FloatArray) -> FloatArray:
    edges = grid[[0, N_GRID // 3, 2 * N_GRID // 3, N_GRID - 1]]
    return np.stack([last, _mean(thirds), *np.diff(edges, axis=0)])


def _mean(parts: FloatArray) -> FloatArray:
    """Return the mean of parts of one length; of equal ones exactly their value."""
    mean: FloatArray = parts[0] + (parts - parts[0]).mean(axis=0)
    return mean


def _last(series: Series) -> FloatArray:
    if not len(series):
        return np.full(series.values.shape[1], np.nan)
    readable = ~np.isnan(series.values)
    rows = len(series) - 1 - readable[::-1].argmax(axis=0)
    last: FloatArray = series.values[rows, np.arange(series.values.shape[1])]
    return last


def _interpolate(times: FloatArray, samples: FloatArray, values: FloatArray) -> FloatArray:
    if len(samples) == 1:
        return np.repeat(values, len(times), axis=0)
    right = np.clip(np.searchsorted(samples, times), 1, len(samples) - 1)
    share = np.clip((times - samples[right - 1]) / (samples[right] - samples[right - 1]), 0.0, 1.0)
    below, above = values[right - 1], values[right]
    # In this form, equal neighbours give exactly their value.
    between: FloatArray = below + share[:, None] * (above - below)
    return between


def _names(kind: Kind) -> tuple[str, ...]:
    return {Kind.GAUGE: GAUGE_FEATURES, Kind.COUNTER: COUNTER_FEATURES, Kind.CONSTANT: ()}[kind]
