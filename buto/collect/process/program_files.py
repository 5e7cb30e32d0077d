"""A checksum over the files of a program, to notice that two runs are not of the same program."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from buto.errors import UsageError
from buto.programs.named import sha256_of, with_manifests
from buto.programs.references import Place
from buto.runs import MetadataValue

_PATHS = ("jvm.class.path", "system.property[jdk.module.path]")
_DIRECTORY = "system.property[user.dir]"
_COMMAND = "buto.command"
_SOURCES = (".java", ".jar", ".sh")
"""Endings of a command's words that may be files of the program."""

_DIGITS = 12
MAX_ENTRIES = 10_000
"""Of directories; a class path such as ``.`` may have a whole disk below it."""

MAX_BYTES = 1 << 29


def program_digest(metadata: Mapping[str, MetadataValue]) -> str | None:
    """Return twelve digits of a checksum over the jars and classes that a run's metadata names.

    These are the jars of the class path and of the module path as they are now, with those that their
    manifests name, the classes in their directories, and sources, jars and scripts that the command names.

    Returns:
        None if there is no such file, or too much of them.
    """
    directory = Path(str(metadata.get(_DIRECTORY) or ""))
    whole = hashlib.blake2b()
    n_files = n_bytes = 0
    try:
        for name, path in _files(metadata, directory):
            state = path.stat()
            n_files, n_bytes = n_files + 1, n_bytes + state.st_size
            if n_bytes > MAX_BYTES:
                return None
            whole.update(f"{name}\0{sha256_of(str(path), state.st_size, state.st_mtime_ns)}\0".encode())
    except (OSError, UsageError, _TooManyError):
        return None
    return whole.hexdigest()[:_DIGITS] if n_files else None


class _TooManyError(Exception):
    """A directory has more entries than MAX_ENTRIES."""


def _files(metadata: Mapping[str, MetadataValue], directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield files with names that do not depend on where the program is."""
    place, seen = Place(str(directory)), set[str]()
    for key in _PATHS:
        for entry in filter(None, str(metadata.get(key) or "").split(os.pathsep)):
            path = directory / entry
            if path.is_dir():
                yield from _below(path)
            else:
                for file in with_manifests(str(path), place, seen):
                    yield os.path.basename(file), Path(file)
    for word in _words(str(metadata.get(_COMMAND) or "")):
        if word.endswith(_SOURCES) and (directory / word).is_file():
            yield word, directory / word


def _below(top: Path) -> Iterator[tuple[str, Path]]:
    n_entries = 0
    for parent, directories, files in os.walk(top):
        # Sorted, so that the same files have the same checksum; hidden ones are of other tools.
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        n_entries += len(directories) + len(files)
        if n_entries > MAX_ENTRIES:
            raise _TooManyError
        for name in sorted(files):
            if name.endswith((".class", ".jar")):
                path = Path(parent, name)
                yield str(path.relative_to(top)), path


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []
