"""The programs with a known change, as manifests list them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from buto.errors import BadFileError
from buto.profiles import Kind

MODES = ("old", "new")

_PACKAGE = "buto.testprograms.changes"
_SERVERS = f"{_PACKAGE}.servers"
_TOGETHER = "together"
_KINDS: dict[str, tuple[Kind, ...]] = {
    "threads": (Kind.ALIVE, Kind.STARTED),
    "classes": (Kind.LOADED, Kind.CLASSES, Kind.RETENTION),
    "native": (Kind.BUFFERS,),
    "descriptors": (Kind.FILES, Kind.IO, Kind.BUFFERS),
}
"""What is recorded for findings about these, as :func:`buto.causes.kinds.kinds_of` chooses it."""


@dataclass(frozen=True, slots=True)
class ChangedProgram:
    """A program that is launched as it was and with one change.

    Attributes:
        name: unique among all programs.
        kinds: the kinds of events that the change concerns; it is enough to find it in one.
        methods: class and method of the changed code, and methods and fields that lead to it as directly.
        words: by mode, what follows ``java``.
        places: by mode, the directory of its profiles; programs with one old program share that.
        group: whose table it is in.
    """

    name: str
    kinds: tuple[Kind, ...]
    methods: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    places: Mapping[str, Path]
    group: str


def read_manifests(
    paths: Sequence[Path], classes: str = ".", *, together: bool = False
) -> tuple[ChangedProgram, ...]:
    """Return the programs of manifests, ``programs: [{name, main, kind, method, old, new}]``.

    ``testprograms/changes.yaml`` is one, too: its programs are launched as they were and with the larger size
    of their change, each alone.

    Args:
        classes: the class path of the programs that do not name one.
        together: whether those of ``changes.yaml`` are also launched all in one program, one of them changed.

    Raises:
        BadFileError: a manifest cannot be read, or two programs have one name.
    """
    programs = [one for path in paths for one in _read(path, classes, together=together)]
    if len({one.name for one in programs}) < len(programs):
        names = ", ".join(map(str, paths))
        raise BadFileError(f"{names}: two programs have one name", advice="see docs/why.md")
    return tuple(programs)


def _read(path: Path, classes: str, *, together: bool) -> list[ChangedProgram]:
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "programs" in written:
            return [_program(one, classes, path.stem) for one in written["programs"]]
        alone = [_alone(name, one, classes) for name, one in written.items()]
        return alone + ([_among(name, written, classes) for name in written] if together else [])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise BadFileError(f"{path} is no manifest of programs: {error}", advice="see docs/why.md") from error


def _program(written: Mapping[str, Any], classes: str, group: str) -> ChangedProgram:
    words = {mode: tuple(map(str, _listed(written.get(mode, mode)))) for mode in MODES}
    if "main" in written:
        before = ("-Xmx256m", "-cp", classes, str(written["main"]))
        words = {mode: (*before, *arguments) for mode, arguments in words.items()}
    name = str(written["name"])
    kinds = dict.fromkeys(kind for word in _listed(written["kind"]) for kind in _kinds(str(word)))
    methods = tuple(map(str, _listed(written["method"])))
    return ChangedProgram(name, tuple(kinds), methods, words, _places(name), group)


def _alone(name: str, written: Mapping[str, Any], classes: str) -> ChangedProgram:
    # Sizes as in docs/evidence/testprograms.md; what is recorded needs some room of its own.
    before = ("-Xmn4m", "-Xmx32m", "-cp", classes, f"{_PACKAGE}.Program")
    words = {"old": (*before, f"{name}=base"), "new": (*before, f"{name}=large")}
    return ChangedProgram(name, *_change(written), words, _places(name), "alone")


def _among(name: str, programs: Mapping[str, Any], classes: str) -> ChangedProgram:
    before = ("-Xmn16m", "-Xmx256m", "-cp", classes, f"{_PACKAGE}.Program")
    old = [f"{each}=base" for each in programs]
    new = [f"{each}={'large' if each == name else 'base'}" for each in programs]
    places = {"old": Path(_TOGETHER, "old"), "new": Path(_TOGETHER, name)}
    words = {"old": (*before, *old), "new": (*before, *new)}
    return ChangedProgram(f"{name} among all", *_change(programs[name]), words, places, _TOGETHER)


def _change(written: Mapping[str, Any]) -> tuple[tuple[Kind, ...], tuple[str, ...]]:
    methods = [written["changed"], *_listed(written.get("also", []))]
    return _kinds(str(written["kind"])), tuple(f"{_SERVERS}.{method}" for method in methods)


def _kinds(word: str) -> tuple[Kind, ...]:
    return _KINDS.get(word) or (Kind(word),)


def _places(name: str) -> dict[str, Path]:
    return {mode: Path(name, mode) for mode in MODES}


def _listed(written: Any) -> list[Any]:
    return written if isinstance(written, list) else [written]
