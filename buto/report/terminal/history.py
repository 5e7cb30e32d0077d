"""Print the past of one test: its checks over time, and the labels of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC

import numpy as np

from buto.report.document import align
from buto.report.history import HistoryEntry, series
from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.style import sparkline
from buto.report.words import unit_of
from buto.run.labels import ACCEPT, Labelling, RunLabel, current, run_labels
from buto.run.units import format_count, format_number, format_quantity

SPARKLINE_WIDTH = 40
NO_LABELS: Mapping[str, str] = {}


def history_lines(
    test: str, entries: Sequence[HistoryEntry], names: Sequence[str], labels: Mapping[str, str] = NO_LABELS
) -> list[str]:
    """Return a curve for each property, and a row for each entry, oldest first.

    Args:
        labels: by run; without any that an entry has, there is no column for them.
    """
    trainings = sum(entry.is_training for entry in entries)
    counts = f"{format_count(len(entries) - trainings, 'check')}, {format_count(trainings, 'training')}"
    curves = [(one_line(name, MAX_TEXT), *_curve(series(entries, name), unit_of(name))) for name in names]
    shown = [one_line(name, MAX_TEXT) for name in names]
    texts = [
        ", ".join(dict.fromkeys(labels[run] for run in entry.run_ids if run in labels)) for entry in entries
    ]
    label = ("LABEL",) if any(texts) else ()
    rows = [("WHEN (UTC)", "COMMIT", "RESULT", *label, "P", *shown, "FOUND")]
    rows += [_row(entry, names, (text,) if label else ()) for entry, text in zip(entries, texts, strict=True)]
    return [f"{one_line(test)}: {counts}", "", *align(curves), *([""] if curves else []), *align(rows)]


def _curve(levels: np.ndarray, unit: str) -> tuple[str, str]:
    known = levels[np.isfinite(levels)]
    if not known.size:
        return "", "no data"
    low, high = (format_quantity(float(end), unit) for end in (known.min(), known.max()))
    return sparkline(levels, SPARKLINE_WIDTH), low if low == high else f"{low} to {high}"


def _row(entry: HistoryEntry, names: Sequence[str], label: tuple[str, ...]) -> tuple[str, ...]:
    levels = [entry.levels.get(name) for name in names]
    values = [
        "" if level is None else format_quantity(level, unit_of(name))
        for level, name in zip(levels, names, strict=True)
    ]
    others = len(entry.subjects) - 1
    subject = one_line(entry.subjects[0], MAX_TEXT) if entry.subjects else ""
    return (
        f"{entry.at:%Y-%m-%d %H:%M}",
        entry.short_commit,
        one_line(entry.result, MAX_TEXT),
        *label,
        "" if entry.p_value is None else format_number(entry.p_value),
        *values,
        f"{subject} and {others} more" if others > 0 else subject,
    )


_HEADER = ("RUN", "LABEL", "BY", "PERSON", "WHEN (UTC)", "REASON")


def label_lines(test: str, labellings: Sequence[Labelling]) -> list[str]:
    """Return a row for each run that has a label, with the label that counts."""
    if not labellings:
        return [f"{one_line(test)}: no run has a label"]
    every = run_labels(labellings)
    counting = [label for label in every if not label.is_replaced]
    n_replaced = len(every) - len(counting)
    replaced = f"; {format_count(n_replaced, 'label')} replaced" if n_replaced else ""
    title = f"{one_line(test)}: {format_count(len(counting), 'labelled run')}{replaced}"
    return [title, "", *align([_HEADER, *map(_label_row, counting)])]


def write_labelled_lines(labelling: Labelling, before: Sequence[Labelling]) -> list[str]:
    """Return what a person has labelled, with a line for each run that had another label.

    Args:
        before: the labellings of the test before this one.
    """
    n_runs = format_count(len(labelling.run_ids), "run")
    had = current(before)
    changed = [
        (f"  {run_id}", f"was {had[run_id].label.value}, by {one_line(had[run_id].command, MAX_TEXT)}")
        for run_id in labelling.run_ids
        if run_id in had and had[run_id].label is not labelling.label
    ]
    return [f"{one_line(labelling.test)}: {n_runs} labelled {labelling.label.value}", *align(changed)]


def _label_row(label: RunLabel) -> tuple[str, ...]:
    given = label.labelling
    return (
        label.run_id,
        # What was accepted was meant in any case.
        f"{given.label.value}, meant" if given.meant and given.command != ACCEPT else given.label.value,
        one_line(given.command, MAX_TEXT),
        one_line(given.person, MAX_TEXT),
        f"{given.at.astimezone(UTC):%Y-%m-%d %H:%M}",
        one_line(given.reason, MAX_TEXT),
    )
