"""From the deviations of all counters to one score, by which choices of units are ranked."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt

from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

LARGEST = 100.0
"""Larger deviations are as large as this."""

WORST, SHARE_OF_WORST = 5, 0.1
"""So many quantities, and at most so large a share of all, make up the broad part."""

SOFTENING = 0.1
"""Added to deviations before their logarithm is taken."""

FINEST = 0.1
"""Smallest scatter of a part over choices: a tenth of a deviation."""


@dataclass(frozen=True, eq=False, slots=True)
class Scored:
    """How deviations become a score of two parts.

    The *broad* part is the mean logarithm of the largest deviations: of a tenth of the quantities, at most of
    five, whatever they are and in either direction. The more quantities there are, the more often one of them
    is odd in an unchanged run, so none of them decides alone. Only the largest of each quantity's instances
    counts, so that forty caches that are idle together are one.

    The *peak* is the logarithm of the largest increase of a cost. There are few costs, so one can decide.

    Attributes:
        family: number of the quantity that each counter is an instance of, shape (m,).
        costs: whether each counter is a cost, shape (m,).
    """

    family: IntArray
    costs: npt.NDArray[np.bool_]

    def both(self, deviation: FloatArray) -> tuple[float, float]:
        """Return the two parts for deviations of shape (m,)."""
        worst = np.zeros(int(self.family.max(initial=-1)) + 1)
        np.maximum.at(worst, self.family, np.minimum(np.abs(deviation), LARGEST))
        if not len(worst):
            return 0.0, 0.0
        n_worst = min(WORST, ceil(SHARE_OF_WORST * len(worst)))
        broad = float(np.log(SOFTENING + np.sort(worst)[-n_worst:]).mean())
        increase = min(LARGEST, float(deviation[self.costs].max(initial=0.0)))
        return broad, float(np.log(SOFTENING + increase))

    def together(self, both: FloatArray, known: FloatArray) -> FloatArray:
        """Return scores: the larger part, each in its own scatter around its median; shape (n,).

        The scatter is the mean distance from the median. The median distance would not do: in most unchanged
        runs no cost increases, so that most peaks are alike, and a usual peak would be an extreme one.

        Args:
            both: the parts to combine, shape (n, 2).
            known: the parts that show median and scatter, shape (k, 2). If every choice of units is among
                them, all choices are treated alike, and ranks stay exact.
        """
        parts = both if self.costs.any() else both[:, :1]
        known = known[:, : parts.shape[1]]
        middle = np.median(known, axis=0)
        scatter = np.maximum(np.abs(known - middle).mean(axis=0), FINEST)
        found: FloatArray = ((parts - middle) / scatter).max(axis=1)
        return found
