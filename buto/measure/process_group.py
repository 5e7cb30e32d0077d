"""The processes that a command started, and the watchdog process that kills them when buto itself has died.

The watchdog runs this file as a program, one for each launch. It must start within 10 ms, so this file
imports little: nothing of buto, and not psutil, which takes 30 ms and lists the members four times slower.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

_STATE, _SESSION, _CPU, _START = 0, 3, slice(11, 15), 19
"""Indices of the fields of /proc/PID/stat after the name, see proc(5)."""

_DEAD = (b"Z", b"X")

_WATCHDOG_S = 30.0
"""How long the watchdog keeps killing processes that do not end."""

_WATCHDOG_POLL_S = 0.01

DONE = b"done\n"


class ProcessGroup:
    """All processes that a command started.

    Members are the processes of its session and those with its marker. Not found is only a daemon that both
    opens a session of its own and clears its environment.

    Attributes:
        marker: a variable of the command's environment, ``NAME=value``. Its descendants inherit it, also
            those that open a session of their own, as daemons do.
        session: the command's session; None if it is not known.
        start: when its first process started, in clock ticks since boot; older processes are no members.
    """

    def __init__(self, marker: bytes, session: int | None = None, start: int = 0) -> None:
        self.marker = marker
        self.session = session
        self.start = start

    def members(self) -> list[int]:
        """Return the ids of all living members."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and self.owns(int(name))]

    def owns(self, pid: int) -> bool:
        """Return whether a process lives and is a member."""
        fields = stat_fields(pid)
        if fields is None or fields[_STATE] in _DEAD or int(fields[_START]) < self.start:
            return False
        if int(fields[_SESSION]) == self.session:
            return True
        return self.marker in (read_bytes(f"/proc/{pid}/environ") or b"").split(b"\0")


def process_group_of(pid: int, marker: bytes) -> ProcessGroup:
    """Return the group of a process that leads a session and was not waited for yet."""
    fields = stat_fields(pid)
    return ProcessGroup(marker, pid, int(fields[_START]) if fields else 0)


def is_alive(pid: int) -> bool:
    """Return whether there is a process of that id that is not a zombie."""
    fields = stat_fields(pid)
    return fields is not None and fields[_STATE] not in _DEAD


def stat_fields(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/PID/stat after the name, see proc(5); None if there is no such process."""
    text = read_bytes(f"/proc/{pid}/stat")
    return text[text.rindex(b")") + 2 :].split() if text else None


def read_bytes(path: str) -> bytes | None:
    """Return the content of a file of /proc; None if it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        pieces = []
        while piece := os.read(descriptor, 65536):
            pieces.append(piece)
        return b"".join(pieces)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def cpu_s(pids: Sequence[int]) -> float:
    """Return the processor time of processes and of the children that they waited for, seconds."""
    stats = [fields for pid in pids if (fields := stat_fields(pid)) is not None]
    return sum(int(ticks) for fields in stats for ticks in fields[_CPU]) / os.sysconf("SC_CLK_TCK")


def send(pids: Sequence[int], number: signal.Signals) -> None:
    """Send a signal to processes; skip those that have ended or belong to another user."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def watch(parent: int, marker: bytes) -> None:
    """Wait until the parent reports that all is done or has died; in that case, kill the group.

    Standard input brings the line ``SESSION START`` of the group as soon as they are known, then ``done``.
    The parent's death is seen from its process and not from the end of the input: a process that was forked
    from the parent may hold the input open.
    """
    import select

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    received = b""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    with suppress(ProcessLookupError):
        poll.register(os.pidfd_open(parent), select.POLLIN)
    # What the parent wrote before its death can still be read.
    while not received.endswith(DONE):
        ready = dict(poll.poll(None if os.getppid() == parent else 0))
        if not ready.get(0, 0) & select.POLLIN:
            break
        received += os.read(0, 4096)
    if not received.endswith(DONE):
        words = received.split()
        end(ProcessGroup(marker, int(words[0]), int(words[1])) if len(words) == 2 else ProcessGroup(marker))


def end(group: ProcessGroup) -> None:
    """Kill members until there are none: as long as one lives, it may start another."""
    deadline = time.monotonic() + _WATCHDOG_S
    while (members := group.members()) and time.monotonic() < deadline:
        send(members, signal.SIGKILL)
        time.sleep(_WATCHDOG_POLL_S)


if __name__ == "__main__":
    watch(int(sys.argv[1]), os.fsencode(sys.argv[2]))
