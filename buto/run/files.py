"""Write directories and files completely or not at all, and report errors of writing.

A directory is filled under a hidden name next to its final place. Every file is flushed to disk, then
one rename publishes the directory: readers see the old or the new state, even after a crash. A writer
holds a lock on the hidden directory, which the system releases when the writer ends. Old and unlocked
directories are therefore leftovers.

Locks are those of the kernel (``flock``), which leave no file behind and end with their process. Contents
that only this process needs stand one after the other in one temporary file, which has no name.
:func:`in_order` does the same with many things in several threads.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

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
    hidden = make_hidden_name(place)
    with ExitStack() as undo:
        hidden.mkdir()
        undo.callback(shutil.rmtree, hidden, ignore_errors=True)
        with hold_lock(hidden):
            for name, content in files.items():
                _write(hidden / name, content)
            _flush_directory(hidden)
            hidden.rename(place)
        undo.pop_all()
    _flush_directory(place.parent)


def publish_file(place: Path, content: bytes) -> None:
    """Write or replace a file atomically; raises OSError and then leaves nothing behind.

    What a killed writer of this file has left is removed.
    """
    with suppress(OSError):
        clean_leftovers(place.parent, f"{place.name}.")
    hidden = make_hidden_name(place)
    with ExitStack() as undo:
        undo.callback(hidden.unlink, missing_ok=True)
        _write(hidden, content)
        hidden.replace(place)
        undo.pop_all()
    _flush_directory(place.parent)


def withdraw_directory(place: Path) -> None:
    """Remove a directory so that no reader sees a part of it; raises OSError.

    It may be gone, since another process may remove it at the same time.
    """
    hidden = make_hidden_name(place)
    with hold_lock(place):
        try:
            place.rename(hidden)
        except FileNotFoundError:
            return
        _flush_directory(place.parent)
        shutil.rmtree(hidden)


def clean_leftovers(directory: Path, start: str = "") -> None:
    """Remove leftovers of killed writers from a directory, if possible; the next writer tries again.

    Args:
        start: how the names begin of what was written; others are left alone.
    """
    with os.scandir(directory) as entries:
        for entry in entries:
            is_hidden = entry.name.startswith(f".{start}") and _HIDDEN.fullmatch(entry.name)
            if is_hidden and _is_left_behind(Path(entry.path)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        os.unlink(entry.path)


def make_hidden_name(place: Path) -> Path:
    """Return a new hidden name next to a place, for what is moved there when complete."""
    return place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")


def _is_left_behind(hidden: Path) -> bool:
    try:
        if time.time() - hidden.lstat().st_mtime < LEFTOVER_AGE_S:
            return False
        with hold_lock(hidden) as is_ours:
            return is_ours
    except OSError:
        return False


@contextmanager
def hold_lock(place: Path, kind: int = fcntl.LOCK_EX) -> Iterator[bool]:
    """Hold the lock of a directory or file; False if it is gone, another has it, or there are no locks."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            is_ours = os.fstat(descriptor).st_nlink > 0
        except OSError:
            is_ours = False
        yield is_ours
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


_POLL_S = 0.05


def acquire(descriptor: int, timeout_s: float, on_wait: Callable[[], None] = lambda: None) -> bool:
    """Lock an open file or directory; return False if another process has the lock for longer.

    Args:
        on_wait: called once before waiting.
    """
    deadline = time.monotonic() + timeout_s
    waits = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
        if not waits:
            on_wait()
            waits = True
        time.sleep(_POLL_S)


A = TypeVar("A")
B = TypeVar("B")


def in_order(function: Callable[[A], B], things: Sequence[A], threads: int) -> list[B]:
    """Return what a function returns for each thing, in their order; called in up to so many threads."""
    if threads == 1 or len(things) < 2:
        return [function(thing) for thing in things]
    # Imported here, because it brings logging along.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(threads, len(things))) as pool:
        return list(pool.map(function, things))
