"""Print the labels of the runs of one test."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from buto.report.sanitize import MAX_TEXT, one_line
from buto.report.terminal.table import aligned
from buto.runs.labels import Labelling, RunLabel, current, run_labels
from buto.runs.labels.model import ACCEPT
from buto.units import format_count

_HEADER = ("RUN", "LABEL", "BY", "PERSON", "WHEN (UTC)", "REASON")


def label_lines(test: str, labellings: Sequence[Labelling]) -> list[str]:
    """Return a row for each run that has a label, with the label that counts."""
    if not labellings:
        return [f"{one_line(test)}: no run has a label"]
    every = run_labels(labellings)
    counting = [one for one in every if not one.is_replaced]
    n_replaced = len(every) - len(counting)
    replaced = f"; {format_count(n_replaced, 'label')} replaced" if n_replaced else ""
    title = f"{one_line(test)}: {format_count(len(counting), 'labelled run')}{replaced}"
    return [title, "", *aligned([_HEADER, *map(_row, counting)])]


def labelled_lines(labelling: Labelling, before: Sequence[Labelling]) -> list[str]:
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
    return [f"{one_line(labelling.test)}: {n_runs} labelled {labelling.label.value}", *aligned(changed)]


def _row(one: RunLabel) -> tuple[str, ...]:
    given = one.labelling
    return (
        one.run_id,
        # What was accepted was meant in any case.
        f"{given.label.value}, meant" if given.meant and given.command != ACCEPT else given.label.value,
        one_line(given.command, MAX_TEXT),
        one_line(given.person, MAX_TEXT),
        f"{given.at.astimezone(UTC):%Y-%m-%d %H:%M}",
        one_line(given.reason, MAX_TEXT),
    )
