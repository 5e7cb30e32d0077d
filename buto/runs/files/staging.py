"""Write directories and files completely or not at all, and report errors of writing.

A directory is filled under a hidden name next to its final place. Every file is flushed to disk, then
one rename publishes the directory: readers see the old or the new state, even after a crash. A writer
holds a lock on the hidden directory, which the system releases when the writer ends. Old and unlocked
directories are therefore leftovers.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from buto.errors import StorageError
from buto.steps import Action, Advice, Setting, Step

LEFTOVER_AGE_S = 3600.0
"""Least age in seconds of a leftover: a writer that has created a directory may not have locked it yet."""

_HIDDEN = re.compile(r"\..+\.[0-9a-f]{8}\.tmp", re.DOTALL)

_FULL = "free some space, or name another place: "
_FORBIDDEN = "make it writable, or name another place: "
_NOT_A_DIRECTORY = "a file is where a directory is needed: move it, or name another place: "
_ELSEWHERE = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _FORBIDDEN,
    errno.EEXIST: _NOT_A_DIRECTORY,
    errno.ENOTDIR: _NOT_A_DIRECTORY,
    errno.ENAMETOOLONG: "shorten the test's name, or name a place with a shorter path: ",
}
"""What helps where another place does, too."""

_HERE = {
    errno.EFBIG: "raise the limit of file sizes (ulimit -f)",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENOTEMPTY: Advice(
        "the run already exists and is not overwritten; see which runs there are: ", Step(Action.LIST_RUNS)
    ),
}
STORE = Setting("store", "DIR")


def storage_advice(error: OSError, place: Setting) -> str:
    """Return what to do about a file that cannot be written.

    Args:
        place: the setting that names where it is written.
    """
    number = error.errno or 0
    return _HERE.get(number) or Advice(_ELSEWHERE.get(number, "name another place: "), place)


@contextmanager
def storage_errors(action: str, place: object) -> Iterator[None]:
    """Turn an OSError of the block into a StorageError: ``cannot <action> <place>: why``."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise StorageError(f"cannot {action} {place}: {why}", advice=storage_advice(error, STORE)) from error


def make_directories(directory: Path) -> None:
    """Create a directory and its parents so that they survive a crash; raises OSError."""
    if not directory.is_dir():
        make_directories(directory.parent)
        directory.mkdir(exist_ok=True)
        _flush_directory(directory.parent)


def publish_directory(place: Path, files: Mapping[str, bytes]) -> None:
    """Create the directory ``place`` with these files; its parent must exist.

    Raises:
        OSError: it cannot be written, or ``place`` exists and is not empty; nothing is left behind.
    """
    hidden = hidden_name(place)
    with ExitStack() as undo:
        hidden.mkdir()
        undo.callback(shutil.rmtree, hidden, ignore_errors=True)
        with locked(hidden):
            for name, content in files.items():
                _write(hidden / name, content)
            _flush_directory(hidden)
            hidden.rename(place)
        undo.pop_all()
    _flush_directory(place.parent)


def publish_file(place: Path, content: bytes) -> None:
    """Write or replace a file atomically; raises OSError and then leaves nothing behind."""
    hidden = hidden_name(place)
    with ExitStack() as undo:
        undo.callback(hidden.unlink, missing_ok=True)
        _write(hidden, content)
        hidden.replace(place)
        undo.pop_all()
    _flush_directory(place.parent)


def withdraw_directory(place: Path) -> None:
    """Remove a directory so that no reader sees a part of it; raises OSError."""
    hidden = hidden_name(place)
    with locked(place):
        place.rename(hidden)
        _flush_directory(place.parent)
        shutil.rmtree(hidden)


def clean_leftovers(directory: Path) -> None:
    """Remove leftovers of killed writers from a directory, if possible; the next writer tries again."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if _HIDDEN.fullmatch(entry.name) and _is_left_behind(Path(entry.path)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        os.unlink(entry.path)


def hidden_name(place: Path) -> Path:
    """Return a new hidden name next to a place, for what is moved there when complete."""
    return place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")


def _is_left_behind(hidden: Path) -> bool:
    try:
        if time.time() - hidden.lstat().st_mtime < LEFTOVER_AGE_S:
            return False
        with locked(hidden) as is_ours:
            return is_ours
    except OSError:
        return False


@contextmanager
def locked(place: Path) -> Iterator[bool]:
    """Hold the lock of a directory or file; False if another has it or the file system has no locks."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = True
        except OSError:
            locked = False
        yield locked
    finally:
        os.close(descriptor)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
