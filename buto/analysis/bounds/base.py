"""What a bounds algorithm takes and gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from buto.analysis.timepoints import TimePoints
from buto.properties import Property
from buto.runs import FloatArray

AVERAGES = ("mean", "median")


@dataclass(frozen=True, eq=False, slots=True)
class Bounds:
    """A band for several properties over time.

    Attributes:
        times_s: shape (n_points,).
        lower, upper: shape (n_points, n_properties), both limits inside the band; both NaN where the
            model says nothing.
        expected: the same shape, the centre that the band was drawn around.
    """

    times_s: FloatArray
    lower: FloatArray
    upper: FloatArray
    expected: FloatArray

    def __len__(self) -> int:
        return len(self.times_s)


@dataclass(frozen=True, slots=True)
class BoundsSettings:
    """What the algorithms can be told.

    Attributes:
        average: ``mean`` or ``median`` of a time point as its measured state.
        deviations: half the band's width, in standard deviations.
    """

    average: str = "mean"
    deviations: float = 20.0


class BoundsAlgorithm(Protocol):
    """From time points to bounds at the same times.

    Must hold for each (``tests/contract``): lower <= expected <= upper or all NaN; NaN exactly where
    a point has no value; another unit scales the bounds; the order of the properties does not matter.
    """

    def __call__(self, points: TimePoints, settings: BoundsSettings) -> Bounds: ...


def clip(bounds: Bounds, properties: Sequence[Property]) -> Bounds:
    """Keep a band within what is possible for each property (thesis, section 4.4.3)."""
    low = np.array([prop.lower for prop in properties])
    high = np.array([prop.upper for prop in properties])
    return Bounds(
        bounds.times_s,
        np.clip(bounds.lower, low, high),
        np.clip(bounds.upper, low, high),
        np.clip(bounds.expected, low, high),
    )
