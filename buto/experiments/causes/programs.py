"""The programs with a known change, as their manifest lists them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from buto.errors import BadFileError
from buto.profiles import Kind

MODES = ("old", "new")


@dataclass(frozen=True, slots=True)
class ChangedProgram:
    """A program that is launched as it was and with one change.

    Attributes:
        name: unique in a manifest.
        main: its main class.
        kind: the kind of event that the change concerns.
        methods: class and method of the changed code; several if either may be named.
        arguments: by mode, the arguments of ``main``.
    """

    name: str
    main: str
    kind: Kind
    methods: tuple[str, ...]
    arguments: dict[str, tuple[str, ...]]


def read_manifest(path: Path) -> tuple[ChangedProgram, ...]:
    """Return the programs of a manifest, ``programs: [{name, main, kind, method, old, new}]``.

    Raises:
        BadFileError: it cannot be read.
    """
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        programs = tuple(_program(one) for one in written["programs"])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise BadFileError(f"{path} is no manifest of programs: {error}", advice="see docs/why.md") from error
    if len({one.name for one in programs}) < len(programs):
        raise BadFileError(f"{path} has two programs of one name", advice="see docs/why.md")
    return programs


def _program(written: dict[str, object]) -> ChangedProgram:
    method = written["method"]
    arguments = {mode: tuple(map(str, _words(written.get(mode, [mode])))) for mode in MODES}
    main = str(written["main"])
    methods = tuple(map(str, method)) if isinstance(method, list) else (str(method),)
    return ChangedProgram(str(written.get("name", main)), main, Kind(written["kind"]), methods, arguments)


def _words(written: object) -> list[object]:
    return written if isinstance(written, list) else [written]
