"""The simple classifier: average plus and minus a number of deviations (thesis, Listing 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

from buto.analysis.bounds.base import Bounds, BoundsSettings, bands, measured_state
from buto.analysis.timepoints import TimePoints


def simple_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Return ``average - deviations * std`` to ``average + deviations * std`` at every point."""
    return bands(points.times_s, measured_state(points, settings), points.std, deviations)
