"""What a calibrated oracle remembers of its training runs: their features, number by number.

Beside the properties there are two kinds of numbers that no collector samples: the run's duration, and
how many notifications of each type each MBean emitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from buto.analysis.features import Feature, catalogue, features
from buto.analysis.series import sampling_interval, series_of
from buto.analysis.spread import COUNT_GRAIN, grains
from buto.properties import DURATION, Kind, Property
from buto.runs import FloatArray, Run

TOTAL = "total"
LEVELS = ("mean", TOTAL)
"""The features that say how much there is of a property, in order of preference."""


@dataclass(frozen=True, slots=True)
class Emitter:
    """Who emits notifications of which type."""

    type: str
    source: str

    def __str__(self) -> str:
        return f"{self.type} from {self.source}"


@dataclass(frozen=True, eq=False)
class Profile:
    """Features of training runs.

    Attributes:
        properties: those that are sampled.
        emitters: those that any training run heard.
        grain: shape (n_quantities,), smallest meaningful difference of each property, of the duration
            and of each emitter's count, in this order.
        end_s: where features end, see :func:`buto.analysis.features.features`.
        values: shape (n_runs, n_features), columns as :attr:`catalogue`.
    """

    properties: tuple[Property, ...]
    emitters: tuple[Emitter, ...]
    grain: FloatArray
    end_s: float
    values: FloatArray

    @cached_property
    def quantities(self) -> tuple[Property, ...]:
        """All that features are of: properties, the duration, counts of notifications."""
        counts = [
            Property(str(emitter), "{notification}", Kind.COUNTER, lower=0.0) for emitter in self.emitters
        ]
        return (*self.properties, DURATION, *counts)

    @cached_property
    def catalogue(self) -> tuple[Feature, ...]:
        """What each column of ``values`` is; ``column`` is a place in :attr:`quantities`."""
        first = len(self.properties)
        totals = [Feature(first + number, TOTAL) for number in range(1 + len(self.emitters))]
        return (*catalogue(self.properties), *totals)

    def measure(self, run: Run) -> FloatArray:
        """Return the features of one run, shape (n_features,); NaN for those of a property that was never
        read.
        """
        heard = Counter(Emitter(one.type, one.source) for one in run.notifications)
        counts = [float(heard[emitter]) for emitter in self.emitters]
        sampled = features(series_of(run, self.properties), self.properties, self.end_s)
        return np.concatenate([sampled, [run.outcome.duration_s], counts])

    def hearing(self, runs: Sequence[Run]) -> Profile:
        """Return the same profile with the emitters of these runs, which the training runs did not have."""
        known = set(self.emitters)
        more = tuple(one for one in _emitters(runs) if one not in known)
        silent = np.zeros((len(self.values), len(more)))
        return replace(
            self,
            emitters=(*self.emitters, *more),
            grain=np.concatenate([self.grain, np.full(len(more), COUNT_GRAIN)]),
            values=np.hstack([self.values, silent]),
        )

    def levels(self, values: FloatArray) -> FloatArray:
        """Return the level of each quantity in some runs, not negative, shape (n_quantities,).

        Args:
            values: shape (n_runs, n_features).
        """
        place: Mapping[tuple[int, str], int] = {
            (one.column, one.name): number for number, one in enumerate(self.catalogue)
        }
        mean = np.abs(values.mean(axis=0))
        return np.array(
            [
                next((mean[place[column, name]] for name in LEVELS if (column, name) in place), 0.0)
                for column in range(len(self.quantities))
            ]
        )


def learn(runs: Sequence[Run], properties: Sequence[Property]) -> Profile:
    """Return the profile of training runs.

    Args:
        properties: read in every one of the runs; constants are left out.
    """
    sampled = tuple(prop for prop in properties if prop.kind is not Kind.CONSTANT)
    series = [series_of(run, sampled) for run in runs]
    emitters = _emitters(runs)
    duration = min(sampling_interval(series), min(run.outcome.duration_s for run in runs))
    blank = Profile(
        sampled,
        emitters,
        np.concatenate(
            [grains(sampled, [one.values for one in series]), [duration], np.full(len(emitters), COUNT_GRAIN)]
        ),
        end_s=float(min(one.times_s[-1] for one in series)),
        values=np.empty((0, 0)),
    )
    return replace(blank, values=np.array([blank.measure(run) for run in runs]))


def _emitters(runs: Sequence[Run]) -> tuple[Emitter, ...]:
    heard = {Emitter(one.type, one.source) for run in runs for one in run.notifications}
    return tuple(sorted(heard, key=str))
