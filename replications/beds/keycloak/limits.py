"""What a system may use of the machine: a share of the processors, one core, or few writes to the disk.

Quotas are those of control groups of version 1, which only root can make.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from beds.artefacts import BedError

CONTROL_GROUPS = Path("/sys/fs/cgroup")
_PERIOD_US = 100_000
_NAME = "buto-bed"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a system may use at most.

    Attributes:
        cores: processor time a second, as a number of cores.
        pinned: whether it runs on one core alone.
        writes_per_s: synchronous writes to the disk.
    """

    cores: float | None = None
    pinned: bool = False
    writes_per_s: int | None = None

    def __str__(self) -> str:
        parts = []
        if self.cores is not None:
            parts.append(f"{self.cores:g} cores of quota")
        if self.pinned:
            parts.append("one core")
        if self.writes_per_s is not None:
            parts.append(f"{self.writes_per_s} writes a second")
        return ", ".join(parts) or "none"

    def of_server(self, command: list[str]) -> list[str]:
        """Return the command that runs a server within the limits of processors.

        Raises:
            BedError: this machine does not let us set them.
        """
        if self.pinned:
            command = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), *command]
        if self.cores is not None:
            quota = {"cpu.cfs_period_us": _PERIOD_US, "cpu.cfs_quota_us": self.cores * _PERIOD_US}
            command = _inside(_group("cpu", quota), command)
        return command

    def of_database(self, command: list[str]) -> list[str]:
        """Return the command that runs a database within the limit of the disk.

        The limit is on the disk of temporary files, where buto copies the database to for each run.

        Raises:
            BedError: this machine does not let us set it.
        """
        if self.writes_per_s is None:
            return command
        device = os.stat(tempfile.gettempdir()).st_dev
        line = f"{os.major(device)}:{os.minor(device)} {self.writes_per_s}"
        return _inside(_group("blkio", {"blkio.throttle.write_iops_device": line}), command)


UNLIMITED = Limits()


def _group(controller: str, values: Mapping[str, float | str]) -> Path:
    group = CONTROL_GROUPS / controller / _NAME
    try:
        group.mkdir(exist_ok=True)
        for name, value in values.items():
            (group / name).write_text(value if isinstance(value, str) else f"{value:.0f}")
        # PostgreSQL enters the group as its own user, not as root.
        (group / "cgroup.procs").chmod(0o666)
    except OSError as error:
        raise BedError(
            f"cannot limit the system by the control group {group}: {error.strerror}. This needs root and "
            "control groups of version 1; name the runs of other environments with --only"
        ) from error
    return group


def _inside(group: Path, command: list[str]) -> list[str]:
    # 0 is the process that writes. Its number, $$, would be a dollar sign after the configuration was read.
    return ["sh", "-c", f'echo 0 > "{group}/cgroup.procs" && exec "$@"', "sh", *command]
