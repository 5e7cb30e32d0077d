"""Configuration: the tests of ``buto.yaml``, checked against a schema; messages point at the line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buto.errors import BadFileError, ConfigError
from buto.project.document import DataPath, Document
from buto.project.model import InvalidValue, TestConfig, build_test
from buto.project.yaml import validate
from buto.run.cache import TooLargeError, is_missing, read_file

FILE_NAME = "buto.yaml"
_MERGED = ("environment", "judge", "labels")
"""Mappings whose entries a test adds to those of the defaults."""

_TEXTS = re.compile(r"(services/[^/]+/(ready/)?|workload/)?(command|environment)(/.*)?")
"""Where values within a test are texts, also if YAML has a number or a truth value: ``010`` is not ten."""

_ADDED = "mask"
"""A list that a test adds to that of the defaults; every other key is replaced."""


@dataclass(frozen=True)
class Config:
    """A configuration file.

    Attributes:
        path: where it was read from.
        tests: by name, in the order of the file.
        scheduler: the address of a Dask scheduler, or ``local``; empty for launches on this machine.
    """

    path: Path
    tests: Mapping[str, TestConfig]
    scheduler: str = ""


def masks(config: Config) -> tuple[str, ...]:
    """Return the names that any test declares secret, in addition to the default names."""
    return tuple(dict.fromkeys(pattern for test in config.tests.values() for pattern in test.target.mask))


def find(given: Path | None, directory: Path) -> Path | None:
    """Return the given file, otherwise ``buto.yaml`` in a directory, otherwise None."""
    usual = directory / FILE_NAME
    return given or (None if is_missing(usual) else usual)


def load(path: Path, environment: Mapping[str, str] = os.environ) -> Config:
    """Read and check a configuration file.

    Raises:
        BadFileError: it cannot be read.
        ConfigError: it does not follow the schema; one line ``file:line:column: what`` for each fault.
    """
    # Imported here, because a command without a configuration needs no YAML.
    from buto.project.yaml import MAX_BYTES, parse

    try:
        content = read_file(path, MAX_BYTES, follow=True)
    except TooLargeError as error:
        raise ConfigError(f"{path}: the file is larger than {MAX_BYTES // 1024} KiB") from error
    except ValueError as error:
        raise BadFileError(f"cannot read the configuration {path}: {error}") from error
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        raise ConfigError(f"{path}:{line}: it is not UTF-8") from error
    document = parse(text, path)
    if document.data is None:
        raise ConfigError(f"{path}: the configuration is empty", advice="version: 1, then tests: {NAME: ...}")
    validate(document)
    directory = path.parent.resolve()
    tests = {name: _test(name, document, directory, environment) for name in document.data["tests"]}
    return Config(path, tests, document.data.get("scheduler", ""))


def _test(name: str, document: Document, directory: Path, environment: Mapping[str, str]) -> TestConfig:
    defaults = _as_written(document, ("defaults",), document.data.get("defaults") or {})
    own = _as_written(document, ("tests", name), document.data["tests"][name] or {})
    written = {**defaults, **own}
    for key in _MERGED:
        if key in written:
            written[key] = {**defaults.get(key, {}), **own.get(key, {})}
    if _ADDED in written:
        written[_ADDED] = [*defaults.get(_ADDED, ()), *own.get(_ADDED, ())]
    try:
        return build_test(name, written, directory, environment)
    except InvalidValue as error:
        at: DataPath = ("tests", name, *error.at)
        if at not in document.values:
            at = ("defaults", *error.at)
        raise document.error(at, error.message, key=not error.at, advice=error.advice) from error


def _as_written(document: Document, at: DataPath, value: Any) -> Any:
    """Return a part of the data, in which the words of commands and environments have their own text."""
    if isinstance(value, dict):
        return {key: _as_written(document, (*at, key), value_of_key) for key, value_of_key in value.items()}
    if isinstance(value, list):
        return [_as_written(document, (*at, place), inner) for place, inner in enumerate(value)]
    within = at[1:] if at[0] == "defaults" else at[2:]
    return document.written[at] if _TEXTS.fullmatch("/".join(map(str, within))) else value
