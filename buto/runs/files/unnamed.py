"""Contents that are kept one after the other in one temporary file, which has no name."""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Callable
from io import BufferedReader
from shutil import copyfileobj
from tempfile import TemporaryFile
from threading import Lock


class UnnamedFile:
    """Any number of contents in one open file, in the directory of temporary files.

    The space is free again as soon as nothing reads it, also if this process is killed.
    """

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115, because it lasts as long as this object
        self._lock = Lock()
        weakref.finalize(self, self._file.close)

    def add(self, content: BufferedReader) -> Callable[[], mmap.mmap]:
        """Copy a content, which is not empty; return what maps the copy into memory."""
        with self._lock:
            # Only from there can a part be mapped.
            start = -(-self._file.seek(0, 2) // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
            self._file.seek(start)
            copyfileobj(content, self._file)
            size = self._file.tell() - start
            self._file.flush()
        return lambda: mmap.mmap(self._file.fileno(), size, access=mmap.ACCESS_READ, offset=start)
