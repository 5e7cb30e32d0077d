"""Count what the processor does for a program, with Linux's perf_event_open(2).

The child process opens its own counters between fork and exec and hands them to buto. They begin to count
when the program is executed, and so miss nothing of it, and they include every thread that it starts. No
library is needed for a system call and a structure of numbers.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from buto.collect.closeable import Closeable
from buto.errors import MeasureError

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

_LIBC = ctypes.CDLL(None, use_errno=True)
"""Loaded here, because nothing may be loaded between fork and exec."""


@dataclass(frozen=True, slots=True)
class EventKind:
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
        found: dict[EventKind, int | NoEventError] = {}
        try:
            self._ours.setblocking(False)
            for kind in self._kinds:
                outcome, descriptors, _, _ = socket.recv_fds(self._ours, _OUTCOME.size, 1)
                found[kind] = descriptors[0] if descriptors else no_event(kind, -_OUTCOME.unpack(outcome)[0])
        except OSError as error:
            found |= {kind: no_event(kind, error.errno or 0) for kind in self._kinds if kind not in found}
        finally:
            self.close()
        return ProcessorEvents(found)

    def close(self) -> None:
        """Release what is left if no program was executed."""
        self._ours.close()
        self._childs.close()


class ProcessorEvents(Closeable):
    """Counters of one process and its threads, readable until :meth:`close`, also after its end.

    Args:
        found: the descriptor of each kind, or why there is none.
    """

    def __init__(self, found: dict[EventKind, int | NoEventError]) -> None:
        self._found = found

    @classmethod
    def of_this_process(cls, kinds: Sequence[EventKind] = KINDS) -> Self:
        """Return counters of this process that never count, to see which there are."""
        found: dict[EventKind, int | NoEventError] = {}
        for kind in kinds:
            outcome = _open_first((_attr(kind, _FLAGS),))
            found[kind] = outcome if outcome >= 0 else no_event(kind, -outcome)
        return cls(found)

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
        descriptor = int(_LIBC.syscall(number, attr, 0, -1, -1, _CLOSE_ON_EXEC))
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() != errno.EINVAL:
            break
    return -ctypes.get_errno()
