"""An explanation in a terminal."""

from __future__ import annotations

from buto.causes import Explanation
from buto.report.causes.tables import (
    HEADS,
    columns,
    growth_lines,
    headline,
    kind_line,
    meaning,
    remarks,
    rows,
)
from buto.report.sanitize import one_line
from buto.units import format_count

_LONGEST_CELL = 60


def explanation_lines(explanation: Explanation, *, full: bool = False) -> list[str]:
    """Return the headline, the methods that rose most, the classes that grew, and what could not be told.

    Args:
        full: whether all methods are listed and nothing is shortened.
    """
    old, new = explanation.launches
    compared = (
        f"{explanation.new} against {explanation.old}, "
        f"{format_count(new, 'launch')} against {format_count(old, 'launch')}"
    )
    lines = [headline(explanation), f"  {compared}"]
    lines += [f"  {kind_line(kind)}" for kind in explanation.kinds if kind.old or kind.new]
    found = [row.cells for row in rows(explanation, None if full else 10)]
    if found:
        shown = [HEADS, *found]
        places = columns(shown)
        cells = [[_cell(row[at], full=full) for at in places] for row in shown]
        widths = [max(len(row[at]) for row in cells) for at in range(len(places))]
        lines += ["", *(_aligned(row, widths) for row in cells)]
    growth = growth_lines(explanation)
    if growth:
        lines += ["", "  the heap holds more of:", *(f"    {text}" for text in growth)]
    notes = [*remarks(explanation), *([meaning(explanation)] if full else [])]
    return [
        one_line(line) for line in [*lines, *([""] if notes else []), *(f"  note: {text}" for text in notes)]
    ]


def _cell(text: str, *, full: bool) -> str:
    line = one_line(text)
    # The end of a qualified name tells more than its beginning.
    return line if full or len(line) <= _LONGEST_CELL else f"...{line[3 - _LONGEST_CELL :]}"


def _aligned(row: list[str], widths: list[int]) -> str:
    return f"  {'  '.join(f'{cell:<{width}}' for cell, width in zip(row, widths, strict=True))}".rstrip()
