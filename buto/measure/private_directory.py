"""Private temporary directories, and the TCP ports at which a process of this machine listens.

The directories are for the output files and the agent's session file of a launch. The ports are those of the
process's own network namespace: psutil would read buto's, which is another for a process in a container.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from buto.errors import StorageError

_PLAIN = re.compile(r"[!-~]*")
_AWKWARD = frozenset("='\"")
"""``-javaagent`` ends the jar's path at the first ``=``, and JAVA_TOOL_OPTIONS is split at blanks and quotes.
In some locales a JVM does not find a path that is not ASCII."""


_PREFIX = "buto-session-"
_ABANDONED_S = 60.0
"""A younger directory may not be locked yet."""


def _parent() -> Path:
    """Return the system's temporary directory, or /tmp if its path cannot be part of a JVM option."""
    usual = tempfile.gettempdir()
    is_usable = _PLAIN.fullmatch(usual) is not None and not _AWKWARD & set(usual)
    return Path(usual) if is_usable else Path("/tmp")


@contextmanager
def private_directory(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new directory of mode 700, and remove it with its content at the end.

    A directory that a killed buto left behind is removed by the next one; its owner holds a lock on it.

    Args:
        parent: where to create it; None for the usual place.

    Raises:
        StorageError: it cannot be created.
    """
    parent = _parent() if parent is None else parent
    advice = "free some space there, or set TMPDIR to a directory that can be written"
    _remove_abandoned(parent)
    try:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    except OSError as error:
        raise StorageError(
            f"no directory can be created in {parent}: {error.strerror}", advice=advice
        ) from error
    lock = _lock(path)
    try:
        yield path
    finally:
        shutil.rmtree(path)
        if lock is not None:
            os.close(lock)


def is_abandoned(path: Path) -> bool:
    """Return whether a private directory is gone, or its owner has ended."""
    lock = _lock(path)
    if lock is not None:
        os.close(lock)
    return lock is not None or not path.exists()


def _remove_abandoned(parent: Path) -> None:
    for path in parent.glob(f"{_PREFIX}*"):
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        if status.st_uid == os.geteuid() and time.time() - status.st_mtime > _ABANDONED_S:
            lock = _lock(path)
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def _lock(path: Path) -> int | None:
    """Lock a directory and return the descriptor that holds the lock; None if it is locked or not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def write_private_file(path: Path, content: bytes) -> None:
    """Write a new file of mode 600. StorageError if it cannot be written."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}",
            advice=f"free some space in {path.parent.parent}, or set TMPDIR to another directory",
        ) from error


def give_to_owner(directory: Path, pid: int) -> None:
    """Let another user's process read the files that root wrote. Do not trust the directory afterwards."""
    owner = Path(f"/proc/{pid}").stat().st_uid
    if owner != os.geteuid():
        for path in (*directory.rglob("*"), directory):
            os.chown(path, owner, -1, follow_symlinks=False)


_LISTEN = "0A"
"""State in /proc/PID/net/tcp, see proc(5)."""

_ADDRESS, _STATE, _INODE = 1, 3, 9


def listening(pid: int) -> tuple[int, ...]:
    """Return the ports in increasing order; none for a process that has ended or belongs to another user."""
    own = _sockets(pid)
    ports = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[_STATE] == _LISTEN and fields[_INODE] in own:
                    ports.add(int(fields[_ADDRESS].rpartition(":")[2], 16))
    return tuple(sorted(ports))


def _sockets(pid: int) -> set[str]:
    sockets = set()
    with suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                link = os.readlink(entry.path)
                if link.startswith("socket:["):
                    sockets.add(link[len("socket:[") : -1])
    return sockets
