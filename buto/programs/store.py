"""Kept programs: ``programs/manifests/TEST/ID.json`` and ``programs/blobs`` in a store.

The contents are shared between all tests and trainings. docs/formats/run.md describes the files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buto.errors import BadFileError, StorageError, UsageError
from buto.programs.java import is_java, text_of
from buto.programs.named import Kept
from buto.programs.snapshot import InTree, Program, ProgramFile, Template, Written, in_tree
from buto.run import names
from buto.run.cache import read_file
from buto.run.files import acquire, storage_errors
from buto.run.objects import open_storage
from buto.run.storage import Place
from buto.run.stored import parse_json
from buto.steps import Action, Advice, Step

FORMAT = "buto-program"
VERSION = 1

_MANIFESTS = "programs/manifests"
_BLOBS = "programs/blobs"
_SUFFIX = ".json"
_SMALL_BYTES = 1 << 16
"""Files below this size share one blob: a file system takes as long for one as for thousands of bytes."""

_MAX_MANIFEST_BYTES = 1 << 26
_MAX_BLOB_BYTES = 1 << 40
_LONGEST_WORD = 1 << 16
"""Linux has no longer words in a command than twice this."""

_LONGEST_NAME = 100

_MOST_KEPT = 5
"""Programs of one test that no oracle here names; older ones are removed."""

_LOCK_TIMEOUT_S = 60.0


class NotHereError(BadFileError):
    """The store does not have a program at all, as in a fresh clone without its cache."""


class ChangedError(UsageError):
    """A file has changed since its checksum was computed."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A program in a directory of its own.

    Attributes:
        environment: variables to be set.
        directory: the working directory; None for that of the project.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path | None


_Piece = tuple[str, int]
"""Where the content of a file is: in which blob, and behind how many other bytes."""


class ProgramStore:
    """The kept programs in one store. Several processes may use it at once.

    Every method raises StorageError if the storage cannot be reached or written.

    Args:
        root: the root of the runs, see :class:`buto.run.store.RunStore`.
    """

    def __init__(self, root: Place) -> None:
        self._storage = open_storage(root)

    def keep(self, test: str, program: Program, root: str) -> Kept:
        """Store a program, of which what is stored already is not stored again.

        Args:
            root: the directory that is the tree now.

        Raises:
            ChangedError: a file is not as the program says, or cannot be read.
        """
        small = tuple(file for file in program.files if file.size_bytes < _SMALL_BYTES)
        pieces: dict[str, _Piece] = {}
        with self._locked():
            contents = [_content(file, root) for file in small]
            together = b"".join(contents)
            blob, offset = hashlib.sha256(together).hexdigest(), 0
            for file in small:
                pieces[file.place] = blob, offset
                offset += file.size_bytes
            if small:
                self._add(_blob(blob), together)
            for file in program.files:
                if file.place not in pieces:
                    pieces[file.place] = file.sha256, 0
                    self._add(_blob(file.sha256), _content(file, root))
            manifest = _encode(program, pieces)
            id = hashlib.sha256(manifest).hexdigest()
            same = [key for key in self._manifests(test) if _id_of(key) == id]
            key = f"{_folder(test)}/{names.new_id()}-{id}{_SUFFIX}"
            self._storage.add_file(key, manifest, "program")
            for old in same:
                self._storage.delete_file(old)
        return Kept(id, len(program.files), program.n_bytes)

    def restore(
        self, test: str, id: str, directory: Path, here: Path, expand: Callable[[str], str]
    ) -> Restored:
        """Put a program into a directory, and return how it is launched there.

        Its paths are as long as those of the present program, if possible: a JVM allocates more for each
        class that it loads from a longer path.

        Args:
            directory: empty, absolute, and of this process only.
            here: the working directory of the present program.
            expand: replaces the variables that stand for secrets.

        Raises:
            NotHereError: the store does not have it.
            BadFileError: it is damaged.
            UsageError: a variable is unknown.
        """
        program, pieces = self._load(test, id)
        tree = _as_long(directory, os.path.normpath(os.path.join(here.absolute(), program.root)))
        by_blob: dict[str, list[ProgramFile]] = {}
        for file in program.files:
            by_blob.setdefault(pieces[file.place][0], []).append(file)
        with storage_errors("write", tree):
            tree.mkdir(parents=True)
            for blob, files in by_blob.items():
                with self._judged(test, _blob(blob)):
                    content = memoryview(self._storage.read_file(_blob(blob), _MAX_BLOB_BYTES))
                    for file in files:
                        start = pieces[file.place][1]
                        _write(tree / file.place, content[start : start + file.size_bytes], file)
            within = None if program.within is None else tree / program.within
            if within is not None:
                within.mkdir(parents=True, exist_ok=True)
            command = _launchable([in_tree(word, tree, expand) for word in program.words], directory)
        environment = {name: in_tree(word, tree, expand) for name, word in program.environment.items()}
        return Restored(command, environment, within)

    def prune(self, test: str, used: Collection[str]) -> None:
        """Remove programs of a test that are neither used nor among the newest, and contents of no program.

        Args:
            used: ids that oracles name.
        """
        with self._locked():
            old = [key for key in self._manifests(test)[:-_MOST_KEPT] if _id_of(key) not in used]
            for key in old:
                self._storage.delete_file(key)
            if old:
                self._remove_unused()

    def _remove_unused(self) -> None:
        used: set[str] = set()
        for folder in self._storage.folders(_MANIFESTS):
            for name in self._storage.files(f"{_MANIFESTS}/{folder}"):
                try:
                    content = self._storage.read_file(f"{_MANIFESTS}/{folder}/{name}", _MAX_MANIFEST_BYTES)
                    _, pieces = _decode(content)
                except (ValueError, KeyError, TypeError, AttributeError):
                    # What it names is not known, so that anything may be in use.
                    return
                used |= {blob for blob, _ in pieces.values()}
        for folder in self._storage.folders(_BLOBS):
            for name in self._storage.files(f"{_BLOBS}/{folder}"):
                if name not in used:
                    self._storage.delete_file(f"{_BLOBS}/{folder}/{name}")

    def _load(self, test: str, id: str) -> tuple[Program, Mapping[str, _Piece]]:
        key = next((key for key in self._manifests(test) if _id_of(key) == id), None)
        if key is None:
            raise NotHereError(
                f"the program that {test!r} was trained on is not in {self._storage.root}",
                advice=Advice("bring the store along, or: ", Step(Action.TRAIN, test)),
            )
        with self._judged(test, key):
            content = self._storage.read_file(key, _MAX_MANIFEST_BYTES)
            if hashlib.sha256(content).hexdigest() != id:
                raise ValueError("its checksum is wrong")
            try:
                return _decode(content)
            except (KeyError, TypeError, AttributeError) as error:
                raise ValueError(f"it has another form: {error}") from error

    def _add(self, key: str, content: bytes) -> None:
        """Store a content; one that is damaged is replaced."""
        folder, _, name = key.rpartition("/")
        if name in self._storage.files(folder):
            try:
                if self._storage.read_file(key, len(content)) == content:
                    return
            except ValueError:
                pass
            self._storage.delete_file(key)
        self._storage.add_file(key, content, "program")

    def _manifests(self, test: str) -> list[str]:
        """Return the keys of a test's manifests, oldest first."""
        folder = _folder(test)
        return [f"{folder}/{name}" for name in sorted(self._storage.files(folder)) if name.endswith(_SUFFIX)]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold a lock on this machine: what one process finds to be stored, another one must not remove."""
        directory = self._storage.prepare("programs")
        with storage_errors("open", directory):
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not acquire(descriptor, _LOCK_TIMEOUT_S):
                raise StorageError(
                    f"another buto has been writing to {directory} for {_LOCK_TIMEOUT_S:g} s",
                    advice=f"fuser {directory} shows its process",
                )
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def _judged(self, test: str, key: str) -> Iterator[None]:
        """Turn a ValueError of the block into a BadFileError that names the file."""
        try:
            yield
        except ValueError as error:
            what = f"the program that {test!r} was trained on cannot be used"
            raise BadFileError(
                f"{what}: {self._storage.place(key)}: {error}",
                advice=Advice("copy the store again, or: ", Step(Action.TRAIN, test)),
            ) from error


def _folder(test: str) -> str:
    return f"{_MANIFESTS}/{names.encode_test(test)}"


def _blob(name: str) -> str:
    return f"{_BLOBS}/{name[:2]}/{name}"


def _id_of(key: str) -> str:
    return key.removesuffix(_SUFFIX).rpartition("-")[2]


def _content(file: ProgramFile, root: str) -> bytes:
    """Return the content of a file of a program; ChangedError if it has another one now."""
    path = os.path.normpath(os.path.join(root, file.place))
    try:
        content = read_file(Path(os.path.realpath(path)), file.size_bytes)
    except ValueError as error:
        raise ChangedError(f"{path} has changed, or cannot be read: {error}") from error
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ChangedError(f"{path} has changed")
    return content


def _write(path: Path, content: memoryview, file: ProgramFile) -> None:
    """Write a file of a program; ValueError if the content is not the file's."""
    if len(content) != file.size_bytes or hashlib.sha256(content).hexdigest() != file.sha256:
        raise ValueError(f"it is damaged: the content of {file.place} has another checksum")
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o755 if file.executable else 0o644), "wb") as written:
        written.write(content)


def _as_long(directory: Path, root: str) -> Path:
    """Return a directory below another one, with a path as long as that of a root, if possible."""
    missing = max(1, len(os.fsencode(root)) - len(os.fsencode(directory)) - 1)
    parts = []
    while missing > _LONGEST_NAME + 1:
        parts.append("_" * _LONGEST_NAME)
        missing -= _LONGEST_NAME + 1
    return directory.joinpath(*parts, "_" * missing)


def _launchable(words: list[str], directory: Path) -> tuple[str, ...]:
    """Return a command; if a word is too long for the system, with an argument file."""
    java = next((number for number, word in enumerate(words) if is_java(word)), None)
    if java is None or all(len(word) < _LONGEST_WORD for word in words):
        return tuple(words)
    arguments = directory / "arguments"
    arguments.write_text(text_of(words[java + 1 :]), "utf-8", "surrogateescape")
    return (*words[: java + 1], f"@{arguments}")


def _encode(program: Program, pieces: Mapping[str, _Piece]) -> bytes:
    data = {
        "format": FORMAT,
        "version": VERSION,
        "command": [_template_data(word) for word in program.words],
        "environment": {name: _template_data(word) for name, word in program.environment.items()},
        "within": program.within,
        "root": program.root,
        "files": [
            [file.place, file.sha256, file.size_bytes, file.executable, *pieces[file.place]]
            for file in program.files
        ],
    }
    try:
        return json.dumps(data, ensure_ascii=False, indent=0).encode()
    except UnicodeEncodeError:
        raise UsageError("its command or the name of a file is not valid Unicode") from None


def _decode(content: bytes) -> tuple[Program, dict[str, _Piece]]:
    """Read a manifest; ValueError, KeyError, TypeError or AttributeError if it is none."""
    data = parse_json(content)
    if data["format"] != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    if data["version"] != VERSION:
        raise ValueError(f"it is of version {data['version']}, and this buto reads {VERSION}")
    files, pieces = [], {}
    for place, sha256, size_bytes, executable, blob, offset in data["files"]:
        if os.path.isabs(place) or os.pardir in Path(place).parts:
            raise ValueError(f"{place!r} leads out of the program")
        files.append(ProgramFile(place, sha256, size_bytes, executable))
        pieces[place] = blob, offset
    words = tuple(map(_template, data["command"]))
    environment = {name: _template(word) for name, word in data["environment"].items()}
    return Program(words, environment, data["within"], data["root"], tuple(files)), pieces


def _template_data(template: Template) -> list[Any]:
    def data(part: str | InTree | Written) -> Any:
        match part:
            case InTree(place):
                return {"file": place}
            case Written(text):
                return {"written": text}
        return part

    return list(map(data, template))


def _template(data: list[Any]) -> Template:
    def part(one: Any) -> str | InTree | Written:
        match one:
            case str():
                return one
            case {"file": str(place)}:
                return InTree(place)
            case {"written": str(text)}:
                return Written(text)
        raise ValueError(f"{one!r} is no part of a word")

    return tuple(map(part, data))
