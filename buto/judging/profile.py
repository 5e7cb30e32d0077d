"""What the judge remembers of its training runs: their features, number by number.

Beside the properties there are three kinds of numbers that no collector samples: the run's duration, how many
notifications of each type each MBean emitted, and what the live objects of each class use at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from msgspec import Struct, structs

from buto.judging.accusing import accusing_features
from buto.judging.class_changes import class_feature, histogram_at_end
from buto.judging.contrasts import BETWEEN_RUNS, CLASS_GRAIN, COUNT_GRAIN, DURATION_GRAIN_S, grains
from buto.judging.features import (
    TOTAL,
    Feature,
    Series,
    catalogue,
    features,
    sampling_interval,
    series_of,
)
from buto.judging.readable import Level
from buto.run.model import RUN_QUEUE, ClassCount, FloatArray, IntArray, Run
from buto.run.properties import DURATION, LIVE_CLASSES, Kind, Nature, Property, nature_of

MOST_CLASSES = 100
"""The largest classes of each run that are compared."""


class LiveClasses(Struct, frozen=True):
    """The classes whose live objects at the end of a run are compared.

    A histogram lists the largest classes only, and each run lists others. So a class counts with at least a
    *floor*: no class that the training runs leave out uses more. What a run does not list is the floor, too.
    Together the classes are one property, :data:`buto.run.properties.LIVE_CLASSES`, with one feature for each
    class.

    Attributes:
        names: of classes, those of any run's largest that use more than the floor.
        floor: bytes; smaller classes count as much.
    """

    names: tuple[str, ...]
    floor: float

    def measure(self, run: Run) -> FloatArray:
        """Return the bytes of each class, shape (n_classes,); NaN if the run has no histogram at its end."""
        histogram = histogram_at_end(run)
        if histogram is None:
            return np.full(len(self.names), np.nan)
        sizes = {class_count.name: float(class_count.size_bytes) for class_count in histogram.classes}
        return np.array([max(sizes.get(name, 0.0), self.floor) for name in self.names])

    def with_those_of(self, runs: Sequence[Run]) -> LiveClasses:
        """Return these classes, and then those that only these runs have among their largest."""
        listed = {
            class_count.name
            for run in runs
            for class_count in _largest(run)
            if class_count.size_bytes > self.floor
        }
        return structs.replace(self, names=(*self.names, *sorted(listed.difference(self.names))))


def learn_classes(runs: Sequence[Run]) -> LiveClasses | None:
    """Return the classes of training runs; None unless all of them have a histogram at their end."""
    if any(histogram_at_end(run) is None for run in runs):
        return None
    lists = [_largest(run) for run in runs]
    cut = [counts[-1].size_bytes for counts in lists if len(counts) == MOST_CLASSES]
    return LiveClasses((), float(max(cut, default=0))).with_those_of(runs)


def _largest(run: Run) -> tuple[ClassCount, ...]:
    histogram = histogram_at_end(run)
    return () if histogram is None else histogram.classes[:MOST_CLASSES]


def levels_of(
    features_of: Sequence[Feature], quantities: Sequence[Property], values: FloatArray
) -> Iterator[Level]:
    """Yield of each quantity the number that says how much there is: of a counter its total, of a gauge what
    :mod:`buto.judging.accusing` names first, or else its mean.

    Args:
        features_of: the columns of ``values``, shape (n_runs, n_features).
    """
    for column, place in first_levels(features_of, quantities).items():
        yield Level.of(quantities[column], features_of[place].name, values[:, place])


def first_levels(features_of: Sequence[Feature], quantities: Sequence[Property]) -> dict[int, int]:
    """Return by quantity the place of the feature that says how much there is; live objects have none."""
    places = {(feature.column, feature.name): place for place, feature in enumerate(features_of)}
    place_of: dict[int, int] = {}
    for column, prop in enumerate(quantities):
        for name in (*accusing_features(prop), "mean"):
            if (column, name) in places:
                place_of.setdefault(column, places[column, name])
    return place_of


class Emitter(Struct, frozen=True):
    """Who emits notifications of which type."""

    type: str
    source: str

    def __str__(self) -> str:
        return f"{self.type} from {self.source}"


@dataclass(frozen=True, eq=False)
class TrainingProfile:
    """Features of training runs.

    Attributes:
        properties: those that are sampled.
        emitters: those that any training run heard.
        grain: shape (n_quantities,), smallest meaningful difference of each property, of the duration,
            of each emitter's count and of the bytes of a class, in this order.
        end_s: the last sample of the shortest run.
        values: shape (n_runs, n_features), columns as :attr:`catalogue`.
        classes: whose live objects are compared; None if they are not.
        waits_s: shape (n_runs,), how long the threads of each run waited for a core; NaN if not known.
        steps: shape (n_quantities,), how far what collections leave moves at most from one to the next; 0 of
            everything else.
    """

    properties: tuple[Property, ...]
    emitters: tuple[Emitter, ...]
    grain: FloatArray
    end_s: float
    values: FloatArray
    classes: LiveClasses | None = None
    waits_s: FloatArray = field(default_factory=lambda: np.empty(0))
    steps: FloatArray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if not len(self.steps):
            object.__setattr__(self, "steps", np.zeros(len(self.grain)))

    def wait_shares(self, values: FloatArray, waits_s: FloatArray) -> FloatArray:
        """Return how long the threads of runs waited for a core in each second of them, shape (n_runs,).

        Args:
            values: shape (n_runs, n_features), columns as the catalogue.
            waits_s: shape (n_runs,), in all; NaN if not known.
        """
        place = next(n for n, each in enumerate(self.catalogue) if self.quantities[each.column] == DURATION)
        shares: FloatArray = waits_s / np.maximum(values[:, place], DURATION_GRAIN_S)
        return shares

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
        of_classes = [Feature(last, class_feature(name)) for name in names]
        return (*self._sampled, *totals, *of_classes)

    @cached_property
    def _sampled(self) -> tuple[Feature, ...]:
        """The features of the properties that may accuse, those of one property side by side."""
        return list_sampled_features(self.properties)

    @cached_property
    def _taken(self) -> IntArray:
        """The places of these among all features."""
        place = {feature: number for number, feature in enumerate(catalogue(self.properties))}
        return np.array([place[feature] for feature in self._sampled], dtype=np.int64)

    def measure(self, run: Run) -> FloatArray:
        """Return the features of one run, shape (n_features,); NaN for those of a property that was never
        read.
        """
        heard = Counter(Emitter(notification.type, notification.source) for notification in run.notifications)
        counts = [float(heard[emitter]) for emitter in self.emitters]
        sampled = features(series_of(run, self.properties), self.properties)[self._taken]
        of_classes = self.classes.measure(run) if self.classes else np.empty(0)
        return np.concatenate([sampled, [run.outcome.duration_s], counts, of_classes])

    def hearing(self, runs: Sequence[Run]) -> TrainingProfile:
        """Return the same profile with the emitters and the classes that only these runs have."""
        known = set(self.emitters)
        more = tuple(emitter for emitter in _emitters(runs) if emitter not in known)
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
            steps=np.insert(self.steps, place, np.zeros(len(more))),
            values=np.hstack(values),
            classes=classes,
        )

    def levels(self, values: FloatArray) -> FloatArray:
        """Return the level of each quantity in some runs, not negative, shape (n_quantities,).

        Args:
            values: shape (n_runs, n_features).
        """
        return np.abs(self.levels_with_sign(values))

    def levels_with_sign(self, values: FloatArray) -> FloatArray:
        """Return the mean level of each quantity, shape (n_quantities,); 0 of live objects by class."""
        levels, mean = np.zeros(len(self.quantities)), values.mean(axis=0)
        for column, place in self._places_of_levels.items():
            levels[column] = mean[place]
        return levels

    def amounts(self, values: FloatArray) -> FloatArray:
        """Return how much there is of each quantity, not negative, shape (n_quantities,); of live objects by
        class, of all classes together.

        Args: see :meth:`levels`.
        """
        amounts = self.levels(values)
        if self.classes is not None and self.classes.names:
            amounts[-1] = np.abs(values.mean(axis=0))[-len(self.classes.names) :].sum()
        return amounts

    @cached_property
    def _places_of_levels(self) -> Mapping[int, int]:
        return first_levels(self.catalogue, self.quantities)


def list_sampled_features(properties: Sequence[Property]) -> tuple[Feature, ...]:
    """Return the features of properties that may accuse, those of one property side by side."""
    return tuple(
        Feature(column, name) for column, prop in enumerate(properties) for name in accusing_features(prop)
    )


def learn(runs: Sequence[Run], properties: Sequence[Property], *, by_class: bool = False) -> TrainingProfile:
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
    grain = [
        *grains(sampled, [run_series.values for run_series in series], BETWEEN_RUNS),
        min(duration, DURATION_GRAIN_S),
        *[COUNT_GRAIN] * len(emitters),
        *([CLASS_GRAIN] if classes else []),
    ]
    blank = TrainingProfile(
        sampled,
        emitters,
        np.array(grain),
        end_s=float(min(run_series.times_s[-1] for run_series in series)),
        values=np.empty((0, 0)),
        classes=classes,
        steps=np.concatenate([steps_of(sampled, series), np.zeros(len(grain) - len(sampled))]),
    )
    return replace(blank, values=np.array([blank.measure(run) for run in runs]), waits_s=waits_of(runs))


def steps_of(properties: Sequence[Property], series: Sequence[Series]) -> FloatArray:
    """Return how far what collections leave moves from one collection to the next, shape (n_properties,).

    The largest change in each run, in the mean over runs that have one, in the property's unit; 0 of other
    properties, and without any change. A collection that comes a little earlier or later sees or misses a
    short peak, and so moves the largest value by up to as much.

    Args:
        series: of each run, columns as ``properties``.
    """
    steps = np.zeros(len(properties))
    for column, prop in enumerate(properties):
        if nature_of(prop) is Nature.KEPT:
            read = [
                run_series.values[~np.isnan(run_series.values[:, column]), column] for run_series in series
            ]
            moves = np.array([np.abs(np.diff(values)).max(initial=0.0) for values in read])
            steps[column] = float(moves[moves > 0].mean()) if (moves > 0).any() else 0.0
    return steps


def waits_of(runs: Sequence[Run]) -> FloatArray:
    """Return how long the threads of each run waited for a core, in seconds, shape (n_runs,); NaN if unknown.

    More than it computes a program waits only for others. So the wait explains a duration beside a load.
    """
    waits = [run.metadata.get(RUN_QUEUE) for run in runs]
    return np.array([float(wait) if isinstance(wait, int | float) else np.nan for wait in waits])


def _emitters(runs: Sequence[Run]) -> tuple[Emitter, ...]:
    heard = {
        Emitter(notification.type, notification.source) for run in runs for notification in run.notifications
    }
    return tuple(sorted(heard, key=str))
