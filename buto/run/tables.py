"""The files of one run, and how they are read.

Samples and notifications are Parquet, exact to the bit; pyarrow is imported when first needed. Arrays pass
as buffers in both directions: ``pyarrow.array`` and ``to_numpy`` would import pandas where it is installed,
which takes longer than anything that is done here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedReader
from mmap import mmap
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from buto.run.archive import PackedBundle
from buto.run.directory import Bundle
from buto.run.files import UnnamedFile
from buto.run.format import Head, StoredFile
from buto.run.long import ReadColumns, looked_through
from buto.run.model import FloatArray, Notification
from buto.run.properties import Property

if TYPE_CHECKING:
    import pyarrow as pa


# Limits, because a run is untrusted.
MAX_VALUES = 1 << 28
"""Times and values of one run: 2 GiB, two months of fifty properties once a second."""
MAX_NOTIFICATIONS = 1_000_000
MAX_NOTIFICATION_BYTES = 1 << 28
"""Of all notifications of one run in memory."""

_NOTIFICATION_FIELDS = ("time_s", "type", "source", "sequence", "message")
_BATCH_ROWS = 1024
_COLUMNS_AT_ONCE = 64


def samples_to_parquet(properties: Sequence[Property], times_s: FloatArray, values: FloatArray) -> bytes:
    """Return samples as Parquet, one row each: the column ``time_s``, then one for each property by name."""
    import pyarrow as pa

    columns = [float_array(column) for column in (times_s, *values.T)]
    return _to_parquet(pa.Table.from_arrays(columns, names=_columns(properties)))


def samples_from_parquet(
    content: bytes, properties: Sequence[Property], n_samples: int
) -> tuple[FloatArray, FloatArray]:
    """Return times, shape (n_samples,), and values, shape (n_samples, n_properties).

    Raises:
        ValueError: it is not Parquet, not of these properties and this length, or too large.
    """
    file = samples_file(content, properties, n_samples)
    values = np.empty((n_samples, len(properties)))
    for start in range(0, len(properties), _COLUMNS_AT_ONCE):
        columns = range(start, min(len(properties), start + _COLUMNS_AT_ONCE))
        values[:, columns.start : columns.stop] = columns_of(file, columns)
    return times_of(file), values


def samples_file(
    source: bytes | mmap | str, properties: Sequence[Property], n_samples: int
) -> pa.parquet.ParquetFile:
    """Open samples, from their bytes or by their path, to read some columns at a time.

    Raises:
        ValueError: it is not Parquet, not of these properties and this length, or too large.
    """
    import pyarrow as pa

    names = _columns(properties)
    if n_samples * len(names) > MAX_VALUES:
        raise ValueError(f"it holds more than {MAX_VALUES} values")
    schema = pa.schema([(name, pa.float64()) for name in names])
    try:
        return _open(source, schema, n_samples)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error


def times_of(file: pa.parquet.ParquetFile) -> FloatArray:
    """Return the times of samples, shape (n_samples,); ValueError as for samples."""
    return _read_columns(file, [0])[:, 0].copy()


def columns_of(file: pa.parquet.ParquetFile, columns: Sequence[int]) -> FloatArray:
    """Return the values of properties by number, shape (n_samples, n); ValueError as for samples."""
    return _read_columns(file, [1 + column for column in columns])


def _read_columns(file: pa.parquet.ParquetFile, numbers: Sequence[int]) -> FloatArray:
    import pyarrow as pa

    # Column by column in memory, as in the file; callers that need rows make a copy.
    values = np.empty((len(numbers), file.metadata.num_rows)).T
    if not numbers:
        return values
    ordered = sorted(set(numbers))
    try:
        # By number, because a name would also select all columns whose names begin with it.
        table = file.reader.read_all(column_indices=ordered, use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error
    of = dict(zip(ordered, table.columns, strict=True))
    for place, number in enumerate(numbers):
        values[:, place] = floats(of[number])
    return values


def notifications_to_parquet(notifications: Sequence[Notification]) -> bytes:
    """Return notifications as Parquet, one row each; a lone surrogate becomes ``?``."""
    import pyarrow as pa

    columns = [
        float_array(np.array([n.time_s for n in notifications], np.float64)),
        text_array([n.type for n in notifications]),
        text_array([n.source for n in notifications]),
        _array(np.array([n.sequence for n in notifications], np.int64), pa.int64()),
        text_array([n.message for n in notifications]),
    ]
    return _to_parquet(pa.Table.from_arrays(columns, schema=notification_schema()))


def notifications_from_parquet(content: bytes, n_notifications: int) -> tuple[Notification, ...]:
    """Read notifications from :func:`notifications_to_parquet`; raises ValueError as for samples."""
    import pyarrow as pa

    if n_notifications > MAX_NOTIFICATIONS:
        raise ValueError(f"it holds more than {MAX_NOTIFICATIONS} notifications")
    found: list[Notification] = []
    size = 0
    try:
        for batch in _open(content, notification_schema(), n_notifications).iter_batches(
            _BATCH_ROWS, use_threads=False
        ):
            size += batch.nbytes
            if size > MAX_NOTIFICATION_BYTES:
                raise ValueError(f"its notifications take more than {MAX_NOTIFICATION_BYTES} bytes")
            if any(column.null_count for column in batch.columns):
                raise ValueError("a notification has an empty field")
            columns = [column.to_pylist() for column in batch.columns]
            found.extend(Notification(*row) for row in zip(*columns, strict=True))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error
    return tuple(found)


def utf8(text: str) -> str:
    """Return the text with ``?`` for each lone surrogate, which UTF-8 cannot encode."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def float_array(values: FloatArray) -> pa.Array:
    """Return values, shape (n,), as Arrow's double; NaN stays NaN and does not become null."""
    import pyarrow as pa

    return _array(np.ascontiguousarray(values, np.float64), pa.float64())


def text_array(texts: Sequence[str]) -> pa.Array:
    """Return texts as Arrow's large_string, with lone surrogates replaced."""
    import pyarrow as pa

    encoded = [text.encode("utf-8", errors="replace") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def _array(values: npt.NDArray[Any], type: pa.DataType) -> pa.Array:
    import pyarrow as pa

    return pa.Array.from_buffers(type, len(values), [None, pa.py_buffer(values)])


def floats(column: pa.ChunkedArray) -> FloatArray:
    """Return the values of :func:`float_array`, shape (n,); raises ValueError for null."""
    if column.null_count:
        raise ValueError("a value is null")
    parts = [
        np.frombuffer(chunk.buffers()[1], np.float64, len(chunk), 8 * chunk.offset)
        for chunk in column.chunks
        if len(chunk)
    ]
    return np.concatenate([np.empty(0), *parts])


def _columns(properties: Sequence[Property]) -> list[str]:
    return ["time_s", *(utf8(prop.name) for prop in properties)]


def notification_schema() -> pa.Schema:
    """Return the columns of the file of notifications."""
    import pyarrow as pa

    types = (pa.float64(), pa.large_string(), pa.large_string(), pa.int64(), pa.large_string())
    return pa.schema(list(zip(_NOTIFICATION_FIELDS, types, strict=True)))


def _to_parquet(table: pa.Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Written in memory, so that only the store, which writes the bytes, has to handle a full disk.
    sink = pa.BufferOutputStream()
    # Measured values seldom repeat: without a dictionary the file is a third smaller.
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _open(source: bytes | mmap | str, schema: pa.Schema, n_rows: int) -> pa.parquet.ParquetFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.OSFile(source) if isinstance(source, str) else pa.BufferReader(source))
    if file.metadata.num_rows != n_rows:
        raise ValueError(f"it has {file.metadata.num_rows} rows, {n_rows} are expected")
    if not file.schema_arrow.equals(schema):
        raise ValueError("its columns are not those that are expected")
    return file


DOCUMENT, SAMPLES, NOTIFICATIONS = "run.json", "samples.parquet", "notifications.parquet"
STDOUT, STDERR = "stdout.txt", "stderr.txt"

_OUTPUT = "service-{}.txt"
_OF_SERVICE = re.compile(r"service-([a-z][a-z0-9-]{0,39})\.txt")
"""Name of the file with the output of a service."""

MAX_OUTPUT_BYTES = 1 << 20
"""Largest stored output of one stream; of a longer output, the beginning and the end are kept."""

# Limits when reading, because a run is untrusted.
_MAX_BYTES = {
    DOCUMENT: 1 << 26,
    SAMPLES: 8 * MAX_VALUES,
    NOTIFICATIONS: MAX_NOTIFICATION_BYTES,
    STDOUT: 2 * MAX_OUTPUT_BYTES,
    STDERR: 2 * MAX_OUTPUT_BYTES,
}

_MOST_OUTPUTS = 64
"""Outputs of services that are counted in MAX_RUN_BYTES."""

MAX_RUN_BYTES = sum(_MAX_BYTES.values()) + 2 * MAX_OUTPUT_BYTES * _MOST_OUTPUTS + (1 << 20)
"""Of all files of a run together; a larger archive of a run is not fetched."""


def max_bytes(name: str) -> int:
    """Return how large a file of a run may be; those that have no limit of their own are outputs."""
    return _MAX_BYTES.get(name, 2 * MAX_OUTPUT_BYTES)


def output_file(service: str) -> str:
    """Return the name of the file with the output of a service."""
    return _OUTPUT.format(service)


def describe(content: bytes) -> StoredFile:
    """Return size and checksum of a file."""
    return StoredFile(len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True, slots=True)
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
        found = {}
        for name in head.files:
            service = _OF_SERVICE.fullmatch(name)
            if service is not None:
                with self.reading(name, head) as content:
                    found[service[1]] = content
        return found

    def columns(self, head: Head, properties: Sequence[Property], columns: Sequence[int]) -> FloatArray:
        """Return the values of properties by number, shape (n_samples, n)."""
        with self.judging(SAMPLES), self.bundle.open(SAMPLES, _MAX_BYTES[SAMPLES]) as opened:
            file = samples_file(_path_of(opened), properties, head.samples)
            return columns_of(file, columns)

    def copied(self, head: Head, properties: Sequence[Property], copies: UnnamedFile) -> ReadColumns:
        """Copy the samples; return what reads columns of the copy, also when the run is closed."""
        with self.judging(SAMPLES), self.bundle.open(SAMPLES, _MAX_BYTES[SAMPLES]) as opened:
            copy = copies.add(opened)
        judging = self.judging

        def read(columns: Sequence[int]) -> FloatArray:
            with judging(SAMPLES):
                return columns_of(samples_file(copy(), properties, head.samples), columns)

        return read

    def long(self, head: Head, properties: Sequence[Property], stride: int) -> dict[str, Any]:
        """Return what a long run has instead of its samples; all samples have been checked to be readable."""
        with self.judging(SAMPLES), self.bundle.open(SAMPLES, _MAX_BYTES[SAMPLES]) as opened:
            sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
            if StoredFile(opened.tell(), sha256) != head.files.get(SAMPLES):
                raise ValueError(f"it is not the file that {DOCUMENT} describes")
            file = samples_file(_path_of(opened), properties, head.samples)
        lock = Lock()

        def read(columns: Sequence[int]) -> FloatArray:
            with lock, self.judging(SAMPLES):
                return columns_of(file, columns)

        with self.judging(SAMPLES):
            times_s = times_of(file)
        values, smallest = looked_through(head.samples, len(properties), stride, read)
        return {
            "times_s": times_s[::stride].copy(),
            "values": values,
            "stride": stride,
            "whole_times_s": times_s,
            "smallest": smallest,
            "read_columns": read,
        }


def _path_of(opened: BufferedReader) -> str:
    """Return the path of an open file by its descriptor: that file, even if another one replaces it."""
    return f"/proc/self/fd/{opened.fileno()}"
