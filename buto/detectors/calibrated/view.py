"""What can be drawn of the calibrated oracle: bands show when and where, contrasts decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from buto.detectors.views import Band, View
from buto.runs import FloatArray, Run, RunSet


class CalibratedView(View):
    """The bands of a bounds oracle, and the share of what would make each property an outlier."""

    reach_of = "of the outlier limit"
    bands_decide = False

    def __init__(self, bands: View, shares: Callable[[RunSet], Mapping[str, float]]) -> None:
        """Make a view.

        Args:
            bands: what is drawn.
            shares: gives the largest contrast of each property, by its name, as a share of what would
                make it an outlier.
        """
        self._bands, self._shares = bands, shares
        self.properties, self.left_out = bands.properties, bands.left_out
        self.emitters, self.smoothing = bands.emitters, bands.smoothing

    def band(self, column: int) -> Band | None:
        return self._bands.band(column)

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        return self._bands.curves(run)

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the largest contrast of each property as a share of what makes it an outlier by itself."""
        if not runs:
            return np.full(len(self.properties), np.nan)
        shares = self._shares(RunSet(tuple(runs)))
        return np.array([shares.get(prop.name, np.nan) for prop in self.properties])
