"""What buto asks of Linux for a command's process: another user, its end, and counts by the processor.

A command becomes another user if its program refuses to run as root.

The end and the exit code come through a pidfd, which psutil does not offer: it can be waited for together
with sockets, and never means another process that got the same id. Other systems get a MeasureError from
:func:`require_linux`.

The processor counts through perf_event_open(2). The child process opens its own counters between fork and
exec and hands them to buto. They begin to count when the program is executed, and so miss nothing of it, and
they include every thread that it starts. No library is needed for a system call and a structure of numbers.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import pwd
import select
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self, TypedDict

from msgspec import Struct

from buto.errors import MeasureError, StorageError, UsageError
from buto.measure.progress import Closeable


class Account(Struct, frozen=True):
    """A user of this machine.

    Attributes:
        uid, gid: numbers of the user and of its first group.
        groups: numbers of all its groups.
        home: its home directory.
    """

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: Path

    def own(self, directory: Path) -> None:
        """Give a directory and all that is in it to the user.

        Raises:
            StorageError: it cannot be given, or the user may not enter a directory above it.
        """
        try:
            for parent, _, files in os.walk(directory):
                for path in (parent, *(os.path.join(parent, name) for name in files)):
                    os.chown(path, self.uid, self.gid, follow_symlinks=False)
        except OSError as error:
            raise StorageError(
                f"{directory} cannot be given to the user {self.name!r}: {error.strerror}"
            ) from error
        for above in directory.resolve().parents:
            if not self._may_enter(above.stat()):
                raise StorageError(
                    f"the user {self.name!r} cannot enter {above}",
                    advice="set TMPDIR to a directory that every user can enter, such as /var/tmp",
                )

    def _may_enter(self, directory: os.stat_result) -> bool:
        if directory.st_uid == self.uid:
            return bool(directory.st_mode & stat.S_IXUSR)
        if directory.st_gid in self.groups:
            return bool(directory.st_mode & stat.S_IXGRP)
        return bool(directory.st_mode & stat.S_IXOTH)


class Identity(TypedDict, total=False):
    """The arguments of :class:`subprocess.Popen` that change the user."""

    user: int
    group: int
    extra_groups: tuple[int, ...]


def account_of(name: str) -> Account | None:
    """Return the account that a command has to become; None if buto itself cannot become another user.

    Raises:
        UsageError: this machine has no such user.
    """
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise UsageError(
            f"this machine has no user {name!r}", advice="getent passwd lists the users; useradd makes one"
        ) from None
    if os.geteuid() != 0:
        return None
    groups = tuple(os.getgrouplist(name, entry.pw_gid))
    return Account(name, entry.pw_uid, entry.pw_gid, groups, Path(entry.pw_dir))


def identity(account: Account | None) -> Identity:
    """Return how a process is started as this user; nothing without one."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": account.groups}


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


_SYSCALLS = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319, "s390x": 331}
"""The number of perf_event_open, by machine."""

_ATTR = struct.Struct("=IIQQQQQ")
_ATTR_BYTES = 112
"""linux/perf_event.h: struct perf_event_attr, version 5; what lies behind the flags stays zero."""

_TIMES_READ = 1 | 2
"""Read the times in which a counter was wanted and in which it counted."""

_DISABLED, _INHERIT, _EXCLUDE_KERNEL, _EXCLUDE_HYPERVISOR = 1 << 0, 1 << 1, 1 << 5, 1 << 6
_ENABLE_ON_EXEC, _THREADS_ONLY = 1 << 12, 1 << 35
_CLOSE_ON_EXEC = 8
_FLAGS = _DISABLED | _INHERIT | _EXCLUDE_KERNEL | _EXCLUDE_HYPERVISOR | _ENABLE_ON_EXEC

_READING = struct.Struct("=QQQ")
_OUTCOME = struct.Struct("=i")

_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")

_EVENTS_LIBC = ctypes.CDLL(None, use_errno=True)
"""Loaded here, because nothing may be loaded between fork and exec."""


class EventKind(Struct, frozen=True):
    """What to count: ``type`` and ``config`` of perf_event_open(2).

    Attributes:
        name: in words, for messages.
        prop: the property that it gives.
    """

    name: str
    prop: str
    type: int
    config: int


KINDS = (
    EventKind("instructions", "process.cpu.instructions", 0, 1),
    EventKind("cycles", "process.cpu.cycles", 0, 0),
)
"""Hardware counters of user mode."""


class NoEventError(MeasureError):
    """Something cannot be counted; the message says why, and the advice what would help, if anything does."""


class Opener:
    """Opens counters in a child process between fork and exec.

    Create it before the fork, call :meth:`open_in_child` in the child, and :meth:`receive` in the parent once
    the program is executed.
    """

    def __init__(self, kinds: Sequence[EventKind]) -> None:
        self._kinds = tuple(kinds)
        self._attempts = tuple(
            tuple(_attr(kind, _FLAGS | more) for more in (_THREADS_ONLY, 0)) for kind in self._kinds
        )
        self._ours, self._childs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def open_in_child(self) -> None:
        """Open all counters for this process, to count from exec on, and hand them over.

        Raises no error, because the program must start all the same.
        """
        with suppress(OSError):
            for attempts in self._attempts:
                outcome = _open_first(attempts)
                descriptors = [outcome] if outcome >= 0 else []
                socket.send_fds(self._childs, [_OUTCOME.pack(min(outcome, 0))], descriptors)

    def receive(self) -> ProcessorEvents:
        """Return the counters of the program that is executed now."""
        events: dict[EventKind, int | NoEventError] = {}
        try:
            self._ours.setblocking(False)
            for kind in self._kinds:
                outcome, descriptors, _, _ = socket.recv_fds(self._ours, _OUTCOME.size, 1)
                events[kind] = descriptors[0] if descriptors else no_event(kind, -_OUTCOME.unpack(outcome)[0])
        except OSError as error:
            events |= {kind: no_event(kind, error.errno or 0) for kind in self._kinds if kind not in events}
        finally:
            self.close()
        return ProcessorEvents(events)

    def close(self) -> None:
        """Release what is left if no program was executed."""
        self._ours.close()
        self._childs.close()


class ProcessorEvents(Closeable):
    """Counters of one process and its threads, readable until :meth:`close`, also after its end.

    Args:
        events: the descriptor of each kind, or why there is none.
    """

    def __init__(self, events: dict[EventKind, int | NoEventError]) -> None:
        self._found = events

    @classmethod
    def of_this_process(cls, kinds: Sequence[EventKind] = KINDS) -> Self:
        """Return counters of this process that never count, to see which there are."""
        events: dict[EventKind, int | NoEventError] = {}
        for kind in kinds:
            outcome = _open_first((_attr(kind, _FLAGS),))
            events[kind] = outcome if outcome >= 0 else no_event(kind, -outcome)
        return cls(events)

    def close(self) -> None:
        for descriptor in self._found.values():
            if not isinstance(descriptor, NoEventError):
                os.close(descriptor)
        self._found = {}

    @property
    def kinds(self) -> tuple[EventKind, ...]:
        """All kinds that were asked for, whether there are counters or not."""
        return tuple(self._found)

    def count(self, kind: EventKind) -> float:
        """Return the count since the program was executed.

        If the processor has fewer counters than are wanted, the kernel takes turns; the count is then scaled
        up from the time in which it was counted.

        Raises:
            NoEventError: it cannot be counted.
        """
        descriptor = self._found[kind]
        if isinstance(descriptor, NoEventError):
            raise descriptor
        counted, wanted_ns, counted_ns = _READING.unpack(os.read(descriptor, _READING.size))
        if wanted_ns and not counted_ns:
            raise NoEventError(f"the processor had no free counter for {kind.name}")
        return float(counted) if counted_ns == wanted_ns else counted * wanted_ns / counted_ns


def no_event(kind: EventKind, error: int) -> NoEventError:
    """Return why a kind cannot be counted, from the error of perf_event_open(2)."""
    if error in (errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP):
        return NoEventError(
            f"this processor has no counter of {kind.name} for programs, as in most virtual machines"
        )
    if error in (errno.EACCES, errno.EPERM):
        level = _PARANOID.read_text().strip() if _PARANOID.exists() else "unknown"
        return NoEventError(
            f"this kernel or container does not allow to count {kind.name} (perf_event_paranoid is {level})",
            advice="allow it: sysctl kernel.perf_event_paranoid=2; in a container: --cap-add PERFMON",
        )
    return NoEventError(f"{kind.name} cannot be counted: {os.strerror(error)}")


def _attr(kind: EventKind, flags: int) -> ctypes.Array[ctypes.c_char]:
    attr = bytearray(_ATTR_BYTES)
    _ATTR.pack_into(attr, 0, kind.type, _ATTR_BYTES, kind.config, 0, 0, _TIMES_READ, flags)
    return (ctypes.c_char * _ATTR_BYTES).from_buffer(attr)


def _open_first(attempts: Sequence[ctypes.Array[ctypes.c_char]]) -> int:
    """Return the descriptor of the first attempt whose flags the kernel knows; else minus the error."""
    number = _SYSCALLS.get(platform.machine())
    if number is None:
        return -errno.ENOSYS
    for attr in attempts:
        descriptor = int(_EVENTS_LIBC.syscall(number, attr, 0, -1, -1, _CLOSE_ON_EXEC))
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() != errno.EINVAL:
            break
    return -ctypes.get_errno()
