"""Limits that a Linux control group sets, version 1 or 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from buto.collect.host.files import read

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
        yield from (one for one in (own, *own.parents) if one.is_relative_to(mount))


def _mounts(controller: str) -> list[tuple[str, str, PurePosixPath]]:
    """Return the mounted hierarchies with a controller: name, the group that was mounted, and where."""
    found = []
    for line in (read("/proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        root, mount = before.split()[3:5]
        kind, *rest = after.split(" ")
        # What is mounted may have no name.
        options = rest[-1] if rest else ""
        if kind == "cgroup2":
            found.append((_VERSION_2, root, PurePosixPath(mount)))
        elif kind == "cgroup" and controller in options.split(","):
            found.append((controller, root, PurePosixPath(mount)))
    usual = [
        (_VERSION_2, "/", PurePosixPath(_CGROUPS)),
        (controller, "/", PurePosixPath(_CGROUPS, controller)),
    ]
    return found or usual
