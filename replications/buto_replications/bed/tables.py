"""Values of many runs as two tables: the properties that vary in time, and those that do not.

``samples`` has a row for each sample and a column for each property, ``constants`` a row for each property
and a column for each run. NaN: the value could not be read. Null: the run does not have the property.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from buto.run.bounds import MAX_VALUES
from buto.run.model import FloatArray
from buto.run.parquet import float_array, floats, text_array
from buto_replications.dataset.parquet import arrow_errors, opened, written

if TYPE_CHECKING:
    import pyarrow as pa

EXACT_SHARE = 1e-4
"""Largest error that 32 bits may cause, as a share of the property's standard deviation in the run."""

Column = FloatArray | None
"""The values of a property in a run, shape (n_samples,), or (1,) if constant; None: the run lacks it."""

Columns = Mapping[str, Sequence[Column]]
"""By property, one column for each run."""


def samples_to_parquet(run_ids: Sequence[str], times_s: Sequence[FloatArray], columns: Columns) -> bytes:
    """Return ``run``, ``time_s`` and a column for each property, one run after the other.

    A property has 32 bits if they are exact enough in every run, else 64.
    """
    import pyarrow as pa

    types = [pa.float32() if all(map(fits_32_bits, of)) else pa.float64() for of in columns.values()]
    heads = [("run", pa.large_string()), ("time_s", pa.float64())]
    schema = pa.schema([*heads, *zip(columns, types, strict=True)])
    batches = []
    for number, (run_id, times) in enumerate(zip(run_ids, times_s, strict=True)):
        values = [
            _array(of[number], len(times), column_type)
            for of, column_type in zip(columns.values(), types, strict=True)
        ]
        arrays = [text_array([run_id] * len(times)), float_array(times), *values]
        batches.append(pa.record_batch(arrays, schema))
    return written([pa.Table.from_batches(batches, schema).combine_chunks()], schema)


def samples_from_parquet(
    content: bytes, lengths: Sequence[int]
) -> tuple[list[FloatArray], dict[str, list[Column]]]:
    """Return the times of each run, and its values by property.

    Args:
        lengths: number of samples of each run.

    Raises:
        ValueError: it is not Parquet, not of this length, or too large.
    """
    with arrow_errors():
        file = opened(content)
        if file.metadata.num_rows * file.metadata.num_columns > MAX_VALUES:
            raise ValueError(f"it holds more than {MAX_VALUES} values")
        if file.metadata.num_rows != sum(lengths):
            raise ValueError(f"it has {file.metadata.num_rows} rows, {sum(lengths)} are expected")
        table = file.read()
        if table.column_names[:2] != ["run", "time_s"]:
            raise ValueError("its first columns must be run and time_s")
        rows = [slice(int(start), int(end)) for start, end in pairwise(np.cumsum([0, *lengths]))]
        columns = {
            name: _divide(table.column(number), rows)
            for number, name in enumerate(table.column_names[2:], start=2)
        }
        times_s = floats(table.column(1))
    return [times_s[row].copy() for row in rows], columns


def constants_to_parquet(run_ids: Sequence[str], columns: Columns) -> bytes:
    """Return ``property`` and a column for each run."""
    import pyarrow as pa

    schema = pa.schema([("property", pa.large_string()), *((run_id, pa.float64()) for run_id in run_ids)])
    arrays = [text_array(list(columns))]
    for number in range(len(run_ids)):
        column = [of[number] for of in columns.values()]
        values = [None if value is None else float(value[0]) for value in column]
        arrays.append(pa.array(values, pa.float64()))
    return written([pa.Table.from_arrays(arrays, schema=schema)], schema)


def constants_from_parquet(content: bytes, run_ids: Sequence[str]) -> dict[str, list[Column]]:
    """Return the values of each run by property, shape (1,).

    Raises:
        ValueError: it is not Parquet, not of these runs, or too large.
    """
    with arrow_errors():
        file = opened(content)
        if file.schema_arrow.names != ["property", *run_ids]:
            raise ValueError("its columns must be property and the runs")
        if file.metadata.num_rows * file.metadata.num_columns > MAX_VALUES:
            raise ValueError(f"it holds more than {MAX_VALUES} values")
        names, *values = (column.to_pylist() for column in file.read().columns)
        return {
            name: [None if value is None else np.array([value], np.float64) for value in row]
            for name, row in zip(names, zip(*values, strict=True), strict=True)
        }


def is_constant(column: Column) -> bool:
    """Return whether all values are equal, or none could be read."""
    if column is None:
        return True
    return bool(np.isnan(column).all() or (column == column[0]).all())


def fits_32_bits(column: Column) -> bool:
    """Return whether 32 bits are exact enough.

    Whole numbers must stay exact. Other values may change by :data:`EXACT_SHARE` of their standard deviation.
    """
    if column is None or np.isnan(column).all():
        return True
    known = column[~np.isnan(column)]
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.abs(known.astype(np.float32) - known).max()
        allowed = 0.0 if (known == np.round(known)).all() else EXACT_SHARE * float(known.std())
    return bool(error <= allowed < np.inf)


def _array(column: Column, length: int, type: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if column is None:
        return pa.nulls(length, type)
    values = np.ascontiguousarray(column, np.float32 if type == pa.float32() else np.float64)
    return pa.Array.from_buffers(type, length, [None, pa.py_buffer(values)])


def _divide(column: pa.ChunkedArray, rows: Sequence[slice]) -> list[Column]:
    """Return the values of each run; None where all are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not column.null_count:
        values = _numbers(column)
        return [values[row].astype(np.float64) for row in rows]
    values = _numbers(pc.fill_null(column, np.nan))
    is_known = floats(pc.cast(pc.is_valid(column), pa.float64())) > 0
    parts: list[Column] = []
    for row in rows:
        if is_known[row].any() and not is_known[row].all():
            raise ValueError("a run has a property in only some of its samples")
        parts.append(values[row].astype(np.float64) if is_known[row].all() else None)
    return parts


def _numbers(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return the values of a column without nulls, in its own type."""
    import pyarrow as pa

    if column.type == pa.float64():
        return floats(column)
    if column.type != pa.float32():
        raise ValueError(f"a property must have numbers, got {column.type}")
    parts = [
        np.frombuffer(chunk.buffers()[1], np.float32, len(chunk), 4 * chunk.offset)
        for chunk in column.chunks
        if len(chunk)
    ]
    return np.concatenate([np.empty(0, np.float32), *parts])
