"""Bounds by a Kalman filter over the time points, in two forms (thesis, section 4.4.5).

:func:`kalman_bounds` is the one-dimensional filter of the textbooks; :func:`kalman_listing_bounds` is
Listings C.1 and C.2 as printed, including slips. In both, a gain of 0 / 0 is 1: where neither
the state nor the measurement is uncertain (a property that was equal in all runs) the measurement is
used. In the language of the listing such a property would stay NaN from there on, and no value would ever lie
outside its bounds.

filterpy is the reference of the tests, and is not called here:

* Its filters have one state each, or matrices that one unreadable or constant property would spoil for
  all others. This recursion runs over all properties at once.
* Its process-noise matrices (``Q_discrete_white_noise`` and its like) are made for states of position,
  velocity and so on: two to four dimensions, and a variance that is given. The state here has one
  dimension, so that its matrix is that variance itself, and the thesis estimates it from the time points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.analysis.bounds.base import Bounds, BoundsSettings, bands, measured_state
from buto.analysis.timepoints import TimePoints
from buto.runs import FloatArray


def kalman_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Compute bounds by the textbook's filter: the state is a random walk that time points measure.

    ``P += q; K = P / (P + R); x += K (z - x); P *= 1 - K`` with z the average of a point and R its
    variance; it begins at the first point, with the variance of that. The band is x plus and minus
    ``deviations * sqrt(P)``. At a point without value there is a prediction but no measurement, so P grows.

    Departures from Listings C.1 and C.2: variances where those have standard deviations; the first
    point is treated as the others; one update of the variance; q is :func:`process_variance`.
    """
    measured = measured_state(points, settings)
    noise = process_variance(points, settings.process_noise or "average-variance")
    state, variance = (np.full(measured.shape[1], np.nan) for _ in range(2))
    centre, std = (np.full(measured.shape, np.nan) for _ in range(2))
    for row, (value, error) in enumerate(zip(measured, points.std**2, strict=True)):
        readable, begins = ~np.isnan(value), np.isnan(state)
        variance = variance + noise
        gain = _gain(variance, error)
        state = np.where(readable, np.where(begins, value, _moved(state, value, gain)), state)
        # K R equals (1 - K) P, without cancellation if K is nearly 1.
        variance = np.where(readable, np.where(begins, error, gain * error), variance)
        centre[row, readable] = state[readable]
        std[row, readable] = np.sqrt(variance[readable])
    return bands(points.times_s, centre, std, deviations)


def kalman_listing_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Compute bounds by Listings C.1 and C.2 as printed. These oddities are kept:

    * What is called a variance is a standard deviation, of points and of the process alike.
    * The first variance is the deviation *times* ``deviations``, and the first band is as wide as that;
      all others are ``deviations`` times the variance that follows from it. So the whole filter depends
      on ``deviations``, the centre of the band too, and it runs once for each (at the same time). The
      second band tends to (std_2 + q) std_2 / std_1, however many deviations are asked for.
    * The variance is reduced by the gain twice: ``P -= K P``, and then ``P = (P + q) (1 - K)``.
    * C.2 calculates the process noise q, but C.1 never calls it: q is 0. Then the n-th variance is about
      std / (deviations + 2n), so that no band after the first is as wide as one deviation; and a property
      that is equal in all runs at the first point stays at its first value for ever. Section 4.4.5 and
      Table 5.7 suppose that q is C.2's: ask for a ``process_noise``.

    Not specified in the listings and decided here: 0 / 0, see above; a point without value is skipped.
    """
    measured = measured_state(points, settings)
    noise = listed_noise(points, settings.process_noise or "none")
    times = np.asarray(deviations, dtype=np.float64)[:, np.newaxis]
    shape = (len(times), *measured.shape)
    centre, width = np.full(shape, np.nan), np.full(shape, np.nan)
    state, variance = (np.full((len(times), measured.shape[1]), np.nan) for _ in range(2))
    for row, (value, std) in enumerate(zip(measured, points.std, strict=True)):
        readable, begins = ~np.isnan(value), np.isnan(state)
        gain = _gain(variance, std)
        moved = _moved(state, value, gain)
        reduced = (variance - gain * variance + noise) * (1 - gain)
        state = np.where(readable, np.where(begins, value, moved), state)
        variance = np.where(readable, np.where(begins, std * times, reduced), variance)
        half = np.where(begins, variance, variance * times)
        centre[:, row] = np.where(readable, state, np.nan)
        width[:, row] = np.where(readable, half, np.nan)
    return tuple(
        Bounds(points.times_s, one - half, one + half, one) for one, half in zip(centre, width, strict=True)
    )


def listed_noise(points: TimePoints, method: str) -> FloatArray:
    """Return the process noise of Listing C.2, shape (n_properties,), in the unit of the property.

    ``average-variance``: the mean of the points' standard deviations. ``average-difference``: the mean
    distance of the means of two points in succession; 0 for a single point (C.2: NaN). ``none``: 0.
    Points without value are left out, and their neighbours are in succession.
    """
    if method == "average-variance":
        return _mean(points.std)
    if method == "average-difference":
        return _mean(_steps(points.mean))
    return np.zeros(points.mean.shape[1])


def process_variance(points: TimePoints, method: str) -> FloatArray:
    """Return it as a variance, shape (n_properties,): the mean of variances, or the squared mean distance."""
    if method == "average-variance":
        return _mean(points.std**2)
    return listed_noise(points, method) ** 2


def _gain(variance: FloatArray, error: FloatArray) -> FloatArray:
    total = variance + error
    return np.divide(variance, total, out=np.ones(np.shape(total)), where=total != 0)


def _moved(state: FloatArray, value: FloatArray, gain: FloatArray) -> FloatArray:
    # x + 1 (z - x) is not exactly z.
    return np.where(gain == 1, value, state + gain * (value - state))


def _steps(values: FloatArray) -> FloatArray:
    """Return the distance of each value from the last readable one before it; NaN if there is none."""
    rows = np.arange(len(values))[:, np.newaxis]
    latest = np.maximum.accumulate(np.where(np.isnan(values), -1, rows), axis=0)[:-1]
    before = np.take_along_axis(values, np.maximum(latest, 0), axis=0)
    steps: FloatArray = np.abs(values[1:] - before)
    return steps


def _mean(values: FloatArray) -> FloatArray:
    readable = ~np.isnan(values)
    mean: FloatArray = np.where(readable, values, 0.0).sum(axis=0) / np.maximum(readable.sum(axis=0), 1)
    return mean
