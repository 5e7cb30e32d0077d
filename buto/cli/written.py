"""Files that a user asked for by name."""

from __future__ import annotations

from pathlib import Path

from buto.cli.console import Console
from buto.cli.options import STDOUT
from buto.errors import StorageError


def write_file(path: Path, content: bytes, option: str) -> None:
    """Write a file, and the directories above it; text to standard output for STDOUT.

    Not by way of a temporary file: the target may be a pipe or /dev/stdout.

    Raises:
        StorageError: it cannot be written.
    """
    if path == STDOUT:
        Console().result(content.decode().rstrip("\n"))
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}", advice=f"name another place with {option}"
        ) from error
