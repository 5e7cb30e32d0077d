"""Files that a user asked for by name."""

from __future__ import annotations

import errno
from pathlib import Path

from buto.cli.console import Console
from buto.cli.parsing import STDOUT
from buto.errors import StorageError
from buto.run.files import publish_file, storage_advice
from buto.steps import Setting

_IN_PLACE_ONLY = (errno.EACCES, errno.EPERM, errno.EBUSY)
"""Errors of a file that can be written but not replaced: a read-only directory, or a mount point."""


def write_file(
    path: Path, content: bytes, option: str, *, make_parents: bool = True, console: Console | None = None
) -> None:
    """Write a file, and the directories above it if so wanted; STDOUT means standard output.

    Where possible, the file is either written completely or left as it was.

    Args:
        console: where the file's name is printed as a detail.

    Raises:
        StorageError: it cannot be written.
    """
    if path == STDOUT:
        write_document(content, option)
        return
    try:
        if make_parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}",
            advice=storage_advice(error, Setting(option.lstrip("-"), "FILE")),
        ) from error
    if console is not None:
        console.detail(f"wrote {path}")


def write_document(content: bytes, option: str) -> None:
    """Print text that another program reads; StorageError if it cannot be written completely."""
    try:
        Console().document(content.decode().rstrip("\n"))
    except OSError as error:
        raise StorageError(
            f"standard output cannot be written: {error.strerror}",
            advice=storage_advice(error, Setting(option.lstrip("-"), "FILE")),
        ) from error


def _write(path: Path, content: bytes) -> None:
    if path.exists() and not path.is_file():
        # A pipe, or /dev/stdout.
        path.write_bytes(content)
        return
    try:
        # A link is followed: its target is written.
        publish_file(path.resolve(), content)
    except OSError as error:
        if error.errno not in _IN_PLACE_ONLY or not path.exists():
            raise
        path.write_bytes(content)
