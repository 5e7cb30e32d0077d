"""What a program can read besides its own files: files and links around it, variables, time zone, JDK.

Training remembers it beside the kept program, ``programs/surroundings/TEST/ID.json`` in a store, where ID is
that of its last run: so what has changed meanwhile can be named. docs/formats/run.md describes the file.

Variables are remembered by digest, never by value. What a database beside the program holds is not seen.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import stat
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from buto.errors import BadFileError
from buto.programs.java import is_java
from buto.programs.named import sha256_of
from buto.run import names
from buto.run.masking import Mask
from buto.run.objects import open_storage
from buto.run.storage import Place
from buto.run.stored import parse_json, plain, read

FORMAT = "buto-surroundings"
VERSION = 1

MOST_ENTRIES = 20_000
MOST_IN_ONE = 5_000
"""A directory with more names is not entered: it holds data or what was built."""

SMALL_BYTES = 1 << 20
"""Of smaller files the content is compared, of others size and time."""

MOST_DIGESTED_BYTES = 1 << 26
_MAX_BYTES = 1 << 26
_FOLDER = "programs/surroundings"
_SUFFIX = ".json"
_MOST_KEPT = 5
_ZONE = "/etc/localtime"
JDK = "JDK"
"""Fact: its directory; and the first part of the paths in it."""

_OF_JDK = ("conf", "lib/security", "release")
"""What an administrator may change in a JDK, and its version."""


class FileKind(Enum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"
    """A socket, a pipe or a device."""


class FileEntry(Struct, frozen=True):
    """A file, directory or link; of a link, size, time and content are those of what it leads to.

    Attributes:
        n_bytes: of a directory that was not entered, the number of its names.
        changed_ns: time of its last change, since 1970; 0 for directories.
        sha256: of its content; empty if it is large or cannot be read.
        leads_to: of a link, as it is written.
        is_own: whether it belongs to the program, whose files are kept.
    """

    kind: FileKind
    n_bytes: int = 0
    changed_ns: int = 0
    sha256: str = ""
    leads_to: str = ""
    is_readable: bool = True
    is_own: bool = False


class Surroundings(Struct, frozen=True):
    """What was around a program at one time.

    Attributes:
        began_ns: when the first of the runs started, since 1970: what changed later may be of their making.
        salt: of the digests.
        variables: of the environment, each with the digest of its value.
        facts: by name, as ``time zone``.
        entries: by path, relative to the working directory or absolute; those of the JDK begin with ``JDK/``.
        n_levels: down to which level below its root every directory is listed; None if all is.
    """

    began_ns: int
    salt: str
    variables: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    entries: Mapping[str, FileEntry] = field(default_factory=dict)
    n_levels: int | None = None


def is_elsewhere(path: str) -> bool:
    """Return whether the path of an entry is not below the working directory."""
    return os.path.isabs(path) or path.startswith(f"{JDK}{os.sep}")


def surroundings_of(
    command: Sequence[str],
    directory: Path | None,
    environment: Mapping[str, str],
    declared: Collection[str],
    *,
    began_ns: int,
    own: Collection[str],
    left_out: Collection[str],
    mask: Mask,
    before: Surroundings | None = None,
    has_tree: bool = True,
) -> Surroundings:
    """Return what is around a program now. What cannot be read is left out.

    Args:
        directory: the working directory; None for the current one.
        environment: the complete environment.
        declared: names of the variables that the test declares.
        own: absolute paths of the program's own files.
        left_out: absolute paths of files and directories that are no part of it, as buto's own.
        mask: knows which variables are secret.
        before: surroundings to compare with, whose salt is taken, and which places they have elsewhere.
        has_tree: whether both programs read the working directory; False if each has its own.
    """
    salt = secrets.token_hex(16) if before is None else before.salt
    here = os.path.abspath(directory or Path())
    roots = {path: path for path in _find_named(command, environment, declared, here, mask)}
    roots |= {path: path for path in _roots_elsewhere({} if before is None else before.entries)}
    jdk = _jdk(command, here, environment)
    roots |= {f"{JDK}/{name}": os.path.join(jdk, name) for name in _OF_JDK if jdk}
    roots |= {"": here} if has_tree else {}
    entries, n_levels = _list(roots, own, left_out)
    facts = {"time zone": _zone(), JDK: jdk}
    variables = {
        name: _digest(salt, name, value, is_secret=mask.is_secret(name) or mask.text(value) != value)
        for name, value in environment.items()
        if not name.startswith("BUTO_")
    }
    known = {name: value for name, value in facts.items() if value}
    return Surroundings(began_ns, salt, variables, known, entries, n_levels)


def _roots_elsewhere(entries: Mapping[str, FileEntry]) -> Iterator[str]:
    return (name for name in entries if os.path.isabs(name) and os.path.dirname(name) not in entries)


def _digest(salt: str, name: str, value: str, *, is_secret: bool) -> str:
    """Return the digest of a variable; that of a secret is slow, so that nobody tries values by the million.

    The length is the same, so that it does not tell secrets from others.
    """
    text = os.fsencode(f"{name}={value}")
    if is_secret:
        return hashlib.scrypt(text, salt=bytes.fromhex(salt), n=1 << 14, r=8, p=1, dklen=16).hex()
    return hashlib.sha256(bytes.fromhex(salt) + text).hexdigest()[:32]


def _zone() -> str:
    """Return the name of the system's time zone; else the digest of its rules; empty without any."""
    name = os.path.realpath(_ZONE).partition("/zoneinfo/")[2]
    if name:
        return name
    with suppress(OSError):
        return hashlib.sha256(Path(_ZONE).read_bytes()).hexdigest()[:16]
    return ""


def _jdk(command: Sequence[str], here: str, environment: Mapping[str, str]) -> str:
    word = next(filter(is_java, command), "java")
    path = environment.get("PATH", os.defpath)
    java = os.path.join(here, word) if os.sep in word else shutil.which(word, path=path)
    return "" if java is None else os.path.dirname(os.path.dirname(os.path.realpath(java)))


def _find_named(
    command: Sequence[str],
    environment: Mapping[str, str],
    declared: Collection[str],
    here: str,
    mask: Mask,
) -> Iterator[str]:
    """Yield what words of the command and variables name outside of the working directory.

    Of an inherited variable only a file counts, since directories such as HOME are in many.
    """
    for name, value in environment.items():
        if mask.is_secret(name):
            continue
        for path in _paths(value, here):
            if os.path.isfile(path) or (name in declared and os.path.isdir(path)):
                yield path
    for word in command[1:]:
        yield from filter(os.path.exists, _paths(word, here))


def _paths(text: str, here: str) -> Iterator[str]:
    for piece in text.replace("=", ":").replace(",", ":").replace(";", ":").split(":"):
        if "\0" not in piece and (os.path.isabs(piece) or piece.startswith(f"..{os.sep}")):
            path = os.path.normpath(os.path.join(here, piece))
            # What is below the working directory is listed with it, and what contains it is everybody's.
            if not f"{path}/".startswith(f"{here}/") and not f"{here}/".startswith(f"{path.rstrip('/')}/"):
                yield path


def _list(
    roots: Mapping[str, str], own: Collection[str], left_out: Collection[str]
) -> tuple[dict[str, FileEntry], int | None]:
    """Return what is below some roots, level by level, and how many levels are complete."""
    owned, skipped = frozenset(own), frozenset(left_out)
    entries: dict[str, FileEntry] = {}
    entered: set[tuple[int, int]] = set()
    digested, n_levels = 0, None
    queue = deque((name, path, 0) for name, path in sorted(roots.items(), key=lambda root: not root[0]))
    while queue:
        name, path, level = queue.popleft()
        # The link itself may be gone since its directory was read.
        with suppress(OSError):
            status = os.lstat(path)
            leads_to = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""
            if leads_to:
                with suppress(OSError):
                    status = os.stat(path)
            inside: list[str] = []
            if stat.S_ISDIR(status.st_mode):
                number = (status.st_dev, status.st_ino)
                if number not in entered and not _contains(path, roots, leads_to):
                    entered.add(number)
                    with suppress(PermissionError):
                        inside = sorted(os.listdir(path))
            entry = _entry(path, status, leads_to, digested, inside, is_own=path in owned)
            digested += entry.n_bytes if entry.sha256 else 0
            if name:
                entries[_text(name)] = entry
            if len(entries) + len(queue) + len(inside) > MOST_ENTRIES:
                n_levels = n_levels or level + 1
            elif len(inside) <= MOST_IN_ONE:
                below = ((entry, os.path.join(path, entry)) for entry in inside)
                queue.extend(
                    (os.path.join(name, entry), place, level + 1)
                    for entry, place in below
                    # Hidden directories are of other tools.
                    if place not in skipped and not (entry.startswith(".") and os.path.isdir(place))
                )
    return entries, n_levels


def _contains(path: str, roots: Mapping[str, str], leads_to: str) -> bool:
    """Return whether a link leads to a directory above a root."""
    real = os.path.realpath(path)
    return bool(leads_to) and any(
        f"{os.path.realpath(root)}/".startswith(f"{real}/") for root in roots.values()
    )


def _entry(
    path: str, status: os.stat_result, leads_to: str, digested: int, inside: Sequence[str], *, is_own: bool
) -> FileEntry:
    mode, is_readable = status.st_mode, os.access(path, os.R_OK)
    if stat.S_ISDIR(mode):
        n_names = len(inside) if len(inside) > MOST_IN_ONE else 0
        kind = FileKind.LINK if leads_to else FileKind.DIRECTORY
        return FileEntry(kind, n_names, leads_to=_text(leads_to), is_readable=is_readable, is_own=is_own)
    if not stat.S_ISREG(mode):
        kind = FileKind.LINK if leads_to else FileKind.OTHER
        return FileEntry(kind, leads_to=_text(leads_to), is_readable=is_readable)
    sha256, n_bytes = "", status.st_size
    if is_readable and n_bytes <= SMALL_BYTES and digested + n_bytes <= MOST_DIGESTED_BYTES:
        with suppress(OSError):
            sha256 = sha256_of(path, status)
    kind = FileKind.LINK if leads_to else FileKind.FILE
    return FileEntry(kind, n_bytes, status.st_mtime_ns, sha256, _text(leads_to), is_readable, is_own)


def _text(path: str) -> str:
    """Return a path as text that JSON can hold: names of files need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


class SurroundingsStore:
    """The remembered surroundings in one store.

    Every method raises StorageError if the storage cannot be reached or written.

    Args:
        root: the root of the runs, see :class:`buto.run.store.RunStore`.
    """

    def __init__(self, root: Place) -> None:
        self._storage = open_storage(root)

    def keep(self, test: str, id: str, surroundings: Surroundings) -> None:
        """Store surroundings, and remove the oldest of the test beyond the limit.

        Args:
            id: of the last training run.
        """
        data = {"format": FORMAT, "version": VERSION, **plain(surroundings)}
        content = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
        folder = f"{_FOLDER}/{names.encode_test(test)}"
        self._storage.add_file(f"{folder}/{id}{_SUFFIX}", content, "surroundings")
        for old in sorted(self._storage.files(folder))[:-_MOST_KEPT]:
            self._storage.delete_file(f"{folder}/{old}")

    def load(self, test: str, id: str) -> Surroundings | None:
        """Return stored surroundings; None if there are none.

        Raises:
            BadFileError: they are damaged, or of another version.
        """
        folder, name = f"{_FOLDER}/{names.encode_test(test)}", f"{id}{_SUFFIX}"
        if name not in self._storage.files(folder):
            return None
        key = f"{folder}/{name}"
        try:
            return _decode(self._storage.read_file(key, _MAX_BYTES))
        except ValueError as error:
            place = self._storage.place(key)
            raise BadFileError(
                f"the surroundings of the training of {test!r} cannot be read: {place}: {error}",
                advice=f"without them, buto names less: {self._storage.removal(key)}",
            ) from error


def _decode(content: bytes) -> Surroundings:
    """Return what a file holds; ValueError if it is none, or of another version."""
    data: Any = parse_json(content)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    if data.get("version") != VERSION:
        raise ValueError(f"it is of version {data.get('version')!r}, and this buto reads {VERSION}")
    surroundings = read(data, Surroundings)
    bytes.fromhex(surroundings.salt)
    return surroundings
