"""The standard input of a measured command: an empty file that tells whether it was read."""

from __future__ import annotations

import os
from pathlib import Path


class EmptyInput:
    """An empty file in memory. The kernel notes the time of each read, also of one that finds nothing.

    Attributes:
        descriptor: for reading, to be given to the command.
    """

    def __init__(self) -> None:
        self._file = os.memfd_create("buto-input", os.MFD_CLOEXEC)
        try:
            # Opened anew, because the command must not write into it.
            self.descriptor = os.open(Path("/proc/self/fd") / str(self._file), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            os.close(self._file)
            raise
        os.utime(self._file, ns=(0, 0))

    def was_read(self) -> bool:
        """Return whether the command, or a process that it started, has read it and found its end."""
        return os.fstat(self._file).st_atime_ns != 0

    def close(self) -> None:
        os.close(self.descriptor)
        os.close(self._file)
