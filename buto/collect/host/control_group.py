"""Limits that a Linux control group sets, version 1 or 2."""

from __future__ import annotations

from pathlib import PurePosixPath

from buto.collect.host.files import read

_CGROUPS = "/sys/fs/cgroup"


def cores_limit() -> float | None:
    """Return how many cores' time the control group may use; None without a limit."""
    quotas = [text.split() for text in _cgroup_files("cpu.max")]
    old = [read(f"{_CGROUPS}/cpu/cpu.cfs_{name}_us") for name in ("quota", "period")]
    quotas += [[text for text in old if text is not None]]
    numbers = [[int(text) for text in pair] for pair in quotas if len(pair) == 2 and pair[0] != "max"]
    cores = [quota / period for quota, period in numbers if quota > 0]
    return min(cores, default=None)


def memory_limit(total: int) -> int | None:
    """Return the memory limit, bytes; None without a limit below ``total``, the machine's memory."""
    texts = [*_cgroup_files("memory.max"), read(f"{_CGROUPS}/memory/memory.limit_in_bytes") or "max"]
    limits = [int(text) for text in texts if text.strip() != "max"]
    return min((limit for limit in limits if limit < total), default=None)


def _cgroup_files(name: str) -> list[str]:
    """Return the texts of a file in this process's control group (version 2) and in all groups above."""
    groups = [line[3:] for line in (read("/proc/self/cgroup") or "").splitlines() if line.startswith("0::")]
    own = PurePosixPath(_CGROUPS + (groups[0] if groups else "/"))
    texts = [read(str(group / name)) for group in (own, *own.parents) if group.is_relative_to(_CGROUPS)]
    return [text for text in texts if text is not None]
