"""The files that a program needs: found here, and sent to a host that does not have them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from glob import glob
from pathlib import Path

from buto.collect.target import Target
from buto.errors import UsageError
from buto.units import format_bytes

MOST_BYTES = 1 << 29
"""All inputs of one test together."""

MOST_FILES = 20_000

ELSEWHERE = "elsewhere"
"""Directory of a staged tree for files that are not below the working directory."""

_CLASS_PATHS = ("-cp", "-classpath", "--class-path", "-p", "--module-path")
_ALL = "/*"
"""After a directory of a class path: all jars in it."""

_ARCHIVES = (".jar", ".war", ".jmod")
_SEPARATORS = re.compile(r"([:=])")
_FEWER = "name the files with inputs: [PATTERN, ...], or put them at the same path on every host"


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file.

    Attributes:
        path: where it is here, absolute.
        place: where a host puts it, relative to the tree.
        sha256: of its content.
    """

    path: str
    place: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """All files of one program.

    Attributes:
        directory: in which the program is started here, absolute.
        within: the same, relative to the tree.
        files: without those that every host must have, such as the JDK.
        moved: by word or part of a word of the command, where in the tree it is; for paths that are absolute
            or lead out of the tree.
    """

    directory: str
    within: str = "."
    files: tuple[InputFile, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()

    @property
    def digest(self) -> str:
        """A checksum over places, contents and the working directory: the name of the tree."""
        lines = sorted(f"{one.place}\0{one.sha256}\n" for one in self.files)
        return hashlib.sha256("".join([f"{self.within}\n", *lines]).encode()).hexdigest()[:32]

    def command(self, command: Sequence[str], tree: Path) -> tuple[str, ...]:
        """Return the command for a program whose files are in a tree."""
        moved = {here: str(tree / place) for here, place in self.moved}
        return (
            command[0],
            *("".join(moved.get(part, part) for part in _SEPARATORS.split(word)) for word in command[1:]),
        )


def inputs_of(target: Target, patterns: Sequence[str] = (), base: Path | None = None) -> Inputs:
    """Return the inputs of a program: those that are declared, and those that its command names.

    Of the command these are the jars and directories of its class path, other archives, and files below the
    working directory; a script as its first word, too.

    Args:
        patterns: shell patterns of declared files.
        base: the directory to which they are relative, also the root of the tree if the working directory is
            below it; None for the working directory.

    Raises:
        UsageError: they are too many or too large to be sent, one cannot be read, or a pattern leads out of
            the base.
    """
    directory = Path(os.path.abspath(target.directory or Path()))
    root = base if base is not None and directory.is_relative_to(base) else directory
    # By place, for a file that the command names in two ways has two places.
    found = {_inside(path, root): str(path) for path in _declared(patterns, root)}
    moved: dict[str, str] = {}
    for number, (word, path) in enumerate(_named(target.command, directory)):
        is_inside = path.is_relative_to(root)
        place = _inside(path, root) if is_inside else f"{ELSEWHERE}/{number}/{path.name}"
        if os.path.isabs(word) or not is_inside:
            moved[word] = f"{place}{_ALL}" if word.endswith(_ALL) else place
        for below in _below(path):
            found[os.path.normpath(os.path.join(place, below.relative_to(path)))] = str(below)
    files = tuple(_described(found))
    return Inputs(str(directory), _inside(directory, root), files, tuple(sorted(moved.items())))


def _declared(patterns: Sequence[str], base: Path) -> Iterator[Path]:
    for pattern in patterns:
        if os.path.isabs(pattern) or os.pardir in Path(pattern).parts:
            raise UsageError(
                f"inputs must be patterns of files below {base}, got {pattern!r}",
                advice="put other files at the same path on every host",
            )
        # Unlike Path.glob, this leaves out hidden files unless the pattern names them.
        for name in sorted(glob(pattern, root_dir=base, recursive=True)):
            yield from _below(base / name)


def _named(command: Sequence[str], directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield parts of the command's words that are the program's files, with the paths."""
    first = command[0]
    if os.sep in first and not os.path.isabs(first) and (directory / first).is_file():
        yield first, directory / first
    before = first
    for word in command[1:]:
        on_class_path = before in _CLASS_PATHS or word.startswith(("--class-path=", "--module-path="))
        before = word
        for part in _SEPARATORS.split(word):
            path = Path(os.path.abspath(directory / part.removesuffix(_ALL)))
            if part in ("", ":", "="):
                continue
            # Unlike those of Path, these functions take every word, however long.
            is_own = os.path.isfile(path) and (path.suffix in _ARCHIVES or path.is_relative_to(directory))
            if is_own or (on_class_path and os.path.isdir(path)):
                yield part, path


def _below(path: Path) -> Iterator[Path]:
    """Yield the regular files below a directory, or the path itself if it is one."""
    if not os.path.isdir(path):
        if os.path.isfile(path):
            yield path
        return
    n_files = 0
    for parent, directories, files in os.walk(path):
        # Hidden ones are of other tools.
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        n_files += len(files)
        if n_files > MOST_FILES:
            raise UsageError(f"{path} has more than {MOST_FILES} files, too many to be sent", advice=_FEWER)
        yield from (
            Path(parent, name) for name in sorted(files) if os.path.isfile(os.path.join(parent, name))
        )


def _inside(path: Path, root: Path) -> str:
    return os.path.normpath(path.relative_to(root))


def _described(found: dict[str, str]) -> Iterator[InputFile]:
    total = 0
    for place, path in found.items():
        try:
            state = os.stat(path)
            total += state.st_size
            if total > MOST_BYTES:
                raise UsageError(
                    f"the program's files have more than {format_bytes(MOST_BYTES)}, too much to be sent: "
                    f"{path}",
                    advice=_FEWER,
                )
            sha256 = sha256_of(path, state.st_size, state.st_mtime_ns)
        except OSError as error:
            raise UsageError(
                f"{path} cannot be read, so that it cannot be sent: {error.strerror}", advice=_FEWER
            ) from error
        yield InputFile(path, place, sha256, state.st_size)


@lru_cache(maxsize=2 * MOST_FILES)
def sha256_of(path: str, size_bytes: int, changed_ns: int) -> str:
    """Return the checksum of a file; size and time of its last change tell the cache about a new content."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
