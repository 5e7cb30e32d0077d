"""The interface of bounds algorithms: settings, bounds, and the function that computes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from msgspec import Struct

from buto.judging.thesis.time_points import TimePoints
from buto.run.model import FloatArray
from buto.run.properties import Property

AVERAGES = ("mean", "median")
PROCESS_NOISES = ("none", "average-variance", "average-difference")
PROPAGATIONS = ("none", "velocity")
WEIGHTINGS = ("density", "distance")


class Bounds(Struct, frozen=True, eq=False):
    """A band for several properties over time.

    Attributes:
        times_s: shape (n_points,).
        lower, upper: shape (n_points, n_properties); the limits belong to the band; both NaN if there is no
        band.
        expected: the same shape, the centre of the band.
    """

    times_s: FloatArray
    lower: FloatArray
    upper: FloatArray
    expected: FloatArray

    def __len__(self) -> int:
        return len(self.times_s)


@dataclass(frozen=True, slots=True)
class BoundsSettings:
    """Settings of the algorithms, with their defaults.

    They are the best of the thesis's tuning: Table 5.5 and 5.6 (average), 5.14 (deviations, as the
    simple classifier's), 5.7 (process noise), and 5.8 (all of the particle filter, which there has 6
    deviations). The seed is not in the thesis.

    Attributes:
        average: ``mean`` or ``median`` of a time point as its measured state.
        deviations: half the band's width, in standard deviations.
        process_noise: for ``kalman``, ``kalman-listing`` and ``particle``: estimate of how much the state
            changes from one time point to the next, ``average-variance``, ``average-difference`` or
            ``none``; None: the algorithm's own, which is ``none`` for ``kalman-listing``, as C.1 has it,
            and ``average-variance`` otherwise.
        particles, iterations, resample, propagate, weighting, seed: for ``particle``, see
            :mod:`buto.judging.thesis.filters`.
    """

    average: str = "mean"
    deviations: float = 20.0
    process_noise: str | None = None
    particles: int = 1000
    iterations: int = 8
    resample: float = 0.6
    propagate: str = "velocity"
    weighting: str = "density"
    seed: int = 0


class BoundsFunction(Protocol):
    """Compute bounds at the times of time points, one :class:`Bounds` for each of several deviations.

    ``settings.deviations`` is not used: the widths are given by ``deviations``, so that bands of several
    widths cost one pass over the points.

    The following must hold for each algorithm (``tests/contract``): lower <= expected <= upper or all NaN;
    NaN exactly where a point has no value; another unit scales the bounds; neither the order of the
    properties matters nor which others there are; a point without deviation has a band without width around
    its value.
    """

    def __call__(
        self, points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
    ) -> tuple[Bounds, ...]: ...


class BoundsAlgorithm(Struct, frozen=True):
    """An algorithm, and the settings that it uses besides ``average``."""

    make: BoundsFunction
    parameters: tuple[str, ...] = ()
    needs_filterpy: bool = False


def measure_state(points: TimePoints, settings: BoundsSettings) -> FloatArray:
    """Return the mean or median of each time point, by the settings, shape (n_points, n_properties)."""
    return points.median if settings.average == "median" else points.mean


def bands(
    times_s: FloatArray, centre: FloatArray, std: FloatArray, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Return centre plus and minus multiples of a deviation, all of shape (n_points, n_properties)."""
    return tuple(
        Bounds(times_s, centre - number * std, centre + number * std, centre) for number in deviations
    )


def clip(bounds: Bounds, properties: Sequence[Property]) -> Bounds:
    """Limit a band to the possible values of each property (thesis, section 4.4.3)."""
    low = np.array([prop.lower for prop in properties])
    high = np.array([prop.upper for prop in properties])
    return Bounds(
        bounds.times_s,
        np.clip(bounds.lower, low, high),
        np.clip(bounds.upper, low, high),
        np.clip(bounds.expected, low, high),
    )
