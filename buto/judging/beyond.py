"""Counters that follow no machine, beyond all values that some runs had: then something else has changed.

What training saw of the program as it was typed is compared with its kept copy, or with both programs of
turns. No p-value is computed: equal programs give nearly equal counters, wherever and whenever they run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from buto.judging.effects import estimate_kept_by_classes, smallest_effects
from buto.judging.features import Feature, series_of
from buto.judging.verdict import Difference, Direction, Effect, effect_of
from buto.run.model import FloatArray, Run
from buto.run.properties import Kind, Property, is_counted

_CLASSES = "jvm.class.loaded"
_AT_THE_END = {Kind.COUNTER: "total", Kind.GAUGE: "last"}
"""The feature of each kind of property that is its value at the end of a run."""


class Beyond(Struct, frozen=True):
    """A property whose values are all beyond those of other runs.

    Attributes:
        lowest, highest: of the other runs, in its unit.
        value: the one that is nearest to these.
    """

    quantity: Property
    lowest: float
    highest: float
    value: float

    @property
    def unit(self) -> str:
        return self.quantity.unit

    @property
    def is_above(self) -> bool:
        return self.value > self.highest

    @property
    def direction(self) -> Direction:
        return Direction.MORE if self.is_above else Direction.LESS

    @property
    def effect(self) -> Effect:
        return effect_of(self.quantity.better, self.direction)

    def as_finding(self, run_id: str, source: str) -> Difference:
        """Return the difference as a finding of a run."""
        return Difference(
            source,
            self.quantity.name,
            run_id,
            self.direction,
            effect=self.effect,
            unit=self.unit,
            observed=self.value,
            lower=self.lowest,
            upper=self.highest,
            expected=self.highest if self.is_above else self.lowest,
            measure="total" if self.quantity.kind is Kind.COUNTER else "last value",
        )

    @property
    def ratio(self) -> float:
        """Return the value as a multiple of the nearest of the other runs; infinite if that is 0."""
        nearest = self.highest if self.value > self.highest else self.lowest
        return self.value / nearest if nearest else np.inf


def beyond(
    properties: Sequence[Property],
    before: FloatArray,
    after: FloatArray,
    minimum: Mapping[str, str] | None = None,
) -> tuple[Beyond, ...]:
    """Return the properties of which all values lie on one side of all others by a size that matters.

    The farthest is first, in sizes that matter. A property with NaN in any row is left out, as one that was
    not read. What loaded classes keep by themselves is no change of what is alive.

    Args:
        before, after: shape (n_runs, n_properties), each with at least one row, see :func:`totals`.
        minimum: sizes by pattern in place of the usual ones, see :data:`buto.judging.effects.USUAL`.

    Raises:
        UsageError: a size has another unit than its property.
    """
    if not len(properties):
        return ()
    lowest, highest = before.min(axis=0), before.max(axis=0)
    above, below = after.min(axis=0) - highest, lowest - after.max(axis=0)
    distance = np.maximum(above, below)
    least = smallest_effects(properties, np.nan_to_num(before.mean(axis=0)), minimum or {})
    classes = [number for number, prop in enumerate(properties) if prop.name == _CLASSES]
    of_classes = np.nan_to_num(np.maximum(distance[classes], 0.0).sum())
    size = least + of_classes * estimate_kept_by_classes(properties)
    # NaN compares as false. A change of nothing is none, however small the size that matters.
    places = np.flatnonzero((distance > 0) & (distance >= size)).tolist()
    # Where every change matters, each is infinitely many times the size.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        times = distance / size
    farthest = sorted(places, key=lambda number: -times[number])
    nearest = np.where(above > below, after.min(axis=0), after.max(axis=0))
    return tuple(
        Beyond(properties[number], float(lowest[number]), float(highest[number]), float(nearest[number]))
        for number in farthest
    )


TIMES_SCATTER = 3.0
"""What comes from outside moves a level. A counter that also scatters this many times as far as in training,
and by more than a size that matters, has no level: it depends on how fast the machine is, as all counters of
a program do that works for a given time."""


def is_busier(waits_before: FloatArray, waits_after: FloatArray) -> bool:
    """Return whether the threads of most later runs waited longer for a core than any before; NaN: no."""
    return bool(np.median(waits_after) > waits_before.max(initial=0.0))


def find_moved_by_machine(
    excesses: Sequence[Beyond],
    after: FloatArray,
    waits_before: FloatArray,
    waits_after: FloatArray,
    minimum: Mapping[str, str] | None = None,
) -> tuple[Beyond, ...]:
    """Return what lies beyond other runs because the machine is busier, not because something has changed.

    Args:
        excesses: what :func:`beyond` returns.
        after: shape (n_runs, n_found), the values of these properties in the later runs, at least one.
        waits_before, waits_after: how long the threads of each run waited for a core, in each second of it;
            NaN if not known, and then nothing is blamed on the machine.
        minimum: as for :func:`beyond`.

    Raises:
        UsageError: a size has another unit than its property.
    """
    if not excesses or not is_busier(waits_before, waits_after):
        return ()
    quantities = [each.quantity for each in excesses]
    level = after.mean(axis=0)
    before = np.array([[each.lowest, each.highest] for each in excesses])
    # What grows may scatter more in proportion; what shrinks is given no less.
    grown = np.maximum(level / np.maximum(before.mean(axis=1), np.finfo(float).tiny), 1.0)
    usual = TIMES_SCATTER * (before[:, 1] - before[:, 0]) * grown
    least = smallest_effects(quantities, level, minimum or {})
    scatters = after.max(axis=0) - after.min(axis=0) > np.maximum(usual, least)
    return tuple(each for each, moves in zip(excesses, scatters, strict=True) if moves)


def find_counted_properties(runs: Sequence[Run]) -> tuple[Property, ...]:
    """Return the counters that follow no machine and that any of the runs has, sorted by name."""
    by_name = {prop.name: prop for run in runs for prop in run.properties if is_counted(prop)}
    return tuple(by_name[name] for name in sorted(by_name))


def totals(runs: Sequence[Run], properties: Sequence[Property]) -> FloatArray:
    """Return the last readable value of properties, shape (n_runs, n_properties); NaN without one."""
    last_values = np.full((len(runs), len(properties)), np.nan)
    for number, run in enumerate(runs):
        values = series_of(run, properties).values
        for column in range(len(properties)):
            readable = values[~np.isnan(values[:, column]), column]
            if len(readable):
                last_values[number, column] = readable[-1]
    return last_values


def find_counted_columns(features: Sequence[Feature], quantities: Sequence[Property]) -> dict[str, int]:
    """Return by property the column of its value at the end, of all that follow no machine.

    Args:
        features: what each column of an array of features is.
        quantities: the properties by their numbers.
    """
    return {
        quantities[feature.column].name: place
        for place, feature in enumerate(features)
        if is_counted(quantities[feature.column])
        and feature.name == _AT_THE_END.get(quantities[feature.column].kind, "")
    }
