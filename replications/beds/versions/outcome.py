"""When a reported regression counts as reproduced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

LEAST_RUNS = 3
LEAST_RATIO = 1.1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the runs of both releases used, in the unit of their kind."""

    old: Sequence[float]
    new: Sequence[float]

    @property
    def ratio(self) -> float:
        """Return the new median as a multiple of the old one."""
        return median(self.new) / median(self.old)

    @property
    def reproduced(self) -> bool:
        """Return whether each new run used more than all old ones, and the median a tenth more.

        For equal releases the first happens by chance in 1 of 20 tries with 3 runs each, 1 of 252 with 5.
        Fewer runs than :data:`LEAST_RUNS` of either release reproduce nothing.
        """
        enough = min(len(self.old), len(self.new)) >= LEAST_RUNS
        return enough and min(self.new) > max(self.old) and self.ratio >= LEAST_RATIO
