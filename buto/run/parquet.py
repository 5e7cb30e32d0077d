"""Parquet, through pyarrow: the tables of runs of versions 1 to 3, and of exports. Of the extra ``frames``.

Arrays pass as buffers in both directions: ``pyarrow.array`` and ``to_numpy`` would import pandas where it is
installed, which takes longer than anything that is done here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from io import BufferedReader
from mmap import mmap
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from buto.run import bounds
from buto.run.model import FloatArray, Notification, Run, RunSet
from buto.run.properties import Property

_NOTIFICATION_FIELDS = ("time_s", "type", "source", "sequence", "message")
_BATCH_ROWS = 1024
_COLUMNS_AT_ONCE = 64


def samples_to_parquet(properties: Sequence[Property], times_s: FloatArray, values: FloatArray) -> bytes:
    """Return samples as Parquet, one row each: the column ``time_s``, then one for each property by name."""
    columns = [float_array(column) for column in (times_s, *values.T)]
    return _to_parquet(pa.Table.from_arrays(columns, names=_columns(properties)))


class ParquetSamples(Struct, frozen=True):
    """Samples that are open for reading, of which some columns are read at a time."""

    file: pq.ParquetFile

    @classmethod
    def of(
        cls, source: bytes | mmap | BufferedReader, properties: Sequence[Property], n_samples: int
    ) -> Self:
        """Open samples.

        Raises:
            ValueError: it is not Parquet, not of these properties and this length, or too large.
        """
        names = _columns(properties)
        size = os.fstat(source.fileno()).st_size if isinstance(source, BufferedReader) else len(source)
        bounds.check_samples(n_samples, len(names), size, bounds.TIMES_PACKED)
        schema = pa.schema([(name, pa.float64()) for name in names])
        try:
            return cls(_open(source, schema, n_samples))
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"it cannot be read as Parquet: {error}") from error

    def read(self, columns: Sequence[int], into: FloatArray) -> None:
        """Read columns by number, of which the times are the first.

        Args:
            into: shape (n_samples, len(columns)).

        Raises:
            ValueError: the file is damaged.
        """
        for start in range(0, len(columns), _COLUMNS_AT_ONCE):
            some = columns[start : start + _COLUMNS_AT_ONCE]
            ordered = sorted(set(some))
            try:
                # By number, because a name would also select all columns whose names begin with it.
                table = self.file.reader.read_all(column_indices=ordered, use_threads=False)
            except (pa.ArrowException, OSError) as error:
                raise ValueError(f"it cannot be read as Parquet: {error}") from error
            of = dict(zip(ordered, table.columns, strict=True))
            for place, number in enumerate(some, start):
                into[:, place] = floats(of[number])


def notifications_to_parquet(notifications: Sequence[Notification]) -> bytes:
    """Return notifications as Parquet, one row each; a lone surrogate becomes ``?``."""
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

    def check(n_bytes: int) -> None:
        bounds.check_notifications(n_notifications, n_bytes, len(content), bounds.TIMES_PACKED)

    check(0)
    notifications: list[Notification] = []
    try:
        file = _open(content, notification_schema(), n_notifications)
        groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
        declared = sum(group.total_byte_size for group in groups)
        check(declared)
        size = 0
        for batch in file.iter_batches(_BATCH_ROWS, use_threads=False):
            size += batch.nbytes
            check(size)
            if any(column.null_count for column in batch.columns):
                raise ValueError("a notification has an empty field")
            columns = [column.to_pylist() for column in batch.columns]
            notifications.extend(Notification(*row) for row in zip(*columns, strict=True))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error
    return tuple(notifications)


def utf8(text: str) -> str:
    """Return the text with ``?`` for each lone surrogate, which UTF-8 cannot encode."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def float_array(values: FloatArray) -> pa.Array:
    """Return values, shape (n,), as Arrow's double; NaN stays NaN and does not become null."""
    return _array(np.ascontiguousarray(values, np.float64), pa.float64())


def text_array(texts: Sequence[str]) -> pa.Array:
    """Return texts as Arrow's large_string, with lone surrogates replaced."""
    encoded = [text.encode("utf-8", errors="replace") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def _array(values: npt.NDArray[Any], type: pa.DataType) -> pa.Array:
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
    types = (pa.float64(), pa.large_string(), pa.large_string(), pa.int64(), pa.large_string())
    return pa.schema(list(zip(_NOTIFICATION_FIELDS, types, strict=True)))


def _to_parquet(table: pa.Table) -> bytes:
    # Written in memory, so that only the store, which writes the bytes, has to handle a full disk.
    sink = pa.BufferOutputStream()
    # Measured values seldom repeat: without a dictionary the file is a third smaller.
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _open(source: bytes | mmap | BufferedReader, schema: pa.Schema, n_rows: int) -> pa.parquet.ParquetFile:
    # By its descriptor: that file, even if another one replaces it.
    descriptor = source.fileno() if isinstance(source, BufferedReader) else None
    opened = pa.BufferReader(source) if descriptor is None else pa.OSFile(f"/proc/self/fd/{descriptor}")
    file = pq.ParquetFile(opened)
    if file.metadata.num_rows != n_rows:
        raise ValueError(f"it has {file.metadata.num_rows} rows, {n_rows} are expected")
    if not file.schema_arrow.equals(schema):
        raise ValueError("its columns are not those that are expected")
    return file


def long_table(runs: RunSet) -> bytes:
    """Return the values of runs as Parquet, a row for each; see :class:`buto.run.export.Layout`."""
    header = ["run", "property", "unit", "time_s", "value"]
    types = [pa.large_string()] * 3 + [pa.float64()] * 2
    return _export(list(zip(header, types, strict=True)), [_long(run) for run in runs])


def wide_table(runs: RunSet) -> bytes:
    """Return the values of runs as Parquet, a row for each sample."""
    names = [prop.name for prop in runs.properties]
    header = [("run", pa.large_string()), *((name, pa.float64()) for name in ("time_s", *map(utf8, names)))]
    return _export(header, [_wide(run, names) for run in runs])


def _export(header: list[tuple[str, pa.DataType]], parts: list[list[pa.Array]]) -> bytes:
    schema = pa.schema(header)
    table = pa.Table.from_batches([pa.record_batch(columns, schema=schema) for columns in parts], schema)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def _long(run: Run) -> list[pa.Array]:
    n_samples, n_properties = run.values.shape
    return [
        text_array([run.id] * run.values.size),
        text_array([prop.name for prop in run.properties for _ in range(n_samples)]),
        text_array([prop.unit for prop in run.properties for _ in range(n_samples)]),
        float_array(np.tile(run.times_s, n_properties)),
        float_array(run.values.ravel(order="F")),
    ]


def _wide(run: Run, names: list[str]) -> list[pa.Array]:
    n_samples = len(run.times_s)
    columns = [
        float_array(run.series(name)) if name in run.column_of else pa.nulls(n_samples, pa.float64())
        for name in names
    ]
    return [text_array([run.id] * n_samples), float_array(run.times_s), *columns]
