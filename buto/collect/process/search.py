"""Search the processes of this machine by their command lines."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from fnmatch import translate

from buto.collect.process.process_group import read_bytes, stat_fields

_STATE, _PARENT, _START = 0, 1, 19
"""Indices of the fields of /proc/PID/stat after the name, see proc(5)."""


@dataclass(frozen=True, slots=True)
class Found:
    """A living process.

    Attributes:
        started: clock ticks from boot to its start.
        line: its command line, the words joined by blanks.
    """

    pid: int
    parent: int
    started: int
    line: str

    @property
    def started_ns(self) -> int:
        """``time.monotonic_ns`` at its start, to 10 ms. That clock stands still while the machine sleeps."""
        asleep_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
        return self.started * 1_000_000_000 // os.sysconf("SC_CLK_TCK") - asleep_ns


def living() -> list[Found]:
    """Return all living processes that this process may see, in the order of their start."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        pid = int(name)
        fields = stat_fields(pid)
        if fields is None or fields[_STATE] in (b"Z", b"X"):
            continue
        words = (read_bytes(f"/proc/{pid}/cmdline") or b"").rstrip(b"\0").replace(b"\0", b" ")
        found.append(Found(pid, int(fields[_PARENT]), int(fields[_START]), words.decode(errors="replace")))
    return sorted(found, key=lambda one: (one.started, one.pid))


def line_pattern(pattern: str) -> re.Pattern[str]:
    """Return a shell pattern for whole command lines as a regular expression."""
    return re.compile(translate(pattern), re.DOTALL)
