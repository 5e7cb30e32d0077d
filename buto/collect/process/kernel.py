"""What buto asks of the Linux kernel about processes: wait for their end, and learn their exit code.

Built on pidfd, which psutil does not offer: a pidfd can be waited for together with sockets, and never
means another process that got the same id. Other systems get a MeasureError from :func:`require_linux`.
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
"""linux/pidfd.h: struct pidfd_info, first version; only its mask and exit code are used here."""

_POLL_S = 0.005

_LIBC = ctypes.CDLL(None)
"""Loaded here, because nothing may be loaded between fork and exec."""


def require_linux(what: str) -> None:
    """Raise MeasureError if this system has no process file descriptors."""
    advice = "run buto in a Linux container or virtual machine, with Linux 5.3 or newer"
    if sys.platform != "linux":
        raise MeasureError(f"{what} works only on Linux, and this is {sys.platform}", advice=advice)
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError as error:
        raise MeasureError(
            f"{what} needs the system call pidfd_open: {error.strerror}", advice=advice
        ) from error


def die_with_parent(parent: int) -> None:
    """Have this new child process killed when the thread that created it ends; call it before exec."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)


def open_pidfd(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process ends; None if there is no such process."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def wait_for_end(pids: Iterable[int], timeout_s: float) -> bool:
    """Wait until all processes have ended; return False if one still runs after that time."""
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
    """Wait until a descriptor is readable; return False if it is not after that time."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def exit_code(pidfd: int, timeout_s: float = 1.0) -> int | None:
    """Return the exit code of a process that has ended, or minus its signal; None if not known.

    The kernel reports it (``PIDFD_GET_INFO``, since Linux 6.15) once the parent has waited for the process.
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
