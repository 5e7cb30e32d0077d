"""Bounds of the thesis for thousands of fits: all properties at once, in place of filterpy's one at a time.

:mod:`buto.judging.thesis.filters` describes the algorithms. Particles have the same bits here and there; the
Kalman filter differs by rounding.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from buto.judging.thesis.bounds import (
    Bounds,
    BoundsAlgorithm,
    BoundsFunction,
    BoundsSettings,
    bands,
    measured_state,
)
from buto.judging.thesis.filters import ALGORITHMS as PRODUCT
from buto.judging.thesis.filters import gain_of, moved, particle_bounds_by, process_variance
from buto.judging.thesis.time_points import TimePoints
from buto.run.model import FloatArray


def kalman_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Compute bounds by the textbook's filter."""
    measured = measured_state(points, settings)
    noise = process_variance(points, settings.process_noise or "average-variance")
    state, variance = (np.full(measured.shape[1], np.nan) for _ in range(2))
    centre, std = (np.full(measured.shape, np.nan) for _ in range(2))
    for row, (value, error) in enumerate(zip(measured, points.std**2, strict=True)):
        readable, begins = ~np.isnan(value), np.isnan(state)
        variance = variance + noise
        gain = gain_of(variance, error)
        state = np.where(readable, np.where(begins, value, moved(state, value, gain)), state)
        # K R equals (1 - K) P, without cancellation if K is nearly 1.
        variance = np.where(readable, np.where(begins, error, gain * error), variance)
        centre[row, readable] = state[readable]
        std[row, readable] = np.sqrt(variance[readable])
    return bands(points.times_s, centre, std, deviations)


def resampled(particles: FloatArray, shares: FloatArray, generator: np.random.PCG64) -> FloatArray:
    """Return as many particles, each as often as random numbers are in its share of the weights."""
    return sampled_anew(particles, shares, np.sort(np.random.Generator(generator).random(shares.shape[1])))


def sampled_anew(particles: FloatArray, shares: FloatArray, picks: FloatArray) -> FloatArray:
    """Return the particles that increasing numbers in [0, 1) pick, in the particles' order.

    All properties have the same picks, so the shares are searched among the picks and not the reverse: this
    is one search for all properties.
    """
    reached = np.cumsum(shares, axis=1)
    reached[:, -1] = 1.0
    picked = np.searchsorted(picks, reached.ravel()).reshape(reached.shape)
    times = np.diff(picked, axis=1, prepend=0)
    sampled: FloatArray = np.repeat(particles.ravel(), times.ravel()).reshape(particles.shape)
    return sampled


_FAST: dict[str, BoundsFunction] = {
    "kalman": kalman_bounds,
    "particle": functools.partial(particle_bounds_by, resampled),
}

ALGORITHMS: dict[str, BoundsAlgorithm] = {
    name: BoundsAlgorithm(_FAST.get(name, one.make), one.parameters) for name, one in PRODUCT.items()
}
