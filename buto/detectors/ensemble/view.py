"""What can be drawn of an ensemble: the runs, and how many of the votes each counter has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from buto.detectors.views import RunsView
from buto.properties import Property
from buto.runs import FloatArray, Run


class EnsembleView(RunsView):
    """The judged counters of the runs, and the votes against each.

    Args:
        judged: the counters that are judged.
        votes: gives the share of the votes against each judged counter in a run, shape (n,).
    """

    reach_of = "of the votes that flag it"
    bands_decide = False

    def __init__(
        self, runs: Sequence[Run], judged: Sequence[Property], votes: Callable[[Run], FloatArray]
    ) -> None:
        super().__init__(runs)
        self.properties, self._votes = tuple(judged), votes

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the share of the votes against each counter, median over the runs; 1 is half of them."""
        if not runs:
            return np.full(len(self.properties), np.nan)
        reach: FloatArray = np.median([self._votes(run) for run in runs], axis=0) / 0.5
        return reach
