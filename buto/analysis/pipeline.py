"""The analysis of dynamic properties from runs to bounds, and of a run against bounds.

Source: thesis, sections 4.4 and 4.7, Figure 4.4: smoothing, time points, bounds, matching. Every
intermediate result is returned, for plots and for examination. With the default :class:`PipelineSettings` it
is the thesis's pipeline with its best configuration; each departure is a setting that is off by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.analysis.bounds import ALGORITHMS, Bounds, BoundsSettings, clip, simple_bounds
from buto.analysis.matching import MATCHERS, BoolArray, beyond
from buto.analysis.series import SUMMARIES, Series, sampling_interval, series_of, summaries
from buto.analysis.smoothing import fitting_window, smooth
from buto.analysis.spread import floors, grains, small_sample_factor, widen
from buto.analysis.timepoints import GENERATORS, TimePoints, time_points
from buto.properties import Property
from buto.runs import FloatArray, Run


@dataclass(frozen=True, slots=True)
class PipelineSettings(BoundsSettings):
    """The algorithm of each stage and its parameters.

    Attributes:
        smoothing: ``none``, ``mean`` or ``median``.
        window: odd number of samples.
        shrink_window: whether runs of few samples get a smaller window, see
            :func:`buto.analysis.smoothing.fitting_window`.
        time_points: ``linear`` or ``rounding``.
        support: share of the training runs that a time point needs to have bounds.
        floor: whether each property has a smallest deviation, made of its unit's grain and of
            ``level_share``, a share of its level; see :mod:`buto.analysis.spread`.
        small_sample: whether the deviation grows for few runs, see
            :func:`buto.analysis.spread.small_sample_factor`.
        bounds: ``simple``, ``kalman``, ``kalman-listing`` or ``particle``; their other settings
            are inherited from :class:`buto.analysis.bounds.BoundsSettings`.
        matching: ``nearest`` or ``interpolated``.
    """

    smoothing: str = "mean"
    window: int = 9
    shrink_window: bool = False
    time_points: str = "linear"
    support: float = 0.0
    floor: bool = False
    level_share: float = 0.01
    small_sample: bool = False
    bounds: str = "simple"
    matching: str = "nearest"


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """The model of the training runs.

    Attributes:
        properties: one for each column of the bounds.
        window: the smoothing window that was used.
        interval_s: median time between two samples of the training runs.
        bounds: over time, for smoothed series.
        summaries: shape (2, n_properties), bounds of the numbers that stand for a whole run, see
            :func:`buto.analysis.series.summaries`; not smoothed, and at no time.
        grain: shape (n_properties,), the smallest meaningful deviation.
    """

    properties: tuple[Property, ...]
    window: int
    interval_s: float
    bounds: Bounds
    summaries: Bounds
    grain: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """A model with the intermediate results of all stages."""

    smoothed: tuple[Series, ...]
    points: TimePoints
    widened: TimePoints
    model: Model


@dataclass(frozen=True, eq=False, slots=True)
class Comparison:
    """A run compared with a model.

    Attributes:
        smoothed: the run's series as it was compared.
        bounds: the bounds at its times, NaN where there are none.
        beyond: shape (n_points, n_properties), signed distance outside the band, 0 inside, NaN where
            it could not be compared.
        in_model: shape (n_points,), whether the model covers that time.
        summaries, summaries_beyond: shape (2, n_properties), the numbers that stand for the whole run
            and their distance outside their bands.
    """

    smoothed: Series
    bounds: Bounds
    beyond: FloatArray
    in_model: BoolArray
    summaries: FloatArray
    summaries_beyond: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Wholes:
    """Results computed from all samples of some runs.

    Attributes:
        numbers: shape (n_runs, 2, n_properties), see :func:`buto.analysis.series.summaries`.
        grain: shape (n_properties,), see :func:`buto.analysis.spread.grains`.
    """

    numbers: FloatArray
    grain: FloatArray


def wholes(series: Sequence[Series], properties: Sequence[Property]) -> Wholes:
    """Compute these from runs as series, with columns as ``properties``."""
    numbers = [summaries(one, properties) for one in series]
    return Wholes(np.array(numbers), grains(properties, [one.values for one in series]))


def fit(
    runs: Sequence[Run],
    properties: Sequence[Property],
    settings: PipelineSettings,
    known: Wholes | None = None,
) -> Fit:
    """Compute bounds from training runs.

    Bounds are NaN at time points where fewer than ``support`` of the runs have a value. Runs that are shorter
    than the window give no time points. There must be at least one run, and every run must have a sample.

    Args:
        known: results from all samples, if ``runs`` contain only some samples of longer runs.
    """
    return fit_each(runs, properties, settings, (settings.deviations,), known)[0]


def fit_each(
    runs: Sequence[Run],
    properties: Sequence[Property],
    settings: PipelineSettings,
    deviations: Sequence[float],
    known: Wholes | None = None,
) -> tuple[Fit, ...]:
    """Return the result of :func:`fit` for several deviations, at hardly more than the cost of one."""
    window = settings.window
    if settings.shrink_window:
        window = fitting_window(window, int(np.median([len(run.times_s) for run in runs])))
    series = [series_of(run, properties) for run in runs]
    smoothed = [smooth(one, settings.smoothing, window) for one in series]
    found = known or wholes(series, properties)
    interval_s = sampling_interval(series)
    points = GENERATORS[settings.time_points](smoothed, interval_s)
    whole = time_points(np.zeros(len(SUMMARIES)), found.numbers)
    floor = _floor(found.grain, points if len(points) else whole, settings)
    widened = _widened(points, len(runs), floor, settings)
    courses = ALGORITHMS[settings.bounds].make(widened, settings, deviations)
    limits = simple_bounds(_widened(whole, len(runs), floor, settings), settings, deviations)
    fits = []
    for course, limit in zip(courses, limits, strict=True):
        bounded = clip(course, properties), clip(limit, properties)
        model = Model(tuple(properties), window, interval_s, *bounded, found.grain)
        fits.append(Fit(tuple(smoothed), points, widened, model))
    return tuple(fits)


def numbers_fit(
    values: FloatArray, properties: Sequence[Property], grain: FloatArray, settings: PipelineSettings
) -> Bounds:
    """Return bounds of numbers that a run has once, as its duration: one point at time zero.

    The simple algorithm is always used for them and for the summaries of a :class:`Model`, because there is
    no course in time to filter.

    Args:
        values: shape (n_runs, n_properties), NaN left out.
        grain: shape (n_properties,), the smallest meaningful deviations.
    """
    points = time_points(np.zeros(1), values[:, np.newaxis, :])
    widened = _widened(points, len(values), _floor(grain, points, settings), settings)
    return clip(simple_bounds(widened, settings, (settings.deviations,))[0], properties)


def compare(run: Run, model: Model, settings: PipelineSettings) -> Comparison:
    """Compare a run with a model, without a decision. A run without samples gives empty arrays and NaN."""
    series = series_of(run, model.properties)
    smoothed = smooth(series, settings.smoothing, model.window)
    matched = MATCHERS[settings.matching](model.bounds, smoothed.times_s, model.interval_s)
    numbers = summaries(series, model.properties)
    return Comparison(
        smoothed,
        matched.bounds,
        beyond(smoothed.values, matched.bounds),
        matched.in_model,
        numbers,
        beyond(numbers, model.summaries),
    )


def _floor(grain: FloatArray, points: TimePoints, settings: PipelineSettings) -> FloatArray:
    return floors(grain, points, settings.level_share) if settings.floor else np.zeros_like(grain)


def _widened(points: TimePoints, n_runs: int, floor: FloatArray, settings: PipelineSettings) -> TimePoints:
    thin = points.counts < settings.support * n_runs
    blank = {name: np.where(thin, np.nan, getattr(points, name)) for name in ("mean", "median", "std")}
    factor: FloatArray | float = small_sample_factor(points.counts) if settings.small_sample else 1.0
    return widen(replace(points, **blank), floor, factor)
