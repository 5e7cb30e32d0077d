"""What a calibrated oracle remembers of its training runs: their features, number by number.

Beside the properties there are three kinds of numbers that no collector samples: the run's duration, how many
notifications of each type each MBean emitted, and what the live objects of each class use at the end.
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
from buto.detectors.calibrated.live_classes import LiveClasses, learn_classes
from buto.properties import DURATION, LIVE_CLASSES, Kind, Property
from buto.runs import FloatArray, Run

TOTAL = "total"
CLASS_GRAIN = 4096.0
"""The smallest difference of the bytes of a class that means something: a page of memory."""

GRAIN = {"By": 4096.0, "s": 0.001}
"""A page of memory; the millisecond in which the JVM counts the times of collections and compilation."""

CPU_GRAIN_S = 0.005
"""Half a tick of the kernel, in which it counts processor time."""

DURATION_GRAIN_S = 0.01

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
        grain: shape (n_quantities,), smallest meaningful difference of each property, of the duration,
            of each emitter's count and of the bytes of a class, in this order.
        end_s: where features end, see :func:`buto.analysis.features.features`.
        values: shape (n_runs, n_features), columns as :attr:`catalogue`.
        classes: whose live objects are compared; None if they are not.
    """

    properties: tuple[Property, ...]
    emitters: tuple[Emitter, ...]
    grain: FloatArray
    end_s: float
    values: FloatArray
    classes: LiveClasses | None = None

    @cached_property
    def quantities(self) -> tuple[Property, ...]:
        """All that features are of: properties, the duration, counts of notifications, live objects."""
        counts = [
            Property(str(emitter), "{notification}", Kind.COUNTER, lower=0.0) for emitter in self.emitters
        ]
        return (*self.properties, DURATION, *counts, *([LIVE_CLASSES] if self.classes else []))

    @cached_property
    def catalogue(self) -> tuple[Feature, ...]:
        """What each column of ``values`` is; ``column`` is a place in :attr:`quantities`."""
        first = len(self.properties)
        totals = [Feature(first + number, TOTAL) for number in range(1 + len(self.emitters))]
        last = first + len(totals)
        names = self.classes.names if self.classes else ()
        of_classes = [Feature(last, f"live objects of {name} at the end") for name in names]
        return (*catalogue(self.properties), *totals, *of_classes)

    def measure(self, run: Run) -> FloatArray:
        """Return the features of one run, shape (n_features,); NaN for those of a property that was never
        read.
        """
        heard = Counter(Emitter(one.type, one.source) for one in run.notifications)
        counts = [float(heard[emitter]) for emitter in self.emitters]
        sampled = features(series_of(run, self.properties), self.properties, self.end_s)
        of_classes = self.classes.measure(run) if self.classes else np.empty(0)
        return np.concatenate([sampled, [run.outcome.duration_s], counts, of_classes])

    def hearing(self, runs: Sequence[Run]) -> Profile:
        """Return the same profile with the emitters and the classes that only these runs have."""
        known = set(self.emitters)
        more = tuple(one for one in _emitters(runs) if one not in known)
        silent = np.zeros((len(self.values), len(more)))
        n_known = len(self.classes.names) if self.classes else 0
        n_others = self.values.shape[1] - n_known
        classes = self.classes.with_those_of(runs) if self.classes else None
        n_new = len(classes.names) - n_known if classes else 0
        small = np.full((len(self.values), n_new), classes.floor if classes else 0.0)
        values = [self.values[:, :n_others], silent, self.values[:, n_others:], small]
        place = len(self.properties) + 1 + len(self.emitters)
        return replace(
            self,
            emitters=(*self.emitters, *more),
            grain=np.insert(self.grain, place, np.full(len(more), COUNT_GRAIN)),
            values=np.hstack(values),
            classes=classes,
        )

    def levels(self, values: FloatArray) -> FloatArray:
        """Return the level of each quantity in some runs, not negative, shape (n_quantities,).

        Args:
            values: shape (n_runs, n_features).
        """
        return self._first_of(LEVELS, np.abs(values.mean(axis=0)))

    def amounts(self, values: FloatArray) -> FloatArray:
        """Return how much there is of each quantity, as people mean it: of a counter, its total; of classes,
        all together.

        Not negative, shape (n_quantities,). Args: see :meth:`levels`.
        """
        mean = np.abs(values.mean(axis=0))
        found = self._first_of(LEVELS[::-1], mean)
        if self.classes is not None and self.classes.names:
            found[-1] = mean[-len(self.classes.names) :].sum()
        return found

    def _first_of(self, names: Sequence[str], values: FloatArray) -> FloatArray:
        place: Mapping[tuple[int, str], int] = {
            (one.column, one.name): number for number, one in enumerate(self.catalogue)
        }
        return np.array(
            [
                next((values[place[column, name]] for name in names if (column, name) in place), 0.0)
                for column in range(len(self.quantities))
            ]
        )


def learn(runs: Sequence[Run], properties: Sequence[Property], *, by_class: bool = False) -> Profile:
    """Return the profile of training runs.

    Args:
        properties: read in every one of the runs; constants are left out.
        by_class: whether live objects are compared by class, if all runs have counted them at their end.
    """
    sampled = tuple(prop for prop in properties if prop.kind is not Kind.CONSTANT)
    series = [series_of(run, sampled) for run in runs]
    emitters = _emitters(runs)
    duration = min(sampling_interval(series), min(run.outcome.duration_s for run in runs))
    classes = learn_classes(runs) if by_class else None
    found = grains(sampled, [one.values for one in series])
    grain = [
        *(_fine(prop, known) for prop, known in zip(sampled, found, strict=True)),
        min(duration, DURATION_GRAIN_S),
        *[COUNT_GRAIN] * len(emitters),
        *([CLASS_GRAIN] if classes else []),
    ]
    blank = Profile(
        sampled,
        emitters,
        np.array(grain),
        end_s=float(min(one.times_s[-1] for one in series)),
        values=np.empty((0, 0)),
        classes=classes,
    )
    return replace(blank, values=np.array([blank.measure(run) for run in runs]))


def _fine(prop: Property, known: float) -> float:
    """Return a property's grain, never more than the one that was found for it."""
    if prop.unit.startswith("{"):
        return min(known, COUNT_GRAIN)
    if prop.unit == "s" and "cpu" in prop.name:
        return min(known, CPU_GRAIN_S)
    return min(known, GRAIN.get(prop.unit, known))


def _emitters(runs: Sequence[Run]) -> tuple[Emitter, ...]:
    heard = {Emitter(one.type, one.source) for run in runs for one in run.notifications}
    return tuple(sorted(heard, key=str))
