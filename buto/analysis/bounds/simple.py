"""The simple classifier: average plus and minus a number of deviations (thesis, Listing 4.1)."""

from __future__ import annotations

from buto.analysis.bounds.base import Bounds, BoundsSettings
from buto.analysis.timepoints import TimePoints


def simple_bounds(points: TimePoints, settings: BoundsSettings) -> Bounds:
    """``average - deviations * std`` to ``average + deviations * std`` at every point."""
    average = points.median if settings.average == "median" else points.mean
    half_width = settings.deviations * points.std
    return Bounds(points.times_s, average - half_width, average + half_width, average)
