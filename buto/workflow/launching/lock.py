"""The lock of a store: one buto at a time measures into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from buto.errors import StorageError
from buto.runs.files.locking import acquire
from buto.steps import Advice, Setting

LOCK_TIMEOUT_S = 3600.0
"""How long to wait for another buto that measures: six launches that reach the default time limit."""

_ANOTHER = Setting("store", "DIR")


@contextmanager
def measuring(root: Path, on_wait: Callable[[], None], timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Hold the lock of a store: two butos that measure at the same time would disturb each other.

    The lock is the kernel's, on the store's directory (``flock``): it leaves no file
    behind, and is released when the process ends.

    Args:
        root: the store's directory; created if it does not exist.
        on_wait: called once before waiting for another.
        timeout_s: how long to wait.

    Raises:
        StorageError: the directory cannot be created or written, or the other buto does not end in time.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_writable(root, error.strerror) from error
    try:
        if not os.access(root, os.W_OK | os.X_OK):
            raise _not_writable(root, "permission denied")
        if not acquire(descriptor, timeout_s, on_wait):
            raise StorageError(
                f"another buto is still measuring into {root}",
                advice=Advice(f"fuser {root} shows its process; or name another store: ", _ANOTHER),
            )
        yield
    finally:
        os.close(descriptor)


def _not_writable(root: Path, why: str | None) -> StorageError:
    return StorageError(
        f"the store {root} cannot be written: {why}", advice=Advice("name another: ", _ANOTHER)
    )
