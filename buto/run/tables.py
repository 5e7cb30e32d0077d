"""The files of one run, and how they are read. Samples and notifications are exact to the bit."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from mmap import mmap
from typing import Protocol

import numpy as np

from buto.extensions import optional_packages
from buto.run import bounds, columns
from buto.run.archive import PackedBundle
from buto.run.columns import FASTEST, NOT_AT_ALL, ColumnFile
from buto.run.directory import Bundle
from buto.run.format import Head, StoredFile
from buto.run.model import FloatArray, Notification
from buto.run.properties import Property

_check_samples = partial(bounds.check_samples, times_packed=bounds.TIMES_PACKED_COLUMNS)
_check_notifications = partial(bounds.check_notifications, times_packed=bounds.TIMES_PACKED_TEXT)


class SamplesFile(Protocol):
    """Samples that are open for reading."""

    def read(self, columns: Sequence[int], into: FloatArray) -> None:
        """Read columns by number, of which the times are the first.

        Args:
            into: shape (n_samples, len(columns)).

        Raises:
            ValueError: the file is damaged.
        """


def pack_samples(times_s: FloatArray, values: FloatArray) -> bytes:
    """Return the file of samples: the times, then the values of each property."""
    table = [column.astype("<f8", copy=False) for column in (times_s, *values.T)]
    return _readable(table, b"", lambda size: _check_samples(len(times_s), len(table), size))


def samples_file(
    name: str, source: bytes | mmap | BufferedReader, properties: Sequence[Property], n_samples: int
) -> SamplesFile:
    """Open the file of samples of this name.

    Raises:
        ValueError: it is not of these properties and this length, damaged, or too large.
        MissingExtraError: it is Parquet, and the packages are missing that read it.
    """
    if name == OLD_SAMPLES:
        with optional_packages(_OLDER):
            from buto.run.parquet import ParquetSamples
        return ParquetSamples.of(source, properties, n_samples)
    file = ColumnFile.of(source)
    _check_samples(n_samples, 1 + len(properties), file.n_bytes)
    _expect_shape(file, n_samples, 1 + len(properties))
    return file


def all_samples(
    name: str, content: bytes, properties: Sequence[Property], n_samples: int
) -> tuple[FloatArray, FloatArray]:
    """Return times, shape (n_samples,), and values, shape (n_samples, n_properties)."""
    file = samples_file(name, content, properties, n_samples)
    values = np.empty((n_samples, len(properties)))
    file.read(range(1, 1 + len(properties)), values)
    return _times_of(file, n_samples), values


def _times_of(file: SamplesFile, n_samples: int) -> FloatArray:
    times_s = np.empty((n_samples, 1))
    file.read([0], times_s)
    return times_s[:, 0]


def _columns_of(file: SamplesFile, properties: Sequence[int], n_samples: int) -> FloatArray:
    # Column by column in memory, as in the file; callers that need rows make a copy.
    values = np.empty((len(properties), n_samples)).T
    file.read([1 + number for number in properties], values)
    return values


def pack_notifications(notifications: Sequence[Notification]) -> bytes:
    """Return the file of notifications; a lone surrogate becomes ``?``."""
    lengths, texts = columns.pack_texts([[getattr(n, field) for n in notifications] for field in _TEXTS])
    times_s = np.array([n.time_s for n in notifications], "<f8")
    sequences = np.array([n.sequence for n in notifications], "<i8")
    return _readable(
        (times_s, sequences, *lengths),
        texts,
        lambda size: _check_notifications(len(times_s), len(texts), size),
    )


def all_notifications(name: str, content: bytes, n_notifications: int) -> tuple[Notification, ...]:
    """Read the file of notifications of this name; raise as :func:`samples_file`."""
    if name == OLD_NOTIFICATIONS:
        with optional_packages(_OLDER):
            from buto.run.parquet import notifications_from_parquet
        return notifications_from_parquet(content, n_notifications)
    file = ColumnFile.of(content)
    _check_notifications(n_notifications, file.n_text_bytes, len(content))
    _expect_shape(file, n_notifications, 2 + len(_TEXTS))
    numbers = np.empty((n_notifications, file.n_columns), np.int64)
    file.read(range(file.n_columns), numbers)
    times_s, sequences = numbers[:, 0].copy().view(np.float64), numbers[:, 1]
    texts = columns.unpack_texts(numbers[:, 2:].T, file.texts())
    of_type, source, message = texts
    rows = zip(times_s.tolist(), of_type, source, sequences.tolist(), message, strict=True)
    return tuple(Notification(*row) for row in rows)


_TEXTS = ("type", "source", "message")


def _expect_shape(file: ColumnFile, n_rows: int, n_columns: int) -> None:
    if file.n_rows != n_rows:
        raise ValueError(f"it has {file.n_rows} rows, {n_rows} are expected")
    if file.n_columns != n_columns:
        raise ValueError(f"it has {file.n_columns} columns, {n_columns} are expected")


def _readable(table: Sequence[columns.Numbers], texts: bytes, check: Callable[[int], None]) -> bytes:
    """Return a file of columns; not packed if it is so small that a reader would not trust it."""
    content = columns.pack(table, texts, level=FASTEST)
    try:
        check(len(content))
    except ValueError:
        return columns.pack(table, texts, level=NOT_AT_ALL)
    return content


DOCUMENT, SAMPLES, NOTIFICATIONS = "run.json", "samples.columns", "notifications.columns"
_OLDER = "a run that an older buto recorded"
OLD_SAMPLES, OLD_NOTIFICATIONS = "samples.parquet", "notifications.parquet"
"""Of runs of versions 1 to 3."""

STDOUT, STDERR = "stdout.txt", "stderr.txt"

_OUTPUT = "service-{}.txt"
_OF_SERVICE = re.compile(r"service-([a-z][a-z0-9-]{0,39})\.txt")
"""Name of the file with the output of a service."""

MAX_OUTPUT_BYTES = 1 << 20
"""Largest stored output of one stream; of a longer output, the beginning and the end are kept."""

# Limits when reading, because a run is untrusted.
_MAX_BYTES = {
    DOCUMENT: 1 << 26,
    SAMPLES: 8 * bounds.MAX_VALUES,
    NOTIFICATIONS: bounds.MAX_NOTIFICATION_BYTES,
    STDOUT: 2 * MAX_OUTPUT_BYTES,
    STDERR: 2 * MAX_OUTPUT_BYTES,
}

_MOST_OUTPUTS = 64
"""Outputs of services that are counted in MAX_RUN_BYTES."""

MAX_RUN_BYTES = sum(_MAX_BYTES.values()) + 2 * MAX_OUTPUT_BYTES * _MOST_OUTPUTS + (1 << 20)
"""Of all files of a run together; a larger archive of a run is not fetched."""


def max_bytes(name: str) -> int:
    """Return how large a file of a run may be; those that have no limit of their own are outputs."""
    today = {OLD_SAMPLES: SAMPLES, OLD_NOTIFICATIONS: NOTIFICATIONS}.get(name, name)
    return _MAX_BYTES.get(today, 2 * MAX_OUTPUT_BYTES)


def output_file(service: str) -> str:
    """Return the name of the file with the output of a service."""
    return _OUTPUT.format(service)


def describe(content: bytes) -> StoredFile:
    """Return size and checksum of a file."""
    return StoredFile(len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True, slots=True, weakref_slot=True)
class OpenRun:
    """The open files of a run.

    Attributes:
        judging: returns a block for the work on a file; it turns a ValueError into a BadFileError with the
            name of the file.
    """

    bundle: Bundle | PackedBundle
    judging: Callable[[str], AbstractContextManager[None]]

    @contextmanager
    def reading(self, name: str, head: Head | None = None) -> Iterator[bytes]:
        """Yield a file's content; turn a ValueError of the block into a BadFileError with the path."""
        with self.judging(name):
            content = self.bundle.read(name, max_bytes(name))
            if head is not None and head.files.get(name) != describe(content):
                raise ValueError(f"it is not the file that {DOCUMENT} describes")
            yield content

    def outputs(self, head: Head) -> dict[str, bytes]:
        """Return what the services of a run printed."""
        outputs = {}
        for name in head.files:
            service = _OF_SERVICE.fullmatch(name)
            if service is not None:
                with self.reading(name, head) as content:
                    outputs[service[1]] = content
        return outputs

    def samples(self, head: Head, properties: Sequence[Property]) -> tuple[FloatArray, FloatArray]:
        """Return times, shape (n_samples,), and values, shape (n_samples, n_properties)."""
        name = _name(SAMPLES, OLD_SAMPLES, head)
        with self.reading(name, head) as content:
            return all_samples(name, content, properties, head.samples)

    def notifications(self, head: Head) -> tuple[Notification, ...]:
        name = _name(NOTIFICATIONS, OLD_NOTIFICATIONS, head)
        with self.reading(name, head) as content:
            return all_notifications(name, content, head.notifications)


def _name(today: str, before: str, head: Head) -> str:
    """Return the name of a file of this run, which has that of before if its version is so old."""
    return before if before in head.files else today
