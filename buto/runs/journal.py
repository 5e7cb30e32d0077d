"""Journals: the samples of a recording on disk, beside the runs of its test, until the run is stored.

A journal is one hidden file that only grows. Its recorder holds a lock on it. The system releases the lock
when the recorder ends, however it ends, so a journal without a lock was left behind. Format:
docs/formats/journal.md.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from buto.errors import BadFileError
from buto.runs import journal_entries, names
from buto.runs.files.reading import read_file
from buto.runs.files.staging import hidden_name
from buto.runs.format import tables
from buto.runs.journal_entries import MAGIC, VERSION, Entry
from buto.runs.store import RunStore
from buto.version import READ_BY_NEWER

_NAME = re.compile(r"\.(.+)\.journal", re.DOTALL)
_FIRST_LINE = re.compile(rb"buto-journal (\d{1,9})\n")
_MAX_BYTES = 1 << 32


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A recording whose run is not in the store yet.

    Attributes:
        test, id: of the run to which the recording belongs.
        live: whether another process is still recording.
    """

    test: str
    id: str
    path: Path
    live: bool


class JournalFile:
    """A journal that is being written.

    Args:
        place: path of the journal; its directory must exist.

    Raises:
        OSError: it cannot be created; nothing is left behind.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        # Lock the file before it gets its name, so that no other process takes it for left behind.
        hidden = hidden_name(place)
        self._descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size = self._write(MAGIC % VERSION, 0)
            hidden.rename(place)
        except BaseException:
            os.close(self._descriptor)
            hidden.unlink(missing_ok=True)
            raise

    def append(self, entry: Entry) -> None:
        """Append an entry. OSError if it cannot be written; the next entry then replaces it."""
        self._size = self._write(journal_entries.encode(entry), self._size)

    def discard(self) -> None:
        """Remove the file when its run is stored or not wanted; raises OSError."""
        self._place.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock and keep the file."""
        os.close(self._descriptor)

    def _write(self, content: bytes, place: int) -> int:
        # Do not flush: written data survive the death of the process, and a flush would delay the samples.
        view = memoryview(content)
        while view:
            written = os.pwrite(self._descriptor, view, place)
            view, place = view[written:], place + written
        return place


def place_of(store: RunStore, test: str, run_id: str) -> Path:
    """Return the path of a run's journal."""
    return store.directory(test) / f".{run_id}.journal"


def unfinished(store: RunStore, tests: Sequence[str] = ()) -> list[Unfinished]:
    """Return recordings whose runs are not stored yet, of some tests or all, in the order of their start."""
    found = []
    for test in tests or store.recorded_tests():
        with suppress(FileNotFoundError), os.scandir(store.directory(test)) as entries:
            for entry in entries:
                named = _NAME.fullmatch(entry.name)
                if named and names.is_id(named[1]) and entry.is_file(follow_symlinks=False):
                    path = Path(entry.path)
                    found.append(Unfinished(test, named[1], path, _is_live(path)))
    return sorted(found, key=lambda one: (one.test, one.id))


@contextmanager
def taken(path: Path, kind: int = fcntl.LOCK_EX) -> Iterator[bool]:
    """Hold the lock of a journal; yield False if another process holds it or has removed the journal."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            status = os.fstat(descriptor)
            is_ours = status.st_nlink > 0 and stat.S_ISREG(status.st_mode)
        except BlockingIOError:
            is_ours = False
        yield is_ours
    finally:
        os.close(descriptor)


def read(path: Path) -> Iterator[Entry]:
    """Yield the entries of a journal up to the first incomplete one; one at a time, because journals can be
    large.

    Raises:
        BadFileError: it is not a journal, too large for a run, or of a newer version.
    """
    try:
        content = read_file(path, _MAX_BYTES)
        first = _FIRST_LINE.match(content)
        if first is None:
            raise ValueError("it is not a journal")
        if int(first[1]) > VERSION:
            raise BadFileError(
                f"{path} cannot be read: it has version {int(first[1])}, this buto reads up to {VERSION}",
                advice=READ_BY_NEWER,
            )
        yield from _bounded(map(journal_entries.decode, journal_entries.whole(content)))
    except ValueError as error:
        raise BadFileError(
            f"{path} cannot be read: {error}", advice=f"if it is not needed: rm {path}"
        ) from error


def _bounded(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Raise ValueError for more values than a run may have, before all are in memory."""
    n_values = 0
    for entry in entries:
        n_values += entry.values.size + len(entry.times_ns)
        if n_values > tables.MAX_VALUES:
            raise ValueError(f"it has more than {tables.MAX_VALUES} values")
        yield entry


def _is_live(path: Path) -> bool:
    with taken(path, fcntl.LOCK_SH) as is_ours:
        return not is_ours and path.exists()
