"""The numbers that a finding tells, one dot a run, above the range in which they would not stand out."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from statistics import fmean as mean

from msgspec import Struct

from buto.judging.verdict import Difference, Finding
from buto.report import words
from buto.run.units import format_quantity

WIDTH, MARGIN = 320, 8
ROWS = (13, 35)
"""Heights of the dots of the known runs, and of the judged ones."""

SPREAD = (-6, 3, -3, 6, 0)

MEAN = 10
"""Half the length of the mark of a mean."""

BOTTOM, HEIGHT = 46, 62
"""Of the frame, and of all with its labels."""


class Dots(Struct, frozen=True):
    """A drawing, in pixels.

    Attributes:
        measure: what the numbers are.
        expected: left end and width of the range that would not stand out; None if it has no end.
        rows: class of a row, and its dots as x, y and text.
        means: of each row the x of its mean, where it begins and ends, and its text.
        ticks: x and text of the ends.
    """

    measure: str
    expected: tuple[float, float] | None
    rows: tuple[tuple[str, tuple[tuple[float, int, str], ...]], ...]
    means: tuple[tuple[float, int, int, str], ...]
    ticks: tuple[tuple[float, str], ...]


def dots(finding: Finding) -> Dots | None:
    """Return the drawing of a finding; None if it knows no number of each run."""
    if not isinstance(finding, Difference):
        return None
    size = finding.size
    numbers = finding.numbers if size is None or size.numbers is None else size.numbers
    if numbers is None:
        return None
    is_compared = size is None or size.new == finding.observed
    lowest, highest = (finding.lower, finding.upper) if is_compared else (None, None)
    measure = finding.measure if size is None else size.measure
    every = (*numbers.known, *numbers.judged)
    ends = [end for end in (lowest, highest) if end is not None and isfinite(end)]
    low, high = min((*every, *ends)), max((*every, *ends))
    scale = (WIDTH - 2 * MARGIN) / ((high - low) or 1.0)

    def at(value: float) -> float:
        return round(MARGIN + (value - low) * scale, 1)

    def row(values: Sequence[float], y: int) -> tuple[tuple[float, int, str], ...]:
        # Equal numbers are not drawn at the same place.
        return tuple(
            (at(value), y + SPREAD[number % len(SPREAD)], format_quantity(value, finding.unit))
            for number, value in enumerate(values)
        )

    left, right = (
        at(given) if given is not None and isfinite(given) else edge
        for given, edge in ((lowest, 0.0), (highest, float(WIDTH)))
    )
    return Dots(
        words.SHORT.get(measure, measure),
        (left, round(right - left, 1)) if ends else None,
        (("known", row(numbers.known, ROWS[0])), ("new", row(numbers.judged, ROWS[1]))),
        tuple(
            (at(mean(values)), y - MEAN, y + MEAN, format_quantity(mean(values), finding.unit))
            for values, y in zip((numbers.known, numbers.judged), ROWS, strict=True)
            if len(values) > 1
        ),
        tuple((at(end), format_quantity(end, finding.unit)) for end in (low, high)),
    )
