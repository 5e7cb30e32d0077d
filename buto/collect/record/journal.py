"""Keeping on disk what is being recorded, so that it outlives buto itself; and what is left of it then."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from buto.collect.progress import OnTick, Progress
from buto.collect.record import quality
from buto.collect.record.recording import Mark, Recording
from buto.errors import BadFileError, ButoError, MeasureError, StorageError
from buto.runs import Outcome, Problem, ProblemKind, Quality, Run, RunStore
from buto.runs.journal import JournalFile, Unfinished, place_of, read, taken
from buto.runs.journal_entries import Entry
from buto.runs.model import JOURNAL, MetadataValue
from buto.runs.staging import storage_errors

BEGIN_S = 10.0
"""So long nothing is written: a short program is not disturbed, and loses little."""

EVERY_S = 5.0
"""From then on; together with a slow disk and a slow machine no more than ten seconds are lost."""

KEPT = "what was recorded until then is kept: buto runs recover --store"


class RecordingAbandonedError(MeasureError):
    """Whoever wanted the recording wants it no more; it is not kept."""


class Journal:
    """Writes what one recording gains into the store, from its tenth second on.

    When the block is left without an exception, by Ctrl-C, or because the recording is not wanted any
    more, the journal is removed. Otherwise it stays for ``buto runs recover``. A journal that cannot be
    written, as on a full disk, does not end the recording; what is missing is written with what comes next.

    Args:
        marks: further metadata.
        begin_s, every_s: see the constants.

    Attributes:
        is_kept: whether there is something on disk.
    """

    def __init__(
        self,
        store: RunStore,
        marks: Mapping[str, MetadataValue],
        *,
        begin_s: float = BEGIN_S,
        every_s: float = EVERY_S,
    ) -> None:
        self._store = store
        self._marks = marks
        self._every_s = every_s
        self._next = time.monotonic() + begin_s
        self._file: JournalFile | None = None
        self._written = Mark()
        self.is_kept = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        if error is None or isinstance(error, KeyboardInterrupt | RecordingAbandonedError):
            with suppress(OSError):
                self._file.discard()
        elif isinstance(error, ButoError) and self.is_kept:
            error.message += f"\n{KEPT} {shlex.quote(str(self._store.root))}"
        self._file.close()

    def beside(self, recording: Recording, on_tick: OnTick | None) -> OnTick:
        """What a collector calls at each tick, with what was to be called anyway."""

        def tick(progress: Progress) -> None:
            self.keep(recording)
            if on_tick is not None:
                on_tick(progress)

        return tick

    def keep(self, recording: Recording) -> None:
        """Write what is new, if it is time."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._every_s
        with suppress(OSError, StorageError):
            if self._file is None:
                self._store.prepare(recording.test)
                self._file = JournalFile(place_of(self._store, recording.test, recording.id))
            entry, mark = recording.gained(self._written)
            if not self.is_kept:
                entry = replace(entry, metadata={**entry.metadata, **self._marks})
            self._file.append(entry)
            self._written = mark
            self.is_kept = True


def recover(store: RunStore, one: Unfinished) -> Run | None:
    """Store what is left of a recording, and remove its journal.

    Returns:
        The run; None if there was nothing to recover: the recording is live, its run was stored whole
        before its journal could be removed, or it has no sample.

    Raises:
        BadFileError: the journal is damaged, or of a newer version. It stays.
        StorageError: the run cannot be stored. The journal stays.
    """
    with taken(one.path) as is_ours:
        if not is_ours:
            return None
        run = None
        if one.id not in store.ids(one.test):
            try:
                run = recovered(one.test, one.id, read(one.path))
            except (MeasureError, ValueError) as error:
                raise BadFileError(
                    f"{one.path} cannot be read: {error}", advice=f"if nobody needs it: rm {one.path}"
                ) from error
            if run is not None:
                store.add(run)
        with storage_errors("remove", one.path):
            one.path.unlink()
        return run


def recovered(test: str, run_id: str, entries: Iterable[Entry]) -> Run | None:
    """The run that a journal's entries give: invalid, for nobody saw how the program went on.

    What the program printed is lost. Where its start was not seen, time zero is the first sample.

    Returns:
        None if there is no sample.

    Raises:
        MeasureError, ValueError: the entries do not fit each other.
    """
    recording = Recording(test)
    recording.id = run_id
    reasons: dict[str, str] = {}
    for entry in entries:
        recording.zero_ns = entry.zero_ns
        recording.add_columns(entry.properties)
        recording.add_rows(entry.times_ns, entry.values)
        for notification in entry.notifications:
            recording.add_notification(*notification)
        recording.metadata.update(entry.metadata)
        reasons |= entry.nan_reasons
    if recording.n_samples == 0:
        return None
    for name, why in reasons.items():
        recording.add_reason(name, why)
    if recording.zero_ns is None:
        recording.zero_ns = recording.first_time_ns
    times_s = recording.times_s()
    interval_s = recording.metadata.get("buto.interval")
    sampled = quality.sampling(
        times_s, interval_s if isinstance(interval_s, float) else float("inf"), quality.pauses_s(recording)
    )
    text = (
        f"buto was lost while it recorded: its journal ends after {times_s[-1]:.1f} s, "
        "and how the program ended is not known"
    )
    return recording.finish(
        Outcome(exit_code=None, duration_s=float(times_s[-1]), last_sample=JOURNAL),
        Quality((Problem(ProblemKind.BUTO_LOST, text),), sampled.missed_share, sampled.largest_gap_s),
    )
