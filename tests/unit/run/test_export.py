"""Exports: what other programs read is what was measured."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from buto.run.export import Layout, to_csv, to_json, to_parquet
from buto.run.model import Run, RunSet, run_set
from buto.run.properties import Property
from tests.support.report import golden
from tests.support.runs.examples import full_run, runs

EDEN = "jvm.memory.used[G1 Eden Space]"


@pytest.fixture
def two() -> RunSet:
    """Two runs that have one property in common and one each of their own."""
    return run_set(
        [
            full_run(
                "1", properties=(Property("a", "By"), Property("b", "s")), values=_values(2), nan_reasons={}
            ),
            full_run("2", properties=(Property("b", "s"), Property('c "x",\n')), values=_values(2) + 100),
        ]
    )


def _values(n_properties: int) -> Any:
    values = np.arange(3.0 * n_properties).reshape(3, n_properties) / 3
    values[1, 0] = math.nan
    return values


def rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


@pytest.mark.parametrize("layout", Layout)
def test_csv_is_as_in_the_golden_files(two: RunSet, layout: Layout) -> None:
    golden.same(f"export-{layout.value}.csv", to_csv(two, layout).decode())


def test_json_is_as_in_the_golden_file() -> None:
    golden.same("export.json", to_json(run_set([full_run()])).decode())


def test_the_columns_of_parquet_are_as_in_the_golden_file(two: RunSet) -> None:
    """Its bytes depend on the version of the writer; names, order and types do not."""
    schemas = {
        layout.value: pq.read_schema(pa.BufferReader(to_parquet(two, layout))).remove_metadata()
        for layout in Layout
    }
    lines = [f"{name}: {field.name!r} {field.type}" for name, schema in schemas.items() for field in schema]
    golden.same("export-parquet.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("layout", Layout)
def test_csv_and_parquet_agree(two: RunSet, layout: Layout) -> None:
    header, *body = rows(to_csv(two, layout))
    table = pq.read_table(pa.BufferReader(to_parquet(two, layout)))
    assert table.column_names == header
    for name, column in zip(header, zip(*body, strict=True), strict=True):
        for text, value in zip(column, table[name].to_pylist(), strict=True):
            assert text == "" if value is None else text == value or repr(float(text)) == repr(value)


@given(runs())
def test_any_run_can_be_exported_exactly(run: Run) -> None:
    table = pq.read_table(pa.BufferReader(to_parquet(run_set([run]), Layout.LONG)))
    assert np.array(table["value"], dtype=np.float64).tobytes() == run.values.ravel(order="F").tobytes()
    assert table["property"].to_pylist() == [prop.name for prop in run.properties for _ in run.times_s]
    values = [float(row[4]) for row in rows(to_csv(run_set([run]), Layout.LONG))[1:]]
    assert np.array_equal(values, run.values.ravel(order="F"), equal_nan=True)
    (data,) = json.loads(to_json(run_set([run])))
    assert data["times_s"] == run.times_s.tolist()


def test_no_run_gives_an_empty_table() -> None:
    assert rows(to_csv(run_set([]), Layout.WIDE)) == [["run", "time_s"]]
    assert json.loads(to_json(run_set([]))) == []


def test_storing_and_exporting_import_nothing_large(tmp_path: Path) -> None:
    """As pyarrow, which imports pandas where it is installed, and that takes half a second."""
    script = """
import sys
from pathlib import Path
from buto.run.model import run_set
from buto.run.store import RunStore
from buto.run.export import Layout, to_csv
import buto.cli.main
from tests.support.runs.examples import full_run
store = RunStore(Path(sys.argv[1]))
store.add(full_run())
to_csv(store.load_set("leaker"), Layout.LONG)
print(sorted({"pandas", "pyarrow"} & set(sys.modules)))
"""
    command = [sys.executable, "-c", script, tmp_path]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")
