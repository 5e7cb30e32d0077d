"""What a bounds algorithm takes and gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from buto.analysis.timepoints import TimePoints
from buto.properties import Property
from buto.runs import FloatArray

AVERAGES = ("mean", "median")
PROCESS_NOISES = ("none", "average-variance", "average-difference")
PROPAGATIONS = ("none", "velocity")
WEIGHTINGS = ("density", "distance")


@dataclass(frozen=True, eq=False, slots=True)
class Bounds:
    """A band for several properties over time.

    Attributes:
        times_s: shape (n_points,).
        lower, upper: shape (n_points, n_properties), both limits inside the band; both NaN where the
            model says nothing.
        expected: the same shape, the centre that the band was drawn around.
    """

    times_s: FloatArray
    lower: FloatArray
    upper: FloatArray
    expected: FloatArray

    def __len__(self) -> int:
        return len(self.times_s)


@dataclass(frozen=True, slots=True)
class BoundsSettings:
    """What the algorithms can be told; the only place that knows the defaults.

    They are the best of the thesis's tuning: Table 5.5 and 5.6 (average), 5.14 (deviations, as the
    simple classifier's), 5.7 (process noise), and 5.8 (all of the particle filter, which there has 6
    deviations). The seed is ours.

    Attributes:
        average: ``mean`` or ``median`` of a time point as its measured state.
        deviations: half the band's width, in standard deviations.
        process_noise: for ``kalman``, ``kalman-listing`` and ``particle``: how much the state is thought
            to change from one time point to the next, ``average-variance``, ``average-difference`` or
            ``none``; None: the algorithm's own, which is ``none`` for ``kalman-listing``, as C.1 has it,
            and ``average-variance`` otherwise.
        particles, iterations, resample, propagate, weighting, seed: for ``particle``, see
            :mod:`buto.analysis.bounds.particle`.
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
    """From time points to bounds at the same times, one :class:`Bounds` for each of some deviations.

    ``settings.deviations`` is not looked at: what is asked for comes as ``deviations``, so that bands of
    several widths cost one pass over the points.

    Must hold for each (``tests/contract``): lower <= expected <= upper or all NaN; NaN exactly where
    a point has no value; another unit scales the bounds; neither the order of the properties matters
    nor which others there are; a point without deviation has a band without width around its value.
    """

    def __call__(
        self, points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
    ) -> tuple[Bounds, ...]: ...


@dataclass(frozen=True, slots=True)
class BoundsAlgorithm:
    """An algorithm, and which settings it looks at beside ``average``."""

    make: BoundsFunction
    parameters: tuple[str, ...] = ()


def measured_state(points: TimePoints, settings: BoundsSettings) -> FloatArray:
    """The average of each time point that the settings ask for, shape (n_points, n_properties)."""
    return points.median if settings.average == "median" else points.mean


def bands(
    times_s: FloatArray, centre: FloatArray, std: FloatArray, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Centre plus and minus some multiples of a deviation, all of shape (n_points, n_properties)."""
    return tuple(
        Bounds(times_s, centre - number * std, centre + number * std, centre) for number in deviations
    )


def clip(bounds: Bounds, properties: Sequence[Property]) -> Bounds:
    """Keep a band within what is possible for each property (thesis, section 4.4.3)."""
    low = np.array([prop.lower for prop in properties])
    high = np.array([prop.upper for prop in properties])
    return Bounds(
        bounds.times_s,
        np.clip(bounds.lower, low, high),
        np.clip(bounds.upper, low, high),
        np.clip(bounds.expected, low, high),
    )
