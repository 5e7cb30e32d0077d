"""The tables of runs and of properties as Parquet and back; what is wrong with one is a ValueError."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from buto.experiments.bed.labels import Labels
from buto.experiments.bed.parts import Part
from buto.experiments.dataset.parquet import arrow_errors, head_of, opened, written
from buto.properties import Property
from buto.runs import Run
from buto.runs.format import document
from buto.runs.format.document import Document, property_of
from buto.runs.format.tables import float_array, text_array
from buto.runs.names import start_of

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "buto-bed"
VERSION = 1

_KEY = FORMAT.encode()
_LABELS = tuple(field.name for field in fields(Labels))


@dataclass(frozen=True, slots=True)
class Index:
    """The table of runs of one part.

    Attributes:
        labels: of each run, in the order of their start.
        documents: of each run, without its properties.
        sha256: of the other files, by name.
    """

    part: Part
    labels: tuple[Labels, ...]
    documents: tuple[Document, ...]
    sha256: Mapping[str, str]


def runs_to_parquet(
    runs: Sequence[Run], labels: Sequence[Labels], part: Part, sha256: Mapping[str, str]
) -> bytes:
    """Return one row for each run: test, labels, start, and its ``run.json`` without properties.

    Args:
        sha256: of the other files, by name.
    """
    import pyarrow as pa

    head = {"format": FORMAT, "version": VERSION, "part": part.value, "sha256": dict(sha256)}
    schema = _run_schema().with_metadata({_KEY: json.dumps(head).encode()})
    columns = [
        text_array([run.id for run in runs]),
        text_array([run.test for run in runs]),
        *(text_array([getattr(one, name) for one in labels]) for name in _LABELS),
        pa.array([start_of(run.id) for run in runs], pa.timestamp("ms", tz="UTC")),
        text_array([_document(run) for run in runs]),
    ]
    return written([pa.Table.from_arrays(columns, schema=schema)], schema)


def runs_from_parquet(content: bytes) -> Index:
    """Read the table that :func:`runs_to_parquet` returns.

    Raises:
        NewerVersionError: the data set is of a later version.
        ValueError: it is not a table of runs.
    """
    with arrow_errors():
        file = opened(content)
        head = head_of(file, FORMAT, VERSION, _run_schema())
        rows = file.read([*_LABELS, "document"]).to_pylist()
        documents = tuple(document.decode(row["document"].encode()) for row in rows)
        labels = tuple(Labels(**{name: row[name] for name in _LABELS}) for row in rows)
        return Index(Part(head["part"]), labels, documents, head["sha256"])


def properties_to_parquet(properties: Sequence[Property]) -> bytes:
    """Return one row for each property of any run."""
    import pyarrow as pa

    schema = _property_schema()
    columns = [
        text_array([prop.name for prop in properties]),
        text_array([prop.unit for prop in properties]),
        text_array([prop.kind.value for prop in properties]),
        text_array([prop.role.value for prop in properties]),
        float_array(np.array([prop.lower for prop in properties], np.float64)),
        float_array(np.array([prop.upper for prop in properties], np.float64)),
        text_array([prop.better.value for prop in properties]),
    ]
    return written([pa.Table.from_arrays(columns, schema=schema)], schema)


def properties_from_parquet(content: bytes) -> tuple[Property, ...]:
    """Read the table that :func:`properties_to_parquet` returns; ValueError if it is another."""
    with arrow_errors():
        file = opened(content)
        if not file.schema_arrow.equals(_property_schema()):
            raise ValueError("its columns are not those that are expected")
        return tuple(map(property_of, file.read().to_pylist()))


def _document(run: Run) -> str:
    """Return the run without its properties, which most runs share."""
    bare = replace(run, properties=(), values=np.empty((run.n_samples, 0)))
    return document.encode(bare, {}).decode()


def _run_schema() -> pa.Schema:
    import pyarrow as pa

    text = pa.large_string()
    labels = [(name, text) for name in _LABELS]
    return pa.schema(
        [
            ("run", text),
            ("test", text),
            *labels,
            ("started", pa.timestamp("ms", tz="UTC")),
            ("document", text),
        ]
    )


def _property_schema() -> pa.Schema:
    import pyarrow as pa

    texts = ("name", "unit", "kind", "role", "better")
    names = ("name", "unit", "kind", "role", "lower", "upper", "better")
    return pa.schema([(name, pa.large_string() if name in texts else pa.float64()) for name in names])
