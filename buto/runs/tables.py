"""Samples and notifications as Parquet, exact to the bit; pyarrow is imported when first needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from buto.properties import Property
from buto.runs.model import FloatArray, Notification

if TYPE_CHECKING:
    import pyarrow as pa

# Limits, for a run may come from a stranger.
MAX_VALUES = 1 << 28
"""Times and values of one run: 2 GiB, two months of fifty properties once a second."""
MAX_NOTIFICATIONS = 1_000_000
MAX_NOTIFICATION_BYTES = 1 << 28
"""Of all notifications of one run in memory."""

_NOTIFICATION_FIELDS = ("time_s", "type", "source", "sequence", "message")
_BATCH_ROWS = 1024


def samples_to_parquet(properties: Sequence[Property], times_s: FloatArray, values: FloatArray) -> bytes:
    """One row a sample: the column ``time_s``, then one for each property by its name."""
    import pyarrow as pa

    columns = [pa.array(np.ascontiguousarray(column, np.float64)) for column in (times_s, *values.T)]
    return _to_parquet(pa.table(columns, names=_columns(properties)))


def samples_from_parquet(
    content: bytes, properties: Sequence[Property], n_samples: int
) -> tuple[FloatArray, FloatArray]:
    """Times, shape (n_samples,), and values, shape (n_samples, n_properties).

    Raises:
        ValueError: it is no Parquet, not of these properties and this length, or too large.
    """
    import pyarrow as pa

    names = _columns(properties)
    if n_samples * len(names) > MAX_VALUES:
        raise ValueError(f"it holds more than {MAX_VALUES} values")
    schema = pa.schema([(name, pa.float64()) for name in names])
    try:
        table = _open(content, schema, n_samples).read(use_threads=False)
        columns = [column.to_numpy() for column in table.columns]
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error
    values = np.empty((n_samples, len(properties)))
    for position, column in enumerate(columns[1:]):
        values[:, position] = column
    return np.array(columns[0]), values


def notifications_to_parquet(notifications: Sequence[Notification]) -> bytes:
    """One row a notification, with its fields as columns; a lone surrogate becomes ``?``."""
    import pyarrow as pa

    rows = [(n.time_s, _utf8(n.type), _utf8(n.source), n.sequence, _utf8(n.message)) for n in notifications]
    columns = zip(*rows, strict=True) if rows else [()] * len(_NOTIFICATION_FIELDS)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _schema(), strict=True)]
    return _to_parquet(pa.table(arrays, schema=_schema()))


def notifications_from_parquet(content: bytes, n_notifications: int) -> tuple[Notification, ...]:
    """The inverse of :func:`notifications_to_parquet`; raises ValueError as for samples."""
    import pyarrow as pa

    if n_notifications > MAX_NOTIFICATIONS:
        raise ValueError(f"it holds more than {MAX_NOTIFICATIONS} notifications")
    found: list[Notification] = []
    size = 0
    try:
        for batch in _open(content, _schema(), n_notifications).iter_batches(_BATCH_ROWS, use_threads=False):
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


def _columns(properties: Sequence[Property]) -> list[str]:
    return ["time_s", *(_utf8(prop.name) for prop in properties)]


def _schema() -> pa.Schema:
    import pyarrow as pa

    types = (pa.float64(), pa.string(), pa.string(), pa.int64(), pa.string())
    return pa.schema(list(zip(_NOTIFICATION_FIELDS, types, strict=True)))


def _utf8(text: str) -> str:
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _to_parquet(table: pa.Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Written in memory, so that a full disk is met in one place: where the store writes bytes.
    sink = pa.BufferOutputStream()
    # Measured values seldom repeat: without a dictionary the file is a third smaller.
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _open(content: bytes, schema: pa.Schema, n_rows: int) -> pa.parquet.ParquetFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.BufferReader(content))
    if file.metadata.num_rows != n_rows:
        raise ValueError(f"it has {file.metadata.num_rows} rows, {n_rows} are expected")
    if not file.schema_arrow.equals(schema):
        raise ValueError("its columns are not those that are expected")
    return file
