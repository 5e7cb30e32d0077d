"""The document of a run, ``run.json``: a run without its arrays and output, as plain data and back.

docs/formats/run.md describes the fields. The functions here do not access files. They raise ValueError
for a wrong document, with the name of the field that is wrong, and the store adds the path. A document of
an older version is turned into one of the next version until it is of this one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from buto.run.cache import parse_json
from buto.run.model import (
    COMMIT,
    PURPOSE,
    SESSION,
    ClassCount,
    ClassHistogram,
    Mark,
    MetadataValue,
    Outcome,
    Problem,
    ProblemKind,
    Quality,
    Run,
    SourceState,
)
from buto.run.properties import Better, Kind, Property, Role

T = TypeVar("T")


def get(data: Mapping[str, Any], key: str, *kinds: type) -> Any:
    """Return a field's value. ValueError if it is missing or of another type."""
    if key not in data:
        raise ValueError(f"{key!r} is missing")
    value = data[key]
    # Not isinstance, because bool is a subclass of int.
    if type(value) not in kinds:
        raise ValueError(f"{key!r} is of type {type(value).__name__}")
    return value


def all_of(kind: type[T], key: str, values: Iterable[Any]) -> Iterator[T]:
    """Yield the values of a field that is a list or an object. ValueError at one of another type."""
    for value in values:
        if type(value) is not kind:
            raise ValueError(f"{key!r} holds a value of type {type(value).__name__}")
        yield value


def items(data: Mapping[str, Any], key: str, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Yield the keys and values of a field that is an object. ValueError at a value of another type."""
    mapping = get(data, key, dict)
    return zip(mapping, all_of(kind, key, mapping.values()), strict=True)


def json_number(value: float) -> float | str:
    """Return a float for JSON; NaN and infinities, which JSON lacks, become ``nan``, ``inf`` and ``-inf``."""
    return float(value) if math.isfinite(value) else repr(float(value))


def number(data: Mapping[str, Any], key: str) -> float:
    """Return a field's value as a float, see :func:`json_number`. ValueError if it is not a number."""
    value = get(data, key, float, int, str)
    if isinstance(value, str) and value not in ("nan", "inf", "-inf"):
        raise ValueError(f"{key!r} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{key!r} is too large a number") from None


def mark_data(mark: Mark) -> dict[str, Any]:
    """Return a mark as plain data."""
    return {"name": mark.name, "time_s": json_number(mark.time_s), "text": mark.text}


def source_data(source: SourceState) -> dict[str, Any]:
    """Return the state of a source as plain data."""
    return {"name": source.name, "kind": source.kind, "reason": source.reason}


def histogram_data(histogram: ClassHistogram) -> dict[str, Any]:
    """Return a histogram as plain data; a class is a list of name, instances and bytes."""
    return {
        "point": histogram.point,
        "time_s": json_number(histogram.time_s),
        "instances": histogram.instances,
        "bytes": histogram.size_bytes,
        "classes": [[one.name, one.instances, one.size_bytes] for one in histogram.classes],
    }


def marks_of(data: Mapping[str, Any]) -> tuple[Mark, ...]:
    """Read the field ``marks``."""
    return tuple(
        Mark(number(one, "time_s"), get(one, "name", str), get(one, "text", str))
        for one in all_of(dict, "marks", get(data, "marks", list))
    )


def sources_of(data: Mapping[str, Any]) -> tuple[SourceState, ...]:
    """Read the field ``sources``."""
    return tuple(
        SourceState(get(one, "name", str), get(one, "kind", str), get(one, "reason", str))
        for one in all_of(dict, "sources", get(data, "sources", list))
    )


def histograms_of(data: Mapping[str, Any]) -> tuple[ClassHistogram, ...]:
    """Read the field ``histograms``."""
    return tuple(
        ClassHistogram(
            time_s=number(one, "time_s"),
            point=get(one, "point", str),
            instances=get(one, "instances", int),
            size_bytes=get(one, "bytes", int),
            classes=tuple(map(_class_of, all_of(list, "classes", get(one, "classes", list)))),
        )
        for one in all_of(dict, "histograms", get(data, "histograms", list))
    )


def _class_of(row: list[Any]) -> ClassCount:
    if [type(value) for value in row] != [str, int, int]:
        raise ValueError("'classes' holds a row that is not name, instances and bytes")
    return ClassCount(*row)


_WORDS_OF_VERSION_1 = (
    (r"it was stopped at its time limit", ProblemKind.TIME_LIMIT),
    (r"it was ended by signal", ProblemKind.SIGNAL),
    (r"it exited with code", ProblemKind.EXIT_CODE),
    (r"the measured JVM", ProblemKind.JVM_END),
    (r"its workload", ProblemKind.WORKLOAD),
    (r"it was starved", ProblemKind.STARVED),
    (r"the MBean", ProblemKind.SLOW_MBEAN),
    (r"the program's MBeans cannot be read", ProblemKind.UNREADABLE_MBEANS),
    (r"\d+ notifications were lost", ProblemKind.LOST_NOTIFICATIONS),
    (r"its first sample came", ProblemKind.LATE_START),
    (r"the agent fell silent", ProblemKind.EARLY_LOSS),
    (r"the JVM stopped answering", ProblemKind.EARLY_LOSS),
    (r"it stopped answering", ProblemKind.EARLY_LOSS),
    (r"its connection was lost", ProblemKind.EARLY_LOSS),
    (r"its JMX port on loopback is left open", ProblemKind.OPEN_PORT),
    (r"buto was lost while it recorded", ProblemKind.BUTO_LOST),
)
"""How the problems of version 1 began, which were texts without a kind. Never to be changed: these are the
words that stored runs have, not those that buto writes today."""


def _problems_get_kinds(data: Mapping[str, Any]) -> dict[str, Any]:
    """Upgrade from version 1 to 2: a problem is an object of ``kind`` and ``text`` instead of a text."""
    quality = get(data, "quality", dict)
    problems = [
        {"kind": _kind_in_version_1(text).value, "text": text}
        for text in all_of(str, "problems", get(quality, "problems", list))
    ]
    return {**data, "version": 2, "quality": {**quality, "problems": problems}}


def _kind_in_version_1(text: str) -> ProblemKind:
    for begin, kind in _WORDS_OF_VERSION_1:
        if re.match(begin, text):
            return kind
    return ProblemKind.OTHER


def _observations_are_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    """From version 2 to 3: a run has marks, sources and histograms."""
    return {**data, "version": 3, "marks": [], "sources": [], "histograms": []}


UPGRADES: dict[int, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    1: _problems_get_kinds,
    2: _observations_are_empty,
}
"""From each older version to the function that turns its document into one of the next version."""


FORMAT = "buto-run"
VERSION = 3

MARKS = (PURPOSE, SESSION, COMMIT)
"""The metadata that a head contains."""

_HEAD = ("test", "id", "samples", "notifications", "outcome", "quality", "files")


class NewerVersionError(ValueError):
    """The document is of a newer version than this buto reads."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """Size and checksum of a file beside the document."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Head:
    """The part of a document that a list of runs needs.

    Attributes:
        files: the files beside the document, by name.
        marks: those of the metadata :data:`MARKS` that the run has.
    """

    test: str
    id: str
    n_samples: int
    n_notifications: int
    outcome: Outcome
    quality: Quality
    files: Mapping[str, StoredFile]
    marks: Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class Document:
    """A run without its arrays and output."""

    head: Head
    properties: tuple[Property, ...]
    nan_reasons: Mapping[str, str]
    metadata: Mapping[str, MetadataValue]
    marks: tuple[Mark, ...]
    sources: tuple[SourceState, ...]
    histograms: tuple[ClassHistogram, ...]


def encode(run: Run, files: Mapping[str, StoredFile]) -> bytes:
    """Return the document of a run. A lone surrogate, which UTF-8 cannot encode, becomes ``?``."""
    data = to_data(run)
    data["files"] = {name: {"bytes": file.size_bytes, "sha256": file.sha256} for name, file in files.items()}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    return text.encode("utf-8", errors="replace")


def to_data(run: Run) -> dict[str, Any]:
    """Return the fields of a document without ``files``, ready for JSON."""
    outcome, quality = run.outcome, run.quality
    return {
        "format": FORMAT,
        "version": VERSION,
        "test": run.test,
        "id": run.id,
        "samples": len(run.times_s),
        "notifications": len(run.notifications),
        "outcome": {
            "exit_code": outcome.exit_code,
            "signal": outcome.signal,
            "timed_out": outcome.timed_out,
            "duration_s": json_number(outcome.duration_s),
            "last_sample": outcome.last_sample,
        },
        "quality": {
            "problems": [problem_data(problem) for problem in quality.problems],
            "missed_share": json_number(quality.missed_share),
            "largest_gap_s": json_number(quality.largest_gap_s),
            "foreign_load": json_number(quality.foreign_load),
        },
        "properties": [property_data(prop) for prop in run.properties],
        "nan_reasons": dict(run.nan_reasons),
        "metadata": {key: metadata_data(value) for key, value in run.metadata.items()},
        "marks": [mark_data(mark) for mark in run.marks],
        "sources": [source_data(source) for source in run.sources],
        "histograms": [histogram_data(histogram) for histogram in run.histograms],
    }


def decode(content: bytes) -> Document:
    """Read a document of this or an older version.

    Raises:
        NewerVersionError: the document is of a newer version.
        ValueError: it is not the document of a run; the message names the field.
    """
    data = _upgrade(_parse(content))
    properties = all_of(dict, "properties", get(data, "properties", list))
    return Document(
        head=_to_head(data),
        properties=tuple(property_of(prop) for prop in properties),
        nan_reasons=dict(items(data, "nan_reasons", str)),
        metadata={key: metadata_of(key, value) for key, value in get(data, "metadata", dict).items()},
        marks=marks_of(data),
        sources=sources_of(data),
        histograms=histograms_of(data),
    )


def shape(content: bytes) -> tuple[int, int]:
    """Return the numbers of samples and of properties; raises as :func:`decode`."""
    data = _upgrade(_parse(content))
    return get(data, "samples", int), len(get(data, "properties", list))


def head_data(content: bytes) -> dict[str, Any]:
    """Return the plain data from which :func:`head_of` makes a head; raises as :func:`decode`."""
    data = _upgrade(_parse(content))
    metadata = get(data, "metadata", dict)
    marks = {key: metadata[key] for key in MARKS if key in metadata}
    return {**{key: data[key] for key in _HEAD if key in data}, "metadata": marks}


def head_of(data: dict[str, Any]) -> Head:
    """Return the head from its plain data. ValueError for data of another shape."""
    return _to_head(data)


def _parse(content: bytes) -> dict[str, Any]:
    data = parse_json(content)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as {FORMAT!r}")
    return data


def _upgrade(data: dict[str, Any]) -> dict[str, Any]:
    version = get(data, "version", int)
    if version > VERSION:
        raise NewerVersionError(f"it has version {version}, this buto reads up to {VERSION}")
    while version < VERSION:
        if version not in UPGRADES:
            raise ValueError(f"it has the unknown version {version}")
        data = UPGRADES[version](data)
        version += 1
    return data


def metadata_data(value: MetadataValue) -> Any:
    """Return a value for JSON.

    NaN and infinities are wrapped, so that they differ from texts like ``nan``.
    """
    return {"float": json_number(value)} if isinstance(value, float) and not math.isfinite(value) else value


def metadata_of(key: str, value: Any) -> MetadataValue:
    """Read a value that :func:`metadata_data` returned; ValueError for anything else."""
    if isinstance(value, dict):
        return number(value, "float")
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"metadata {key!r} is of type {type(value).__name__}")


def _to_head(data: Mapping[str, Any]) -> Head:
    outcome, quality = get(data, "outcome", dict), get(data, "quality", dict)
    metadata = get(data, "metadata", dict)
    return Head(
        test=get(data, "test", str),
        id=get(data, "id", str),
        n_samples=get(data, "samples", int),
        n_notifications=get(data, "notifications", int),
        outcome=Outcome(
            exit_code=get(outcome, "exit_code", int, type(None)),
            signal=get(outcome, "signal", int, type(None)),
            timed_out=get(outcome, "timed_out", bool),
            duration_s=number(outcome, "duration_s"),
            last_sample=get(outcome, "last_sample", str),
        ),
        quality=Quality(
            problems=tuple(
                _problem_of(problem) for problem in all_of(dict, "problems", get(quality, "problems", list))
            ),
            missed_share=number(quality, "missed_share"),
            largest_gap_s=number(quality, "largest_gap_s"),
            foreign_load=number(quality, "foreign_load"),
        ),
        files={
            name: StoredFile(get(file, "bytes", int), get(file, "sha256", str))
            for name, file in items(data, "files", dict)
        },
        marks={key: metadata_of(key, metadata[key]) for key in MARKS if key in metadata},
    )


def problem_data(problem: Problem) -> dict[str, str]:
    """Return a problem as plain data."""
    return {"kind": problem.kind.value, "text": problem.text}


def _problem_of(data: Mapping[str, Any]) -> Problem:
    return Problem(ProblemKind(get(data, "kind", str)), get(data, "text", str))


def property_data(prop: Property) -> dict[str, Any]:
    """Return a property as plain data."""
    return {
        "name": prop.name,
        "unit": prop.unit,
        "kind": prop.kind.value,
        "role": prop.role.value,
        "lower": json_number(prop.lower),
        "upper": json_number(prop.upper),
        "better": prop.better.value,
    }


def property_of(data: Mapping[str, Any]) -> Property:
    """Read a property that :func:`property_data` returned; ValueError for anything else."""
    return Property(
        name=get(data, "name", str),
        unit=get(data, "unit", str),
        kind=Kind(get(data, "kind", str)),
        role=Role(get(data, "role", str)),
        lower=number(data, "lower"),
        upper=number(data, "upper"),
        better=Better(get(data, "better", str)),
    )
