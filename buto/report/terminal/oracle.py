"""Print how a new oracle differs from the one that it replaces, for the user who accepts it."""

from __future__ import annotations

from collections.abc import Sequence

from buto.judging.readable import Level
from buto.judging.story import Matter, matter_of
from buto.judging.verdict import Effect, Finding
from buto.oracle.check import Changed, surroundings
from buto.oracle.difference import NumberDifference, difference
from buto.oracle.model import Oracle
from buto.report.document import EFFECT_COLOUR, MORE, Line, line
from buto.report.phrases import brief
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.words import old_to_new
from buto.run.properties import title_of
from buto.run.units import (
    format_before_and_after,
    format_change,
    format_count,
    format_quantity,
    format_ratio,
)

MAX_ROWS = 20
"""Of each kind; the others are counted."""

_SMALL = 0.01
"""Of a level; smaller changes are certain where nothing scatters, and hide those that a check fails for."""

_NUMBERS = {"last": "at the exit", "largest": "peak"}
"""What a check calls a number of a run."""

_LABELS = {"target": "program", "judge": "judged", "runs": "training runs", "environment": "environment"}
_NONE = "none"


def change_lines(
    known: Oracle,
    learned: Oracle,
    failed: Sequence[tuple[Finding, bool]] = (),
    *,
    max_rows: int | None = MAX_ROWS,
) -> list[Line]:
    """Return the lines to print, see :func:`difference_lines`, of an oracle and the one that replaces it."""
    rows, changed = difference(known, learned), surroundings(known, learned)
    return difference_lines(learned.test, rows, changed, failed, max_rows=max_rows)


def difference_lines(
    test: str,
    rows: Sequence[NumberDifference],
    changed: Sequence[Changed],
    failed: Sequence[tuple[Finding, bool]] = (),
    *,
    max_rows: int | None = MAX_ROWS,
) -> list[Line]:
    """Return the lines to print: what a check failed for, a headline, and a line for each change.

    Args:
        rows, changed: what :mod:`buto.oracle.difference` and :mod:`buto.oracle.check` give.
        failed: what a check failed for, each with whether it is expected now.
        max_rows: of each kind, as people mind them; None for all. Otherwise bands that moved by less than
            their width or a hundredth of their level, or have only another width, and sizes that the JVM
            adapts are counted in one line.
    """
    rows = sorted(rows, key=lambda row: list(Matter).index(matter_of(row.subject)))
    there = [(row, row.old, row.new) for row in rows if row.old is not None and row.new is not None]
    moved = [row for row in there if row[0].has_moved]
    small = [
        row for row in moved if abs(row[0].change) < max(row[1].half_width, _SMALL * abs(row[1].expected))
    ]
    adapted = [row for row in moved if row not in small and matter_of(row[0].subject) is Matter.OF_THE_JVM]
    counted = [*small, *adapted]
    wider, narrower = ([row for row in there if getattr(row[0], of)] for of in ("is_wider", "is_narrower"))
    has_all = max_rows is None
    kinds = (
        [_line_of_change(*row) for row in moved if has_all or row not in counted],
        [_width("wider", *row) for row in wider if has_all],
        [_width("narrower", *row) for row in narrower if has_all],
        [] if has_all else _count_line(len(small), len(adapted), len(wider) + len(narrower)),
        [_one_sided("new", row, row.new) for row in rows if row.old is None],
        [_one_sided("gone", row, row.old) for row in rows if row.new is None],
        [_beside(change) for change in changed],
    )
    count = f"{len(moved) or 'none'} of {format_count(len(there), 'number')}"
    lines = [_line_of_failure(test, *failed_part) for failed_part in failed]
    lines.append(line(one_line(f"{test}: {count} changed by more than runs vary")))
    for kind in kinds:
        shown = kind if max_rows is None else kind[:max_rows]
        lines += shown
        if len(shown) < len(kind):
            lines.append(line(f"  and {len(kind) - len(shown)} more {MORE}"))
    return lines


def _line_of_failure(test: str, finding: Finding, is_expected: bool) -> Line:
    now = ("expected now", "green") if is_expected else ("still not expected", "red")
    sizes = old_to_new(finding)
    return line(one_line(f"{test}: failed for {brief(finding)}{f' ({sizes})' if sizes else ''}: "), now)


def _count_line(n_small: int, n_adapted: int, n_width: int) -> list[Line]:
    """Return a line on the bands that are not listed, if there are any."""
    own = "its" if n_small == 1 else "their"
    parts = [f"{format_count(n_small, 'band')} moved by less than {own} width or 1 %"] if n_small else []
    parts += [f"{format_count(n_adapted, 'size')} that the JVM adapts moved"] if n_adapted else []
    parts += [f"{format_count(n_width, 'band')} became wider or narrower"] if n_width else []
    return [line(f"  {'; '.join(parts)} {MORE}")] if parts else []


def _line_of_change(row: NumberDifference, old: Level, new: Level) -> Line:
    change = format_change(old.expected, new.expected, row.unit)
    text = change if row.effect is Effect.UNKNOWN else f"{change}, {row.effect.value}"
    values = format_before_and_after(old.expected, new.expected, row.unit)
    return line("  ", _subject(row), f"  {_number(row)} {values}  ", (text, EFFECT_COLOUR[row.effect]))


def _width(word: str, row: NumberDifference, old: Level, new: Level) -> Line:
    before, after = (format_quantity(level.half_width, row.unit) for level in (old, new))
    ratio = format_ratio(row.width_ratio)
    return line(*_label(word), _subject(row), f"  {_number(row)} ±{before} → ±{after} ({ratio})")


def _one_sided(word: str, row: NumberDifference, level: Level | None) -> Line:
    text = "" if level is None else f"{_number(row)} {format_quantity(level.expected, row.unit)}"
    text += f" ({one_line(row.reason, MAX_TEXT)})" if row.reason else ""
    return line(*_label(word), _subject(row), f"  {text}")


def _beside(changed: Changed) -> Line:
    before, after = (
        _NONE if text is None else one_line(text, MAX_TEXT) for text in (changed.old, changed.new)
    )
    return line(*_label(_LABELS[changed.part]), f"{one_line(changed.key, MAX_TEXT)}: {before} → {after}")


def _label(word: str) -> tuple[str | tuple[str, str], ...]:
    return "  ", (f"{word}:", "cyan"), " "


def _number(row: NumberDifference) -> str:
    return _NUMBERS.get(row.number, row.number)


def _subject(row: NumberDifference) -> tuple[str, str]:
    return title_of(one_line(row.subject, MAX_TEXT)), "bold"
