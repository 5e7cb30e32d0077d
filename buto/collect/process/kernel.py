"""Processes of the operating system: waiting for their end, and how it was.

Linux only; other systems get a MeasureError from :func:`require_linux`.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Iterable

from buto.errors import MeasureError

_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""

_PIDFD_GET_INFO = 0xC040FF0B
_PIDFD_INFO_EXIT = 1 << 3
_PIDFD_INFO = struct.Struct("=Q52xi")
"""linux/pidfd.h: struct pidfd_info in its first version, of which the mask and the exit code count here."""

_POLL_S = 0.005

_LIBC = ctypes.CDLL(None)
"""Loaded here, for nothing may be loaded between fork and exec."""


def require_linux(what: str) -> None:
    """Raise MeasureError where process file descriptors and /proc are not to be had."""
    advice = "run buto in a Linux container or virtual machine, with Linux 5.3 or newer"
    if sys.platform != "linux":
        raise MeasureError(f"{what} works on Linux only so far, and this is {sys.platform}", advice=advice)
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError as error:
        raise MeasureError(
            f"{what} needs pidfd_open of the kernel: {error.strerror}", advice=advice
        ) from error


def die_with_parent(parent: int) -> None:
    """For a new child before it executes its program: be killed when the thread that made it ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)


def open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None if there is none of that number."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


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


def exit_code(pidfd: int, timeout_s: float = 1.0) -> int | None:
    """The exit code of any process that has ended, or minus the signal; None where it is not known.

    The kernel tells it (``PIDFD_GET_INFO``, since Linux 6.15) once the parent has waited for the process.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        info = bytearray(_PIDFD_INFO.pack(_PIDFD_INFO_EXIT, 0))
        try:
            fcntl.ioctl(pidfd, _PIDFD_GET_INFO, info)
        except OSError:
            return None
        known, status = _PIDFD_INFO.unpack(info)
        if known & _PIDFD_INFO_EXIT:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL_S)
