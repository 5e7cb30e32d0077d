"""What a detector expects of a run, as one number for each property: what people compare and review."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from buto.properties import Property
from buto.runs import FloatArray


@dataclass(frozen=True, slots=True)
class Level:
    """What is expected of one number of a run: its centre and its band, in the property's unit.

    Attributes:
        prop: what the number is of; of notifications its name is their type and emitter.
        number: which number of the property it is: ``mean``, ``total`` or ``number``.
        deviation: the standard deviation of one run.
    """

    prop: Property
    number: str
    expected: float
    lower: float
    upper: float
    deviation: float

    @classmethod
    def of(cls, prop: Property, number: str, values: FloatArray) -> Level:
        """Return the level of a number that the training runs had, shape (n_runs,)."""
        deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return cls(prop, number, float(values.mean()), float(values.min()), float(values.max()), deviation)

    @classmethod
    def of_band(
        cls, prop: Property, number: str, sides: tuple[float, float, float], deviations: float
    ) -> Level:
        """Return the level of a band (lower, expected, upper), so many deviations wide on each side."""
        lower, expected, upper = sides
        level = cls(prop, number, expected, lower, upper, 0.0)
        return replace(level, deviation=level.half_width / deviations)

    @property
    def half_width(self) -> float:
        """From the centre to the limit that is not cut off by what is possible."""
        ends = (self.upper - self.expected, self.expected - self.lower)
        return max((end for end in ends if math.isfinite(end)), default=0.0)
