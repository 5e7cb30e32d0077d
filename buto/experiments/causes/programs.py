"""The programs with a known change, as their manifest lists them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from buto.errors import BadFileError
from buto.profiles import Kind

MODES = ("old", "new")

_PACKAGE = "buto.testprograms.changes"
_KINDS: dict[str, tuple[Kind, ...]] = {
    "allocation": (Kind.ALLOCATION,),
    "retention": (Kind.RETENTION,),
    "cpu": (Kind.CPU,),
    "threads": (Kind.ALIVE, Kind.STARTED),
    "classes": (Kind.CLASSES, Kind.RETENTION),
    "native": (Kind.BUFFERS,),
    "exceptions": (Kind.EXCEPTIONS,),
    "locks": (Kind.LOCKS,),
    "descriptors": (Kind.IO, Kind.BUFFERS),
}
"""What is recorded for findings about these, as :func:`buto.causes.kinds.kinds_of` chooses it."""


@dataclass(frozen=True, slots=True)
class ChangedProgram:
    """A program that is launched as it was and with one change.

    Attributes:
        name: unique in a manifest.
        main: its main class.
        kinds: the kinds of events that the change concerns; it is enough to find it in one.
        methods: class and method of the changed code, and methods and fields that lead to it as directly.
        arguments: by mode, the arguments of ``main``.
        options: of the JVM.
    """

    name: str
    main: str
    kinds: tuple[Kind, ...]
    methods: tuple[str, ...]
    arguments: dict[str, tuple[str, ...]]
    options: tuple[str, ...] = ("-Xmx256m",)


def read_manifest(path: Path) -> tuple[ChangedProgram, ...]:
    """Return the programs of a manifest, ``programs: [{name, main, kind, method, old, new}]``.

    ``testprograms/changes.yaml`` is one, too: its programs are launched as they were and with the larger size
    of their change.

    Raises:
        BadFileError: it cannot be read.
    """
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "programs" in written:
            programs = tuple(_program(one) for one in written["programs"])
        else:
            programs = tuple(_own(name, one) for name, one in written.items())
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
    return ChangedProgram(str(written.get("name", main)), main, (Kind(written["kind"]),), methods, arguments)


def _own(name: str, written: dict[str, object]) -> ChangedProgram:
    also = written.get("also", [])
    methods = (written["changed"], *(also if isinstance(also, list) else [also]))
    return ChangedProgram(
        name,
        f"{_PACKAGE}.Program",
        _KINDS[str(written["kind"])],
        tuple(f"{_PACKAGE}.{method}" for method in methods),
        {"old": (f"{name}=base",), "new": (f"{name}=large",)},
        # Of docs/testprograms.md; what is recorded needs some room of its own.
        ("-Xmn4m", "-Xmx32m"),
    )


def _words(written: object) -> list[object]:
    return written if isinstance(written, list) else [written]
