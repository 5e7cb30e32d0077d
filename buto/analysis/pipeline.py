"""The thesis's analysis of dynamic properties from runs to bounds, and of a run against bounds.

Source: thesis, sections 4.4 and 4.7, Figure 4.4: smoothing, time points, bounds, matching. Every
intermediate result is returned, for plots and for examination. The default :class:`PipelineSettings` are the
thesis's best configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.bounds import ALGORITHMS, Bounds, BoundsSettings, clip, simple_bounds
from buto.analysis.matching import MATCHERS, BoolArray, beyond
from buto.analysis.series import Series, sampling_interval, series_of
from buto.analysis.smoothing import smooth
from buto.analysis.timepoints import GENERATORS, TimePoints, time_points
from buto.properties import Property
from buto.runs import FloatArray, Run


@dataclass(frozen=True, slots=True)
class PipelineSettings(BoundsSettings):
    """The algorithm of each stage and its parameters.

    Attributes:
        smoothing: ``none``, ``mean`` or ``median``.
        window: odd number of samples.
        time_points: ``linear`` or ``rounding``.
        bounds: ``simple``, ``kalman``, ``kalman-listing`` or ``particle``; their other settings
            are inherited from :class:`buto.analysis.bounds.BoundsSettings`.
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


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """A model with the intermediate results of all stages."""

    smoothed: tuple[Series, ...]
    points: TimePoints
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
    smoothed = tuple(smooth(one, settings.smoothing, settings.window) for one in series)
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


def compare(run: Run, model: Model, settings: PipelineSettings) -> Comparison:
    """Compare a run with a model, without a decision. A run without samples gives empty arrays and NaN."""
    smoothed = smooth(series_of(run, model.properties), settings.smoothing, settings.window)
    matched = MATCHERS[settings.matching](model.bounds, smoothed.times_s, model.interval_s)
    return Comparison(smoothed, matched.bounds, beyond(smoothed.values, matched.bounds), matched.in_model)
