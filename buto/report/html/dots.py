"""The numbers that a finding compares, one dot a run, above the range in which they would not stand out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from buto.judging.verdict import Finding
from buto.report import words
from buto.run.units import format_quantity

WIDTH, MARGIN = 320, 8
ROWS = (13, 35)
"""Heights of the dots of the known runs, and of the judged ones."""

SPREAD = (-6, 3, -3, 6, 0)

BOTTOM, HEIGHT = 46, 62
"""Of the frame, and of all with its labels."""


@dataclass(frozen=True, slots=True)
class Dots:
    """A drawing, in pixels.

    Attributes:
        measure: what the numbers are.
        expected: left end and width of the range that would not stand out; None if it has no end.
        rows: class of a row, and its dots as x, y and text.
        ticks: x and text of the ends.
    """

    measure: str
    expected: tuple[float, float] | None
    rows: tuple[tuple[str, tuple[tuple[float, int, str], ...]], ...]
    ticks: tuple[tuple[float, str], ...]

    @property
    def pairs(self) -> list[tuple[tuple[float, int, str], tuple[float, int, str]]]:
        """The first dots of both rows, the second ones, and so on: of two programs in turns, their turns."""
        (_, known), (_, judged) = self.rows
        return list(zip(known, judged, strict=False))


def dots(finding: Finding) -> Dots | None:
    """Return the drawing of a finding; None if it compares no number of each run."""
    numbers = finding.numbers
    if numbers is None:
        return None
    every = (*numbers.known, *numbers.judged)
    ends = [end for end in (finding.lower, finding.upper) if end is not None and isfinite(end)]
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
        for given, edge in ((finding.lower, 0.0), (finding.upper, float(WIDTH)))
    )
    return Dots(
        words.SHORT.get(finding.measure, finding.measure),
        (left, round(right - left, 1)) if ends else None,
        (("known", row(numbers.known, ROWS[0])), ("new", row(numbers.judged, ROWS[1]))),
        tuple((at(end), format_quantity(end, finding.unit)) for end in (low, high)),
    )
