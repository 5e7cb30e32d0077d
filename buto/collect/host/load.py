"""How much of the machine other processes used, and how long a process waited for a core."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from buto.collect.host.files import read

_MIN_LOAD_WINDOW_S = 0.1
"""Over a shorter time, clock ticks of 10 ms are too coarse."""

_IDLE_FIELDS = (3, 4)
"""Indices of idle and iowait in /proc/stat, see proc(5)."""


class LoadMeter:
    """Measures the share of the visible cores that others use, from its creation on.

    Others are all processes except this one and the children that it has waited for meanwhile. Time
    that a hypervisor took away counts as used by others.

    Args:
        cores: measure only these. Then this process counts as another one, because it may run elsewhere.
    """

    def __init__(self, cores: Collection[int] = ()) -> None:
        self._cpus = frozenset(cores) or visible_cpus()
        self._is_part = bool(cores)
        self._start_s = time.monotonic()
        self._own_s = self._used_s()
        self._busy_s = _busy_s(self._cpus)

    def foreign_load(self, known_s: float = 0.0) -> float:
        """Return the mean share since the creation, 0 to 1; NaN within the first 0.1 s, or if unknown.

        Args:
            known_s: processor time of further processes that belong to the measurement.
        """
        elapsed_s = time.monotonic() - self._start_s
        busy_s = _busy_s(self._cpus)
        if elapsed_s < _MIN_LOAD_WINDOW_S or busy_s is None or self._busy_s is None:
            return float("nan")
        foreign_s = busy_s - self._busy_s - (self._used_s() - self._own_s) - known_s
        return min(1.0, max(0.0, foreign_s / (elapsed_s * len(self._cpus))))

    def idle_share(self) -> float:
        """Return the mean idle share of the visible cores since the creation, 0 to 1.

        NaN within the first 0.1 s, or if unknown.
        """
        elapsed_s = time.monotonic() - self._start_s
        busy_s = _busy_s(self._cpus)
        if elapsed_s < _MIN_LOAD_WINDOW_S or busy_s is None or self._busy_s is None:
            return float("nan")
        return min(1.0, max(0.0, 1.0 - (busy_s - self._busy_s) / (elapsed_s * len(self._cpus))))

    def _used_s(self) -> float:
        """Return the processor time that this process and its children have used on these cores."""
        return 0.0 if self._is_part else _own_cpu_s()


def run_queue_s(pid: int) -> float | None:
    """Return how long the living threads of a process have waited for a core; None where unknown.

    psutil does not read schedstat.
    """
    waited_ns = 0
    try:
        for thread in os.scandir(f"/proc/{pid}/task"):
            with suppress(FileNotFoundError, ProcessLookupError):
                waited_ns += int(Path(thread.path, "schedstat").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return waited_ns * 1e-9


def visible_cpus() -> frozenset[int]:
    """Return the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


def _own_cpu_s() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _busy_s(cpus: frozenset[int]) -> float | None:
    """Return the seconds since boot that these processors were not idle; None outside Linux.

    psutil lists processors by position, not by number: with one switched off they could not be identified.
    """
    text = read("/proc/stat")
    if text is None:
        return None
    ticks = 0
    for line in text.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cpus:
            ticks += sum(int(value) for i, value in enumerate(fields[:8]) if i not in _IDLE_FIELDS)
    return ticks / os.sysconf("SC_CLK_TCK")
