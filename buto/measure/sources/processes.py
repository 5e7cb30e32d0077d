"""Sources by the kernel's own counts: ``process``, a tree of processes, and ``host``, the whole machine.

The machine's numbers are of this test's programs and all others together.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import psutil

from buto.measure.command_line import line_pattern, living
from buto.measure.procfs import EndedError, ProcError, ProcessFiles, ThreadSum
from buto.measure.sources.protocol import Reader, Settings, SourceContext, SourceError
from buto.run.properties import Better, Kind, Property

_GAUGES = (
    "process.count",
    "memory.usage",
    "thread.count",
    "unix.file_descriptor.count",
    "load.1min",
    "memory.available",
    "memory.cached",
    "swap.used",
)
"""All other numbers are counters."""


def _table(better: Better, units: Mapping[str, str]) -> dict[str, Property]:
    return {
        name: Property(name, unit, Kind.GAUGE if name in _GAUGES else Kind.COUNTER, lower=0.0, better=better)
        for name, unit in units.items()
    }


PROPERTIES = _table(
    Better.LOWER,
    {
        "process.count": "{process}",
        "cpu.time": "s",
        "memory.usage": "By",
        "thread.count": "{thread}",
        "unix.file_descriptor.count": "{file_descriptor}",
        "io.bytes[read]": "By",
        "io.bytes[write]": "By",
        "disk.io[read]": "By",
        "disk.io[write]": "By",
        "context_switches[voluntary]": "{context_switch}",
        "context_switches[involuntary]": "{context_switch}",
        "paging.faults[minor]": "{fault}",
        "paging.faults[major]": "{fault}",
    },
)
"""Sums over the tree, named as ``process.*`` of the JVM. Shared memory counts in each process that has it."""


class ProcessSource:
    """The processes of the measured command, or others with all that they started."""

    kind: ClassVar[str] = "process"
    required: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "match": {
            "title": "a shell pattern",
            "description": "Which processes, each with all that it started: a shell pattern for their "
            "command lines, words joined by blanks; default the processes of the test's command.",
            "type": "string",
            "minLength": 1,
            "examples": ["*postgres -D*"],
        },
    }

    def __init__(self, settings: Settings) -> None:
        self.settle_s = 0.0
        self._match: str | None = settings.get("match")

    def open(self, surroundings: SourceContext, interval_s: float, timeout_s: float) -> Reader:
        if self._match is None:
            return ProcessReader(surroundings.members)
        pattern = line_pattern(self._match)
        return ProcessReader(lambda: _matching(pattern))


@dataclass(slots=True)
class _Member:
    """One process of a tree, as it was read last."""

    files: ProcessFiles
    switches: ThreadSum
    last: dict[str, float]


class ProcessReader(Reader):
    """Sums over a tree of processes. What an ended process had counted stays in the sums of counters.

    While a living process cannot be read, nothing but the number of processes is known.

    Args:
        pids: returns the ids of the tree's living processes.
    """

    def __init__(self, pids: Callable[[], list[int]]) -> None:
        self._pids = pids
        self._members: dict[int, _Member] = {}
        self._ended: dict[str, float] = {}
        self._why = ""

    def read(self) -> Mapping[str, float]:
        self._why = ""
        pids = set(self._pids())
        for gone in self._members.keys() - pids:
            self._end(gone)
        unread = []
        for pid in sorted(pids):
            try:
                if pid not in self._members:
                    self._members[pid] = _Member(ProcessFiles(pid), ThreadSum(), {})
                self._update(pid)
            except EndedError:
                self._end(pid)
            except ProcError as error:
                unread.append((pid, error.message))
        n_processes = len(self._members.keys() | {pid for pid, _ in unread})
        if not n_processes:
            raise SourceError("no such process runs")
        values = {"process.count": float(n_processes)}
        if unread:
            self._why = unread[0][1]
            return values
        for name, prop in PROPERTIES.items():
            parts = [member.last.get(name) for member in self._members.values()]
            known = [part for part in parts if part is not None]
            if name != "process.count" and len(known) == len(parts):
                values[name] = sum(known) + (self._ended.get(name, 0.0) if prop.kind is Kind.COUNTER else 0.0)
        return values

    def property(self, name: str) -> Property:
        return PROPERTIES[name]

    def names(self) -> tuple[str, ...]:
        return tuple(PROPERTIES)

    def why_missing(self) -> str:
        return self._why

    def close(self) -> None:
        for member in self._members.values():
            member.files.close()

    def _update(self, pid: int) -> None:
        """Read one process anew. EndedError if it has ended meanwhile, ProcError if it cannot be read."""
        member = self._members[pid]
        last = member.files.stat() | member.files.memory()
        try:
            last |= member.switches.add(member.files.switches()).counts()
            # For the process's own user and root alone.
            last |= member.files.transfers()
            last["unix.file_descriptor.count"] = float(member.files.n_descriptors())
        except EndedError:
            raise
        except ProcError as error:
            self._why = error.message
        member.last = last

    def _end(self, pid: int) -> None:
        member = self._members.pop(pid, None)
        if member is None:
            return
        member.files.close()
        for name, prop in PROPERTIES.items():
            if prop.kind is Kind.COUNTER and name in member.last:
                self._ended[name] = self._ended.get(name, 0.0) + member.last[name]


def _matching(pattern: re.Pattern[str]) -> list[int]:
    """Return the living processes whose command lines match, and all that they started; not this one."""
    processes = living()
    tree = {
        process.pid for process in processes if process.pid != os.getpid() and pattern.match(process.line)
    }
    grown = True
    while grown:
        more = {process.pid for process in processes if process.parent in tree} - tree
        tree |= more
        grown = bool(more)
    return sorted(tree)


HOST_PROPERTIES = _table(
    Better.UNKNOWN,
    {
        "cpu.user": "s",
        "cpu.system": "s",
        "cpu.idle": "s",
        "cpu.iowait": "s",
        "cpu.steal": "s",
        "load.1min": "1",
        "memory.available": "By",
        "memory.cached": "By",
        "swap.used": "By",
        "switches": "{switch}",
        "interrupts": "{interrupt}",
        "disk.read": "By",
        "disk.written": "By",
        "network.received": "By",
        "network.sent": "By",
    },
)
"""Processor times are sums over all processors; disks and networks are summed, too."""


class HostSource:
    """The machine that buto runs on."""

    kind: ClassVar[str] = "host"
    required: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def __init__(self, settings: Settings) -> None:
        self.settle_s = 0.0

    def open(self, surroundings: SourceContext, interval_s: float, timeout_s: float) -> Reader:
        return _HostReader()


class _HostReader(Reader):
    def read(self) -> Mapping[str, float]:
        try:
            cpu, memory = psutil.cpu_times(), psutil.virtual_memory()
            stats, disks, network = psutil.cpu_stats(), psutil.disk_io_counters(), psutil.net_io_counters()
            values = {
                "cpu.user": cpu.user + cpu.nice,
                "cpu.system": cpu.system + cpu.irq + cpu.softirq,
                "cpu.idle": cpu.idle,
                "cpu.iowait": cpu.iowait,
                "cpu.steal": cpu.steal,
                "load.1min": os.getloadavg()[0],
                "memory.available": memory.available,
                "memory.cached": memory.cached,
                "swap.used": psutil.swap_memory().used,
                "switches": stats.ctx_switches,
                "interrupts": stats.interrupts,
            }
        except (psutil.Error, AttributeError) as error:
            raise SourceError(f"this system does not say what the machine uses: {error}") from error
        # A container may have neither.
        if disks is not None:
            values |= {"disk.read": disks.read_bytes, "disk.written": disks.write_bytes}
        if network is not None:
            values |= {"network.received": network.bytes_recv, "network.sent": network.bytes_sent}
        return {name: float(value) for name, value in values.items()}

    def property(self, name: str) -> Property:
        return HOST_PROPERTIES[name]

    def names(self) -> tuple[str, ...]:
        return tuple(HOST_PROPERTIES)

    def why_missing(self) -> str:
        return "this machine has none"
