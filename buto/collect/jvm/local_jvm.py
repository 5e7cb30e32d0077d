"""Find out where a JVM of this machine can be reached through JMX, and whether attaching to it is safe."""

from __future__ import annotations

import os
import pwd
import signal
from dataclasses import dataclass
from pathlib import Path

from buto.collect.jvm import hsperfdata
from buto.errors import MeasureError
from buto.steps import Action, Advice, Step

_SERVER = "sun.management.JMXConnectorServer"
_STALE_S = 2.0
"""Tolerance: a process's start is known to 10 ms, but relative to a boot time that is known to 1 s."""


@dataclass(frozen=True, slots=True)
class LocalJvm:
    """What the performance counters of a JVM on this machine report.

    Attributes:
        command: its ``sun.java.command``: main class or jar, and arguments; empty before it is known.
        is_ready: whether the JVM and its agents have started; ``main`` begins 1 to 2 ms later.
        takes_commands: whether it may be attached to (no ``-XX:+DisableAttachMechanism``).
        local_address, remote_address: JMX service addresses; None if such an agent does not run.
    """

    pid: int
    command: str
    is_ready: bool
    takes_commands: bool
    local_address: str | None
    remote_address: str | None


def local_jvm(pid: int) -> LocalJvm | None:
    """Read the performance counters of a process; return None if it has none that can be read.

    Works also for a process in a container, with its own file system and process ids. A file that an earlier
    process of the same id left behind is ignored.
    """
    path, began_ms = _counters(pid), started_ms(pid)
    if path is None or began_ms is None:
        return None
    try:
        if path.stat().st_mtime < began_ms / 1000 - _STALE_S:
            return None
        counters = hsperfdata.parse(path.read_bytes())
    except (OSError, hsperfdata.NoPerfData):
        return None
    # A remote agent gets a new number each time that it starts; the number is -1 after it was stopped.
    remote = counters.get(f"{_SERVER}.{counters.get(f'{_SERVER}.remote.enabled', -1)}.remoteAddress")
    local = counters.get(f"{_SERVER}.address")
    return LocalJvm(
        pid,
        command=str(counters.get("sun.rt.javaCommand", "")),
        is_ready=counters.get("sun.rt.createVmEndTime", 0) != 0,
        takes_commands=not str(counters.get("sun.rt.jvmCapabilities", "1")).startswith("0"),
        local_address=str(local) if local else None,
        remote_address=str(remote) if remote else None,
    )


class GoneError(MeasureError):
    """There is no such process, or it has ended."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"there is no process {pid}", advice="list the JVMs of this machine with: jps -l")


def check_attachable(pid: int) -> None:
    """Refuse a process that attaching could harm, or that would not answer.

    Raises:
        GoneError: there is no such process.
        MeasureError: it is stopped, belongs to another user, is not a JVM, or refuses to be attached to.
    """
    status = _status(pid)
    if status is None:
        raise GoneError(pid)
    if status["State"].startswith("T"):
        raise MeasureError(f"process {pid} is stopped", advice=f"continue it: kill -CONT {pid}")
    owner = int(status["Uid"].split()[1])
    if os.geteuid() not in (0, owner):
        raise MeasureError(
            f"process {pid} belongs to the user {_user_name(owner)}",
            advice=Advice(f"attach as that user: sudo -u {_user_name(owner)} ", Step(Action.ATTACH)),
        )
    if not is_jvm(pid):
        if _status(pid) is None:
            raise GoneError(pid)
        raise MeasureError(
            f"process {pid} ({status['Name']}) is not a JVM",
            advice="list the JVMs of this machine with: jps -l",
        )
    jvm = local_jvm(pid)
    if jvm is not None and not jvm.takes_commands:
        raise MeasureError(
            f"cannot attach to process {pid}: it runs with -XX:+DisableAttachMechanism",
            advice="start it with -Dcom.sun.management.jmxremote instead",
        )


def expects_sigquit(pid: int) -> bool:
    """Return whether the process handles SIGQUIT, which would end it otherwise."""
    return bool(int((_status(pid) or {}).get("SigCgt", "0"), 16) & 1 << (signal.SIGQUIT - 1))


def inner_pid(pid: int) -> int:
    """Return the id of a process inside its own container."""
    return int((_status(pid) or {}).get("NSpid", str(pid)).split()[-1])


def _counters(pid: int) -> Path | None:
    status = _status(pid)
    if status is None:
        return None
    try:
        found = list(Path(f"/proc/{pid}/root/tmp").glob(f"hsperfdata_*/{inner_pid(pid)}"))
        owner = int(status["Uid"].split()[1])
        return next((path for path in found if path.stat().st_uid == owner), None)
    except OSError:
        return None


def _status(pid: int) -> dict[str, str] | None:
    """Return the fields of /proc/PID/status; None for a process that is gone.

    psutil has neither the caught signals nor the process id inside a container.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except OSError:
        return None
    status = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    return None if status.get("State", "X")[0] in "ZX" else status


def is_jvm(pid: int) -> bool:
    """Return whether libjvm is mapped. (psutil would read the far longer smaps for that.)"""
    try:
        return "/libjvm.so" in Path(f"/proc/{pid}/maps").read_text(errors="replace")
    except OSError:
        return False


def started_ms(pid: int) -> int | None:
    """Return when the process started, ms of the wall clock; None if it is gone."""
    # Here, for it takes 15 ms to import, and most launches need no port of their program.
    import psutil

    try:
        return round(psutil.Process(pid).create_time() * 1000)
    except psutil.NoSuchProcess:
        return None


def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
