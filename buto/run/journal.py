"""Journals: the samples of a recording on disk, beside the runs of its test, until the run is stored.

A journal is one hidden file that only grows by entries, each of which has a checksum. Its recorder holds a
lock on it. The system releases the lock when the recorder ends, however it ends, so a journal without a lock
was left behind. docs/formats/run.md describes the format and the fields of an entry.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field, structs

from buto.errors import BadFileError
from buto.run import bounds, format, names, stored
from buto.run.cache import read_file
from buto.run.files import hold_lock, make_hidden_name
from buto.run.model import ClassHistogram, FloatArray, MetadataValue, SourceState
from buto.run.properties import Property
from buto.run.store import RunStore
from buto.version import READ_BY_NEWER

VERSION = 2
MAGIC = b"buto-journal %d\n"

MAX_ENTRY_BYTES = bounds.FREE_BYTES
"""Largest size of one entry in memory; rows that take more are several entries."""

_HEAD = struct.Struct("<II")
"""Length of a stored entry, and its CRC-32."""

_LENGTH = struct.Struct("<I")
_LEVEL = 1
"""Compression level of zlib, which takes 0.2 ms for five seconds of sixty properties."""


class TrackPart(Struct, frozen=True, eq=False):
    """What a source besides the JVM has read since the entry before.

    Attributes:
        name: of the source.
        interval_s: planned time between two readings.
        times_ns: shape (n_readings,), by the recording's own clock.
        values: shape (n_readings, n_columns), with all columns of the source so far.
        properties: new columns.
        reasons: why values are missing, all that are known so far.
        from_first: whether its counters count from their first reading.
    """

    name: str
    interval_s: float
    times_ns: npt.NDArray[np.int64]
    values: FloatArray
    properties: tuple[Property, ...] = ()
    reasons: tuple[str, ...] = ()
    from_first: bool = False


class JournalEntry(Struct, frozen=True, eq=False):
    """The part of a recording since the entry before.

    Attributes:
        times_ns: shape (n_rows,), by the recording's own clock.
        values: shape (n_rows, n_columns), with all columns so far.
        properties: new columns.
        metadata, nan_reasons: entries that are new or have changed.
        notifications: time in ns, type, source, sequence and message.
        zero_ns: the program's start; None if it was not observed yet.
        marks: time in ns, name and text.
        sources: those that are new or have changed.
        histograms: time in ns, and a histogram whose own time does not count.
        tracks: one for each source.
    """

    times_ns: npt.NDArray[np.int64]
    values: FloatArray
    properties: tuple[Property, ...] = ()
    notifications: tuple[tuple[int, str, str, int, str], ...] = ()
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    nan_reasons: Mapping[str, str] = field(default_factory=dict)
    zero_ns: int | None = None
    marks: tuple[tuple[int, str, str], ...] = ()
    sources: tuple[SourceState, ...] = ()
    histograms: tuple[tuple[int, ClassHistogram], ...] = ()
    tracks: tuple[TrackPart, ...] = ()


_Int = int | str
"""Older journals have these numbers as text."""


class _Table(Struct, frozen=True):
    """What the text of an entry says of a source's part, whose arrays come after it."""

    name: str
    interval_s: float
    rows: int
    columns: int
    properties: tuple[Property, ...]
    reasons: tuple[str, ...]
    from_first: bool


class _Text(Struct, frozen=True):
    """The text of an entry; that of a version 1 has no marks and nothing after them."""

    rows: int
    columns: int
    zero_ns: int | None
    properties: tuple[Property, ...]
    metadata: Mapping[str, Any]
    nan_reasons: Mapping[str, str]
    notifications: tuple[tuple[_Int, str, str, _Int, str], ...]
    marks: tuple[tuple[_Int, str, str], ...] = ()
    sources: tuple[SourceState, ...] = ()
    histograms: tuple[ClassHistogram, ...] = ()
    histogram_times: tuple[_Int, ...] = ()
    tracks: tuple[_Table, ...] = ()


def encode(entry: JournalEntry) -> bytes:
    """Return an entry with its length and checksum; a lone surrogate in a text becomes ``?``."""
    data = _fields(entry) | {
        "metadata": format.metadata_data(entry.metadata),
        "histograms": [histogram for _, histogram in entry.histograms],
        "histogram_times": [time_ns for time_ns, _ in entry.histograms],
        "tracks": [_fields(track) for track in entry.tracks],
    }
    written = json.dumps(stored.plain(data), ensure_ascii=False, allow_nan=False)
    encoded = written.encode("utf-8", errors="replace")
    arrays = _arrays(entry.times_ns, entry.values)
    arrays += b"".join(_arrays(track.times_ns, track.values) for track in entry.tracks)
    body = zlib.compress(_LENGTH.pack(len(encoded)) + encoded + arrays, _LEVEL)
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def divide(entry: JournalEntry) -> Iterator[JournalEntry]:
    """Yield entries that are the same together, and each small enough to be read again."""
    at_once = max(1, MAX_ENTRY_BYTES // 4 // (8 * (1 + entry.values.shape[1])))
    yield structs.replace(entry, times_ns=entry.times_ns[:at_once], values=entry.values[:at_once])
    for first in range(at_once, len(entry.times_ns), at_once):
        rows = slice(first, first + at_once)
        yield JournalEntry(entry.times_ns[rows], entry.values[rows], zero_ns=entry.zero_ns)


def _fields(part: JournalEntry | TrackPart) -> dict[str, Any]:
    """Return the fields of a part, with the shape of its arrays in their place."""
    others = {
        name: getattr(part, name) for name in part.__struct_fields__ if name not in ("times_ns", "values")
    }
    return {"rows": len(part.times_ns), "columns": part.values.shape[1], **others}


def whole(content: bytes) -> Iterator[bytes]:
    """Yield the entries after the first line of a journal, up to the first incomplete one."""
    place = content.index(b"\n") + 1
    while place + _HEAD.size <= len(content):
        length, checksum = _HEAD.unpack_from(content, place)
        body = content[place + _HEAD.size : place + _HEAD.size + length]
        if len(body) < length or zlib.crc32(body) != checksum:
            return
        yield body
        place += _HEAD.size + length


def decode(body: bytes) -> JournalEntry:
    """Read an entry without length and checksum. ValueError if it is not an entry."""
    try:
        plain = bounds.unpack(body, bounds.ZLIB, MAX_ENTRY_BYTES)
    except ValueError as error:
        raise ValueError(f"an entry cannot be read: {error}") from None
    if len(plain) < _LENGTH.size:
        raise ValueError("an entry is cut off")
    arrays_at = _LENGTH.size + _LENGTH.unpack_from(plain)[0]
    return _to_entry(
        stored.read(stored.parse_json(plain[_LENGTH.size : arrays_at]), _Text), plain[arrays_at:]
    )


def _number(written: _Int, bits: int) -> int:
    number = int(written)
    if not -(2**bits) <= number < 2**bits:
        raise ValueError(f"a number of {number.bit_length()} bits where {bits} belong")
    return number


def _arrays(times_ns: npt.NDArray[np.int64], values: FloatArray) -> bytes:
    # Column by column, because constant columns then compress to almost nothing.
    return times_ns.astype("<i8").tobytes() + values.T.astype("<f8").tobytes()


def _split(of: _Text | _Table, arrays: bytes) -> tuple[npt.NDArray[np.int64], FloatArray, bytes]:
    """Return the times and values of one table, and the bytes after them."""
    size = 8 * of.rows * (1 + of.columns)
    if min(of.rows, of.columns) < 0 or len(arrays) < size:
        raise ValueError(
            f"an entry of {of.rows} rows and {of.columns} columns has {len(arrays)} bytes of them"
        )
    if of.rows * (1 + of.columns) > bounds.MAX_VALUES:
        raise ValueError(f"an entry has more than {bounds.MAX_VALUES} values")
    times_ns = np.frombuffer(arrays, "<i8", of.rows).astype(np.int64)
    if not ((times_ns > -(2**62)) & (times_ns < 2**62)).all():
        raise ValueError("an entry has a time that no clock shows")
    flat = np.frombuffer(arrays, "<f8", of.rows * of.columns, offset=8 * of.rows)
    return times_ns, flat.reshape(of.columns, of.rows).T.astype(np.float64), arrays[size:]


def _to_entry(text: _Text, arrays: bytes) -> JournalEntry:
    times_ns, values, arrays = _split(text, arrays)
    tracks = []
    for track in text.tracks:
        if not 0 < track.interval_s < float("inf"):
            raise ValueError(f"a source is read every {track.interval_s} s")
        at, rows, arrays = _split(track, arrays)
        tracks.append(
            TrackPart(
                track.name, track.interval_s, at, rows, track.properties, track.reasons, track.from_first
            )
        )
    if arrays:
        raise ValueError(f"an entry has {len(arrays)} bytes after its tables")
    counted = (_number(at, 62) for at in text.histogram_times)
    return JournalEntry(
        times_ns=times_ns,
        values=values,
        properties=text.properties,
        notifications=tuple(
            (_number(at, 62), type, source, _number(sequence, 63), message)
            for at, type, source, sequence, message in text.notifications
        ),
        metadata=format.metadata_of(text.metadata),
        nan_reasons=text.nan_reasons,
        zero_ns=None if text.zero_ns is None else _number(text.zero_ns, 62),
        marks=tuple((_number(at, 62), name, note) for at, name, note in text.marks),
        sources=text.sources,
        histograms=tuple(zip(counted, text.histograms, strict=True)),
        tracks=tuple(tracks),
    )


_NAME = re.compile(r"\.(.+)\.journal", re.DOTALL)
_FIRST_LINE = re.compile(rb"buto-journal (\d{1,9})\n")
_MAX_BYTES = 1 << 32

_NOTE_VALUES = 50
"""A note takes about as much memory as so many values."""


class Unfinished(Struct, frozen=True):
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
        hidden = make_hidden_name(place)
        self._descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size = self._write(MAGIC % VERSION, 0)
            hidden.rename(place)
        except BaseException:
            os.close(self._descriptor)
            hidden.unlink(missing_ok=True)
            raise

    def append(self, entry: JournalEntry) -> None:
        """Append an entry, in parts if it is large; after an OSError the next entry replaces it."""
        self._size = self._write(b"".join(map(encode, divide(entry))), self._size)

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


def find_unfinished(store: RunStore, tests: Sequence[str] = ()) -> list[Unfinished]:
    """Return recordings whose runs are not stored yet, of some tests or all, in the order of their start."""
    recordings = []
    for test in tests or store.recorded_tests():
        with suppress(FileNotFoundError), os.scandir(store.directory(test)) as entries:
            for entry in entries:
                named = _NAME.fullmatch(entry.name)
                if named and names.is_id(named[1]) and entry.is_file(follow_symlinks=False):
                    path = Path(entry.path)
                    recordings.append(Unfinished(test, named[1], path, _is_live(path)))
    return sorted(recordings, key=lambda recording: (recording.test, recording.id))


def read(path: Path) -> Iterator[JournalEntry]:
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
        most = min(bounds.MAX_VALUES, bounds.most_values(len(content)))
        yield from _limit(map(decode, whole(content)), most)
    except ValueError as error:
        raise BadFileError(
            f"{path} cannot be read: {error}", advice=f"if it is not needed: rm {path}"
        ) from error


def _limit(entries: Iterable[JournalEntry], most: int) -> Iterator[JournalEntry]:
    """Raise ValueError for more values or notes than a run of this size has, before all are in memory."""
    n_values = 0
    for entry in entries:
        n_values += entry.values.size + len(entry.times_ns)
        n_values += sum(part.values.size + len(part.times_ns) for part in entry.tracks)
        n_values += _NOTE_VALUES * (len(entry.notifications) + len(entry.marks) + len(entry.properties))
        if n_values > most:
            raise ValueError(f"it has more than {most} values")
        yield entry


def _is_live(path: Path) -> bool:
    try:
        with hold_lock(path, fcntl.LOCK_SH) as is_ours:
            return not is_ours and path.exists()
    except PermissionError:
        # Another user's: nobody else can say that its run has ended.
        return True
