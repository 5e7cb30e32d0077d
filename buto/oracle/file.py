"""Oracle files: one JSON text for each test, small, versioned, meant to be committed and reviewed.

For review, each key and each item of a list is on a line of its own, and whole numbers have no point.
Checksums over the parts of a file show edits by hand.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buto.errors import BadFileError, StorageError, UsageError
from buto.judging import registry
from buto.judging.classifiers import MetadataModel
from buto.judging.configuration import settings_from
from buto.judging.protocol import Detector
from buto.judging.registry import BrokenDetectorError, UnknownDetectorError
from buto.oracle.model import Oracle, summary
from buto.programs import named
from buto.run.cache import is_missing, read_file
from buto.run.files import publish_file, storage_advice
from buto.run.model import ClassHistogram, MetadataValue
from buto.run.stored import parse_json, plain, read
from buto.steps import Advice, Setting

_PLAIN = {float, int, str, bool, type(None)}
"""The most frequent types in a list; checking them first avoids slow abstract types."""
_NESTED = (Mapping, list, tuple)

_WHOLE_BELOW = 1e15
"""Floats below this hold every whole number exactly."""


def to_text(data: Mapping[str, Any]) -> str:
    """Return plain data as JSON text that ends with a newline; ValueError for NaN and infinity."""
    return _block(data, "") + "\n"


def to_line(value: Any) -> str:
    """Return plain data as JSON on one line; ValueError for NaN and infinity."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {to_line(value[key])}" for key in value) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(to_line, value)) + "]"
    return _scalar(value)


def _block(value: Any, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        items = [f"{inner}{_key(key)}: {_block(value[key], inner)}" for key in value]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list | tuple):
        if any(type(item) not in _PLAIN and isinstance(item, _NESTED) for item in value):
            items = [f"{inner}{to_line(item)}" for item in value]
            return "[\n" + ",\n".join(items) + f"\n{indent}]"
        return "[" + ", ".join(map(_scalar, value)) + "]"
    return "{}" if isinstance(value, Mapping) else _scalar(value)


def _key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _scalar(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_BELOW:
        return str(int(value))
    if isinstance(value, float) and math.isfinite(value):
        return float.__repr__(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


LEARNED, FOR_PEOPLE, SETTINGS = "learned", "for_people", "judge"

_PARTS = {
    LEARNED: ("runs", "foreign_load", "environment", "environment_varying", "model"),
    FOR_PEOPLE: ("summary", "warnings"),
    SETTINGS: ("judge",),
}

_WARNINGS = {
    FOR_PEOPLE: "the oracle's summary was edited by hand; no verdict depends on it",
    SETTINGS: "the oracle's settings (judge) were edited by hand after training; they hold for this verdict",
}

_DIGITS = 16
"""Hexadecimal ones: enough to notice an edit, and short enough for a review."""


def checksums(data: Mapping[str, Any]) -> dict[str, str]:
    """Return a checksum for each part of an oracle's data; KeyError if one is missing.

    Layout and the order of the parts do not matter: reformatted text has the same checksums.
    """
    return {name: _of({key: data[key] for key in keys}) for name, keys in _PARTS.items()}


def edited(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a warning for each part that may be edited, and was.

    Raises:
        ValueError: what was learned was edited, so that the file contradicts itself.
        KeyError: a part or its checksum is missing.
    """
    written, found = data["checksums"], checksums(data)
    if written[LEARNED] != found[LEARNED]:
        raise ValueError(
            f"it contradicts itself: {', '.join(_PARTS[LEARNED][:-1])} or model are not as they were learned"
        )
    return tuple(text for name, text in _WARNINGS.items() if written[name] != found[name])


def _of(part: Any) -> str:
    return hashlib.sha256(to_line(part).encode()).hexdigest()[:_DIGITS]


FORMAT = "buto-oracle"
VERSION = 3
CLASSES_VERSION = 1
"""Of the histogram of classes, which not every oracle has."""

MAX_BYTES = 1 << 28
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
        in_conflict: whether the file holds both sides of a merge, so that it should be accepted again.
    """

    def __init__(self, message: str, *, advice: str, remedy: str, in_conflict: bool = False) -> None:
        super().__init__(message, advice=advice)
        self.remedy = remedy
        self.in_conflict = in_conflict


def save(path: Path, oracle: Oracle) -> None:
    """Write an oracle completely or not at all, with missing directories. Raise StorageError on failure."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "test": oracle.test,
        "summary": summary(oracle),
        "warnings": list(map(_fact, oracle.warnings)),
        "judge": oracle.settings.to_data(),
        "target": dict(oracle.target),
        **_program(oracle),
        "runs": list(oracle.run_ids),
        "foreign_load": None if math.isnan(oracle.foreign_load) else oracle.foreign_load,
        "environment": dict(oracle.environment.values),
        "environment_varying": list(oracle.environment.varying),
        "model": oracle.fitted.to_data(),
    }
    if oracle.classes is not None:
        data["classes"] = {"version": CLASSES_VERSION, **plain(oracle.classes)}
    data |= {"checksums": checksums(data), "model": data.pop("model")}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        publish_file(path, to_text(data).encode())
    except OSError as error:
        raise StorageError(
            f"the oracle {path} cannot be written: {error.strerror or error}",
            advice=storage_advice(error, Setting("oracle", "FILE")),
        ) from error


def _program(oracle: Oracle) -> dict[str, Any]:
    is_known = oracle.program != named.UNKNOWN
    return {"program": named.to_data(oracle.program)} if is_known else {}


def load(path: Path) -> Oracle:
    """Read an oracle.

    Edits of its settings and of what only people read are noted in the oracle.

    Raises:
        BadFileError: it is missing, cannot be read, is damaged, holds both sides of a merge, is of another
            version, or what was learned has been edited.
    """
    content = _content(path)
    if conflict := _CONFLICT.search(content):
        raise _in_conflict(path, 1 + content.count(b"\n", 0, conflict.start()), content)
    try:
        data = parse_json(content)
    except ValueError as error:
        raise _damaged(path, str(error), {}) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _damaged(path, f"it is not marked as a {FORMAT}", {})
    _check_version(path, data)
    try:
        return _oracle(data)
    except BadFileError as error:
        raise _damaged(path, error.message, data) from error
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
        raise _damaged(path, error.message, data) from error
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise _damaged(path, what, data) from error


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


@dataclass(frozen=True, slots=True)
class _Written:
    """What a file says besides its settings, its model and its program."""

    test: str
    target: Mapping[str, Any]
    runs: tuple[str, ...]
    environment: Mapping[str, MetadataValue]
    environment_varying: tuple[str, ...]
    warnings: tuple[str, ...]
    foreign_load: float | None = None


def _oracle(data: dict[str, Any]) -> Oracle:
    settings = settings_from(data["judge"])
    detector = registry.detector(settings.method)(settings)
    model = data["model"]
    _check_size(detector, model)
    written = read(data, _Written)
    _check_plain("target", written.target, MAX_DEPTH)
    return Oracle(
        test=written.test,
        settings=settings,
        run_ids=written.runs,
        environment=MetadataModel(written.environment, written.environment_varying),
        fitted=detector.from_data(model),
        target=written.target,
        warnings=written.warnings,
        foreign_load=math.nan if written.foreign_load is None else written.foreign_load,
        edits=edited(data),
        classes=_classes(data.get("classes")),
        program=named.from_data(data["program"]) if "program" in data else named.UNKNOWN,
    )


def _classes(written: Any) -> ClassHistogram | None:
    """Read the histogram; one of a newer version is left out, because it decides nothing."""
    if written is None or written["version"] > CLASSES_VERSION:
        return None
    return read(written, ClassHistogram, "classes")


def _check_size(detector: Detector[Any], model: Mapping[str, Any]) -> None:
    """Raise ValueError if a short file stands for more numbers than MAX_VALUES: one is written for many."""
    if detector.n_values(model) > MAX_VALUES:
        raise ValueError(f"it stands for more than {MAX_VALUES} numbers")


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
        raise _damaged(path, f"its version is {version!r}, not a whole number", data)
    if version < 1:
        raise _damaged(path, f"there never was a version {version}", data)
    if version != VERSION:
        remedy = f"{'install the newer buto that wrote it, or ' if version > VERSION else ''}train again: "
        raise OracleFileError(
            f"the oracle {path} is of version {version}; this buto reads version {VERSION}",
            advice=f"{remedy}{_command('train', path, data.get('test'))}",
            remedy=remedy,
        )


def _damaged(path: Path, what: str, data: Mapping[str, Any]) -> OracleFileError:
    remedy = f"restore it ({shlex.join(['git', 'checkout', str(path)])}), or train again: "
    return OracleFileError(
        f"the oracle {path} is damaged: {what}",
        advice=f"{remedy}{_command('train', path, data.get('test'))}",
        remedy=remedy,
    )


def _in_conflict(path: Path, line: int, content: bytes) -> OracleFileError:
    found = _TEST.search(content)
    test = None if found is None else json.loads(found[1])
    sides = " or ".join(shlex.join(["git", "checkout", side, str(path)]) for side in ("--ours", "--theirs"))
    remedy = f"keep one side ({sides}), then accept the merged program: "
    return OracleFileError(
        f"the oracle {path} is in a merge conflict, see line {line}",
        advice=f"{remedy}{_command('accept', path, test)}",
        remedy=remedy,
        in_conflict=True,
    )


def _command(action: str, path: Path, test: Any) -> str:
    """Return a command that makes the file again; the file's name need not be the test's."""
    name = shlex.quote(test) if isinstance(test, str) else "NAME"
    return f"buto {action} {name} --oracle {shlex.quote(str(path))}"
