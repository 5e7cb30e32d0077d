"""A run as one row of numbers: how much there is of each property, how high it goes, how it grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from buto.judging.contrasts import grains
from buto.judging.features import Feature, catalogue, features, series_of
from buto.run.model import FloatArray, Run
from buto.run.properties import DURATION, Property

KEPT = frozenset({"mean", "slope", "high", "total", "increase-late"})
"""The features of :mod:`buto.judging.features` that are learned from."""

WORDS = {
    "mean": "mean",
    "slope": "growth from the first to the last third",
    "high": "nine tenths of the time below",
    "total": "total",
    "increase-late": "growth in the last third",
}
"""What each is called in findings."""

DURATION_GRAIN_S = 0.1


@dataclass(frozen=True)
class Columns:
    """What a row has.

    Attributes:
        properties: that are read in every run; the run's duration is the last column.
    """

    properties: tuple[Property, ...]

    @cached_property
    def kept(self) -> tuple[Feature, ...]:
        """The feature in each column; that of the duration is the total of the property after all others."""
        own = (one for one in catalogue(self.properties) if one.name in KEPT)
        return (*own, Feature(len(self.properties), "total"))

    @property
    def quantities(self) -> tuple[Property, ...]:
        """The properties that features are of."""
        return (*self.properties, DURATION)

    def measure(self, run: Run) -> FloatArray:
        """Return the row of a run in the properties' units, shape (n_columns,); NaN if nothing was read."""
        series = series_of(run, self.properties)
        end_s = float(series.times_s[-1]) if len(series) else 0.0
        every = features(series, self.properties, end_s)
        chosen = [one.name in KEPT for one in catalogue(self.properties)]
        return np.append(every[chosen], run.outcome.duration_s)

    def grain(self, runs: Sequence[Run]) -> FloatArray:
        """Return the smallest meaningful difference in each column, shape (n_columns,)."""
        of_property = grains(self.properties, (series_of(run, self.properties).values for run in runs))
        by_quantity = np.append(of_property, DURATION_GRAIN_S)
        return by_quantity[[one.column for one in self.kept]]
