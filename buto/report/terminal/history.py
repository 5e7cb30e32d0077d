"""Print the checks of one test over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from buto.report.history import Entry, series
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.sparkline import sparkline
from buto.report.terminal.table import aligned
from buto.report.words import unit_of
from buto.units import format_count, format_number, format_quantity

SPARKLINE_WIDTH = 40
NO_LABELS: Mapping[str, str] = {}


def history_lines(
    test: str, entries: Sequence[Entry], names: Sequence[str], labels: Mapping[str, str] = NO_LABELS
) -> list[str]:
    """Return a curve for each property, and a row for each entry, oldest first.

    Args:
        labels: by run; without any that an entry has, there is no column for them.
    """
    trainings = sum(entry.is_training for entry in entries)
    counts = f"{format_count(len(entries) - trainings, 'check')}, {format_count(trainings, 'training')}"
    curves = [(one_line(name, MAX_TEXT), *_curve(series(entries, name), unit_of(name))) for name in names]
    shown = [one_line(name, MAX_TEXT) for name in names]
    texts = [", ".join(dict.fromkeys(labels[run] for run in one.run_ids if run in labels)) for one in entries]
    label = ("LABEL",) if any(texts) else ()
    rows = [("WHEN (UTC)", "COMMIT", "RESULT", *label, "P", *shown, "FOUND")]
    rows += [_row(one, names, (text,) if label else ()) for one, text in zip(entries, texts, strict=True)]
    return [f"{one_line(test)}: {counts}", "", *aligned(curves), *([""] if curves else []), *aligned(rows)]


def _curve(levels: np.ndarray, unit: str) -> tuple[str, str]:
    known = levels[np.isfinite(levels)]
    if not known.size:
        return "", "no data"
    low, high = (format_quantity(float(end), unit) for end in (known.min(), known.max()))
    return sparkline(levels, SPARKLINE_WIDTH), low if low == high else f"{low} to {high}"


def _row(entry: Entry, names: Sequence[str], label: tuple[str, ...]) -> tuple[str, ...]:
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
        *label,
        "" if entry.p_value is None else format_number(entry.p_value),
        *values,
        f"{found} and {others} more" if others > 0 else found,
    )
