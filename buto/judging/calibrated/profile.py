"""What the judge remembers of its training runs: their features, number by number.

Beside the properties there are three kinds of numbers that no collector samples: the run's duration, how many
notifications of each type each MBean emitted, and what the live objects of each class use at the end.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from buto.judging.class_changes import histogram_at_end
from buto.judging.contrasts import BETWEEN_RUNS, CLASS_GRAIN, COUNT_GRAIN, DURATION_GRAIN_S, grains
from buto.judging.features import Feature, catalogue, features, sampling_interval, series_of, summaries
from buto.judging.readable import Level
from buto.run.long import LongRun
from buto.run.model import ClassCount, FloatArray, Run, RunSet
from buto.run.properties import DURATION, LIVE_CLASSES, Kind, Property

MOST_CLASSES = 100
"""The largest classes of each run that are compared."""


@dataclass(frozen=True, slots=True)
class LiveClasses:
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
        sizes = {one.name: float(one.size_bytes) for one in histogram.classes}
        return np.array([max(sizes.get(name, 0.0), self.floor) for name in self.names])

    def with_those_of(self, runs: Sequence[Run]) -> LiveClasses:
        """Return these classes, and then those that only these runs have among their largest."""
        listed = {one.name for run in runs for one in _largest(run) if one.size_bytes > self.floor}
        return replace(self, names=(*self.names, *sorted(listed.difference(self.names))))


def learn_classes(runs: Sequence[Run]) -> LiveClasses | None:
    """Return the classes of training runs; None unless all of them have a histogram at their end."""
    if any(histogram_at_end(run) is None for run in runs):
        return None
    lists = [_largest(run) for run in runs]
    cut = [one[-1].size_bytes for one in lists if len(one) == MOST_CLASSES]
    return LiveClasses((), float(max(cut, default=0))).with_those_of(runs)


def _largest(run: Run) -> tuple[ClassCount, ...]:
    histogram = histogram_at_end(run)
    return () if histogram is None else histogram.classes[:MOST_CLASSES]


TOTAL = "total"

PART_VALUES = 1 << 24
"""Values of all runs that are held at a time by each of the threads."""

MOST_THREADS = 2

LEVELS = ("mean", TOTAL)
"""The features that say how much there is of a property, in order of preference."""


def levels_of(
    features_of: Sequence[Feature], quantities: Sequence[Property], values: FloatArray
) -> Iterator[Level]:
    """Yield the mean of each gauge and the total of each counter.

    Args:
        features_of: the columns of ``values``, shape (n_runs, n_features).
    """
    for place, one in enumerate(features_of):
        prop = quantities[one.column]
        if one.name == TOTAL or (one.name == "mean" and prop.kind is Kind.GAUGE):
            yield Level.of(prop, one.name, values[:, place])


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
        end_s: where features end, see :func:`buto.judging.features.features`.
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
    grain = [
        *grains(sampled, [one.values for one in series], BETWEEN_RUNS),
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


def _emitters(runs: Sequence[Run]) -> tuple[Emitter, ...]:
    heard = {Emitter(one.type, one.source) for run in runs for one in run.notifications}
    return tuple(sorted(heard, key=str))


def learn_long(runs: RunSet, properties: Sequence[Property], *, by_class: bool) -> Profile:
    """Return what :func:`learn` does, of runs that do not fit into memory together.

    Every number of a profile is of one property, of the runs' durations or of notifications. What is learned
    of a few properties at a time is therefore to the last digit what is learned of all at once.
    """
    divided = _divided(properties, sum(run.n_samples for run in runs))
    parts = _learned(runs, divided, by_class=by_class)
    numbers = np.concatenate([found for _, found in parts], axis=2)
    for run, found in zip(runs, numbers.tolist(), strict=True):
        if isinstance(run, LongRun):
            run.known.update(zip((prop.name for prop in properties), zip(*found, strict=True), strict=True))
    return _joined([profile for profile, _ in parts])


def _divided(properties: Sequence[Property], n_samples: int) -> list[Sequence[Property]]:
    """Return parts of two properties or more: numpy adds one column in another order."""
    size = max(2, PART_VALUES // n_samples)
    n_parts = max(1, len(properties) // size)
    edges = np.linspace(0, len(properties), n_parts + 1).astype(np.int64)
    return [properties[first:last] for first, last in pairwise(edges.tolist())]


def _learned(
    runs: RunSet, divided: Sequence[Sequence[Property]], *, by_class: bool
) -> list[tuple[Profile, FloatArray]]:
    """Return of each part its profile, and the numbers of runs as :func:`summaries` gives them."""

    def part(properties: Sequence[Property]) -> tuple[Profile, FloatArray]:
        some = [_part_of(run, properties) for run in runs]
        numbers = [summaries(series_of(run, properties), properties) for run in some]
        return learn(some, properties, by_class=by_class), np.array(numbers)

    # Imported here, because it brings logging along and few runs are so long.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(MOST_THREADS, len(os.sched_getaffinity(0)))) as threads:
        return list(threads.map(part, divided))


def _part_of(run: Run, properties: Sequence[Property]) -> Run:
    return run.part(properties) if isinstance(run, LongRun) else run


def _joined(profiles: Sequence[Profile]) -> Profile:
    """Return the profile of all properties; the other quantities are the same in each part's."""
    last = profiles[-1]
    widths = [len(catalogue(one.properties)) for one in profiles]
    return Profile(
        tuple(prop for one in profiles for prop in one.properties),
        last.emitters,
        np.concatenate(
            [*(one.grain[: len(one.properties)] for one in profiles), last.grain[len(last.properties) :]]
        ),
        last.end_s,
        np.hstack(
            [
                *(one.values[:, :width] for one, width in zip(profiles, widths, strict=True)),
                last.values[:, widths[-1] :],
            ]
        ),
        last.classes,
    )
