"""Save a recording to disk while it goes on, and recover it if buto itself was killed."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

from msgspec import structs

from buto.errors import BadFileError, ButoError, MeasureError, StorageError
from buto.measure import quality
from buto.measure.progress import OnTick, Progress
from buto.measure.recording import Checkpoint, Recording
from buto.run.files import hold_lock, storage_errors
from buto.run.journal import JournalEntry, JournalFile, Unfinished, place_of, read
from buto.run.model import JOURNAL, MetadataValue, Outcome, Problem, ProblemKind, Quality, Run
from buto.run.storage import UnsentError
from buto.run.store import RunStore

FIRST_WRITE_S = 10.0
"""Nothing is written before: a short program is not disturbed, and loses little."""

WRITE_INTERVAL_S = 5.0
"""Interval from then on; even with a slow disk and a slow machine at most ten seconds are lost."""

KEPT = "what was recorded until then is kept: buto runs recover --store"


class RecordingAbandonedError(MeasureError):
    """The recording is no longer wanted; nothing of it is kept."""


class Journal:
    """Writes the growth of one recording into the store, from its tenth second on.

    The journal is removed if the ``with`` block ends without an exception, by Ctrl-C, because the recording
    is no longer wanted, or because the whole run waits on this machine. Otherwise it stays for
    ``buto runs recover``. A failure to write, as on a full disk, does not end the recording; the missing part
    is written the next time.

    Args:
        marks: further metadata.
        first_write_s, write_interval_s: see the constants.

    Attributes:
        is_written: whether the journal has anything on disk.
    """

    def __init__(
        self,
        store: RunStore,
        marks: Mapping[str, MetadataValue],
        *,
        first_write_s: float = FIRST_WRITE_S,
        write_interval_s: float = WRITE_INTERVAL_S,
    ) -> None:
        self._store = store
        self._marks = marks
        self._every_s = write_interval_s
        self._next = time.monotonic() + first_write_s
        self._file: JournalFile | None = None
        self._written = Checkpoint()
        self.is_written = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        if error is None or isinstance(error, KeyboardInterrupt | RecordingAbandonedError | UnsentError):
            with suppress(OSError):
                self._file.discard()
        elif isinstance(error, ButoError) and self.is_written:
            error.message += f"\n{KEPT} {shlex.quote(str(self._store.root))}"
        self._file.close()

    def on_each_tick(self, recording: Recording, on_tick: OnTick | None) -> OnTick:
        """Return a function for a collector's ticks that writes the journal and then calls ``on_tick``."""

        def tick(progress: Progress) -> None:
            self.write_if_due(recording)
            if on_tick is not None:
                on_tick(progress)

        return tick

    def write_if_due(self, recording: Recording) -> None:
        """Write the growth of the recording if the interval has passed."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._every_s
        with suppress(OSError, StorageError):
            if self._file is None:
                self._store.prepare(recording.test)
                self._file = JournalFile(place_of(self._store, recording.test, recording.id))
            entry, mark = recording.changes_since(self._written)
            if not self.is_written:
                entry = structs.replace(entry, metadata={**entry.metadata, **self._marks})
            self._file.append(entry)
            self._written = mark
            self.is_written = True


_SHORTEST_S = 1e-6
"""An interval below it is none that anybody planned."""


def recover(store: RunStore, recording: Unfinished) -> Run | None:
    """Store what a journal has of a recording, and remove the journal.

    Returns:
        The run; None if there is nothing to recover: the recording still goes on, its complete run was
        stored before the journal could be removed, or it has no sample.

    Raises:
        BadFileError: the journal is damaged, or of a newer version. It stays.
        StorageError: the run cannot be stored. The journal stays.
    """
    with hold_lock(recording.path) as is_ours:
        if not is_ours:
            return None
        run = None
        if recording.id not in store.ids(recording.test):
            try:
                run = rebuild_run(recording.test, recording.id, read(recording.path))
            except (MeasureError, ValueError) as error:
                raise BadFileError(
                    f"{recording.path} cannot be read: {error}",
                    advice=f"if nobody needs it: rm {recording.path}",
                ) from error
            if run is not None:
                store.add(run)
        with storage_errors("remove", recording.path):
            recording.path.unlink()
        return run


def rebuild_run(test: str, run_id: str, entries: Iterable[JournalEntry]) -> Run | None:
    """Build a run from the entries of a journal. It is invalid, because the program's end was not seen.

    The program's output is lost. If its start was not seen, time zero is the first sample.

    Returns:
        The run; None if there is no sample.

    Raises:
        MeasureError, ValueError: the entries contradict each other.
    """
    recording = recording_of(test, run_id, entries)
    if recording.n_samples == 0:
        return None
    if recording.zero_ns is None:
        recording.zero_ns = recording.first_time_ns
    times_s = recording.times_s()
    planned_s = recording.metadata.get("buto.interval")
    interval_s = planned_s if isinstance(planned_s, float) and planned_s >= _SHORTEST_S else float("inf")
    sampled = quality.sampling(times_s, interval_s, quality.pauses_s(recording))
    text = (
        f"buto was lost while it recorded: its journal ends after {times_s[-1]:.1f} s, "
        "and how the program ended is not known"
    )
    return recording.finish(
        Outcome(exit_code=None, duration_s=float(times_s[-1]), last_sample=JOURNAL),
        Quality((Problem(ProblemKind.BUTO_LOST, text),), sampled.missed_share, sampled.largest_gap_s),
    )


def recording_of(test: str, run_id: str, entries: Iterable[JournalEntry]) -> Recording:
    """Return a recording as far as its journal has it.

    Raises:
        MeasureError, ValueError: the entries contradict each other.
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
        for mark in entry.marks:
            recording.add_mark(*mark)
        for source in entry.sources:
            recording.add_source(source)
        for time_ns, histogram in entry.histograms:
            recording.add_histogram(time_ns, histogram)
        for part in entry.tracks:
            recording.add_part(part)
        recording.metadata.update(entry.metadata)
        reasons |= entry.nan_reasons
    for name, why in reasons.items():
        recording.add_reason(name, why)
    return recording
