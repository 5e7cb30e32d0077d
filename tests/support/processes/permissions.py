"""Permissions of files, which also apply to root in these tests."""

from __future__ import annotations

import ctypes
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CAPABILITIES_V3 = 0x20080522
ROOTS_WAY = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: with them root may go everywhere."""


@contextmanager
def as_everybody() -> Iterator[None]:
    """Root obeys the permissions of files, too: this thread, and those that it starts."""
    libc = ctypes.CDLL(None)
    header, data = (ctypes.c_uint32 * 2)(CAPABILITIES_V3), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, data) == 0
    before = data[0]
    data[0] &= ~ROOTS_WAY
    assert libc.capset(header, data) == 0
    try:
        yield
    finally:
        data[0] = before
        assert libc.capset(header, data) == 0


@contextmanager
def read_only(directory: Path) -> Iterator[None]:
    """Nothing below may be written, not by root either."""
    directories = [path for path in (directory, *directory.rglob("*")) if path.is_dir()]
    for path in directories:
        path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with as_everybody():
            yield
    finally:
        for path in directories:
            path.chmod(stat.S_IRWXU)
