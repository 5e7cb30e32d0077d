"""Results of checks and trainings, stored next to the runs: ``results/TEST/ID.json``, one file each."""

from __future__ import annotations

from typing import ClassVar

from buto.runs.entries import EntryStore


class ResultStore(EntryStore):
    """The results in one store, see :class:`buto.runs.entries.EntryStore`."""

    kind: ClassVar[str] = "results"
    noun: ClassVar[str] = "result"
    loss: ClassVar[str] = "only the history needs it"
