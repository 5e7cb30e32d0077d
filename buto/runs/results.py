"""Results of checks and trainings, stored next to the runs: ``ROOT/results/TEST/ID.json``, one file each."""

from __future__ import annotations

from typing import ClassVar

from buto.runs.files.entries import EntryStore


class ResultStore(EntryStore):
    """The results under one directory, see :class:`buto.runs.files.entries.EntryStore`."""

    kind: ClassVar[str] = "results"
    noun: ClassVar[str] = "result"
    loss: ClassVar[str] = "only the history needs it"
