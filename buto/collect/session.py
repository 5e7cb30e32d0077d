"""The private temporary directory of one launch: output files, session file, the agent's jar."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from buto.errors import StorageError

_AWKWARD = frozenset(" \t\n='\"")
"""``-javaagent`` ends the jar's path at the first ``=``; JAVA_TOOL_OPTIONS divides at blanks and quotes."""


def _parent() -> Path:
    """The system's temporary directory, or /tmp where its path cannot be part of a JVM option."""
    usual = tempfile.gettempdir()
    return Path("/tmp") if _AWKWARD & set(usual) else Path(usual)


@contextmanager
def session_directory() -> Iterator[Path]:
    """A new directory of mode 700, removed with all that is in it at the end.

    Raises:
        StorageError: it cannot be made, or a file in it cannot be written.
    """
    parent = _parent()
    advice = "free some space there, or set TMPDIR to a directory that can be written"
    try:
        path = Path(tempfile.mkdtemp(prefix="buto-", dir=parent))
    except OSError as error:
        raise StorageError(
            f"no directory can be made in {parent}: {error.strerror}", advice=advice
        ) from error
    try:
        yield path
    finally:
        shutil.rmtree(path)


def write_private(path: Path, content: bytes) -> None:
    """Write a new file of mode 600.

    Raises:
        StorageError: it cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}",
            advice=f"free some space in {path.parent.parent}, or set TMPDIR to another directory",
        ) from error
