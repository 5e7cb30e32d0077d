"""The program that a command names: its files, and what an oracle knows of it to launch it again."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from glob import glob
from pathlib import Path
from typing import Any

from msgspec import Struct

from buto.errors import UsageError
from buto.programs.java import (
    CLASS_PATH_VARIABLE,
    VARIABLES,
    FileReference,
    Place,
    ReferenceKind,
    Word,
    find_named_by,
    is_java,
    read_command,
    read_variable,
    references,
)
from buto.steps import Advice, Setting

MOST_FILES = 20_000
"""Below one directory."""

_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_FEWER = "name the files with inputs: [PATTERN, ...]"


class Named(Struct, frozen=True):
    """What a command names.

    Attributes:
        words: the command; argument files of java are replaced by their words.
        environment: the variables of the environment that name files.
        files: absolute paths, each with whether it is only named as data of the program.
        directory: the working directory, absolute.
        base: the directory of the declared patterns, or the working directory; absolute.
        java: the place of ``java`` among the words; None if another command starts the JVM.
        declared: whether there are patterns.
        filed: the first of the words that argument files named, and the one behind the last; None without.
    """

    words: tuple[Word, ...]
    environment: Mapping[str, Word]
    files: Mapping[str, bool]
    directory: str
    base: str
    java: int | None
    declared: bool
    filed: tuple[int, int] | None = None


_ELF = b"\x7fELF"


def native_executable(command: Sequence[str], directory: Path, environment: Mapping[str, str]) -> str | None:
    """Return the absolute path of the native executable that a command starts.

    Returns:
        None if it is none, as a script, or if it cannot be found or read.
    """
    path: str | None = os.path.join(os.path.abspath(directory), command[0])
    if os.sep not in command[0]:
        path = shutil.which(command[0], path=environment.get("PATH", os.defpath))
    if path is None:
        return None
    try:
        with open(path, "rb") as file:
            return os.path.abspath(path) if file.read(len(_ELF)) == _ELF else None
    except OSError:
        return None


def files_of(
    command: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    patterns: Sequence[str] = (),
    base: Path | None = None,
    executable: str | None = None,
) -> Named:
    """Return the files that a command names, and those that are declared.

    Of a command of ``java`` these are all that the launcher reads, also through argument files, manifests and
    wildcards, except for the JDK's own; of any other command the script. Archives and files below the working
    directory count, too, if another word or the value of a system property names them.

    Args:
        directory: the working directory.
        environment: the complete environment.
        patterns: shell patterns of declared files.
        base: the directory to which they are relative; None, or one that the working directory is not below,
            for the working directory.
        executable: the path of a native executable that is the program; None if the first word is another.

    Raises:
        UsageError: a pattern leads out of the base, or there are too many files.
    """
    here = os.path.abspath(directory)
    root = here if base is None or not Path(here).is_relative_to(base) else os.path.abspath(base)
    java = next((number for number, word in enumerate(command) if is_java(word)), None)
    place = Place(here, "" if java is None else _jdk_of(command[java], here, environment))
    if executable is None:
        first = _first(command[0], place)
    else:
        first = (place.reference(command[0] if os.sep in command[0] else executable, ReferenceKind.CODE),)
    words = [first, *map(place.data, command[1:])]
    in_files: list[int] = []
    if java is not None:
        launcher = command[java]
        if os.sep in launcher:
            # The working directory may be another one.
            launcher = place.path(launcher)
        read, filed = read_command(command[java + 1 :], place, environment)
        words[java:] = [(launcher,), *read]
        in_files = [java + 1 + number for number, is_filed in enumerate(filed) if is_filed]
    variables = dict(_variables(environment, place))
    files: dict[str, bool] = {}
    for reference in references([*words, *variables.values()]):
        is_data = reference.kind is ReferenceKind.DATA
        for path in _files(reference, place):
            files[path] = is_data and files.get(path, True)
    for path in _files_of_patterns(patterns, root):
        files[path] = False
    filed_words = (in_files[0], in_files[-1] + 1) if in_files else None
    return Named(tuple(words), variables, files, here, root, java, bool(patterns), filed_words)


def _first(word: str, place: Place) -> Word:
    """Read the first word: a script of the program's own, or a program of the system."""
    is_path = os.sep in word and os.path.isfile(place.path(word))
    is_own = not is_java(word) and (not os.path.isabs(word) or word.startswith(f"{place.directory}/"))
    return (place.reference(word, ReferenceKind.CODE),) if is_path and is_own else (word,)


def _variables(environment: Mapping[str, str], place: Place) -> Iterator[tuple[str, Word]]:
    for name in (CLASS_PATH_VARIABLE, *VARIABLES):
        value = environment.get(name, "")
        if value:
            word = place.paths(value) if name == CLASS_PATH_VARIABLE else read_variable(value, place)
            if references([word]):
                yield name, word


def _jdk_of(java: str, directory: str, environment: Mapping[str, str]) -> str:
    """Return the directory of the JDK that a command starts; empty if there is none."""
    if os.sep in java:
        path: str | None = os.path.join(directory, java)
    else:
        path = shutil.which(java, path=environment.get("PATH", os.defpath))
    # The link's target, since the command on PATH is most often one.
    return "" if path is None else os.path.dirname(os.path.dirname(os.path.realpath(path)))


def _files(reference: FileReference, place: Place) -> Iterator[str]:
    """Yield the files that a reference stands for; none if there is no such file."""
    path, kind = reference.path, reference.kind
    if kind is ReferenceKind.JARS:
        names = sorted(os.listdir(path)) if os.path.isdir(path) else []
        for name in names:
            if name.endswith((".jar", ".JAR")):
                yield from with_manifests(os.path.join(path, name), place, {path})
    elif kind is ReferenceKind.SOURCE:
        yield from _sources(path, place)
    elif kind is ReferenceKind.DATA:
        yield path
    else:
        yield from with_manifests(path, place, set(), is_agent=kind is ReferenceKind.AGENT)


def with_manifests(path: str, place: Place, seen: set[str], *, is_agent: bool = False) -> Iterator[str]:
    """Yield a file, or the files below a directory, and what the manifests of jars name in turn.

    Args:
        seen: paths that are left out; those that are found are added.
        is_agent: whether the file is the jar of an agent.
    """
    if path in seen:
        return
    seen.add(path)
    yield from below(path)
    if os.path.isfile(path):
        for name in find_named_by(path, is_agent=is_agent):
            if isinstance(place.reference(name, ReferenceKind.CODE), FileReference):
                yield from with_manifests(name, place, seen)


def _sources(path: str, place: Place) -> Iterator[str]:
    """Yield a source file, and the others of its package's root here, which newer JDKs compile if needed."""
    if not os.path.isfile(path):
        return
    yield path
    package = _PACKAGE.search(Path(path).read_bytes())
    root = path
    for _ in range(1 if package is None else package[1].count(b".") + 2):
        root = os.path.dirname(root)
    if f"{root}/".startswith(f"{place.directory}/"):
        yield from (file for file in below(root) if file.endswith(".java"))


def _files_of_patterns(patterns: Sequence[str], base: str) -> Iterator[str]:
    for pattern in patterns:
        if os.path.isabs(pattern) or os.pardir in Path(pattern).parts:
            raise UsageError(
                f"inputs must be patterns of files below {base}, got {pattern!r}",
                advice="put other files at the same path on every host",
            )
        # Unlike Path.glob, this leaves out hidden files unless the pattern names them.
        for name in sorted(glob(pattern, root_dir=base, recursive=True)):
            yield from below(os.path.normpath(os.path.join(base, name)))


def below(path: str) -> Iterator[str]:
    """Yield the regular files below a directory, or the path itself if it is one.

    Raises:
        UsageError: the directory has more than MOST_FILES.
    """
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
            raise UsageError(
                f"{path} has more than {MOST_FILES} files, too many for one program", advice=_FEWER
            )
        yield from filter(os.path.isfile, (os.path.join(parent, name) for name in sorted(files)))


def sha256_of(path: str, status: os.stat_result) -> str:
    """Return the checksum of a file, which is cached as long as it is this file.

    Args:
        status: of the file now. Its size and the time of its last change do not tell contents apart: a copy
            sets this time. The time at which the file itself was changed or replaced cannot be set.
    """
    return _sha256(path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@lru_cache(maxsize=2 * MOST_FILES)
def _sha256(path: str, *_identity: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Kept(Struct, frozen=True):
    """Its files are in the store.

    Attributes:
        id: SHA-256 of its manifest, which has those of all its files.
    """

    id: str
    n_files: int
    n_bytes: int


class Revision(Struct, frozen=True):
    """A revision of the repository has it, from which it is built.

    Attributes:
        commit: its full name.
        build: the command that builds it; empty for none.
    """

    commit: str
    build: str = ""


class Unkept(Struct, frozen=True):
    """It cannot be launched again.

    Attributes:
        reason: as a clause.
        advice: what helps; empty if nothing does.
    """

    reason: str
    advice: str = ""


class Unlike(Unkept, frozen=True):
    """Its kept copy is not the program: launched, it does not run, or does more or less than where it was.

    Attributes:
        properties: names of what differs; none if it does not run.
    """

    properties: tuple[str, ...] = ()


OldProgram = Kept | Revision | Unkept

INPUTS = Advice("name the files that it needs: ", Setting("inputs", "[PATTERN, ...]"))
"""What helps where files of a program are not known."""

UNKNOWN = Unkept("buto did not launch it for training")


def to_data(program: OldProgram) -> dict[str, Any]:
    """Return plain data, as an oracle stores it."""
    match program:
        case Kept():
            return {"id": program.id, "files": program.n_files, "bytes": program.n_bytes}
        case Revision():
            return {"revision": program.commit, "build": program.build}
        case Unlike():
            return {"not_kept": program.reason, "differs": list(program.properties)}
        case Unkept():
            return {"not_kept": program.reason}


_ID = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"(?!-)[^\0-\x20\x7f]{1,1000}")
"""Of a revision that a person has written, too; one that begins with a dash would be an option of git."""


def from_data(data: Mapping[str, Any]) -> OldProgram:
    """Return what :func:`to_data` has written; ValueError for data of another shape."""
    match data:
        case {"id": str(id), "files": int(n_files), "bytes": int(n_bytes)} if _ID.fullmatch(id):
            return Kept(id, n_files, n_bytes)
        case {"revision": str(commit), "build": str(build)} if (
            _COMMIT.fullmatch(commit) and "\0" not in build
        ):
            return Revision(commit, build)
        case {"not_kept": str(reason), "differs": [*properties]}:
            return Unlike(reason, INPUTS, tuple(map(str, properties)))
        case {"not_kept": str(reason)}:
            return Unkept(reason)
    raise ValueError("program is not as buto writes it")
