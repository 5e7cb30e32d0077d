"""What can be drawn on an unknown machine: the run, and how far each quantity is on its way to a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from buto.detectors.calibrated.machines.numbers import quantity_of
from buto.detectors.views import RunsView
from buto.properties import Property
from buto.runs import FloatArray, Run


class WholeView(RunsView):
    """The judged properties of the runs.

    Args:
        wanted: which properties are judged.
        reach: gives, for runs of one environment, the share of the limit of each quantity by its name.
    """

    reach_of = "of the limit of findings"
    bands_decide = False

    def __init__(
        self,
        runs: Sequence[Run],
        wanted: Callable[[Property], bool],
        reach: Callable[[Sequence[Run]], Mapping[str, float]],
    ) -> None:
        super().__init__(runs, wanted)
        self._reach = reach

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the share of the limit of each property's quantity; NaN if it was not judged."""
        shares = self._reach(runs) if runs else {}
        return np.array([shares.get(quantity_of(prop).name, np.nan) for prop in self.properties])
