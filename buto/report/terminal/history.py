"""Print the checks of one test over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.report.history import Entry, series
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.sparkline import sparkline
from buto.report.terminal.table import aligned
from buto.report.words import unit_of
from buto.units import format_count, format_number, format_quantity

SPARKLINE_WIDTH = 40


def history_lines(test: str, entries: Sequence[Entry], names: Sequence[str]) -> list[str]:
    """Return a curve for each property, and a row for each entry, oldest first."""
    trainings = sum(entry.is_training for entry in entries)
    counts = f"{format_count(len(entries) - trainings, 'check')}, {format_count(trainings, 'training')}"
    curves = [(one_line(name, MAX_TEXT), *_curve(series(entries, name), unit_of(name))) for name in names]
    shown = [one_line(name, MAX_TEXT) for name in names]
    rows = [("WHEN (UTC)", "COMMIT", "RESULT", "P", *shown, "FOUND"), *(_row(one, names) for one in entries)]
    return [f"{one_line(test)}: {counts}", "", *aligned(curves), *([""] if curves else []), *aligned(rows)]


def _curve(levels: np.ndarray, unit: str) -> tuple[str, str]:
    known = levels[np.isfinite(levels)]
    if not known.size:
        return "", "no data"
    low, high = (format_quantity(float(end), unit) for end in (known.min(), known.max()))
    return sparkline(levels, SPARKLINE_WIDTH), low if low == high else f"{low} to {high}"


def _row(entry: Entry, names: Sequence[str]) -> tuple[str, ...]:
    levels = [entry.levels.get(name) for name in names]
    values = [
        "" if level is None else format_quantity(level, unit_of(name))
        for level, name in zip(levels, names, strict=True)
    ]
    others = len(entry.subjects) - 1
    found = one_line(entry.subjects[0], MAX_TEXT) if entry.subjects else ""
    return (
        f"{entry.at:%Y-%m-%d %H:%M}",
        entry.short_commit,
        one_line(entry.result, MAX_TEXT),
        "" if entry.p_value is None else format_number(entry.p_value),
        *values,
        f"{found} and {others} more" if others > 0 else found,
    )
