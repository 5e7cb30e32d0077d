"""Two sizes that a collector gives the heap of one program, by chance, and runs compared in spite of them.

With ``-Xmx`` alone, runs of an unchanged program may end with a heap of one size or of another. What follows
that size, such as resident memory and the number of collections, then scatters between them, and a change of
it hides in their difference. *Matched* runs are those of one mode: what follows the mode is moved by as much
as the two modes differ in runs of the old program.

Where the modes are, and what they move, is learned of those runs alone, before anything is judged. What a run
is compared by is then a function of its own values, whatever program it is of. So every rank and every bet
stays as exact as it was. A run whose heap has neither size is compared as it is: that is no match.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from buto.judging.features import Feature
from buto.run.model import BoolArray, FloatArray
from buto.run.properties import Nature, Property, Topic, is_counted, nature_of, topic_of

SIZE = ("jvm.memory.heap.committed", "largest")
"""The property and the feature by which a run's mode is known."""

FEWEST = 3
"""Runs of each mode; fewer tell too little of what it moves."""

SMALLEST_GAP = 0.03
"""Share of the heap by which modes differ at least."""

WIDEST = 0.5
"""Share of the gap between them that a mode is wide at most."""

REACH = 0.25
"""Share of the gap by which a run may lie beside the known ones and still be of their mode."""

_OF_THE_HEAP = {Topic.HEAP, Topic.COLLECTIONS, Topic.PROCESS_MEMORY, Topic.SAFEPOINTS}


def follows_heap_size(prop: Property) -> bool:
    """Return whether a property follows the size of the heap; what stays alive does not."""
    return (
        topic_of(prop.name) in _OF_THE_HEAP and not is_counted(prop) and nature_of(prop) is not Nature.COUNT
    )


class Modes(Struct, frozen=True, eq=False):
    """The modes of an old program.

    Attributes:
        place: the column of the heap's size.
        low, high: least and largest size in each mode.
        shift: shape (n_features,), how much more the runs of the larger heap have, in the properties' units;
            0 of what does not follow it.
    """

    place: int
    low: tuple[float, float]
    high: tuple[float, float]
    shift: FloatArray

    def match(self, values: FloatArray) -> FloatArray:
        """Return features as if each run had the smaller heap, shape (n_runs, n_features) as given."""
        matched: FloatArray = values - self.are_high(values)[:, None] * self.shift
        return matched

    def count_alike(self, known: FloatArray, run: FloatArray) -> int:
        """Return how many of these runs have the mode of a run, shape (n_features,); 0 if it has neither."""
        return sum(
            int(self._are_of(known, ends).sum())
            for ends in (self.low, self.high)
            if self._are_of(run[None], ends)[0]
        )

    def are_high(self, values: FloatArray) -> BoolArray:
        """Return which runs have the larger heap, shape (n_runs,)."""
        return self._are_of(values, self.high)

    def _are_of(self, values: FloatArray, ends: tuple[float, float]) -> BoolArray:
        reach = REACH * (self.high[0] - self.low[1])
        size = values[:, self.place]
        inside: BoolArray = (size >= ends[0] - reach) & (size <= ends[1] + reach)
        return inside


def find_modes(
    features: Sequence[Feature], quantities: Sequence[Property], values: FloatArray
) -> Modes | None:
    """Return the modes of runs of one program; None if they have one, or several that are no two.

    Args:
        values: shape (n_runs, n_features), columns as ``features``; NaN for what could not be read.
    """
    places = (
        number
        for number, feature in enumerate(features)
        if (quantities[feature.column].name, feature.name) == SIZE
    )
    place = next(places, None)
    if place is None or len(values) < 2 * FEWEST or np.isnan(values[:, place]).any():
        return None
    order = np.argsort(values[:, place], kind="stable")
    sizes = values[order, place]
    first = FEWEST + int(np.argmax(np.diff(sizes)[FEWEST - 1 : len(sizes) - FEWEST]))
    low, high = (float(sizes[0]), float(sizes[first - 1])), (float(sizes[first]), float(sizes[-1]))
    gap = high[0] - low[1]
    if gap < SMALLEST_GAP * float(sizes.mean()) or max(low[1] - low[0], high[1] - high[0]) > WIDEST * gap:
        return None
    follows = np.array([follows_heap_size(quantities[feature.column]) for feature in features], np.bool_)
    shift = values[order[first:]].mean(axis=0) - values[order[:first]].mean(axis=0)
    return Modes(place, low, high, np.where(follows & ~np.isnan(shift), shift, 0.0))
