"""Bounds algorithms, one a file, by name."""

from buto.analysis.bounds.base import AVERAGES, Bounds, BoundsAlgorithm, BoundsSettings, clip
from buto.analysis.bounds.simple import simple_bounds

ALGORITHMS: dict[str, BoundsAlgorithm] = {"simple": simple_bounds}

__all__ = ["ALGORITHMS", "AVERAGES", "Bounds", "BoundsAlgorithm", "BoundsSettings", "clip"]
