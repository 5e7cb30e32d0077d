"""A run as numbers that can be compared between machines.

They are those of :mod:`buto.judging.features`, with three departures. Thirds are of each run's own length: a
slower machine does the same work later. Pools and collectors that do the same under another name, with
another collector, are added up to one quantity, such as ``jvm.gc.count`` and ``jvm.memory.used[Old]``. And
growth is scaled to the usual work, such as answered requests: twice as many cause twice as many statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import structs

from buto.judging.contrasts import grains
from buto.judging.features import Feature, Series, catalogue, features, series_of, significant
from buto.judging.readable import MOST_UNREAD
from buto.judging.settings import Settings, judges
from buto.judging.stored import size_of
from buto.run.model import FloatArray, Run
from buto.run.properties import DURATION, Kind, Property, is_judged, split_name
from buto.run.units import format_list


@dataclass(frozen=True, slots=True)
class Work:
    """What growth is compared with.

    Attributes:
        names: the properties that count work, or tell how much is done in a second.
        rate: the usual amount of work in a second. Growth is scaled to it.
    """

    names: tuple[str, ...]
    rate: float

    def scale(self, run: Run, edges_s: FloatArray) -> FloatArray:
        """Return by what growth between two edges is multiplied, so that it is what the usual work causes.

        Shape (n_edges - 1,); NaN where no work was done, or nothing of it could be read.
        """
        done = np.diff(np.interp(edges_s, *_until(run, self.names)))
        usual = self.rate * np.diff(edges_s)
        scale: FloatArray = np.divide(usual, done, out=np.full(len(done), np.nan), where=done > 0)
        return scale

    def is_known(self, run: Run) -> bool:
        """Return whether a run did any work, and it could be read."""
        _, done = _until(run, self.names)
        return bool(done[-1] > 0)


def learn_work(runs: Sequence[Run], patterns: Iterable[str]) -> Work | None:
    """Return the work of prior tests; None if no run has a property that these shell patterns name."""
    wanted = tuple(patterns)
    names = {
        prop.name
        for run in runs
        for prop in run.properties
        if any(fnmatchcase(prop.name, pattern) for pattern in wanted)
    }
    if not names:
        return None
    chosen = tuple(sorted(names))
    rates = [_rate(*_until(run, chosen)) for run in runs]
    known = [rate for rate in rates if rate > 0]
    return Work(chosen, float(significant(np.array(np.median(known))))) if known else None


def unknown_work(work: Work | None, runs: Iterable[Run]) -> str:
    """Return why growth in these runs is not judged; empty if it is not scaled, or if all tell their work."""
    if work is None:
        return ""
    ids = [run.id for run in runs if not work.is_known(run)]
    why = f"{format_list(work.names)} could not be read, or counted no work, in {format_list(ids)}"
    return f"growth is not judged, because {why}" if ids else ""


def work_to_data(work: Work) -> dict[str, Any]:
    """Return what growth is scaled to as plain data."""
    return {"counted_by": list(work.names), "each_second": work.rate}


def work_of(written: Mapping[str, Any] | None) -> Work | None:
    """Invert :func:`work_to_data`, None for None; raise ValueError or TypeError for data of another shape."""
    if written is None:
        return None
    names, rate = written["counted_by"], size_of(written["each_second"])
    if not isinstance(names, list) or not names:
        raise TypeError("work must be counted by a list of properties")
    if not rate:
        raise ValueError(f"{rate} is no rate of work")
    return Work(tuple(map(str, names)), rate)


def _until(run: Run, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return times, and the work done from the first to each of them; one NaN if it is not known.

    A property that a run lacks counts no work, such as a kind of requests that was not sent. Missed readings
    are interpolated. Work is not known if a run has none of these properties, or could never read one.
    """
    wanted = set(names)
    properties = [prop for prop in run.properties if prop.name in wanted]
    series = series_of(run, properties)
    if not properties or not len(series):
        return np.zeros(1), np.full(1, np.nan)
    steps_s = np.diff(series.times_s, prepend=series.times_s[0])
    done = np.zeros(len(series))
    for prop, values in zip(properties, series.values.T, strict=True):
        read = ~np.isnan(values)
        if not read.any():
            return np.zeros(1), np.full(1, np.nan)
        known = np.interp(series.times_s, series.times_s[read], values[read])
        done += known if prop.kind is Kind.COUNTER else np.cumsum(known * steps_s)
    return series.times_s, done - done[0]


def _rate(times_s: FloatArray, done: FloatArray) -> float:
    span_s = times_s[-1] - times_s[0]
    return float(done[-1] / span_s) if span_s > 0 else np.nan


TOTAL = "total"
LEVELS = ("mean", TOTAL)
"""Numbers that say how much there is of a quantity."""

_ADDED_UP = ("jvm.gc.count", "jvm.gc.time")
_POOLS = "jvm.memory."
_USES = (("Eden", "Eden"), ("Survivor", "Survivor"), ("Old", "Old"), ("Tenured", "Old"), ("Code", "Code"))
"""What the names of pools contain, and the names of what they are used for."""


@dataclass(frozen=True, eq=False)
class RunNumbers:
    """Which numbers a run is.

    Attributes:
        sampled: the quantities that are sampled, by name.
        grain: shape (n_quantities,), smallest meaningful difference of each, of the duration at last.
        work: what growth is scaled to; None if it is not scaled.
    """

    sampled: tuple[Property, ...]
    grain: FloatArray
    work: Work | None = None

    @cached_property
    def quantities(self) -> tuple[Property, ...]:
        """What the numbers are of: what is sampled, and the duration."""
        return (*self.sampled, DURATION)

    @cached_property
    def catalogue(self) -> tuple[Feature, ...]:
        """What each number is; ``column`` is a place in :attr:`quantities`."""
        return (*catalogue(self.sampled), Feature(len(self.sampled), TOTAL))

    def measure(self, run: Run) -> FloatArray:
        """Return the numbers of a run, shape (n_numbers,); NaN for those of a quantity that was not read."""
        series = merged(run, self.sampled)
        end_s = float(series.times_s[-1]) if len(series) else 0.0
        if self.work is not None:
            counted = [prop.kind is Kind.COUNTER for prop in self.sampled]
            scale = float(self.work.scale(run, np.array([0.0, end_s]))[0])
            series = structs.replace(series, values=series.values * np.where(counted, scale, 1.0))
        return np.append(features(series, self.sampled, end_s), run.outcome.duration_s)


def quantity_of(prop: Property) -> Property:
    """Return the quantity that a property is a part of; most are one of their own."""
    metric, instance = split_name(prop.name)
    if instance is None:
        return prop
    if metric in _ADDED_UP:
        return structs.replace(prop, name=metric)
    if metric.startswith(_POOLS):
        for word, use in _USES:
            if word in instance:
                return structs.replace(prop, name=f"{metric}[{use}]")
    return prop


def quantities_of(runs: Iterable[Run], settings: Settings) -> dict[str, Property]:
    """Return the judged quantities of any of these runs by name, without constants."""
    quantities = (quantity_of(prop) for run in runs for prop in run.properties if judges(settings, prop))
    named = {prop.name: prop for prop in quantities if prop.kind is not Kind.CONSTANT}
    return dict(sorted(named.items()))


def numbers_for(runs: Sequence[Run], sampled: Sequence[Property], work: Work | None = None) -> RunNumbers:
    """Return which numbers to take of runs like these."""
    values = [merged(run, sampled).values for run in runs]
    grain = grains((*sampled, DURATION), [_with_a_column(run_values) for run_values in values])
    return RunNumbers(tuple(sampled), grain, work)


def merged(run: Run, quantities: Sequence[Property]) -> Series:
    """Return quantities over time; NaN throughout for those that a run lacks, or has too few readings of."""
    place_of = {quantity.name: place for place, quantity in enumerate(quantities)}
    parts: list[list[Property]] = [[] for _ in quantities]
    for prop in run.properties:
        place = place_of.get(quantity_of(prop).name)
        if place is not None:
            parts[place].append(prop)
    known = [place for place, some in enumerate(parts) if some]
    series = series_of(run, [prop for some in parts for prop in some])
    values = np.full((len(series), len(quantities)), np.nan)
    if known and len(series):
        starts = np.cumsum([0, *(len(parts[place]) for place in known)])[:-1]
        values[:, known] = np.add.reduceat(series.values, starts, axis=1)
        usual = np.array([is_judged(quantity) for quantity in quantities], dtype=bool)
        # Others may be read seldom: after the first collection, or once at the end, as the live set.
        values[:, usual & (np.isnan(values).mean(axis=0) > MOST_UNREAD)] = np.nan
    return Series(series.times_s, values)


def _with_a_column(values: FloatArray) -> FloatArray:
    return np.hstack([values, np.full((len(values), 1), 0.5)])
