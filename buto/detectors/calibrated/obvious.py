"""Differences that a person would see at once: far beyond all training runs, whatever the p-value says.

With many properties and few runs, a check may pass although one property lies outside everything that
training has seen by several times the range of training. Such a difference is never passed in silence: two
more runs confirm it, and it is reported beside a pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.evidence import Evidence
from buto.detectors.calibrated.profile import LEVELS
from buto.properties import Property
from buto.units import format_quantity

RANGES = 3.0
"""So many times the range of the training runs a value must lie beyond all of them."""

SMALLEST_SHARE = 0.02
"""Share of a property's level that a range is never less than, so that a few more classes are not obvious."""


@dataclass(frozen=True, slots=True)
class Obvious:
    """A property that is far beyond all training runs in every run under test.

    Attributes:
        quantity: the property.
        observed: mean of the runs under test.
        lowest, highest: of the training runs.
    """

    quantity: Property
    observed: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        unit = self.quantity.unit
        observed, lowest, highest = (
            format_quantity(value, unit) for value in (self.observed, self.lowest, self.highest)
        )
        return (
            f"{self.quantity.name} is {observed}, far beyond all training runs ({lowest} to {highest}), "
            "although together with all other properties this is not a regression"
        )


def obvious(evidence: Evidence, n_checked: int) -> tuple[Obvious, ...]:
    """Return the properties whose level is obviously different, the farthest first.

    A property whose difference does not count by the settings is left out.
    """
    training, checked = evidence.values[:-n_checked], evidence.values[-n_checked:]
    lowest, highest = training.min(axis=0), training.max(axis=0)
    level = np.abs(training.mean(axis=0))
    unit = np.maximum(evidence.stable.unit, SMALLEST_SHARE * level)
    width = np.maximum(highest - lowest, unit)
    distance = np.maximum(checked.min(axis=0) - highest, lowest - checked.max(axis=0)) / width
    distance = np.where(evidence.mattering.contrast[0] == 0, 0.0, distance)
    found: dict[int, Obvious] = {}
    for place in np.argsort(-distance, kind="stable"):
        feature = evidence.profile.catalogue[evidence.kept[place]]
        if distance[place] < RANGES:
            break
        if feature.name in LEVELS and feature.column not in found:
            found[feature.column] = Obvious(
                evidence.profile.quantities[feature.column],
                float(checked[:, place].mean()),
                float(lowest[place]),
                float(highest[place]),
            )
    return tuple(found.values())
