"""What can be drawn of the judge: the envelope of the training runs; contrasts decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from buto.analysis.series import series_of
from buto.detectors.calibrated.envelope import Envelope
from buto.detectors.views import Band, View
from buto.runs import FloatArray, Run, RunSet
from buto.runs.long import drawn


class CalibratedView(View):
    """The envelope over time, and the share of what would make each property an outlier."""

    reach_of = "of the outlier limit"
    bands_decide = False

    def __init__(self, envelope: Envelope, shares: Callable[[RunSet], Mapping[str, float]]) -> None:
        """Make a view.

        Args:
            envelope: what is drawn.
            shares: gives the largest contrast of each property, by its name, as a share of what would
                make it an outlier.
        """
        self._envelope, self._shares = envelope, shares
        self.properties, self.left_out = envelope.properties, envelope.left_out

    def band(self, column: int) -> Band | None:
        one = self._envelope
        return Band(one.times_s, one.lower[:, column], one.mean[:, column], one.upper[:, column])

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        series = series_of(drawn(run), self.properties)
        return series.times_s, series.values

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the largest contrast of each property as a share of what makes it an outlier by itself."""
        if not runs:
            return np.full(len(self.properties), np.nan)
        shares = self._shares(RunSet(tuple(runs)))
        return np.array([shares.get(prop.name, np.nan) for prop in self.properties])
