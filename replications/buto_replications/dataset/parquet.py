"""The three tables of a data set as Parquet and back; what is wrong with one is a ValueError.

Samples and notifications are rows of all runs, one run after the other in the order of the table of
runs, whose documents say how many rows each run has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from buto.run import format
from buto.run.bounds import MAX_NOTIFICATIONS, MAX_VALUES
from buto.run.format import NewerVersionError, RunDocument
from buto.run.model import FloatArray, Notification, Run
from buto.run.names import start_of
from buto.run.parquet import float_array, floats, notification_schema, text_array

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

FORMAT = "buto-dataset"
VERSION = 1

_KEY = FORMAT.encode()
_LEVEL = 19
"""Compression level of zstd: high, because a file is written once and kept in a repository."""

Groups = Mapping[tuple[str, str], Sequence[Run]]
"""Runs by host and variant, in the order of their start."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run in the table of runs.

    Attributes:
        ordinal: number of usable runs of this variant on this host that started earlier; None if the run is
            invalid.
    """

    host: str
    variant: str
    ordinal: int | None
    document: RunDocument


@dataclass(frozen=True, slots=True)
class DataSetIndex:
    """The table of runs of a data set.

    Attributes:
        rows: grouped by host and variant, in the order of their start.
        sha256: of the other files, by name.
    """

    rows: tuple[RunRow, ...]
    sha256: Mapping[str, str]


def runs_to_parquet(groups: Groups, sha256: Mapping[str, str]) -> bytes:
    """Return one row for each run; the last column is its ``run.json``.

    Args:
        sha256: of the other files, by name.
    """
    import pyarrow as pa

    runs = [run for group in groups.values() for run in group]
    keys = [key for key, group in groups.items() for _ in group]
    head = {"format": FORMAT, "version": VERSION, "sha256": dict(sha256)}
    schema = _run_schema().with_metadata({_KEY: json.dumps(head).encode()})
    columns = [
        text_array([run.id for run in runs]),
        text_array([host for host, _ in keys]),
        text_array([variant for _, variant in keys]),
        pa.array([start_of(run.id) for run in runs], _instant()),
        pa.array([ordinal for group in groups.values() for ordinal in _ordinals(group)], pa.int32()),
        float_array(np.array([run.quality.foreign_load for run in runs], np.float64)),
        text_array([format.encode(run, {}).decode() for run in runs]),
    ]
    return written([pa.Table.from_arrays(columns, schema=schema)], schema)


def runs_from_parquet(content: bytes) -> DataSetIndex:
    """Read the table that :func:`runs_to_parquet` returns.

    Raises:
        NewerVersionError: the data set is of a later version.
        ValueError: it is not a table of runs.
    """
    with arrow_errors():
        file = opened(content)
        head = head_of(file, FORMAT, VERSION, _run_schema())
        table = file.read(["host", "variant", "ordinal", "document"])
        columns = [column.to_pylist() for column in table.columns]
        rows = tuple(
            RunRow(host, variant, ordinal, format.decode(text.encode()))
            for host, variant, ordinal, text in zip(*columns, strict=True)
        )
        return DataSetIndex(rows, head["sha256"])


def head_of(file: pq.ParquetFile, name: str, version: int, schema: pa.Schema) -> dict[str, Any]:
    """Return what the table of runs says of its data set, under the name of the format.

    Raises:
        NewerVersionError: the data set is of a later version.
        ValueError: it is of another format, or has other columns.
    """
    head = json.loads((file.schema_arrow.metadata or {}).get(name.encode(), b"null"))
    if not isinstance(head, dict) or head.get("format") != name:
        raise ValueError(f"its format must be {name!r}")
    if head["version"] > version:
        raise NewerVersionError(f"it has version {head['version']}, this buto reads up to {version}")
    if not file.schema_arrow.equals(schema):
        raise ValueError("its columns are not those that are expected")
    return head


def samples_to_parquet(groups: Groups) -> bytes:
    """Return a row group for each host and variant: ``run``, ``time_s``, and a column for each property.

    NaN: the value could not be read. Null: the run does not have the property.
    """
    import pyarrow as pa

    everything = [run for runs in groups.values() for run in runs]
    names = list(dict.fromkeys(prop.name for run in everything for prop in run.properties))
    fields = [("run", pa.large_string()), *((name, pa.float64()) for name in ("time_s", *names))]
    schema = pa.schema(fields)
    tables = [
        pa.Table.from_batches([_samples(run, names, schema) for run in runs], schema)
        for runs in groups.values()
    ]
    return written(tables, schema)


def samples_of_group(
    content: bytes, number: int, documents: Sequence[RunDocument]
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield times (n_samples,) and values (n_samples, n_properties) of each run of a row group."""
    import pyarrow.compute as pc

    with arrow_errors():
        file = opened(content)
        if file.metadata.num_rows * file.metadata.num_columns > MAX_VALUES:
            raise ValueError(f"it holds more than {MAX_VALUES} values")
        # Read all columns: Parquet takes dots in names for paths, and one name may be a prefix of another.
        table = file.read_row_group(number)
        if table.num_rows != sum(document.samples for document in documents):
            raise ValueError(f"its row group {number} is not the one that {documents[0].test} has")
        times_s = floats(table.column(1))
        column_of = {name: column for column, name in enumerate(table.column_names[2:])}
        values = np.empty((len(times_s), len(column_of)))
        for column in column_of.values():
            values[:, column] = floats(pc.fill_null(table.column(2 + column), np.nan))
        start = 0
        for document in documents:
            rows = slice(start, start + document.samples)
            columns = [column_of[prop.name] for prop in document.properties]
            yield times_s[rows].copy(), np.ascontiguousarray(values[rows, columns])
            start = rows.stop


def notifications_to_parquet(groups: Groups) -> bytes:
    """Return one row for each notification: ``run`` and the columns of a run's own file."""
    import pyarrow as pa

    emitted = [
        (run.id, notification)
        for runs in groups.values()
        for run in runs
        for notification in run.notifications
    ]
    columns = [
        text_array([run_id for run_id, _ in emitted]),
        float_array(np.array([notification.time_s for _, notification in emitted], np.float64)),
        text_array([notification.type for _, notification in emitted]),
        text_array([notification.source for _, notification in emitted]),
        pa.array([notification.sequence for _, notification in emitted], pa.int64()),
        text_array([notification.message for _, notification in emitted]),
    ]
    schema = _notification_schema()
    return written([pa.Table.from_arrays(columns, schema=schema)], schema)


def notifications_from_parquet(
    content: bytes, documents: Sequence[RunDocument]
) -> list[tuple[Notification, ...]]:
    """Return the notifications of each run; ``documents`` are those of all runs."""
    with arrow_errors():
        file = opened(content)
        n_rows = sum(document.notifications for document in documents)
        if file.metadata.num_rows != n_rows or n_rows > MAX_NOTIFICATIONS:
            raise ValueError(f"it has {file.metadata.num_rows} rows, {n_rows} are expected")
        if not file.schema_arrow.equals(_notification_schema()):
            raise ValueError("its columns are not those that are expected")
        columns = [column.to_pylist() for column in file.read().columns[1:]]
    rows = iter(zip(*columns, strict=True))
    return [
        tuple(Notification(*row) for row in islice(rows, document.notifications)) for document in documents
    ]


def _ordinals(runs: Sequence[Run]) -> Iterator[int | None]:
    n_usable = 0
    for run in runs:
        yield n_usable if run.quality.valid else None
        n_usable += run.quality.valid


def _samples(run: Run, names: Sequence[str], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    n_samples = len(run.times_s)
    columns = [
        float_array(run.series(name)) if name in run.column_of else pa.nulls(n_samples, pa.float64())
        for name in names
    ]
    return pa.record_batch([text_array([run.id] * n_samples), float_array(run.times_s), *columns], schema)


def _run_schema() -> pa.Schema:
    import pyarrow as pa

    text = pa.large_string()
    types = {
        "run": text,
        "host": text,
        "variant": text,
        "started": _instant(),
        "ordinal": pa.int32(),
        "foreign_load": pa.float64(),
        "document": text,
    }
    return pa.schema(list(types.items()))


def _instant() -> pa.DataType:
    import pyarrow as pa

    return pa.timestamp("ms", tz="UTC")


def _notification_schema() -> pa.Schema:
    import pyarrow as pa

    return notification_schema().insert(0, pa.field("run", pa.large_string()))


def written(tables: Sequence[pa.Table], schema: pa.Schema) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    texts = [field.name for field in schema if field.type == pa.large_string() and field.name != "document"]
    with pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        compression_level=_LEVEL,
        # Measured values seldom repeat, so a dictionary of values would only cost space.
        use_dictionary=texts,
        write_statistics=False,
    ) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, table.num_rows))
    content: bytes = sink.getvalue().to_pybytes()
    return content


def opened(content: bytes) -> pq.ParquetFile:
    """Return the reader of a Parquet file; it raises what :func:`arrow_errors` turns into ValueError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.ParquetFile(pa.BufferReader(content))


@contextmanager
def arrow_errors() -> Iterator[None]:
    """Make a ValueError of whatever pyarrow raises for content that is not as expected."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, LookupError) as error:
        raise ValueError(f"it cannot be read as Parquet: {error}") from error
