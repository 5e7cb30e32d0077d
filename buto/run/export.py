"""Export runs to other programs as CSV, Parquet and JSON, bit by bit. buto does not read these files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import chain
from typing import Any

from buto.extensions import optional_packages
from buto.run import format
from buto.run.model import FloatArray, Run, RunSet
from buto.run.stored import json_number, plain


class Layout(Enum):
    """The layout of values in rows.

    ``LONG``: a row for each value: run, property, unit, time_s, value.
    ``WIDE``: a row for each sample: run, time_s and a column for each property of any of the runs.
    """

    LONG = "long"
    WIDE = "wide"


def to_csv(runs: RunSet, layout: Layout) -> bytes:
    """Return UTF-8 with a header; texts are quoted, numbers have all digits of a float64.

    A value that could not be read is ``nan``. A property that a run does not have is empty in the wide layout
    and has no row in the long one.
    """
    if layout is Layout.LONG:
        header = ["run", "property", "unit", "time_s", "value"]
        rows = chain.from_iterable(map(_long_rows, runs))
    else:
        names = [prop.name for prop in runs.properties]
        header = ["run", "time_s", *names]
        rows = chain.from_iterable(_wide_rows(run, names) for run in runs)
    lines = chain([map(_quote, header)], rows)
    return "".join(",".join(line) + "\n" for line in lines).encode("utf-8", errors="replace")


def to_parquet(runs: RunSet, layout: Layout) -> bytes:
    """Return the table of :func:`to_csv`. NaN: not readable; null: the run does not have the property.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    with optional_packages("Parquet"):
        from buto.run import parquet
    return parquet.long_table(runs) if layout is Layout.LONG else parquet.wide_table(runs)


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


def _long_rows(run: Run) -> Iterator[Iterable[str]]:
    run_id, times = _quote(run.id), _digits(run.times_s)
    for prop in run.properties:
        name, unit = _quote(prop.name), _quote(prop.unit)
        for time, value in zip(times, _digits(run.series(prop.name)), strict=True):
            yield run_id, name, unit, time, value


def _wide_rows(run: Run, names: list[str]) -> Iterator[Iterable[str]]:
    missing = [""] * len(run.times_s)
    columns = [_digits(run.series(name)) if name in run.column_of else missing for name in names]
    return zip([_quote(run.id)] * len(missing), _digits(run.times_s), *columns, strict=True)


def _digits(values: FloatArray) -> list[str]:
    return [repr(value).removesuffix(".0") for value in values.tolist()]


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
