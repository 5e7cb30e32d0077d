"""The machine that a run was measured on, and how much of it others used meanwhile."""

from __future__ import annotations

import os
import platform
import resource
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path, PurePosixPath

import buto
from buto import jars
from buto.collect.target import Target
from buto.runs import MetadataValue
from buto.runs.model import COMMIT

_MIN_LOAD_WINDOW_S = 0.1
"""Shorter than this, the system's clock ticks of 10 ms say nothing of the load."""

_CGROUPS = "/sys/fs/cgroup"

_IDLE_FIELDS = (3, 4)
"""idle and iowait, in the order of /proc/stat, see proc(5)."""

_GIT_S = 5.0
"""How long git may take; a huge tree on a cold disk is not waited for."""

_DESCRIBE = ("git", "describe", "--always", "--exclude=*", "--abbrev=40", "--dirty=+dirty")
"""Forty digits of the commit, and ``+dirty`` if a file that git knows differs from it."""


def describe(target: Target) -> dict[str, MetadataValue]:
    """Metadata ``host.*`` and ``buto.*`` as docs/formats/metadata.md lists them."""
    return {
        **machine(),
        "buto.version": buto.__version__,
        "buto.collector": target.collector,
        "buto.probe": jars.digest(jars.JMX if target.collector == "jmx" else jars.AGENT),
        "buto.interval": target.interval_s,
        "buto.command": target.new_mask().command(target.command),
        COMMIT: _commit(target.directory) if target.command else None,
    }


def machine() -> dict[str, MetadataValue]:
    """Metadata ``host.*``."""
    return {
        "host.name": socket.gethostname(),
        "host.os": _os_name(),
        "host.kernel": f"{platform.system()} {platform.release()}",
        "host.arch": platform.machine(),
        "host.cpu.model": _cpu_model(),
        "host.cores": len(_visible_cpus()),
        "host.cores.total": os.cpu_count(),
        "host.cores.quota": _cgroup_cores(),
        "host.memory.total": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "host.memory.limit": _cgroup_memory(),
        "host.load.1min": round(os.getloadavg()[0], 2),
    }


class LoadMeter:
    """Measures what share of the visible cores others used, from its making to :meth:`foreign_load`.

    Others are all processes but this one and the children that it has collected meanwhile. Time that
    a hypervisor took away counts as used by others.
    """

    def __init__(self) -> None:
        self._cpus = _visible_cpus()
        self._start_s = time.monotonic()
        self._own_s = _own_cpu_s()
        self._busy_s = _busy_s(self._cpus)

    def foreign_load(self, known_s: float = 0.0) -> float:
        """The mean share, 0 to 1; NaN for less than 0.1 s, and where the system does not say.

        Args:
            known_s: processor time of further processes that belong to the measurement.
        """
        elapsed_s = time.monotonic() - self._start_s
        busy_s = _busy_s(self._cpus)
        if elapsed_s < _MIN_LOAD_WINDOW_S or busy_s is None or self._busy_s is None:
            return float("nan")
        foreign_s = busy_s - self._busy_s - (_own_cpu_s() - self._own_s) - known_s
        return min(1.0, max(0.0, foreign_s / (elapsed_s * len(self._cpus))))


def run_queue_s(pid: int) -> float | None:
    """How long the living threads of a process have waited for a core so far; None where unknown."""
    waited_ns = 0
    try:
        for thread in os.scandir(f"/proc/{pid}/task"):
            with suppress(FileNotFoundError, ProcessLookupError):
                waited_ns += int(Path(thread.path, "schedstat").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return waited_ns * 1e-9


def _visible_cpus() -> frozenset[int]:
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


def _own_cpu_s() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _busy_s(cpus: frozenset[int]) -> float | None:
    """Seconds that these processors were not idle since boot; None outside Linux."""
    text = _read("/proc/stat")
    if text is None:
        return None
    ticks = 0
    for line in text.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cpus:
            ticks += sum(int(value) for i, value in enumerate(fields[:8]) if i not in _IDLE_FIELDS)
    return ticks / os.sysconf("SC_CLK_TCK")


def _commit(directory: Path | None) -> str | None:
    """What is checked out where the command is started; None outside a repository, or without git."""
    # No lock, for what git notes down on the way would be a change to somebody's repository.
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        said = subprocess.run(
            _DESCRIBE,
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_GIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip() or None


def _os_name() -> str:
    with suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{platform.system()} {platform.mac_ver()[0]}".strip()


def _cpu_model() -> str | None:
    for line in (_read("/proc/cpuinfo") or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model", "Hardware"):
            return value.strip()
    return platform.processor() or None


def _cgroup_cores() -> float | None:
    """Cores' worth of time that the control group may use; None without a limit."""
    quotas = [text.split() for text in _cgroup_files("cpu.max")]
    old = [_read(f"{_CGROUPS}/cpu/cpu.cfs_{name}_us") for name in ("quota", "period")]
    quotas += [[text for text in old if text is not None]]
    numbers = [[int(text) for text in pair] for pair in quotas if len(pair) == 2 and pair[0] != "max"]
    cores = [quota / period for quota, period in numbers if quota > 0]
    return min(cores, default=None)


def _cgroup_memory() -> int | None:
    """Bytes that the control group may use; None without a limit below the machine's memory."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    texts = [*_cgroup_files("memory.max"), _read(f"{_CGROUPS}/memory/memory.limit_in_bytes") or "max"]
    limits = [int(text) for text in texts if text.strip() != "max"]
    return min((limit for limit in limits if limit < total), default=None)


def _cgroup_files(name: str) -> list[str]:
    """A file of this process's control group (version 2) and of all groups above it, where there is one."""
    groups = [line[3:] for line in (_read("/proc/self/cgroup") or "").splitlines() if line.startswith("0::")]
    own = PurePosixPath(_CGROUPS + (groups[0] if groups else "/"))
    texts = [_read(str(group / name)) for group in (own, *own.parents) if group.is_relative_to(_CGROUPS)]
    return [text for text in texts if text is not None]


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return None
