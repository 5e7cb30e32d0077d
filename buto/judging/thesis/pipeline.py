"""The thesis's analysis of dynamic properties from runs to bounds, and of a run against bounds.

Source: thesis, sections 4.4 and 4.7, Figure 4.4: smoothing, time points, bounds, matching. Every
intermediate result is returned, for plots and for examination. The default :class:`PipelineSettings` are the
thesis's best configuration.

Matching finds the bounds at the time of a sample (section 4.4.7). ``nearest`` follows the text. The printed
Listing C.8 compares each distance with the collection interval instead of the smallest distance so far, and
so returns the *last* bound within reach, up to a whole interval too late. This is not repeated here.
``interpolated`` follows Listings C.9 and C.10, except for mistakes in C.9, which :func:`interpolate` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from buto.judging.features import Series, sampling_interval, series_of
from buto.judging.thesis.bounds import Bounds, BoundsSettings, clip
from buto.judging.thesis.filters import ALGORITHMS, simple_bounds
from buto.judging.thesis.time_points import GENERATORS, TimePoints, smooth, time_points
from buto.run.model import BoolArray, FloatArray, IntArray, Run
from buto.run.properties import Property

_RESIDUE = 1e-9
"""Relative tolerance of a comparison: a value that differs from a limit by rounding lies inside."""


class Matched(Struct, frozen=True, eq=False):
    """The bounds at the times of a run's samples.

    Attributes:
        bounds: at the samples' times; NaN outside the model.
        in_model: shape (n_samples,), whether the model covers the time at all.
    """

    bounds: Bounds
    in_model: BoolArray


def nearest(bounds: Bounds, times_s: FloatArray, interval_s: float) -> Matched:
    """Return the bounds of the nearest time point, if it is nearer than the collection interval.

    Of two equally near points, the earlier one is taken. A time that is further than the interval from every
    time point lies outside the model. A model without time points covers no time.
    """
    if len(bounds) == 0:
        return _nowhere(bounds, times_s)
    order = _order(bounds)
    model_times = bounds.times_s[order]
    after = np.searchsorted(model_times, times_s).clip(max=len(model_times) - 1)
    before = np.maximum(after - 1, 0)
    nearer_before = np.abs(times_s - model_times[before]) <= np.abs(model_times[after] - times_s)
    chosen = np.where(nearer_before, before, after)
    in_model = np.abs(model_times[chosen] - times_s) < interval_s
    rows = order[chosen]
    within = in_model[:, np.newaxis]
    return Matched(
        Bounds(
            times_s,
            np.where(within, bounds.lower[rows], np.nan),
            np.where(within, bounds.upper[rows], np.nan),
            np.where(within, bounds.expected[rows], np.nan),
        ),
        in_model,
    )


def interpolate(bounds: Bounds, times_s: FloatArray, interval_s: float) -> Matched:
    """Return limits interpolated between the time points before and after (Listings C.9, C.10).

    Before the first time point its bounds hold, however long before; after the last one its bounds hold
    for less than the collection interval, and what is later lies outside the model. Between a point with
    a band and one without there is no band; at the very time of a point its own holds.

    Departures from C.9: it compares the time since the last bound with the *time stamp of the first
    bound*, where the text says the collection interval; and it interpolates from ``prevBounds``, which
    is never assigned, where ``previousBounds`` is. For two points at one time the later one holds.
    """
    if len(bounds) == 0:
        return _nowhere(bounds, times_s)
    order = _order(bounds)
    model_times = bounds.times_s[order]
    after = np.searchsorted(model_times, times_s, side="right")
    before = np.maximum(after - 1, 0)
    after = np.minimum(after, len(order) - 1)
    width = model_times[after] - model_times[before]
    ratio = np.divide(times_s - model_times[before], width, out=np.zeros(len(times_s)), where=width > 0)
    in_model = times_s - model_times[-1] < interval_s

    def between(side: FloatArray) -> FloatArray:
        first, second = side[order[before]], side[order[after]]
        share = ratio[:, np.newaxis]
        with np.errstate(invalid="ignore"):
            line = (1 - share) * first + share * second
        line = np.where((share == 0) | (first == second), first, line)
        return np.where(in_model[:, np.newaxis], line, np.nan)

    lower, upper, expected = (between(side) for side in (bounds.lower, bounds.upper, bounds.expected))
    return Matched(Bounds(times_s, lower, upper, expected), in_model)


def _nowhere(bounds: Bounds, times_s: FloatArray) -> Matched:
    nothing = np.full((len(times_s), bounds.lower.shape[1]), np.nan)
    return Matched(Bounds(times_s, nothing, nothing, nothing), np.zeros(len(times_s), dtype=bool))


def _order(bounds: Bounds) -> IntArray:
    # Times of linear points need not increase where only late runs reach the last ones.
    return np.argsort(bounds.times_s, kind="stable")


def beyond(values: FloatArray, bounds: Bounds) -> FloatArray:
    """Return the signed distance of values from their band, same shape: 0 inside, positive above, negative
    below.

    NaN if a value or its band is NaN, because the point cannot be compared.
    """
    tolerance = _RESIDUE * np.maximum(np.abs(bounds.lower), np.abs(bounds.upper))
    tolerance = np.where(np.isfinite(tolerance), tolerance, 0.0)
    above = values - bounds.upper
    below = values - bounds.lower
    distance = np.where(above > tolerance, above, np.where(below < -tolerance, below, 0.0))
    return np.where(np.isnan(above) | np.isnan(below), np.nan, distance)


MATCHERS: dict[str, Callable[[Bounds, FloatArray, float], Matched]] = {
    "nearest": nearest,
    "interpolated": interpolate,
}


@dataclass(frozen=True, slots=True)
class PipelineSettings(BoundsSettings):
    """The algorithm of each stage and its parameters.

    Attributes:
        smoothing: ``none``, ``mean`` or ``median``.
        window: odd number of samples.
        time_points: ``linear`` or ``rounding``.
        bounds: ``simple``, ``kalman``, ``kalman-listing`` or ``particle``; their other settings
            are inherited from :class:`buto.judging.thesis.filters.BoundsSettings`.
        matching: ``nearest`` or ``interpolated``.
    """

    smoothing: str = "mean"
    window: int = 9
    time_points: str = "linear"
    bounds: str = "simple"
    matching: str = "nearest"


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """The model of the training runs.

    Attributes:
        properties: one for each column of the bounds.
        interval_s: median time between two samples of the training runs.
        bounds: over time, for smoothed series.
    """

    properties: tuple[Property, ...]
    interval_s: float
    bounds: Bounds


class Fit(Struct, frozen=True, eq=False):
    """A model with the intermediate results of all stages."""

    smoothed: tuple[Series, ...]
    points: TimePoints
    model: Model


@dataclass(frozen=True, eq=False, slots=True)
class BandComparison:
    """A run compared with a model.

    Attributes:
        smoothed: the run's series as it was compared.
        bounds: the bounds at its times, NaN where there are none.
        beyond: shape (n_points, n_properties), signed distance outside the band, 0 inside, NaN where
            it could not be compared.
        in_model: shape (n_points,), whether the model covers that time.
    """

    smoothed: Series
    bounds: Bounds
    beyond: FloatArray
    in_model: BoolArray


def fit(runs: Sequence[Run], properties: Sequence[Property], settings: PipelineSettings) -> Fit:
    """Compute bounds from training runs.

    Runs that are shorter than the window give no time points. There must be at least one run, and every run
    must have a sample.
    """
    return fit_each(runs, properties, settings, (settings.deviations,))[0]


def fit_each(
    runs: Sequence[Run],
    properties: Sequence[Property],
    settings: PipelineSettings,
    deviations: Sequence[float],
) -> tuple[Fit, ...]:
    """Return the result of :func:`fit` for several deviations, at hardly more than the cost of one."""
    series = [series_of(run, properties) for run in runs]
    smoothed = tuple(smooth(run_series, settings.smoothing, settings.window) for run_series in series)
    interval_s = sampling_interval(series)
    points = GENERATORS[settings.time_points](smoothed, interval_s)
    return tuple(
        Fit(smoothed, points, Model(tuple(properties), interval_s, clip(bounds, properties)))
        for bounds in ALGORITHMS[settings.bounds].make(points, settings, deviations)
    )


def numbers_fit(values: FloatArray, properties: Sequence[Property], settings: PipelineSettings) -> Bounds:
    """Return bounds of numbers that a run has once, as the time of a notification: one point at time zero.

    The simple algorithm is always used for them, because there is no course in time to filter.

    Args:
        values: shape (n_runs, n_properties), NaN left out.
    """
    points = time_points(np.zeros(1), values[:, np.newaxis, :])
    return clip(simple_bounds(points, settings, (settings.deviations,))[0], properties)


def compare(run: Run, model: Model, settings: PipelineSettings) -> BandComparison:
    """Compare a run with a model, without a decision. A run without samples gives empty arrays and NaN."""
    smoothed = smooth(series_of(run, model.properties), settings.smoothing, settings.window)
    matched = MATCHERS[settings.matching](model.bounds, smoothed.times_s, model.interval_s)
    return BandComparison(smoothed, matched.bounds, beyond(smoothed.values, matched.bounds), matched.in_model)
