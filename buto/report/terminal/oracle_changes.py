"""Print what a new oracle changes, for the user who accepts it."""

from __future__ import annotations

from collections.abc import Sequence

from buto.detectors.levels import Level
from buto.oracle.difference import Row, difference
from buto.oracle.model import Oracle
from buto.oracle.surroundings import Changed, surroundings
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.line import Line
from buto.units import format_change, format_count, format_quantity, format_ratio
from buto.verdicts import Effect

MAX_ROWS = 20
"""Of each kind; the others are counted."""

_COLOUR = {Effect.WORSE: "red", Effect.BETTER: "green", Effect.UNKNOWN: "yellow"}
_LABELS = {"target": "program", "judge": "judged", "runs": "training runs", "environment": "environment"}
_NONE = "none"


def change_lines(known: Oracle, learned: Oracle, *, max_rows: int | None = MAX_ROWS) -> list[Line]:
    """Return the lines to print, see :func:`difference_lines`, of an oracle and the one that replaces it."""
    rows, changed = difference(known, learned), surroundings(known, learned)
    return difference_lines(learned.test, rows, changed, max_rows=max_rows)


def difference_lines(
    test: str, rows: Sequence[Row], changed: Sequence[Changed], *, max_rows: int | None = MAX_ROWS
) -> list[Line]:
    """Return the lines to print: a headline, and a line for each change.

    Args:
        rows, changed: what :mod:`buto.oracle.difference` and :mod:`buto.oracle.surroundings` give.
        max_rows: of each kind; None for all.
    """
    there = [(row, row.old, row.new) for row in rows if row.old is not None and row.new is not None]
    moved = [one for one in there if one[0].has_moved]
    kinds = (
        [_moved(*one) for one in moved],
        [_width("wider", *one) for one in there if one[0].is_wider],
        [_width("narrower", *one) for one in there if one[0].is_narrower],
        [_one_sided("new", row, row.new) for row in rows if row.old is None],
        [_one_sided("gone", row, row.old) for row in rows if row.new is None],
        [_beside(one) for one in changed],
    )
    lines = [_line(one_line(f"{test}: {_headline(len(moved), len(there))}"))]
    for kind in kinds:
        shown = kind if max_rows is None else kind[:max_rows]
        lines += shown
        if len(shown) < len(kind):
            lines.append(_line(f"  and {len(kind) - len(shown)} more (-v)"))
    return lines


def _headline(n_moved: int, n_rows: int) -> str:
    return f"{n_moved or 'none'} of {format_count(n_rows, 'number')} changed by more than runs vary"


def _moved(row: Row, old: Level, new: Level) -> Line:
    change = format_change(old.expected, new.expected, row.unit)
    text = change if row.effect is Effect.UNKNOWN else f"{change}, {row.effect.value}"
    before, after = (format_quantity(level.expected, row.unit) for level in (old, new))
    return _line("  ", _subject(row), f"  {row.number} {before} -> {after}  ", (text, _COLOUR[row.effect]))


def _width(word: str, row: Row, old: Level, new: Level) -> Line:
    before, after = (format_quantity(level.half_width, row.unit) for level in (old, new))
    ratio = format_ratio(row.width_ratio)
    return _line(*_label(word), _subject(row), f"  {row.number} +-{before} -> +-{after} ({ratio})")


def _one_sided(word: str, row: Row, level: Level | None) -> Line:
    text = "" if level is None else f"{row.number} {format_quantity(level.expected, row.unit)}"
    text += f" ({one_line(row.reason, MAX_TEXT)})" if row.reason else ""
    return _line(*_label(word), _subject(row), f"  {text}")


def _beside(one: Changed) -> Line:
    before, after = (_NONE if text is None else one_line(text, MAX_TEXT) for text in (one.old, one.new))
    return _line(*_label(_LABELS[one.part]), f"{one_line(one.key, MAX_TEXT)}: {before} -> {after}")


def _label(word: str) -> tuple[str | tuple[str, str], ...]:
    return "  ", (f"{word}:", "cyan"), " "


def _subject(row: Row) -> tuple[str, str]:
    return one_line(row.subject, MAX_TEXT), "bold"


def _line(*parts: str | tuple[str, str]) -> Line:
    return Line(tuple((part, "") if isinstance(part, str) else part for part in parts))
