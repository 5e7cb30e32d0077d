"""Export runs to other programs as CSV, Parquet and JSON, bit by bit. buto does not read these files."""

from __future__ import annotations

import json
import math
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from buto.run import format
from buto.run.model import Run, RunSet
from buto.run.stored import json_number, plain
from buto.run.tables import float_array, text_array, utf8

if TYPE_CHECKING:
    import pyarrow as pa


class Layout(Enum):
    """The layout of values in rows.

    ``LONG``: a row for each value: run, property, unit, time_s, value.
    ``WIDE``: a row for each sample: run, time_s and a column for each property of any of the runs.
    """

    LONG = "long"
    WIDE = "wide"


def to_csv(runs: RunSet, layout: Layout) -> bytes:
    """Return UTF-8 with a header; numbers have all digits of a float64.

    A value that could not be read is ``nan``. A property that a run does not have is empty in the wide layout
    and has no row in the long one.
    """
    import pyarrow as pa
    import pyarrow.csv

    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(_table(runs, layout), sink)
    return bytes(sink.getvalue())


def to_parquet(runs: RunSet, layout: Layout) -> bytes:
    """Return the table of :func:`to_csv`. NaN: not readable; null: the run does not have the property."""
    import pyarrow as pa
    import pyarrow.parquet

    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(_table(runs, layout), sink, compression="zstd")
    return bytes(sink.getvalue())


def to_json(runs: RunSet) -> bytes:
    """Return a list of runs: the fields of ``run.json``, all samples and notifications, but no output.

    ``times_s`` is a list. ``values`` has a list of the same length for each property, with null for values
    that could not be read.
    """
    return json.dumps([_data(run) for run in runs], allow_nan=False).encode()


def _data(run: Run) -> dict[str, Any]:
    columns = zip(run.properties, run.values.T.tolist(), strict=True)
    return format.to_data(run) | {
        "notifications": plain(run.notifications),
        "times_s": run.times_s.tolist(),
        "values": {
            prop.name: [None if math.isnan(value) else json_number(value) for value in column]
            for prop, column in columns
        },
    }


def _table(runs: RunSet, layout: Layout) -> pa.Table:
    import pyarrow as pa

    names = [prop.name for prop in runs.properties]
    if layout is Layout.LONG:
        header = ["run", "property", "unit", "time_s", "value"]
        types = [pa.large_string()] * 3 + [pa.float64()] * 2
        parts = [_long(run) for run in runs]
    else:
        header = ["run", "time_s", *map(utf8, names)]
        types = [pa.large_string()] + [pa.float64()] * (1 + len(names))
        parts = [_wide(run, names) for run in runs]
    schema = pa.schema(list(zip(header, types, strict=True)))
    return pa.Table.from_batches([pa.record_batch(columns, schema=schema) for columns in parts], schema)


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
    import pyarrow as pa

    n_samples = len(run.times_s)
    columns = [
        float_array(run.series(name)) if name in run.column_of else pa.nulls(n_samples, pa.float64())
        for name in names
    ]
    return [text_array([run.id] * n_samples), float_array(run.times_s), *columns]
