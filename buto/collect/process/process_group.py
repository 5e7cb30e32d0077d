"""The processes that a command started, and the watcher that ends them when buto itself has died.

The watcher is this file as a program of its own, one for each launch. So it imports little, and nothing
of buto: it is there after 10 ms.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

_STATE, _SESSION, _START = 0, 3, 19
"""Places in /proc/PID/stat behind the name, proc(5)."""

_DEAD = (b"Z", b"X")

_WATCHER_S = 30.0
"""How long the watcher goes on killing what does not end."""

_WATCHER_POLL_S = 0.01

DONE = b"done\n"


class ProcessGroup:
    """How the processes that a command started are known.

    Members are the processes of its session, and those with its marker. Only who leaves both behind is
    not found: a daemon that starts a session of its own and clears its environment.

    Attributes:
        marker: a variable of the command's environment, ``NAME=value``, that its descendants inherit: so
            those are found that have opened a session of their own, as daemons do.
        session: the command's own session; None if it is not known.
        start: when its first process began, by the system's clock ticks; nobody older belongs to it.
    """

    def __init__(self, marker: bytes, session: int | None = None, start: int = 0) -> None:
        self.marker = marker
        self.session = session
        self.start = start

    def members(self) -> list[int]:
        """All of its processes that live."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and self.owns(int(name))]

    def owns(self, pid: int) -> bool:
        """Whether a living process belongs to it."""
        fields = stat_fields(pid)
        if fields is None or fields[_STATE] in _DEAD or int(fields[_START]) < self.start:
            return False
        if int(fields[_SESSION]) == self.session:
            return True
        return self.marker in (read_bytes(f"/proc/{pid}/environ") or b"").split(b"\0")


def process_group_of(pid: int, marker: bytes) -> ProcessGroup:
    """The family of a process that leads a session and was not collected yet."""
    fields = stat_fields(pid)
    return ProcessGroup(marker, pid, int(fields[_START]) if fields else 0)


def is_alive(pid: int) -> bool:
    """Whether there is a process of that number that is no zombie."""
    fields = stat_fields(pid)
    return fields is not None and fields[_STATE] not in _DEAD


def stat_fields(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat from the third on, see proc(5); None if there is no such process."""
    text = read_bytes(f"/proc/{pid}/stat")
    return text[text.rindex(b")") + 2 :].split() if text else None


def read_bytes(path: str) -> bytes | None:
    """The content of a file of /proc; None if it cannot be read."""
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


def send(pids: Sequence[int], number: signal.Signals) -> None:
    """Signal processes, of which some may be gone already or belong to another user."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def watch(parent: int, marker: bytes) -> None:
    """Wait until the parent says that all is done, or has died, and in that case end its group.

    Standard input tells first ``SESSION START`` of the group, as soon as they are known, then ``done``.
    That the parent died is seen from its process and not from the end of the input, which another process
    may hold open that was forked from it.
    """
    import select

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    said = b""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    with suppress(ProcessLookupError):
        poll.register(os.pidfd_open(parent), select.POLLIN)
    # What the parent said before its death is still there to be read.
    while not said.endswith(DONE):
        ready = dict(poll.poll(None if os.getppid() == parent else 0))
        if not ready.get(0, 0) & select.POLLIN:
            break
        said += os.read(0, 4096)
    if not said.endswith(DONE):
        words = said.split()
        end(ProcessGroup(marker, int(words[0]), int(words[1])) if len(words) == 2 else ProcessGroup(marker))


def end(group: ProcessGroup) -> None:
    """Kill members until there are none, for as long as one lives it may start another."""
    deadline = time.monotonic() + _WATCHER_S
    while (members := group.members()) and time.monotonic() < deadline:
        send(members, signal.SIGKILL)
        time.sleep(_WATCHER_POLL_S)


if __name__ == "__main__":
    watch(int(sys.argv[1]), os.fsencode(sys.argv[2]))
