"""What a detector expects of a run, as one number for each property: what people compare and review."""

from __future__ import annotations

import math
from dataclasses import dataclass

from buto.properties import Property


@dataclass(frozen=True, slots=True)
class Level:
    """What is expected of one number of a run: its centre and its band, in the property's unit.

    Attributes:
        prop: what the number is of; of notifications its name is their type and emitter.
        number: which number of the property it is: ``mean``, ``total`` or ``number``.
        deviations: how many standard deviations of one run half the band is wide.
    """

    prop: Property
    number: str
    expected: float
    lower: float
    upper: float
    deviations: float

    @property
    def half_width(self) -> float:
        """From the centre to the limit that is not cut off by what is possible."""
        ends = (self.upper - self.expected, self.expected - self.lower)
        return max((end for end in ends if math.isfinite(end)), default=0.0)

    @property
    def deviation(self) -> float:
        """The standard deviation of one run."""
        return self.half_width / self.deviations
