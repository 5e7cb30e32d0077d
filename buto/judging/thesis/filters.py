"""Bounds algorithms by name: ``simple``, ``kalman``, ``kalman-listing`` and ``particle``.

Simple: average plus and minus a number of deviations (thesis, Listing 4.1).

Kalman (thesis, section 4.4.5), in two forms: :func:`kalman_bounds` is the one-dimensional filter of the
textbooks; :func:`kalman_listing_bounds` is Listings C.1 and C.2 as printed, including slips.

Particle (thesis, section 4.4.6, Listings C.3 to C.7). The following is as in the listings: the bands of
several passes are averaged (``iterations``); particles begin scattered around the first point; at every
point, the first one too, they move by noise and, with ``propagate: velocity``, by the last change of the
predicted state; their weights are computed anew from the point alone (C.3, line 22), by ``density`` or by
the inverse of the ``distance``; they are resampled with replacement if the effective sample size is below a
share ``resample`` of their number; and state and deviation are the *unweighted* mean and deviation of the
particles (lines 32, 33), so that weights have no effect unless particles are resampled.

Section 5.5.3 states that ``resample: 1`` prevents resampling. By C.3 it is the opposite: all particles are
resampled at every point.

Decided here, because the listings do not specify it or are wrong:

* Process noise is normal with the variance of :func:`process_noise`, so that with ``density``, without
  velocity and with ``resample: 1`` this is the Kalman filter by sampling (one that meets the first point
  twice: particles begin there, and then are weighted by it).
* Weights are kept as logarithms until the largest of them is 1: densities of a point that lies far from
  all particles would all be 0, and their sum with them. Then the nearest particle has all the weight, as
  has one at a distance of 0.
* A point without deviation, for which C.7 has no density, is exact: all particles move there.
* The sort in C.5 changes nothing but rounding, and is left out.
* A point without value is skipped: particles, velocity and state stay as they are.
* All properties share the random numbers: a property's bounds do not depend on the other properties.

Process noise, Kalman filter and resampling are those of filterpy, which is imported when they are used. It
has no particle filter and no filter with the listings' slips; those are here. Two things need care:

* It inverts the sum of both variances, which may be zero, and a gain of 1 is not always exactly 1 after
  rounding. A point without deviation therefore begins its filter anew, which gives the same state.
* It resamples by numpy's global generator, which is exchanged for a seeded one during the call, so that the
  numbers of other code stay what they were. A thread that draws from the global generator meanwhile would
  disturb both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.random import mtrand

from buto.extensions import optional_packages
from buto.judging.thesis.bounds import Bounds, BoundsAlgorithm, BoundsSettings, bands, measure_state
from buto.judging.thesis.time_points import TimePoints
from buto.run.model import FloatArray


def simple_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Return ``average - deviations * std`` to ``average + deviations * std`` at every point."""
    return bands(points.times_s, measure_state(points, settings), points.std, deviations)


def kalman_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Compute bounds by the textbook's filter: the state is a random walk that time points measure.

    ``P += q; K = P / (P + R); x += K (z - x); P *= 1 - K`` with z the average of a point and R its
    variance; it begins at the first point, with the variance of that. The band is x plus and minus
    ``deviations * sqrt(P)``. At a point without value there is a prediction but no measurement, so P grows.

    Departures from Listings C.1 and C.2: variances where those have standard deviations; the first
    point is treated as the others; one update of the variance; q is :func:`process_noise`.
    """
    measured = measure_state(points, settings)
    noise = process_noise(points, settings.process_noise or "average-variance")
    centre, variance = (np.full(measured.shape, np.nan) for _ in range(2))
    for column, walk_noise in enumerate(noise.tolist()):
        for row, state in _filter(measured[:, column], points.std[:, column] ** 2, walk_noise):
            centre[row, column], variance[row, column] = state
    return bands(points.times_s, centre, np.sqrt(variance), deviations)


def _filter(
    values: FloatArray, errors: FloatArray, noise: float
) -> Iterator[tuple[int, tuple[float, float]]]:
    """Yield the number of each point of one property that has a value, with state and variance."""
    with optional_packages("bounds of this kind"):
        from filterpy.kalman import KalmanFilter

    walk = KalmanFilter(dim_x=1, dim_z=1)
    walk.x[:], walk.P[:], walk.Q[:], walk.H[:] = np.nan, np.nan, noise, 1
    for row, (value, error) in enumerate(zip(values.tolist(), errors.tolist(), strict=True)):
        walk.predict()
        if np.isnan(value):
            continue
        if np.isnan(walk.x[0, 0]) or error < np.finfo(np.float64).tiny:
            walk.x[:], walk.P[:] = value, error
        else:
            walk.update(value, R=error)
        yield row, (float(walk.x[0, 0]), float(walk.P[0, 0]))


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

    Not specified in the listings and decided here: a point without value is skipped; and a gain of 0 / 0 is
    1, so that the measurement is used where neither it nor the state is uncertain (a property that was equal
    in all runs). In the language of the listing such a property would stay NaN from there on, and no value
    would ever lie outside its bounds.
    """
    measured = measure_state(points, settings)
    noise = compute_noise(points, settings.process_noise or "none")
    times = np.asarray(deviations, dtype=np.float64)[:, np.newaxis]
    shape = (len(times), *measured.shape)
    centre, width = np.full(shape, np.nan), np.full(shape, np.nan)
    state, variance = (np.full((len(times), measured.shape[1]), np.nan) for _ in range(2))
    for row, (value, std) in enumerate(zip(measured, points.std, strict=True)):
        readable, begins = ~np.isnan(value), np.isnan(state)
        gain = gain_of(variance, std)
        updated = move(state, value, gain)
        reduced = (variance - gain * variance + noise) * (1 - gain)
        state = np.where(readable, np.where(begins, value, updated), state)
        variance = np.where(readable, np.where(begins, std * times, reduced), variance)
        half = np.where(begins, variance, variance * times)
        centre[:, row] = np.where(readable, state, np.nan)
        width[:, row] = np.where(readable, half, np.nan)
    return tuple(
        Bounds(points.times_s, middle - half, middle + half, middle)
        for middle, half in zip(centre, width, strict=True)
    )


def compute_noise(points: TimePoints, method: str) -> FloatArray:
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
    return compute_noise(points, method) ** 2


def process_noise(points: TimePoints, method: str) -> FloatArray:
    """Return :func:`process_variance` as variance of a random walk from one point to the next.

    filterpy's white noise has two to four dimensions, a position and its derivatives. The last of them is a
    random walk.
    """
    with optional_packages("bounds of this kind"):
        from filterpy.common import Q_discrete_white_noise

    variances = process_variance(points, method).tolist()
    return np.array([Q_discrete_white_noise(2, dt=1.0, var=variance)[-1, -1] for variance in variances])


def gain_of(variance: FloatArray, error: FloatArray) -> FloatArray:
    """Return ``P / (P + R)``; 1 where both are 0."""
    total = variance + error
    return np.divide(variance, total, out=np.ones(np.shape(total)), where=total != 0)


def move(state: FloatArray, value: FloatArray, gain: FloatArray) -> FloatArray:
    """Return ``x + K (z - x)``; exactly z where the gain is 1."""
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


_RESIDUE = 1e-12
"""A deviation below this share of the value is a rounding error."""

_FAR = 1e150
"""Largest distance in deviations; its square is still finite."""

_CHUNK = 1 << 16
"""Number of particles that are moved at once, so that they fit into a processor's cache."""


Resample = Callable[[FloatArray, FloatArray, np.random.PCG64], FloatArray]
"""From particles and their shares of the weights, both of shape (n_properties, n_particles), to as many
resampled particles in the same order.

All properties get the same numbers, which the generator yields next."""


class _Draws(Struct, frozen=True, eq=False):
    """The random numbers of one iteration, for all properties.

    Attributes:
        initial: shape (n_particles,), standard normal.
        noise: shape (n_points, n_particles), standard normal.
        state: of the generator behind them, where the numbers for resampling begin.
    """

    initial: FloatArray
    noise: FloatArray
    state: Any

    def picks(self, row: int) -> np.random.PCG64:
        """Return the generator of the numbers to resample with at a point."""
        generator = np.random.PCG64()
        generator.state = self.state
        return generator.advance(row * len(self.initial))


def particle_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Return state plus and minus multiples of the particles' deviation (ddof 1), averaged over iterations.

    The same seed gives the same bits. Memory: the random numbers of one iteration, one for each particle
    and point, and some ten arrays of 65,536 particles, or of one property's if those are more.
    """
    return particle_bounds_by(draw_particles, points, settings, deviations)


def particle_bounds_by(
    resample: Resample, points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Return the bounds of :func:`particle_bounds`, resampled by another function."""
    measured = measure_state(points, settings)
    noise = np.sqrt(process_noise(points, settings.process_noise or "average-variance"))
    away, std = np.zeros(measured.shape), np.zeros(measured.shape)
    width = max(1, _CHUNK // settings.particles)
    for iteration in range(settings.iterations):
        draws = _draw(settings, iteration, len(points))
        for start in range(0, measured.shape[1], width):
            some = np.s_[:, start : start + width]
            state, deviation = _pass(
                measured[some], points.std[some], noise[some[1]], draws, settings, resample
            )
            # Use distances from the measured state, so that the average of equal states is exactly that
            # state.
            away[some] += state - measured[some]
            std[some] += deviation
    passes = settings.iterations
    return bands(points.times_s, measured + away / passes, std / passes, deviations)


def _draw(settings: BoundsSettings, iteration: int, n_points: int) -> _Draws:
    generator = np.random.PCG64((settings.seed, iteration))
    random = np.random.Generator(generator)
    initial = random.standard_normal(settings.particles)
    noise = random.standard_normal((n_points, settings.particles))
    return _Draws(initial, noise, generator.state)


def _pass(
    measured: FloatArray,
    errors: FloatArray,
    noise: FloatArray,
    draws: _Draws,
    settings: BoundsSettings,
    resample: Resample,
) -> tuple[FloatArray, FloatArray]:
    """Return predicted state and deviation at each point; NaN for a point without value."""
    n_properties, n_particles = measured.shape[1], settings.particles
    threshold = settings.resample * n_particles * (1 - _RESIDUE)
    all_particles = np.empty((n_properties, n_particles))
    velocity, previous = np.zeros(n_properties), np.full(n_properties, np.nan)
    states, stds = np.full(measured.shape, np.nan), np.full(measured.shape, np.nan)
    for row in range(len(measured)):
        rows = np.flatnonzero(~np.isnan(measured[row]))
        value, error = measured[row, rows, np.newaxis], errors[row, rows, np.newaxis]
        begins = np.isnan(previous[rows])
        particles = all_particles[rows]
        particles[begins] = value[begins] + error[begins] * draws.initial
        particles += velocity[rows, np.newaxis] + noise[rows, np.newaxis] * draws.noise[row]
        exact = error <= _RESIDUE * np.abs(value)
        particles = np.where(exact, value, particles) if exact.any() else particles
        share = weights(np.abs(particles - value), np.where(exact, 1.0, error), settings.weighting)
        few = effective_size(share) < threshold
        if few.any():
            particles[few] = resample(particles[few], share[few], draws.picks(row))
        # Use distances from the first particle, so that the deviation of equal particles is exactly 0.
        apart = particles - particles[:, :1]
        mean = apart.mean(axis=1, keepdims=True)
        state = (particles[:, :1] + mean)[:, 0]
        stds[row, rows] = np.sqrt(np.square(apart - mean).sum(axis=1) / (n_particles - 1))
        if settings.propagate == "velocity":
            velocity[rows] = np.where(begins, 0.0, state - previous[rows])
        states[row, rows] = previous[rows] = state
        all_particles[rows] = particles
    return states, stds


def weights(distance: FloatArray, error: FloatArray, weighting: str) -> FloatArray:
    """Return the weights of Listing C.7 and C.3, lines 20 to 27; their sum is 1.

    Args:
        distance: shape (n_properties, n_particles), of the particles from the measured state.
        error: shape (n_properties, 1), the measured deviation, above 0.
        weighting: ``density`` or ``distance``.
    """
    if weighting == "distance":
        logarithm = -np.log(np.maximum(distance, np.finfo(np.float64).tiny))
    else:
        logarithm = -0.5 * np.square(np.minimum(distance / error, _FAR))
    shares: FloatArray = np.exp(logarithm - logarithm.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def effective_size(shares: FloatArray) -> FloatArray:
    """Return the effective number of particles (Listing C.4), shape (n_properties,)."""
    size: FloatArray = 1 / np.square(shares).sum(axis=1)
    return size


def draw_particles(particles: FloatArray, shares: FloatArray, generator: np.random.PCG64) -> FloatArray:
    """Return as many particles, each about as often as its share of the weights (Listing C.5)."""
    with optional_packages("bounds of this kind"):
        from filterpy.monte_carlo import multinomial_resample

    begin = generator.state
    sampled = np.empty_like(particles)
    with _global_generator(generator):
        for row, share in enumerate(shares):
            generator.state = begin
            sampled[row] = particles[row, np.sort(multinomial_resample(share))]
    return sampled


@contextmanager
def _global_generator(generator: np.random.PCG64) -> Iterator[None]:
    """Let numpy's global functions draw from a generator, and then from their own again."""
    own = mtrand.get_bit_generator()
    mtrand.set_bit_generator(generator)
    try:
        yield
    finally:
        mtrand.set_bit_generator(own)


ALGORITHMS: dict[str, BoundsAlgorithm] = {
    "simple": BoundsAlgorithm(simple_bounds),
    "kalman": BoundsAlgorithm(kalman_bounds, ("process_noise",), needs_filterpy=True),
    "kalman-listing": BoundsAlgorithm(kalman_listing_bounds, ("process_noise",)),
    "particle": BoundsAlgorithm(
        particle_bounds,
        ("process_noise", "particles", "iterations", "resample", "propagate", "weighting", "seed"),
        needs_filterpy=True,
    ),
}
