"""What the kernel counts of the JVM's process, as parts of what is read from outside."""

from __future__ import annotations

from buto.collect.outside.part import Part, Values
from buto.collect.procfs.ended_threads import ThreadSum
from buto.collect.procfs.process_files import ProcessFiles
from buto.collect.procfs.texts import Switches

FAULTS = ("process.paging.faults[minor]", "process.paging.faults[major]")
SWITCHES = ("process.context_switches[voluntary]", "process.context_switches[involuntary]")
_THREADS = "process.thread.count"
_MEMORY = ("process.memory.usage", "process.memory.anonymous")
_PROPORTIONAL = "process.memory.proportional"
_TRANSFERS = (
    "process.io.bytes[read]",
    "process.io.bytes[write]",
    "process.io.calls[read]",
    "process.io.calls[write]",
    "process.disk.io[read]",
    "process.disk.io[write]",
)
_DESCRIPTORS = "process.unix.file_descriptor.count"
_SOCKETS = "process.socket.count"

PROCESS_NAMES = (
    *FAULTS,
    *SWITCHES,
    *_MEMORY,
    *_TRANSFERS,
    _THREADS,
    _PROPORTIONAL,
    _DESCRIPTORS,
    _SOCKETS,
)
"""All properties that the parts of this module read."""

_SLOW_S = 2.0
"""For what must be asked of each thread or descriptor."""

_RARE_S = 10.0
"""For what makes the kernel visit each page."""


def switch_values(switches: Switches) -> dict[str, float]:
    """Return the properties of context switches."""
    return dict(zip(SWITCHES, (float(switches.voluntary), float(switches.involuntary)), strict=True))


class ProcessReadings:
    """Reads one process.

    Args:
        files: of the process; they must stay open.

    Attributes:
        waited_for_children: whether the process had waited for the end of a child when it was last read.
    """

    def __init__(self, files: ProcessFiles) -> None:
        self.waited_for_children = False
        self._files = files
        self._threads = ThreadSum()

    def parts(self) -> tuple[Part, ...]:
        """Return all that is read of the process."""
        files = self._files
        return (
            Part((*FAULTS, _THREADS), self._stat),
            Part(_MEMORY, self._memory),
            Part(_TRANSFERS, self._transfers),
            Part((_DESCRIPTORS,), lambda: {_DESCRIPTORS: float(files.n_descriptors())}),
            Part((_SOCKETS,), lambda: {_SOCKETS: float(files.n_sockets())}, _SLOW_S),
            Part(SWITCHES, lambda: switch_values(self._threads.add(files.switches())), _SLOW_S),
            Part((_PROPORTIONAL,), lambda: {_PROPORTIONAL: float(files.pss())}, _RARE_S),
        )

    def _stat(self) -> Values:
        now = self._files.stat()
        self.waited_for_children = now.waited_for_children
        counts = (now.minor_faults, now.major_faults, now.n_threads)
        return dict(zip((*FAULTS, _THREADS), map(float, counts), strict=True))

    def _memory(self) -> Values:
        now = self._files.memory()
        return dict(zip(_MEMORY, (float(now.resident), float(now.anonymous)), strict=True))

    def _transfers(self) -> Values:
        now = self._files.transfers()
        counts = (
            now.bytes_read,
            now.bytes_written,
            now.calls_read,
            now.calls_written,
            now.disk_read,
            now.disk_written,
        )
        return dict(zip(_TRANSFERS, map(float, counts), strict=True))
