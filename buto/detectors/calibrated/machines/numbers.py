"""A run as numbers that can be compared between machines.

They are those of :mod:`buto.analysis.features`, with two departures. Thirds are of each run's own length: a
slower machine does the same work later. And pools and collectors that do the same under another name, with
another collector, are added up to one quantity, such as ``jvm.gc.count`` and ``jvm.memory.used[Old]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from buto.analysis.features import Feature, catalogue, features
from buto.analysis.series import Series, series_of
from buto.analysis.spread import grains
from buto.detectors.calibrated.machines.work import Work
from buto.detectors.settings import Settings, judges
from buto.properties import DURATION, Kind, Property, is_judged, split_name
from buto.runs import FloatArray, Run

TOTAL = "total"
LEVELS = ("mean", TOTAL)
"""Numbers that say how much there is of a quantity."""

DIGITS = 6

MOST_UNREAD = 1 / 3
"""If a larger share of the samples of a usual quantity is missing, a run says nothing about it.
Others may be read seldom: after the first collection, or once at the end, as the live set."""

_ADDED_UP = ("jvm.gc.count", "jvm.gc.time")
_POOLS = "jvm.memory."
_USES = (("Eden", "Eden"), ("Survivor", "Survivor"), ("Old", "Old"), ("Tenured", "Old"), ("Code", "Code"))
"""What the names of pools contain, and the names of what they are used for."""


@dataclass(frozen=True, eq=False)
class Numbers:
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
            series = replace(series, values=series.values * np.where(counted, scale, 1.0))
        return np.append(features(series, self.sampled, end_s), run.outcome.duration_s)


def quantity_of(prop: Property) -> Property:
    """Return the quantity that a property is a part of; most are one of their own."""
    metric, instance = split_name(prop.name)
    if instance is None:
        return prop
    if metric in _ADDED_UP:
        return replace(prop, name=metric)
    if metric.startswith(_POOLS):
        for word, use in _USES:
            if word in instance:
                return replace(prop, name=f"{metric}[{use}]")
    return prop


def quantities_of(runs: Iterable[Run], settings: Settings) -> dict[str, Property]:
    """Return the judged quantities of any of these runs by name, without constants."""
    found = (quantity_of(prop) for run in runs for prop in run.properties if judges(settings, prop))
    named = {one.name: one for one in found if one.kind is not Kind.CONSTANT}
    return dict(sorted(named.items()))


def numbers_for(runs: Sequence[Run], sampled: Sequence[Property], work: Work | None = None) -> Numbers:
    """Return which numbers to take of runs like these."""
    values = [merged(run, sampled).values for run in runs]
    grain = grains((*sampled, DURATION), [_with_a_column(one) for one in values])
    return Numbers(tuple(sampled), grain, work)


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
        values[:, usual & (np.isnan(values).mean(axis=0) > MOST_UNREAD)] = np.nan
    return Series(series.times_s, values)


def rounded(values: FloatArray) -> FloatArray:
    """Return values with DIGITS significant digits, so that numbers in an oracle file are short."""
    magnitudes = np.abs(values)
    some = magnitudes > 0
    places = DIGITS - 1 - np.floor(np.log10(magnitudes, out=np.zeros_like(values), where=some))
    fine, coarse = 10.0 ** np.clip(places, 0, 300), 10.0 ** np.clip(-places, 0, 300)
    small, large = np.round(values * fine) / fine, np.round(values / coarse) * coarse
    result: FloatArray = np.where(places > 0, small, large)
    return result


def _with_a_column(values: FloatArray) -> FloatArray:
    return np.hstack([values, np.full((len(values), 1), 0.5)])
