"""Labels of runs as values. This module does not access files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

LABEL, ACCEPT = "label", "accept"

DECISIONS = (LABEL, ACCEPT)
"""Commands by which a person decides; the others only observe."""

TRAIN = "train"
"""The command whose good runs are what later runs are compared with."""


class Label(Enum):
    """What is true of a run, whatever a check has said of it."""

    GOOD = "good"
    BAD = "bad"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Labelling:
    """Some runs of one test get a label; never changed once it is stored.

    Attributes:
        at: when; aware.
        command: what was called: ``label``, ``accept``, ``check``, ``bisect`` or ``train``.
        person: git's name of who called it; empty if git knows none.
        reason: in the person's words, or what a command found; may be empty.
        meant: of good runs, whether the program was changed on purpose: a check that failed was right to
            fail by what was known before. Otherwise a failure of good runs was a false alarm.
    """

    test: str
    run_ids: tuple[str, ...]
    label: Label
    at: datetime
    command: str
    person: str = ""
    reason: str = ""
    meant: bool = False

    @property
    def is_decision(self) -> bool:
        """Whether a person decided; nothing that a command observes replaces this."""
        return self.command in DECISIONS


@dataclass(frozen=True, slots=True)
class RunLabel:
    """One label of one run.

    Attributes:
        is_replaced: whether another label of this run counts instead.
    """

    run_id: str
    labelling: Labelling
    is_replaced: bool


def current(labellings: Iterable[Labelling]) -> dict[str, Labelling]:
    """Return the labelling that counts for each run: the last decision, or the last one if there is none.

    Args:
        labellings: of one test; of two with the same time, the later one in this order counts.

    Returns:
        Run ids, sorted, to their labelling.
    """
    found: dict[str, Labelling] = {}
    for one in sorted(labellings, key=lambda one: (one.is_decision, one.at)):
        found.update(dict.fromkeys(one.run_ids, one))
    return dict(sorted(found.items()))


def run_labels(labellings: Iterable[Labelling]) -> list[RunLabel]:
    """Return every label that runs of one test have or had, by run and time."""
    every = sorted(labellings, key=lambda one: one.at)
    counts = current(every)
    rows = [RunLabel(run_id, one, counts[run_id] is not one) for one in every for run_id in one.run_ids]
    return sorted(rows, key=lambda row: row.run_id)
