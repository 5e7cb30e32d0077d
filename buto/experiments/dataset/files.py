"""The files of a data set in a directory: written together, and checked when they are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from buto.errors import BadFileError, StorageError
from buto.runs.files.reading import read_file
from buto.runs.files.staging import make_directories, publish_file
from buto.runs.format.document import NewerVersionError
from buto.version import READ_BY_NEWER

RUNS = "runs.parquet"
"""The file with the checksums of the others."""

MAX_BYTES = 1 << 28
"""Largest size of one file; a thousand runs of five seconds take 2 MB."""


def sha256(content: bytes) -> str:
    """Return the checksum of a file's content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def write(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a data set into a directory, in place of an older one.

    Raises:
        StorageError: they cannot be written.
    """
    # The file with the checksums is written last, so that a reader in the meantime sees that the files
    # differ.
    for name in (*(name for name in files if name != RUNS), RUNS):
        try:
            make_directories(directory)
            publish_file(directory / name, files[name])
        except OSError as error:
            raise StorageError(
                f"{directory / name} cannot be written: {error.strerror}",
                advice="free some space, or name another directory",
            ) from error


@contextmanager
def reading(path: Path, advice: str, checksums: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Yield the content of a file; a ValueError of the block becomes a BadFileError that names the file.

    Args:
        advice: what to do if the file cannot be read.
        checksums: of the files that belong together, by name; None if the file is the one that has them.
    """
    try:
        content = read_file(path, MAX_BYTES)
        if checksums is not None and checksums.get(path.name) != sha256(content):
            raise ValueError(f"it is not the file that {RUNS} describes")
        yield content
    except NewerVersionError as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice=READ_BY_NEWER) from error
    except ValueError as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice=advice) from error
