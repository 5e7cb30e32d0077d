"""The document of a run, ``run.json``: a run without its arrays and output, as plain data and back.

docs/formats/run.md describes the fields. The functions here do not access files. They raise ValueError
for a wrong document, with the place of what is wrong, and the store adds the path. A document of
an older version is turned into one of the next version until it is of this one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from buto.run.model import (
    COMMIT,
    PURPOSE,
    SESSION,
    ClassHistogram,
    Mark,
    MetadataValue,
    Outcome,
    ProblemKind,
    Quality,
    Run,
    SourceState,
)
from buto.run.properties import Property
from buto.run.stored import Number, json_number, parse_json, plain, read

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


def _problems_get_kinds(data: dict[str, Any]) -> dict[str, Any]:
    """From version 1 to 2: a problem is an object of ``kind`` and ``text`` instead of a text."""
    quality = read(data.get("quality"), dict[str, Any], "quality")
    texts = read(quality.get("problems"), tuple[str, ...], "quality.problems")
    problems = [{"kind": _kind_in_version_1(text).value, "text": text} for text in texts]
    return {**data, "quality": {**quality, "problems": problems}}


def _kind_in_version_1(text: str) -> ProblemKind:
    kinds = (kind for begin, kind in _WORDS_OF_VERSION_1 if re.match(begin, text))
    return next(kinds, ProblemKind.OTHER)


def _observations_are_empty(data: dict[str, Any]) -> dict[str, Any]:
    """From version 2 to 3: a run has marks, sources and histograms."""
    return {**data, "marks": [], "sources": [], "histograms": []}


def _tables_are_named(data: dict[str, Any]) -> dict[str, Any]:
    """From version 3 to 4: tables are files of columns; ``files`` has names of those of before."""
    return data


UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: _problems_get_kinds,
    2: _observations_are_empty,
    3: _tables_are_named,
}
"""From each older version to the function that turns its document into one of the next version."""


FORMAT = "buto-run"
VERSION = 4

_LISTED = (PURPOSE, SESSION, COMMIT)
"""The metadata that a list of runs needs."""


class NewerVersionError(ValueError):
    """The document is of a newer version than this buto reads."""


class StoredFile(Struct, frozen=True):
    """Size and checksum of a file beside the document."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Head:
    """The part of a document that a list of runs needs.

    Attributes:
        samples, notifications: how many the run has.
        files: the files beside the document, by name.
        metadata: of a list only the keys that it needs.
    """

    test: str
    id: str
    samples: int
    notifications: int
    outcome: Outcome
    quality: Quality
    files: Mapping[str, StoredFile]
    metadata: Mapping[str, MetadataValue]


H = TypeVar("H", bound=Head)


@dataclass(frozen=True, slots=True)
class RunDocument(Head):
    """A run without its arrays and output."""

    properties: tuple[Property, ...]
    nan_reasons: Mapping[str, str]
    marks: tuple[Mark, ...]
    sources: tuple[SourceState, ...]
    histograms: tuple[ClassHistogram, ...]

    @property
    def of_run(self) -> dict[str, Any]:
        """The fields of the run that the document has, by name."""
        return {name: getattr(self, name) for name in ("id", "test", "outcome", "quality", *_AS_IN_RUN)}


_AS_IN_RUN = ("properties", "nan_reasons", "metadata", "marks", "sources", "histograms")


def encode(run: Run, files: Mapping[str, StoredFile]) -> bytes:
    """Return the document of a run. A lone surrogate, which UTF-8 cannot encode, becomes ``?``."""
    text = json.dumps(to_data(run) | {"files": plain(files)}, ensure_ascii=False, allow_nan=False)
    # Indented afterwards: with an indent of its own, json takes four times as long.
    return msgspec.json.format(text.encode("utf-8", errors="replace"), indent=1)


def to_data(run: Run) -> dict[str, Any]:
    """Return the fields of a document without ``files``, ready for JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "test": run.test,
        "id": run.id,
        "samples": len(run.times_s),
        "notifications": len(run.notifications),
        "outcome": plain(run.outcome),
        "quality": plain(run.quality),
        **{name: plain(getattr(run, name)) for name in _AS_IN_RUN},
        "metadata": metadata_data(run.metadata),
        "marks": [{"name": mark.name, **plain(mark)} for mark in run.marks],
        "histograms": [{"point": histogram.point, **plain(histogram)} for histogram in run.histograms],
    }


def decode(content: bytes) -> RunDocument:
    """Read a document of this or an older version.

    Raises:
        NewerVersionError: the document is of a newer version.
        ValueError: it is not the document of a run; the message names the field.
    """
    return _decode(_upgrade(content), RunDocument)


def head_data(content: bytes) -> dict[str, Any]:
    """Return the plain data from which :func:`head_of` makes a head; raises as :func:`decode`."""
    data = _upgrade(content)
    metadata = read(data.get("metadata"), dict[str, Any], "metadata")
    return {
        **{key: data[key] for key in Head.__slots__ if key in data},
        "metadata": {key: metadata[key] for key in _LISTED if key in metadata},
    }


def head_of(data: Any) -> Head:
    """Return the head from its plain data. ValueError for data of another shape."""
    return _decode(data, Head)


def _upgrade(content: bytes) -> dict[str, Any]:
    data = parse_json(content)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as {FORMAT!r}")
    document: dict[str, Any] = data
    version = read(document.get("version"), int, "version")
    if version > VERSION:
        raise NewerVersionError(f"it has version {version}, this buto reads up to {VERSION}")
    for older in range(version, VERSION):
        if older not in UPGRADES:
            raise ValueError(f"it has the unknown version {older}")
        document = UPGRADES[older](document)
    return document


def _decode(data: Any, kind: type[H]) -> H:
    metadata = metadata_of(read(data, dict[str, Any]).get("metadata"))
    # Without them, a damaged run would count as valid.
    if "problems" not in read(data.get("quality"), dict[str, Any], "quality"):
        raise ValueError("'quality.problems' is missing")
    return read({**data, "metadata": metadata}, kind)


class _Wrapped(Struct, frozen=True):
    float: Number


def metadata_data(metadata: Mapping[str, MetadataValue]) -> dict[str, Any]:
    """Return metadata for JSON, with NaN and infinities wrapped, because ``nan`` may also be a text."""
    return {
        key: {"float": json_number(value)} if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in metadata.items()
    }


def metadata_of(written: Any) -> dict[str, MetadataValue]:
    """Read metadata that :func:`metadata_data` returned; ValueError for anything else."""
    metadata = read(written, dict[str, Any], "metadata")
    for key, value in metadata.items():
        if isinstance(value, dict):
            metadata[key] = read(value, _Wrapped, f"metadata.{key}").float
    return read(metadata, dict[str, MetadataValue], "metadata")
