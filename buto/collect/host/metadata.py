"""Metadata of the machine that a run is measured on."""

from __future__ import annotations

import os
import platform
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from buto import jars
from buto.collect.host.control_group import cores_limit, memory_limit
from buto.collect.host.files import read
from buto.collect.host.load import visible_cpus
from buto.collect.target import Target
from buto.runs import MetadataValue
from buto.runs.model import COMMAND, COMMIT
from buto.version import __version__

_GIT_S = 5.0
"""Time limit for git, which may be slow for a large tree on a cold disk."""

_DESCRIBE = ("git", "describe", "--always", "--exclude=*", "--abbrev=40", "--dirty=+dirty")
"""Forty digits of the commit, with ``+dirty`` if a tracked file differs from it."""


def describe(target: Target) -> dict[str, MetadataValue]:
    """Return the metadata ``host.*`` and ``buto.*`` that docs/formats/metadata.md lists."""
    return {
        **machine(),
        **environment(target.labels),
        "buto.version": __version__,
        "buto.collector": target.collector,
        "buto.probe": jars.digest(jars.JMX if target.collector == "jmx" else jars.AGENT),
        "buto.interval": target.interval_s,
        **_live_set(target),
        **_cores(target),
        COMMAND: target.new_mask().command(target.command),
        COMMIT: commit_of(target.directory) if target.command and target.asks_git else None,
    }


def _live_set(target: Target) -> dict[str, MetadataValue]:
    """Return when live objects are counted during the run, which changes the run."""
    if target.live_set is None or not target.live_set.is_during:
        return {}
    return {"buto.live_set": "marks" if target.live_set.at_marks else f"{target.live_set.period_s:g} s"}


def _cores(target: Target) -> dict[str, MetadataValue]:
    """Return to which cores the program is pinned, which are then all that it has."""
    if not target.cores:
        return {}
    return {"host.cores": len(target.cores), "process.cores": ",".join(map(str, target.cores))}


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


def commit_of(directory: Path | None) -> str | None:
    """Return the commit of the directory where the command runs; None outside a repository or without git."""
    # Without locks git does not refresh its index, which would change the user's repository.
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
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
