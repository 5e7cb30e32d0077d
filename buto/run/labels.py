"""Labels of runs: what is known to be true of them, who said so and when.

A store has them in ``labels/TEST/ID.json``, a file for each labelling; docs/formats/run.md describes its
format. The labelled past of a test is its runs that have labels, with the labels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, ClassVar

from msgspec import Struct, structs

from buto.run import names
from buto.run.entries import EntryStore
from buto.run.model import Run
from buto.run.storage import Place
from buto.run.stored import check_moment, parse_json, plain, read

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


class Labelling(Struct, frozen=True):
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


class RunLabel(Struct, frozen=True):
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
    by_run: dict[str, Labelling] = {}
    for labelling in sorted(labellings, key=lambda labelled: (labelled.is_decision, labelled.at)):
        by_run.update(dict.fromkeys(labelling.run_ids, labelling))
    return dict(sorted(by_run.items()))


def run_labels(labellings: Iterable[Labelling]) -> list[RunLabel]:
    """Return every label that runs of one test have or had, by run and time."""
    every = sorted(labellings, key=lambda labelling: labelling.at)
    counts = current(every)
    rows = [
        RunLabel(run_id, labelling, counts[run_id] is not labelling)
        for labelling in every
        for run_id in labelling.run_ids
    ]
    return sorted(rows, key=lambda row: row.run_id)


class Past(Struct, frozen=True, eq=False):
    """What people and commands said of a test's runs.

    Attributes:
        runs: that are stored, valid or not; some may have no label.
        labellings: by time; some of their runs may no longer be stored.
        trainings: the runs of each stored training, accepted changes among them.
    """

    test: str
    runs: tuple[Run, ...]
    labellings: tuple[Labelling, ...]
    trainings: tuple[tuple[str, ...], ...] = ()


FORMAT, VERSION = "buto-label", 2
"""Version 1 did not tell changes on purpose from false alarms."""

_READABLE = (1, VERSION)


class _Entries(EntryStore):
    kind: ClassVar[str] = "labels"
    noun: ClassVar[str] = "label"
    loss: ClassVar[str] = "the label is lost (if a newer buto wrote it, read it with that one)"


class LabelStore:
    """The labels of the runs in one store. They stay when their runs are deleted.

    Args:
        root: the root of the runs, see :class:`buto.run.store.RunStore`.
    """

    def __init__(self, root: Place) -> None:
        self._entries = _Entries(root)

    def add(self, labelling: Labelling) -> Labelling:
        """Store a labelling and return it, with a later time if the clock was put back since the last one.

        Raises:
            StorageError: it cannot be written; nothing is left behind.
            BadFileError: see :meth:`all`.
            UsageError: the test's name cannot be stored.
        """
        last = max((labelled.at for labelled in self.all(labelling.test)), default=None)
        if last is not None and labelling.at <= last:
            labelling = structs.replace(labelling, at=last + timedelta(microseconds=1))
        text = json.dumps(_to_data(labelling), indent=1, ensure_ascii=False, allow_nan=False)
        self._entries.add(labelling.test, f"{text}\n".encode(errors="replace"))
        return labelling

    def all(self, test: str) -> list[Labelling]:
        """Return the labellings of a test's runs by time; BadFileError if one of them is damaged or newer."""

        def read(content: bytes) -> dict[str, Any]:
            labelling = labelling_of(content)
            if labelling.test != test:
                raise ValueError(f"it belongs to {labelling.test!r}")
            return _to_data(labelling)

        labellings = self._entries.read_all(test, f"{FORMAT} {VERSION}", read, _of)
        return sorted(labellings, key=lambda labelling: labelling.at)


def labelling_of(content: bytes) -> Labelling:
    """Return the labelling in a file; ValueError if it is not one, or of a newer version."""
    return _of(parse_json(content))


def _to_data(labelling: Labelling) -> dict[str, Any]:
    data = plain(labelling)
    return {"format": FORMAT, "version": VERSION, "runs": data.pop("run_ids"), **data}


def _of(data: Any) -> Labelling:
    """Return the labelling that :func:`_to_data` wrote; ValueError for other data."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    version = data.get("version")
    if version not in _READABLE:
        raise ValueError(f"it is of version {version!r}; this buto reads {' and '.join(map(str, _READABLE))}")
    runs = read(data.get("runs"), tuple[str, ...], "runs")
    if not all(map(names.is_id, runs)):
        raise ValueError("runs must be ids of runs")
    # What was accepted was meant; what a person called good was most often a false alarm.
    older = {} if version == VERSION else {"meant": data.get("command") == ACCEPT}
    labelling = read({**data, "run_ids": runs, **older}, Labelling)
    check_moment(labelling.at, "at")
    return labelling
