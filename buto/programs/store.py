"""Kept programs: ``programs/manifests/TEST/ID.json`` and ``programs/blobs`` in a store.

The contents are shared between all tests and trainings. docs/formats/run.md describes the files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from buto.errors import BadFileError, StorageError, UsageError
from buto.programs.contents import content
from buto.programs.named import Kept
from buto.programs.snapshot import InTree, Program, ProgramFile, Template, Written
from buto.programs.stage import ProgramSource
from buto.run import names
from buto.run.files import acquire, storage_errors
from buto.run.objects import open_storage
from buto.run.storage import Place
from buto.run.stored import parse_json, read
from buto.steps import Action, Advice, Step

FORMAT = "buto-program"
VERSION = 2

_MANIFESTS = "programs/manifests"
_BLOBS = "programs/blobs"
_SUFFIX = ".json"
_SMALL_BYTES = 1 << 16
"""Files below this size share one blob: a file system takes as long for one as for thousands of bytes."""

_MAX_MANIFEST_BYTES = 1 << 26
_MOST_KEPT = 5
"""Programs of one test that no oracle here names; older ones are removed."""

_LOCK_TIMEOUT_S = 60.0


class NotHereError(BadFileError):
    """The store does not have a program at all, as in a fresh clone without its cache."""


_Piece = tuple[str, int]
"""Where the content of a file is: in which blob, and behind how many other bytes."""

_LONGEST_PATH = 4096
_Text = Annotated[str, Meta(max_length=1 << 22, pattern=r"^[^\0]*\Z")]
_Path = Annotated[str, Meta(min_length=1, max_length=_LONGEST_PATH, pattern=r"^[^\0]+\Z")]
_InTree = Annotated[
    str, Meta(min_length=1, max_length=_LONGEST_PATH, pattern=r"^(?!/)(?!(?s:.*/)?\.\.(/|\Z))[^\0]+\Z")
]
"""A path that does not lead out of the directory that it is relative to."""

_Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
_Size = Annotated[int, Meta(ge=0, le=1 << 40)]
_Variable = Annotated[str, Meta(max_length=_LONGEST_PATH, pattern=r"^[^=\0]+\Z")]


_Word = tuple[str | Mapping[str, str], ...]
"""Parts that :func:`_template` checks: constraints in a union make msgspec read past its memory."""


class _Manifest(Struct, frozen=True):
    """The file of a program."""

    command: Annotated[tuple[_Word, ...], Meta(min_length=1)]
    environment: Mapping[_Variable, _Word]
    within: _InTree | None
    root: _Path
    files: tuple[tuple[_InTree, _Digest, _Size, bool, _Digest, _Size], ...]
    argument_file: tuple[int, int] | None = None


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
        with self._lock():
            contents = [content(file, root) for file in small]
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
                    self._add(_blob(file.sha256), content(file, root))
            manifest = _encode(program, pieces)
            id = hashlib.sha256(manifest).hexdigest()
            same = [key for key in self._manifests(test) if _id_of(key) == id]
            key = f"{_folder(test)}/{names.new_id()}-{id}{_SUFFIX}"
            self._storage.add_file(key, manifest, "program")
            for old in same:
                self._storage.delete_file(old)
        return Kept(id, len(program.files), program.n_bytes)

    def has(self, test: str, id: str) -> bool:
        """Return whether a program of a test is stored."""
        return any(_id_of(key) == id for key in self._manifests(test))

    def load(self, test: str, id: str, here: Path) -> ProgramSource:
        """Return a program, of which the contents are read when they are asked for.

        Args:
            here: the working directory of the project in which it is to be launched.

        Raises:
            NotHereError: the store does not have it.
            BadFileError: it is damaged; asking for the contents raises this, too.
        """
        program, pieces = self._load(test, id)
        return ProgramSource(program, here, partial(self._contents, test, program, pieces))

    def _contents(
        self, test: str, program: Program, pieces: Mapping[str, _Piece]
    ) -> Iterator[tuple[ProgramFile, bytes | memoryview]]:
        by_blob: dict[str, list[ProgramFile]] = {}
        for file in program.files:
            by_blob.setdefault(pieces[file.place][0], []).append(file)
        for blob, files in by_blob.items():
            with self._report_faults(test, _blob(blob)):
                end = max(pieces[file.place][1] + file.size_bytes for file in files)
                whole = memoryview(self._storage.read_file(_blob(blob), max(end, _SMALL_BYTES)))
                for file in files:
                    start = pieces[file.place][1]
                    part = whole[start : start + file.size_bytes]
                    if hashlib.sha256(part).hexdigest() != file.sha256:
                        raise ValueError(f"it is damaged: the content of {file.place} has another checksum")
                    yield file, part

    def prune(self, test: str, used: Collection[str]) -> None:
        """Remove programs of a test that are neither used nor among the newest, and contents of no program.

        Args:
            used: ids that oracles name.
        """
        with self._lock():
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
                    manifest = self._storage.read_file(f"{_MANIFESTS}/{folder}/{name}", _MAX_MANIFEST_BYTES)
                    _, pieces = _decode(manifest)
                except ValueError:
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
                advice="bring the store of the training along",
            )
        with self._report_faults(test, key):
            manifest = self._storage.read_file(key, _MAX_MANIFEST_BYTES)
            if hashlib.sha256(manifest).hexdigest() != id:
                raise ValueError("its checksum is wrong")
            return _decode(manifest)

    def _add(self, key: str, wanted: bytes) -> None:
        """Store a content; one that is damaged is replaced."""
        folder, _, name = key.rpartition("/")
        if name in self._storage.files(folder):
            try:
                if self._storage.read_file(key, len(wanted)) == wanted:
                    return
            except ValueError:
                pass
            self._storage.delete_file(key)
        self._storage.add_file(key, wanted, "program")

    def _manifests(self, test: str) -> list[str]:
        """Return the keys of a test's manifests, oldest first."""
        folder = _folder(test)
        return [f"{folder}/{name}" for name in sorted(self._storage.files(folder)) if name.endswith(_SUFFIX)]

    @contextmanager
    def _lock(self) -> Iterator[None]:
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
    def _report_faults(self, test: str, key: str) -> Iterator[None]:
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


def _encode(program: Program, pieces: Mapping[str, _Piece]) -> bytes:
    data = {
        "format": FORMAT,
        "version": VERSION,
        "command": [_template_data(word) for word in program.words],
        "environment": {name: _template_data(word) for name, word in program.environment.items()},
        "within": program.within,
        "root": program.root,
        "argument_file": None if program.filed is None else list(program.filed),
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
    """Read a manifest; ValueError if it is none, with the field."""
    data = parse_json(content)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    if data.get("version") != VERSION:
        raise ValueError(f"it is of version {data.get('version')!r}, and this buto reads {VERSION}")
    manifest = read(data, _Manifest)
    files = tuple(ProgramFile(*described[:4]) for described in manifest.files)
    pieces = {place: (blob, offset) for place, _, _, _, blob, offset in manifest.files}
    _check_places(pieces, len(files))
    words = tuple(_template(word, f"command[{at}]") for at, word in enumerate(manifest.command))
    if not any(words[0]):
        raise ValueError("'command[0]' is empty")
    environment = {
        name: _template(word, f"environment.{name}") for name, word in manifest.environment.items()
    }
    filed = manifest.argument_file
    if filed is not None and not 0 < filed[0] < filed[1] <= len(words):
        raise ValueError(f"'argument_file' is {list(filed)}, and the command has {len(words)} words")
    program = Program(words, environment, manifest.within, manifest.root, files, filed)
    return program, pieces


def _check_places(places: Collection[str], n_files: int) -> None:
    """Raise ValueError unless so many files, and the directories that they need, can be beside each other."""
    normal = {os.path.normpath(place) for place in places}
    if len(normal) != n_files:
        raise ValueError("'files' has two files of one place")
    for place in normal:
        parent = os.path.dirname(place)
        while parent:
            if parent in normal:
                raise ValueError(f"'files' has {parent!r} as a file and as a directory")
            parent = os.path.dirname(parent)


def _template_data(template: Template) -> list[Any]:
    def data(part: str | InTree | Written) -> Any:
        match part:
            case InTree(place, is_relative):
                return {"relative" if is_relative else "file": place}
            case Written(text):
                return {"written": text}
        return part

    return list(map(data, template))


def _template(word: _Word, where: str) -> Template:
    def part(part: str | Mapping[str, str]) -> str | InTree | Written:
        if isinstance(part, str):
            return read(part, _Text, where)
        match list(part.items()):
            case [("file", place)]:
                return InTree(read(place, _InTree, where))
            case [("relative", place)]:
                return InTree(read(place, _InTree, where), is_relative=True)
            case [("written", text)]:
                return Written(read(text, _Text, where))
        raise ValueError(f"{where!r} has the unknown part {part!r}")

    return tuple(map(part, word))
