"""Bounds algorithms by name; each has a file of its own."""

from buto.analysis.bounds.base import (
    AVERAGES,
    PROCESS_NOISES,
    PROPAGATIONS,
    WEIGHTINGS,
    Bounds,
    BoundsAlgorithm,
    BoundsSettings,
    clip,
)
from buto.analysis.bounds.kalman import kalman_bounds, kalman_listing_bounds
from buto.analysis.bounds.particle import particle_bounds
from buto.analysis.bounds.simple import simple_bounds

ALGORITHMS: dict[str, BoundsAlgorithm] = {
    "simple": BoundsAlgorithm(simple_bounds),
    "kalman": BoundsAlgorithm(kalman_bounds, ("process_noise",)),
    "kalman-listing": BoundsAlgorithm(kalman_listing_bounds, ("process_noise",)),
    "particle": BoundsAlgorithm(
        particle_bounds,
        ("process_noise", "particles", "iterations", "resample", "propagate", "weighting", "seed"),
    ),
}

__all__ = [
    "ALGORITHMS",
    "AVERAGES",
    "PROCESS_NOISES",
    "PROPAGATIONS",
    "WEIGHTINGS",
    "Bounds",
    "BoundsAlgorithm",
    "BoundsSettings",
    "clip",
    "simple_bounds",
]
