"""Processes of the operating system: who belongs to a launch, waiting for their end, ending them.

Linux only; other systems get a MeasureError from :func:`require_linux`.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from buto.errors import MeasureError

_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""

_LIBC = ctypes.CDLL(None)
"""Loaded here, for nothing may be loaded between fork and exec."""


def require_linux(what: str) -> None:
    """Raise MeasureError where process file descriptors and /proc are not to be had."""
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        raise MeasureError(
            f"{what} works on Linux only so far, and this is {sys.platform}",
            advice="run buto in a Linux container or virtual machine",
        )


def die_with_parent(parent: int) -> None:
    """For a new child before it executes its program: be killed when the thread that made it ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)


def members(session: int, marker: bytes) -> list[int]:
    """Living processes of a session, and those whose first environment held ``marker``.

    The marker finds what has opened a session of its own, as daemons do.
    """
    pids = [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()]
    return [pid for pid in pids if belongs(pid, session, marker)]


def belongs(pid: int, session: int, marker: bytes) -> bool:
    """Whether a living process is of that session, or its first environment held ``marker``."""
    return session_of(pid) == session or _carries(pid, marker)


def session_of(pid: int) -> int | None:
    """The session of a process; None if it is dead, a zombie, or not to be seen."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    state, _, _, session = text[text.rindex(")") + 2 :].split()[:4]
    return None if state in "ZX" else int(session)


def open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None if there is none of that number."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Signal processes, of which some may be gone already or belong to another user."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def wait_for_end(pids: Iterable[int], timeout_s: float) -> bool:
    """Wait until all processes have ended; False if one is still there after the time."""
    deadline = time.monotonic() + timeout_s
    for pid in pids:
        descriptor = open_pidfd(pid)
        if descriptor is None:
            continue
        try:
            if not readable(descriptor, max(0.0, deadline - time.monotonic())):
                return False
        finally:
            os.close(descriptor)
    return True


def readable(descriptor: int, timeout_s: float) -> bool:
    """Wait for a descriptor to become readable, at most so long."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def _carries(pid: int, marker: bytes) -> bool:
    try:
        return marker in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
