"""The files of a program, known by content: read as they were described, and whether they still are so."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from pathlib import Path

from buto.errors import UsageError
from buto.programs.snapshot import ProgramFile
from buto.run.cache import read_file

_Signature = tuple[int, int, int]
"""Size, time of the last change, and number of a file: if they are as before, so is the content."""


class ChangedError(UsageError):
    """A file has changed since its checksum was computed."""


def content(file: ProgramFile, root: str) -> bytes:
    """Return the content of a file of a program.

    Args:
        root: the directory that is the tree.

    Raises:
        ChangedError: it has another content now, or cannot be read.
    """
    path = _path(root, file)
    try:
        data = read_file(Path(os.path.realpath(path)), file.size_bytes)
    except ValueError as error:
        raise ChangedError(f"{path} has changed, or cannot be read: {error}") from error
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise ChangedError(f"{path} has changed")
    return data


class Contents:
    """Files that must keep their contents while a program is launched many times.

    Args:
        files: of a program; described before this is created, so that no change is missed.
        root: the directory that is the tree now. The tree may be moved as a whole.
    """

    def __init__(self, files: Collection[ProgramFile], root: str) -> None:
        self._files = tuple(files)
        self._known = {file.place: _signature(_path(root, file)) for file in self._files}

    def find_change(self, root: str) -> str | None:
        """Return the path of the first file with another content; None if there is none.

        A file is read only if its size, its time or its number is another one than before.
        """
        for file in self._files:
            path = _path(root, file)
            now = _signature(path)
            if now is not None and now == self._known[file.place]:
                continue
            try:
                content(file, root)
            except ChangedError:
                return path
            self._known[file.place] = now
        return None


def _path(root: str, file: ProgramFile) -> str:
    return os.path.normpath(os.path.join(root, file.place))


def _signature(path: str) -> _Signature | None:
    """Return the signature of a file; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino
