"""The bed's runs as files for a repository: packed and loaded. Format: replications/docs/bed-format.md.

The tables of runs and of properties are Parquet; what is wrong with one is a ValueError.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from buto.errors import BadFileError
from buto.run import format
from buto.run.format import RunDocument
from buto.run.model import FloatArray, Run
from buto.run.names import start_of
from buto.run.parquet import float_array, text_array
from buto.run.properties import Property
from buto.run.store import RunStore
from buto.run.stored import read
from buto.run.window import window_of
from buto_replications.bed import tables
from buto_replications.bed.labels import (
    PART_OF_BLOCK,
    BedRun,
    Labels,
    PartName,
    RunBlock,
    block_of,
    labels_of,
    published,
)
from buto_replications.bed.tables import Column
from buto_replications.checkout import DATA
from buto_replications.dataset import parquet
from buto_replications.dataset.archive import RUNS, reading, run_of, sha256
from buto_replications.dataset.parquet import arrow_errors, head_of, opened, written

if TYPE_CHECKING:
    import pyarrow as pa


FORMAT = "buto-bed"
VERSION = 1

_KEY = FORMAT.encode()
_LABELS = tuple(field.name for field in fields(Labels))


@dataclass(frozen=True, slots=True)
class PartIndex:
    """The table of runs of one part.

    Attributes:
        labels: of each run, in the order of their start.
        documents: of each run, without its properties.
        sha256: of the other files, by name.
    """

    part: RunBlock
    labels: tuple[Labels, ...]
    documents: tuple[RunDocument, ...]
    sha256: Mapping[str, str]


def runs_to_parquet(
    runs: Sequence[Run], labels: Sequence[Labels], part: RunBlock, sha256: Mapping[str, str]
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
        *(text_array([getattr(label, name) for label in labels]) for name in _LABELS),
        pa.array([start_of(run.id) for run in runs], pa.timestamp("ms", tz="UTC")),
        text_array([_document(run) for run in runs]),
    ]
    return written([pa.Table.from_arrays(columns, schema=schema)], schema)


def runs_from_parquet(content: bytes) -> PartIndex:
    """Read the table that :func:`runs_to_parquet` returns.

    Raises:
        NewerVersionError: the data set is of a later version.
        ValueError: it is not a table of runs.
    """
    with arrow_errors():
        file = opened(content)
        head = head_of(file, FORMAT, VERSION, _run_schema())
        rows = file.read([*_LABELS, "document"]).to_pylist()
        documents = tuple(format.decode(row["document"].encode()) for row in rows)
        labels = tuple(Labels(**{name: row[name] for name in _LABELS}) for row in rows)
        return PartIndex(RunBlock(head["part"]), labels, documents, head["sha256"])


def properties_to_parquet(properties: Sequence[Property]) -> bytes:
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
        return read(file.read().to_pylist(), tuple[Property, ...])


def _document(run: Run) -> str:
    """Return the run without its properties, which most runs share."""
    bare = replace(run, properties=(), values=np.empty((run.n_samples, 0)))
    return format.encode(bare, {}).decode()


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


RECORDED = DATA / "keycloak"
"""The data set in buto's repository. An installed package does not have it."""

PROPERTIES, SAMPLES, CONSTANTS, NOTIFICATIONS = (
    f"{name}.parquet" for name in ("properties", "samples", "constants", "notifications")
)


@dataclass(frozen=True, slots=True)
class Packed:
    """One part of a data set.

    Attributes:
        left_out: invalid runs by id, with the reason.
    """

    n_runs: int
    files: Mapping[str, bytes]
    left_out: Mapping[str, str]


def pack(store: RunStore) -> dict[RunBlock, Packed]:
    """Return the parts whose runs a store holds. The same runs give the same bytes.

    Raises:
        BadFileError: there are no usable runs; one is damaged, is none of the bed, or has no window; or two
            runs describe a property differently.
    """
    runs = [store.load(test, run_id) for test in store.tests() for run_id in store.ids(test)]
    of_part: dict[RunBlock, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.id):
        of_part.setdefault(_part_of(run), []).append(run)
    packed = {part: _pack(part, of_part[part]) for part in RunBlock if part in of_part}
    if not any(packed_part.n_runs for packed_part in packed.values()):
        raise BadFileError(f"{store.root} holds no usable runs", advice="python -m beds.keycloak generate")
    return packed


def load(directory: Path = RECORDED, part: PartName = "tuning") -> tuple[BedRun, ...]:
    """Return the runs of one part in the order of their start, each cut to its measured window.

    Runs that are set apart must be asked for by that name. Use them once, for final figures, when everything
    is chosen.

    Raises:
        BadFileError: a file is missing, damaged, of a newer format, of another part, or of another set.
    """
    place = directory / RunBlock(part).directory
    index = _index(place, RunBlock(part))
    documents = index.documents
    lengths = [document.samples for document in documents]
    with _reading(place / PROPERTIES, index) as content:
        properties = properties_from_parquet(content)
    with _reading(place / NOTIFICATIONS, index) as content:
        emitted = parquet.notifications_from_parquet(content, documents)
    with _reading(place / SAMPLES, index) as content:
        times_s, varying = tables.samples_from_parquet(content, lengths)
    with _reading(place / CONSTANTS, index) as content:
        columns = varying | tables.constants_from_parquet(content, [document.id for document in documents])
        if set(columns) != {prop.name for prop in properties}:
            raise ValueError(f"its properties and those of {SAMPLES} are not those of {PROPERTIES}")
    runs = []
    for number, (document, notifications) in enumerate(zip(documents, emitted, strict=True)):
        ours = {prop: columns[prop.name][number] for prop in properties}
        known = {prop: column for prop, column in ours.items() if column is not None}
        described = replace(document, properties=tuple(known))
        values = _values(tuple(known.values()), lengths[number])
        run = run_of(described, times_s[number], values, notifications)
        runs.append(BedRun(run, index.labels[number]))
    return tuple(runs)


def parts(directory: Path = RECORDED) -> dict[RunBlock, int]:
    """Return the number of runs of each part that a data set has, without reading their values."""
    places = {part: directory / part.directory for part in RunBlock}
    return {part: len(_index(place, part).documents) for part, place in places.items() if place.is_dir()}


def _pack(part: RunBlock, runs: Sequence[Run]) -> Packed:
    usable = [run for run in runs if run.quality.valid]
    for run in usable:
        if window_of(run) is None:
            raise BadFileError(
                f"the run {run.id} of {run.test} has no window",
                advice="the bed's configuration must have one",
            )
    kept = [published(run) for run in usable]
    properties = _properties(kept)
    ids = [run.id for run in kept]
    columns = {
        prop.name: [run.series(prop.name) if prop.name in run.column_of else None for run in kept]
        for prop in properties
    }
    constant = {name: of for name, of in columns.items() if all(map(tables.is_constant, of))}
    varying = {name: of for name, of in columns.items() if name not in constant}
    files = {
        PROPERTIES: properties_to_parquet(properties),
        SAMPLES: tables.samples_to_parquet(ids, [run.times_s for run in kept], varying),
        CONSTANTS: tables.constants_to_parquet(ids, constant),
        NOTIFICATIONS: parquet.notifications_to_parquet({("", ""): kept}),
    }
    checksums = {name: sha256(files[name]) for name in files}
    files[RUNS] = runs_to_parquet(kept, [labels_of(run) for run in usable], part, checksums)
    return Packed(len(kept), files, {run.id: run.quality.describe() for run in runs if not run.quality.valid})


def _properties(runs: Sequence[Run]) -> tuple[Property, ...]:
    known: dict[str, Property] = {}
    for run in runs:
        for prop in run.properties:
            if known.setdefault(prop.name, prop) != prop:
                raise BadFileError(
                    f"{prop.name} is described differently in the run {run.id} of {run.test}",
                    advice="pack runs that one version of buto has recorded",
                )
    return tuple(known[name] for name in sorted(known))


def _part_of(run: Run) -> RunBlock:
    block = block_of(run)
    if block not in PART_OF_BLOCK:
        raise BadFileError(
            f"the label bed.block must be {' or '.join(PART_OF_BLOCK)}, got {block!r} in the run {run.id} of "
            f"{run.test}",
            advice="name a store of runs that the bed has recorded: replications/docs/bed-format.md",
        )
    return PART_OF_BLOCK[block]


def _values(columns: Sequence[Column], n_samples: int) -> FloatArray:
    """Return values, shape (n_samples, n_properties); a column of one value is constant."""
    values = np.empty((n_samples, len(columns)))
    for number, column in enumerate(columns):
        values[:, number] = column
    return values


def _index(place: Path, part: RunBlock) -> PartIndex:
    with _reading(place / RUNS) as content:
        index = runs_from_parquet(content)
        if index.part is not part:
            raise ValueError(f"its part must be {part.value!r}, got {index.part.value!r}")
        return index


def _reading(path: Path, index: PartIndex | None = None) -> AbstractContextManager[bytes]:
    advice = "name another data set with --data DIR, or: buto experiments bed pack RUNS DIRECTORY"
    return reading(path, advice, index.sha256 if index else None)
