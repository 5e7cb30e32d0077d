"""The output and the input of a launched program.

The output goes to a file that stays bounded while the program writes it. The input is an empty file that
tells whether it was read.
"""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

from buto.errors import StorageError

HEAD_BYTES = 128 * 1024
TAIL_BYTES = 128 * 1024
_SLACK_BYTES = 4 * 1024 * 1024
"""The file is trimmed only when it holds this much more than is kept, and not at every tick."""

_PUNCH_HOLE = 0x02 | 0x01
"""FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, linux/falloc.h."""


def _punch(descriptor: int, start: int, length: int) -> bool:
    """Free the disk blocks of a range without moving what follows; return False if that is not possible."""
    fallocate = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
    if fallocate is None:
        return False
    off_t = ctypes.c_int64
    return bool(fallocate(descriptor, _PUNCH_HOLE, off_t(start), off_t(length)) == 0)


class OutputFile:
    """One stream of the program, written by it directly (a pipe could block it).

    The first ``HEAD_BYTES`` and the last ``TAIL_BYTES`` are kept. :meth:`trim` frees the disk blocks in
    between while the program runs; the file's length still counts everything that was printed. On a file
    system without holes the file is cut after its head instead, and the count may be too small.

    Attributes:
        descriptor: for the program, opened for appending.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error.strerror}") from error
        self._freed_to = HEAD_BYTES
        self._truncated = 0

    def close(self) -> None:
        os.close(self.descriptor)

    def trim(self) -> None:
        """Free the part that will not be kept, if it is large enough to matter."""
        size = os.fstat(self.descriptor).st_size
        end = size - TAIL_BYTES
        if end - self._freed_to < _SLACK_BYTES:
            return
        if _punch(self.descriptor, self._freed_to, end - self._freed_to):
            self._freed_to = end
        else:
            os.ftruncate(self.descriptor, HEAD_BYTES)
            self._truncated += size - HEAD_BYTES

    @property
    def n_printed(self) -> int:
        """Number of bytes that the program has printed."""
        return os.fstat(self.descriptor).st_size + self._truncated

    def read_kept(self) -> bytes:
        """Return head and tail, with a line between them that says how much was cut."""
        size = os.fstat(self.descriptor).st_size
        if size <= HEAD_BYTES + TAIL_BYTES and not self._truncated:
            return os.pread(self.descriptor, size, 0)
        tail_start = max(HEAD_BYTES, size - TAIL_BYTES)
        head = os.pread(self.descriptor, HEAD_BYTES, 0)
        tail = os.pread(self.descriptor, TAIL_BYTES, tail_start)
        n_cut = self.n_printed - len(head) - len(tail)
        return head + f"\n[buto: {n_cut} bytes of output are not kept]\n".encode() + tail


_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
"""Colours and other terminal commands, which must not reach the terminal of the reader."""


def last_lines(output: bytes, n: int = 20) -> str:
    """Return the last lines of an output as plain text, for messages; each is cut at 500 characters."""
    lines = [_CONTROL.sub("", line) for line in output.decode(errors="replace").rstrip().splitlines()[-n:]]
    return "\n".join(line if len(line) <= 500 else line[:500] + " ..." for line in lines)


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
