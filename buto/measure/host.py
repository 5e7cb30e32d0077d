"""The machine that a run is measured on: its metadata, limits, load, and halves of its processors.

Limits are those that a Linux control group sets, version 1 or 2. The load is how much of the machine other
processes used, and how long a process waited for a core. Two equal parts of the processors are for two
programs that run at the same time. All is read from files of /proc and /sys.
"""

from __future__ import annotations

import os
import platform
import resource
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from buto import jars
from buto.measure.target import PROCESS, Target
from buto.run.model import COLLECTOR, COMMAND, COMMIT, MetadataValue
from buto.version import __version__


def read(path: str) -> str | None:
    """Return the text of a file; None if it cannot be read."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return None


_CGROUPS = "/sys/fs/cgroup"
_VERSION_2 = ""
"""How /proc/self/cgroup names the hierarchy of version 2, which has all controllers."""


def cores_limit() -> float | None:
    """Return how many cores' time the control group may use; None without a limit."""
    quotas = [text.split() for text in _texts("cpu", "cpu.max")]
    old = zip(_texts("cpu", "cpu.cfs_quota_us"), _texts("cpu", "cpu.cfs_period_us"), strict=True)
    numbers = [
        [int(text) for text in pair] for pair in [*quotas, *old] if len(pair) == 2 and pair[0] != "max"
    ]
    cores = [quota / period for quota, period in numbers if quota > 0]
    return min(cores, default=None)


def memory_limit(total: int) -> int | None:
    """Return the memory limit, bytes; None without a limit below ``total``, the machine's memory."""
    texts = [*_texts("memory", "memory.max"), *_texts("memory", "memory.limit_in_bytes")]
    limits = [int(text) for text in texts if text.strip() != "max"]
    return min((limit for limit in limits if limit < total), default=None)


def _texts(controller: str, name: str) -> list[str]:
    """Return the texts of a file in this process's control groups and in all groups above."""
    texts = [read(str(group / name)) for group in _groups(controller)]
    return [text for text in texts if text is not None]


def _groups(controller: str) -> Iterator[PurePosixPath]:
    """Yield the directories of this process's control groups with a controller, and of all groups above."""
    path_of: dict[str, str] = {}
    for line in (read("/proc/self/cgroup") or "").splitlines():
        _, names, path = line.split(":", 2)
        path_of |= dict.fromkeys(names.split(","), path)
    for hierarchy, root, mount in _mounts(controller):
        group = PurePosixPath(path_of.get(hierarchy, "/"))
        # In a container the group's path may be that of the host, of which the root was mounted.
        inside = group.relative_to(root) if group.is_relative_to(root) else PurePosixPath()
        own = mount / inside
        yield from (directory for directory in (own, *own.parents) if directory.is_relative_to(mount))


def _mounts(controller: str) -> list[tuple[str, str, PurePosixPath]]:
    """Return the mounted hierarchies with a controller: name, the group that was mounted, and where."""
    mounts = []
    for line in (read("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        root, mount = before.split()[3:5]
        kind, *rest = after.split(" ")
        # What is mounted may have no name.
        options = rest[-1] if rest else ""
        if kind == "cgroup2":
            mounts.append((_VERSION_2, root, PurePosixPath(mount)))
        elif kind == "cgroup" and controller in options.split(","):
            mounts.append((controller, root, PurePosixPath(mount)))
    usual = [
        (_VERSION_2, "/", PurePosixPath(_CGROUPS)),
        (controller, "/", PurePosixPath(_CGROUPS, controller)),
    ]
    return mounts or usual


_MIN_LOAD_WINDOW_S = 0.1
"""Over a shorter time, clock ticks of 10 ms are too coarse."""

_IDLE_FIELDS = (3, 4)
"""Indices of idle and iowait in /proc/stat, see proc(5)."""


IDLE = "host.load.idle"
"""The metadata key of the share of the cores that was idle: during the workload, or else the whole run."""


class LoadMeter:
    """Measures the share of the visible cores that others use, from its creation on.

    Others are all processes except this one and the children that it has waited for meanwhile. Time
    that a hypervisor took away counts as used by others.
    """

    def __init__(self) -> None:
        self._cpus = visible_cpus()
        self._start_s = time.monotonic()
        self._own_s = _own_cpu_s()
        self._busy_s = _busy_s(self._cpus)

    def foreign_load(self, known_s: float = 0.0) -> float:
        """Return the mean share since the creation, 0 to 1; NaN within the first 0.1 s, or if unknown.

        Args:
            known_s: processor time of further processes that belong to the measurement.
        """
        return self._share(_own_cpu_s() - self._own_s + known_s)

    def idle_share(self) -> float:
        """Return the mean idle share of the visible cores, 0 to 1; NaN as :meth:`foreign_load`."""
        return 1.0 - self._share(0.0)

    def _share(self, known_s: float) -> float:
        """Return which share of the cores' time was used, less that which is known."""
        elapsed_s = time.monotonic() - self._start_s
        busy_s = _busy_s(self._cpus)
        if elapsed_s < _MIN_LOAD_WINDOW_S or busy_s is None or self._busy_s is None:
            return float("nan")
        used_s = busy_s - self._busy_s - known_s
        return min(1.0, max(0.0, used_s / (elapsed_s * len(self._cpus))))


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


_GIT_S = 5.0
"""Time limit for git, which may be slow for a large tree on a cold disk."""

_DESCRIBE = ("git", "describe", "--always", "--exclude=*", "--abbrev=40", "--dirty=+dirty")
"""Forty digits of the commit, with ``+dirty`` if a tracked file differs from it."""


_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""Variables that git sets for its hooks; with them, other calls of git would use the wrong files."""


def describe(target: Target) -> dict[str, MetadataValue]:
    """Return the metadata ``host.*`` and ``buto.*`` that docs/formats/metadata.md lists."""
    return {
        **machine(),
        **environment(target.labels),
        "buto.version": __version__,
        COLLECTOR: target.collector,
        "buto.probe": probe_of(target.collector),
        "buto.interval": target.interval_s,
        **_live_set(target),
        **({"buto.virtual_threads": True} if target.counts_virtual_threads else {}),
        **({"buto.isolate": "home"} if target.isolates_home else {}),
        COMMAND: target.new_mask().command(target.command),
        COMMIT: commit_of(target.directory) if target.command and target.asks_git else None,
    }


def probe_of(collector: str) -> str | None:
    """Return which build of buto's Java part a collector measures with: the agent's, or the JMX worker's.

    None for a process, which is measured without Java.

    Raises:
        BadFileError: it was not built.
    """
    if collector == PROCESS:
        return None
    return jars.digest(jars.JMX if collector == "jmx" else jars.AGENT)


def _live_set(target: Target) -> dict[str, MetadataValue]:
    """Return when live objects are counted during the run, which changes the run."""
    if target.live_set is None or not target.live_set.is_during:
        return {}
    return {"buto.live_set": "marks" if target.live_set.at_marks else f"{target.live_set.period_s:g} s"}


def environment(labels: Mapping[str, str]) -> dict[str, MetadataValue]:
    """Return the metadata ``environment.*``: the environment's own name, and its other labels."""
    return {
        "environment.name" if key == "name" else f"environment.label.{key}": value
        for key, value in labels.items()
    }


def machine() -> dict[str, MetadataValue]:
    """Return the metadata ``host.*``."""
    # psutil says the same, but takes 15 ms to import, which every check would wait for before its launch.
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "host.name": socket.gethostname(),
        "host.os": _os_name(),
        "host.kernel": f"{platform.system()} {platform.release()}",
        "host.arch": platform.machine(),
        "host.cpu.model": _cpu_model(),
        "host.cores": len(visible_cpus()),
        "host.cores.total": os.cpu_count(),
        "host.cores.quota": cores_limit(),
        "host.memory.total": memory,
        "host.memory.limit": memory_limit(memory),
        "host.load.1min": round(os.getloadavg()[0], 2),
    }


def give_environment_of_git() -> dict[str, str]:
    """Return the environment of a call of git, also from a hook."""
    return {key: value for key, value in os.environ.items() if key not in _OF_A_HOOK}


def commit_of(directory: Path | None) -> str | None:
    """Return the commit of the directory where the command runs; None outside a repository or without git."""
    # Without locks git does not refresh its index, which would change the user's repository.
    environment = {**give_environment_of_git(), "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
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
    return done.stdout.strip() or None


def _os_name() -> str:
    with suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{platform.system()} {platform.mac_ver()[0]}".strip()


def _cpu_model() -> str | None:
    for line in (read("/proc/cpuinfo") or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model", "Hardware"):
            return value.strip()
    return platform.processor() or None
