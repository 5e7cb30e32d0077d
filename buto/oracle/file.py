"""Oracle files: one JSON text for each test, small, versioned, meant to be committed and reviewed.

The numbers that verdicts are computed from are in another file beside it, see :mod:`buto.oracle.numbers`.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from buto.errors import BadFileError, StorageError, UsageError
from buto.judging import registry
from buto.judging.alarms import Strength
from buto.judging.classifiers import MetadataModel
from buto.judging.configuration import settings_from
from buto.judging.protocol import Detector
from buto.judging.registry import BrokenDetectorError, UnknownDetectorError
from buto.judging.stored import property_of, property_to_data
from buto.oracle import numbers
from buto.oracle.agreement import (
    MOST_TEXT,
    Contradiction,
    in_environment,
    in_levels,
    in_lines,
    in_promises,
    in_strengths,
)
from buto.oracle.model import COMMIT_NAME, Oracle
from buto.oracle.summary import Said, lines, settle, summarise
from buto.oracle.text import checksums, find_edited, has_own_settings, to_line, to_text
from buto.programs import named
from buto.run.cache import is_missing, read_file
from buto.run.files import storage_advice
from buto.run.model import ClassHistogram, MetadataValue
from buto.run.names import encode_test
from buto.run.stored import parse_json, plain, read
from buto.steps import Advice, Setting

FORMAT = "buto-oracle"
VERSION = 6
CLASSES_VERSION = 1
"""Of the histogram of classes, which not every oracle has."""

MAX_BYTES = 1 << 22
"""Of the text, of which most are below 30 kB."""

MAX_VALUES = 1 << 26
FREE_VALUES, VALUES_OF_A_BYTE = 1 << 23, 256
"""Numbers that a file may stand for: so many, and more of a larger one. One is written for many."""

MOST_OF_A_VALUE = 200
"""Characters of one of the metadata that people read."""

MAX_VALUES = 1 << 26
"""Numbers that a file may stand for: half a GiB for each side of the bands."""

MAX_DEPTH = 16
"""Of the target, which is a part of a configuration."""

_TEST = re.compile(rb'^  "test": ("(?:[^"\\\n]|\\.)*"),$', re.MULTILINE)
_CONFLICT = re.compile(rb"^<{7} ", re.MULTILINE)


class OracleFileError(BadFileError):
    """A file that is not an oracle, or is damaged.

    Args:
        message, advice: see :class:`ButoError`; the advice ends in a command of the command line.
        remedy: what comes before that command, for those who use buto in another way.
    """

    def __init__(self, message: str, *, advice: str, remedy: str) -> None:
        super().__init__(message, advice=advice)
        self.remedy = remedy


def save(path: Path, oracle: Oracle, strengths: Sequence[Strength] | None = None) -> None:
    """Write an oracle completely or not at all, with missing directories. Raise StorageError on failure.

    Args:
        strengths: the smallest changes that a check finds; None if they are not known yet.
    """
    if strengths is None:
        strengths = oracle.fitted.strengths(everything=True).found
    before, changed = _before(path, oracle.test)
    try:
        # What is said must hold for what will be read, to the last digit.
        model = parse_json(to_line(oracle.fitted.to_data()).encode())
        as_read = replace(oracle, fitted=oracle.detector.from_data(model))
        said, news = settle(summarise(as_read, strengths), before)
        beside = {**_numbers(oracle, said), STRENGTHS: list(map(_strength_to_data, _usual(strengths)))}
        digest, content = numbers.pack(to_line({**beside, "model": model}))
        _check_size(oracle.detector, model, len(content))
    except ValueError as error:
        raise StorageError(
            f"the oracle {path} cannot be written: {error}", advice="sample less often, or judge fewer MBeans"
        ) from error
    data = {
        "format": FORMAT,
        "version": VERSION,
        "test": oracle.test,
        "changed": (news or changed) if before else {},
        **_program(oracle),
        "checksums": {},
        "properties": {},
        "warnings": list(map(_fact, oracle.warnings)),
        "judge": oracle.settings.to_data(),
        "target": dict(oracle.target),
        "environment": dict(_shorten(oracle.environment.values)),
    }
    data["properties"] = lines(said, MOST_TEXT - len(to_text(data).encode()))
    data["checksums"] = {numbers.DIGEST: digest, **checksums(data)}
    text = to_text(data).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        numbers.publish(path, text, digest, content)
    except OSError as error:
        raise StorageError(
            f"the oracle {path} cannot be written: {error.strerror or error}",
            advice=storage_advice(error, Setting("oracle", "FILE")),
        ) from error


STRENGTHS = "strengths"
"""The key of what a check detects, among the numbers."""


class _WrittenStrength(Struct, frozen=True):
    """A strength; None for a change that is not detected."""

    property: Mapping[str, Any]
    level: float
    more: float | None
    less: float | None


def _usual(strengths: Sequence[Strength]) -> list[Strength]:
    return [strength for strength in strengths if strength.usual]


def _strength_to_data(strength: Strength) -> dict[str, Any]:
    more, less = (size if math.isfinite(size) else None for size in (strength.more, strength.less))
    return {
        "property": property_to_data(strength.quantity),
        "level": strength.level,
        "more": more,
        "less": less,
    }


def _strengths_of(written: Any) -> tuple[Strength, ...] | None:
    """Read strengths; None if the oracle was written without."""
    if written is None:
        return None
    strengths = read(written, tuple[_WrittenStrength, ...], STRENGTHS)
    return tuple(
        Strength(
            property_of(strength.property),
            strength.level,
            math.inf if strength.more is None else strength.more,
            math.inf if strength.less is None else strength.less,
        )
        for strength in strengths
    )


def _shorten(values: Mapping[str, MetadataValue]) -> Iterator[tuple[str, MetadataValue]]:
    """Return metadata for people, who do not read the class path of a service."""
    for key, value in values.items():
        if isinstance(value, str) and len(value) > MOST_OF_A_VALUE:
            value = f"{value[:MOST_OF_A_VALUE]}..."
        yield key, value


def _before(path: Path, test: str) -> tuple[tuple[Said, ...], dict[str, str]]:
    """Return what the file that is replaced says, and that had changed; nothing if it cannot be read."""
    try:
        before = _read(path)
        said = read(before.numbers["said"], tuple[Said, ...], "said")
        changed = read(before.document["changed"], dict[str, str])
        return (said, changed) if before.document["test"] == test else ((), {})
    except (BadFileError, KeyError, TypeError, ValueError):
        return (), {}


def _numbers(oracle: Oracle, said: Sequence[Said]) -> dict[str, Any]:
    """Return what the file beside the text holds, without the model."""
    data = {
        "format": numbers.FORMAT,
        "version": numbers.VERSION,
        "runs": list(oracle.run_ids),
        "foreign_load": None if math.isnan(oracle.foreign_load) else oracle.foreign_load,
        "environment": dict(oracle.environment.values),
        "environment_varying": list(oracle.environment.varying),
        "said": list(map(plain, said)),
    }
    if oracle.classes is not None:
        data["classes"] = {"version": CLASSES_VERSION, **plain(oracle.classes)}
    return data


def _program(oracle: Oracle) -> dict[str, Any]:
    is_known = oracle.program != named.UNKNOWN
    program = {"program": named.to_data(oracle.program)} if is_known else {}
    return {**program, "commit": oracle.commit} if oracle.commit else program


def load(path: Path, *, thorough: bool = False) -> Oracle:
    """Read an oracle.

    Edits of its settings and of what only people read are noted in the oracle.

    Args:
        thorough: whether to find again what changes it finds, which takes a moment, too, as before a verdict.

    Raises:
        BadFileError: it is missing, cannot be read, is damaged, holds both sides of a merge, is of another
            version, lacks its numbers, or says something else than they do.
    """
    content = _read(path)
    data = content.document
    try:
        oracle = _oracle(content)
        contradiction = _contradiction(content, oracle, thorough=thorough)
    except BadFileError as error:
        raise _damage(path, error.message, data) from error
    except UnknownDetectorError as error:
        again = _command("train", path, data.get("test"))
        install = error.advice or "install the package of its method"
        remedy = f"{install}, or train again with another: "
        raise OracleFileError(
            f"the oracle {path} cannot be used: {error.message}", advice=f"{remedy}{again}", remedy=remedy
        ) from error
    except BrokenDetectorError as error:
        raise BadFileError(
            f"the oracle {path} cannot be used: {error.message}", advice=error.advice
        ) from error
    except UsageError as error:
        raise _damage(path, error.message, data) from error
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise _damage(path, what, data) from error
    if contradiction is not None:
        raise _contradiction_error(path, contradiction, data)
    return oracle


def _contradiction(content: _Content, oracle: Oracle, *, thorough: bool) -> Contradiction | None:
    """Return a line of the text that is not derived from the numbers; None if all are.

    The text is of this version, and so is its wording: other versions are refused before.
    """
    data, said = content.document, read(content.numbers["said"], tuple[Said, ...], "said")
    environment = dict(_shorten(oracle.environment.values))
    contradiction = (
        in_lines(data, said)
        or in_levels(said, oracle)
        or in_environment(read(data["environment"], dict[str, MetadataValue], "environment"), environment)
    )
    if contradiction is None and thorough and has_own_settings(data):
        roughly = oracle.fitted.strengths(everything=False, roughly=True).found
        return in_strengths(said, oracle, roughly) or in_promises(oracle, roughly)
    return contradiction


def _contradiction_error(
    path: Path, contradiction: Contradiction, data: Mapping[str, Any]
) -> OracleFileError:
    line = _line_of(_content(path), contradiction.block, contradiction.key)
    remedy = "do not use it, or see what it should say and train again: "
    return OracleFileError(
        f"the text of the oracle {path} is not that of its numbers, see line {line}: {contradiction.block} "
        f"of {contradiction.key!r} is {contradiction.text!r} in the text and {contradiction.numbers!r} by "
        "the numbers that decide",
        advice=f"{remedy}{_command('train', path, data.get('test'))}",
        remedy=remedy,
    )


def _line_of(content: bytes, block: str, key: str) -> int:
    """Return the number of the line with a key, or else that where its block begins."""
    start = max(0, content.find(f'"{block}"'.encode()))
    place = content.find(f"{json.dumps(key, ensure_ascii=False)}:".encode(errors="replace"), start)
    return 1 + content.count(b"\n", 0, start if place < 0 else place)


class _Content(Struct, frozen=True):
    """What the two files of an oracle hold.

    Attributes:
        document: of the text.
        packed_bytes: size of the file with the numbers.
    """

    document: Mapping[str, Any]
    numbers: Mapping[str, Any]
    packed_bytes: int


def _read(path: Path) -> _Content:
    """Read the text of an oracle and the file beside it. Raise BadFileError as :func:`load`."""
    content = _content(path)
    if conflict := _CONFLICT.search(content):
        raise _in_conflict(path, 1 + content.count(b"\n", 0, conflict.start()), content)
    try:
        data = parse_json(content)
    except ValueError as error:
        raise _damage(path, str(error), {}) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _damage(path, f"it is not marked as a {FORMAT}", {})
    _check_version(path, data)
    try:
        digest = data["checksums"][numbers.DIGEST]
        file = numbers.beside(path, digest)
    except (KeyError, TypeError, ValueError) as error:
        raise _damage(path, f"its checksums do not name its numbers: {error}", data) from error
    try:
        packed = read_file(file, numbers.MAX_BYTES, follow=True)
        return _Content(data, numbers.unpack(packed, digest), len(packed))
    except ValueError as error:
        remedy = f"restore it ({shlex.join(['git', 'checkout', str(file)])}), or train again: "
        raise OracleFileError(
            f"the oracle {path} lacks its numbers, which are committed beside it: {file}: {error}",
            advice=f"{remedy}{_command('train', path, data.get('test'))}",
            remedy=remedy,
        ) from error


def _fact(warning: str) -> str:
    """Return a warning without its advice, which is only for those who trained the oracle."""
    return warning.fact if isinstance(warning, Advice) and warning.fact else warning


def _content(path: Path) -> bytes:
    if is_missing(path):
        raise BadFileError(f"there is no oracle {path}", advice=_command("train", path, None))
    try:
        return read_file(path, MAX_BYTES, follow=True)
    except ValueError as error:
        raise BadFileError(
            f"the oracle {path} cannot be read: {error}", advice=shlex.join(["ls", "-ld", str(path)])
        ) from error


class _Written(Struct, frozen=True):
    """What a file says besides its settings, its model and its program."""

    test: str
    target: Mapping[str, Any]
    runs: Annotated[tuple[str, ...], Meta(min_length=1)]
    environment: Mapping[str, MetadataValue]
    environment_varying: tuple[str, ...]
    warnings: tuple[str, ...]
    foreign_load: float | None = None
    commit: str = ""


def _oracle(content: _Content) -> Oracle:
    data, beside = content.document, content.numbers
    settings = settings_from(data["judge"])
    detector = registry.detector(settings.method)(settings)
    model = beside["model"]
    _check_size(detector, model, content.packed_bytes)
    written = read({**data, **beside}, _Written)
    encode_test(written.test)
    _check_plain("target", written.target, MAX_DEPTH)
    if written.commit and not COMMIT_NAME.fullmatch(written.commit):
        raise ValueError(f"commit is {written.commit!r}, not the full name of a commit")
    return Oracle(
        test=written.test,
        settings=settings,
        run_ids=written.runs,
        environment=MetadataModel(written.environment, written.environment_varying),
        fitted=detector.from_data(model),
        target=written.target,
        warnings=written.warnings,
        foreign_load=math.nan if written.foreign_load is None else written.foreign_load,
        edits=find_edited(data),
        classes=_classes(beside.get("classes")),
        program=named.from_data(data["program"]) if "program" in data else named.UNKNOWN,
        commit=written.commit,
        strengths=_strengths_of(beside.get(STRENGTHS)),
    )


def _classes(written: Any) -> ClassHistogram | None:
    """Read the histogram; one of a newer version is left out, because it decides nothing."""
    if written is None or written["version"] > CLASSES_VERSION:
        return None
    return read(written, ClassHistogram, "classes")


def _check_size(detector: Detector[Any], model: Mapping[str, Any], packed_bytes: int) -> None:
    """Raise ValueError if a short file stands for more numbers than it may."""
    most = min(MAX_VALUES, FREE_VALUES + VALUES_OF_A_BYTE * packed_bytes)
    if detector.n_values(model) > most:
        raise ValueError(f"it stands for more than {most} numbers")


def _check_plain(name: str, value: Any, depth: int) -> None:
    """Raise ValueError for lists and mappings nested beyond a depth, and for infinite numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} holds an infinite number")
    if isinstance(value, dict | list):
        if depth == 0:
            raise ValueError(f"{name} is nested too deeply")
        for item in value.values() if isinstance(value, dict) else value:
            _check_plain(name, item, depth - 1)


def _check_version(path: Path, data: dict[str, Any]) -> None:
    version = data.get("version")
    if type(version) is not int:
        raise _damage(path, f"its version is {version!r}, not a whole number", data)
    if version < 1:
        raise _damage(path, f"there never was a version {version}", data)
    if version != VERSION:
        newer = "use the newer buto that wrote it (in a build: a newer version of the plug-in), or "
        remedy = f"{newer if version > VERSION else ''}train again: "
        raise OracleFileError(
            f"the oracle {path} is of version {version}; this buto reads version {VERSION}",
            advice=f"{remedy}{_command('train', path, data.get('test'))}",
            remedy=remedy,
        )


def _damage(path: Path, what: str, data: Mapping[str, Any]) -> OracleFileError:
    remedy = f"restore it ({shlex.join(['git', 'checkout', str(path)])}), or train again: "
    return OracleFileError(
        f"the oracle {path} is damaged: {what}",
        advice=f"{remedy}{_command('train', path, data.get('test'))}",
        remedy=remedy,
    )


def _in_conflict(path: Path, line: int, content: bytes) -> OracleFileError:
    match = _TEST.search(content)
    test = None if match is None else json.loads(match[1])
    remedy = f"keep one side ({shlex.join(['git', 'checkout', '--ours', str(path)])}), then train again: "
    return OracleFileError(
        f"the oracle {path} is in a merge conflict, see line {line}: neither side knows the merged program",
        advice=f"{remedy}{_command('train', path, test)}",
        remedy=remedy,
    )


def _can_be_named(test: str) -> bool:
    """Return whether a command can name a test: what begins with a dash would be an option."""
    return test.isprintable() and not test.startswith("-") and bool(test.strip())


def _command(action: str, path: Path, test: Any) -> str:
    """Return a command that makes the file again; the file's name need not be the test's."""
    name = shlex.quote(test) if isinstance(test, str) and _can_be_named(test) else "NAME"
    return f"buto {action} {name} --oracle {shlex.quote(str(path))}"
