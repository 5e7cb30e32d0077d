"""Steps in a quantity over builds: where its level moved, by how much, and how it was before and after.

For people who read a history; nothing is decided by it. A step is certain and large enough: Student's t of
both sides with the best of all places to divide them is beyond chance, and their medians differ by a size
that matters. Each side is then searched in the same way (binary segmentation).
"""

from __future__ import annotations

from itertools import pairwise
from math import erfc, log1p, sqrt

import numpy as np
from msgspec import Struct

from buto.judging.contrasts import LevelShare, wallace
from buto.run.model import FloatArray

CERTAIN = 0.001
"""Largest p-value of a step, times the number of places where it might be."""

FEWEST = 3
"""Builds on each side of a step. What the newest two show is the matter of their own checks."""


class Segment(Struct, frozen=True):
    """Builds between two steps.

    Attributes:
        start: number of the first one; a segment ends where the next one starts.
        level: their median.
    """

    start: int
    level: float


def segments_of(values: FloatArray, least: float, grain: float = 0.0) -> tuple[Segment, ...]:
    """Return the segments of a quantity over builds, in their order; the first one starts at 0.

    Args:
        values: shape (n_builds,), NaN where nothing was read; such builds are left out.
        least: the smallest difference that matters, in the quantity's unit; infinite for none.
        grain: the smallest meaningful deviation.
    """
    places = np.flatnonzero(~np.isnan(values))
    read = values[places]
    if not len(read):
        return ()
    floor = max(grain, LevelShare.RUNS * float(np.abs(read).mean()))
    inner = _merge(read, _starts(read, 0, len(read), least, floor), least)
    edges = [*inner, len(read)]
    levels = [float(np.median(read[first:last])) for first, last in pairwise(edges)]
    starts = [0, *places[inner[1:]].tolist()]
    return tuple(Segment(start, level) for start, level in zip(starts, levels, strict=True))


def _starts(values: FloatArray, first: int, last: int, least: float, floor: float) -> list[int]:
    """Return where the segments between two places start, the first place among them."""
    place = _divide(values[first:last], least, floor)
    if place is None:
        return [first]
    middle = first + place
    return [*_starts(values, first, middle, least, floor), *_starts(values, middle, last, least, floor)]


def _divide(values: FloatArray, least: float, floor: float) -> int | None:
    """Return where two parts differ most; None if they do not differ certainly and by a size that matters."""
    n = len(values)
    if n < 2 * FEWEST:
        return None
    centred = values - values.mean()
    before = np.arange(FEWEST, n - FEWEST + 1)
    total = np.cumsum(centred)[before - 1]
    apart = total / before + total / (n - before)
    spread = np.maximum((centred**2).sum() - total**2 * (1 / before + 1 / (n - before)), 0.0)
    squared = apart**2 / ((spread / (n - 2) + floor**2) * (1 / before + 1 / (n - before)))
    best = int(np.argmax(squared))
    normal = sqrt((n - 2) * log1p(float(squared[best]) / (n - 2))) * wallace(n - 2)
    place = int(before[best])
    is_certain = erfc(normal / sqrt(2.0)) * len(before) <= CERTAIN
    return place if is_certain and _are_apart(values[:place], values[place:], least) else None


def _are_apart(before: FloatArray, after: FloatArray, least: float) -> bool:
    """Return whether medians differ by what matters, and enough builds of each side are nearer to its own."""
    ours, theirs = float(np.median(before)), float(np.median(after))
    if abs(theirs - ours) < least * (1.0 - 1e-9):
        return False
    nearer = (
        (np.abs(before - ours) < np.abs(before - theirs)).sum(),
        (np.abs(after - theirs) < np.abs(after - ours)).sum(),
    )
    return bool(min(nearer) >= FEWEST)


def _merge(values: FloatArray, starts: list[int], least: float) -> list[int]:
    """Return the starts without those at which the medians of neighbours do not differ by what matters."""
    kept = starts[:1]
    for place, start in enumerate(starts[1:], 1):
        end = starts[place + 1] if place + 1 < len(starts) else len(values)
        if abs(np.median(values[start:end]) - np.median(values[kept[-1] : start])) >= least * (1.0 - 1e-9):
            kept.append(start)
    return kept
