"""What an oracle expects, as one number for each property of a run: what people compare and review.

Every detector keeps bands of the mean of each property over a run, of counters' totals, of the duration
and of the number of notifications. How a run goes on over time is left to charts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from buto.detectors.bounds.detector import FittedBounds
from buto.detectors.bounds.findings import DURATION
from buto.detectors.calibrated.detector import FittedCalibrated
from buto.oracle.model import Oracle
from buto.properties import Kind, Property
from buto.units import format_quantity


@dataclass(frozen=True, slots=True)
class Level:
    """What an oracle expects of one number of a run: its centre and its band, in the number's unit."""

    expected: float
    lower: float
    upper: float

    @property
    def half_width(self) -> float:
        """From the centre to the limit that is not cut off by what is possible."""
        ends = (self.upper - self.expected, self.expected - self.lower)
        return max((end for end in ends if math.isfinite(end)), default=0.0)


def levels(oracle: Oracle) -> Iterator[tuple[Property, str, Level]]:
    """Each property with what its number is called, ``mean``, ``total`` or ``number``, and what is expected.

    Nothing for a detector that keeps no bands.
    """
    bands = _bands(oracle)
    if bands is None:
        return
    means, totals = 0, 1
    limits = bands.model.summaries
    for column, prop in enumerate(bands.model.properties):
        row = totals if prop.kind is Kind.COUNTER else means
        number = "total" if row == totals else "mean"
        yield (
            prop,
            number,
            Level(*(float(side[row, column]) for side in (limits.expected, limits.lower, limits.upper))),
        )
    if bands.duration is not None:
        yield DURATION, "mean", Level(bands.duration.expected, bands.duration.lower, bands.duration.upper)
    for emitter in bands.notifications.emitters:
        prop = Property(f"{emitter.type} from {emitter.source}", "{notification}")
        sides = (emitter.count.expected, emitter.count.lower, emitter.count.upper)
        yield prop, "number", Level(*(float(side[0]) for side in sides))


def left_out(oracle: Oracle) -> Mapping[str, str]:
    """Properties that are not judged, each with the reason."""
    bands = _bands(oracle)
    return {} if bands is None else bands.left_out


def summary(oracle: Oracle) -> dict[str, str]:
    """A line for each property, as ``mean 12 MiB, 11.5 MiB to 12.5 MiB``."""
    return {
        prop.name: f"{number} {', '.join(_said(level, prop.unit))}"
        for prop, number, level in levels(oracle)
        if math.isfinite(level.expected)
    }


def _said(level: Level, unit: str) -> Iterator[str]:
    expected, lower, upper = (
        format_quantity(end, unit) for end in (level.expected, level.lower, level.upper)
    )
    yield expected
    if not lower == expected == upper:
        yield f"{lower} to {upper}"


def _bands(oracle: Oracle) -> FittedBounds | None:
    fitted = oracle.fitted
    if isinstance(fitted, FittedCalibrated):
        return fitted.bands
    return fitted if isinstance(fitted, FittedBounds) else None
