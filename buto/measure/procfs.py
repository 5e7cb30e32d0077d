"""Read what Linux counts of one process, through files that stay open, and parse it, see proc(5).

An open file of /proc belongs to one process for good: after its end it gives an error, and never the values
of another process that got the same id. What is counted for each thread is summed over the threads that live
and those that have ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct

from buto.errors import MeasureError
from buto.measure.progress import Closeable

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_KIB = 1024

_AFTER_NAME = 2
"""The name of a process ends with the last parenthesis; a space follows."""

CHILDREN_FAULTS = "children.paging.faults"
"""Above 0 if the process has waited for a child process to end. No property."""

_STAT = {"paging.faults[minor]": 7, CHILDREN_FAULTS: 8, "paging.faults[major]": 9, "thread.count": 17}
_USER, _SYSTEM = 11, 12
_TOTALS = slice(7, 15)
"""Places in /proc/PID/stat after the name. A JVM's own threads are among the threads."""

_RESIDENT, _SHARED = 1, 2
"""Places in /proc/PID/statm."""

IO = {
    "io.bytes[read]": b"rchar",
    "io.bytes[write]": b"wchar",
    "io.calls[read]": b"syscr",
    "io.calls[write]": b"syscw",
    "disk.io[read]": b"read_bytes",
    "disk.io[write]": b"write_bytes",
}
"""Names in /proc/PID/io. Calls like ``read`` and ``write`` count for files, pipes and sockets, also
where a cache served them. Pages that were written but not yet stored count as written to the disk."""

_VOLUNTARY, _INVOLUNTARY = b"\nvoluntary_ctxt_switches:", b"\nnonvoluntary_ctxt_switches:"
_PSS, _PEAK = b"\nPss:", b"\nVmHWM:"

Counts = dict[str, float]
"""Values by property, without ``process.`` before its name."""


class ProcError(MeasureError):
    """A file of /proc cannot be read or lacks what is asked for; the message says which and why."""


class EndedError(ProcError):
    """A file of /proc cannot be read because its process has ended."""


class Switches(Struct, frozen=True):
    """How often threads gave their core up to wait (voluntary), and how often it was taken from them."""

    voluntary: int
    involuntary: int

    def __add__(self, other: Switches) -> Switches:
        return Switches(self.voluntary + other.voluntary, self.involuntary + other.involuntary)

    def counts(self) -> Counts:
        return {
            "context_switches[voluntary]": float(self.voluntary),
            "context_switches[involuntary]": float(self.involuntary),
        }


def parse_stat(text: bytes) -> Counts:
    """Read /proc/PID/stat, of all threads, also those that have ended. ProcError if it lacks a field."""
    try:
        fields = text[text.rindex(b")") + _AFTER_NAME :].split()
        counts = {name: float(fields[place]) for name, place in _STAT.items()}
        return {**counts, "cpu.time": (int(fields[_USER]) + int(fields[_SYSTEM])) * _TICK_S}
    except (IndexError, ValueError) as error:
        raise _unlike("stat", error) from error


def parse_totals(text: bytes) -> Counts:
    """Read from /proc/PID/stat what is counted of a process and of the children that it waited for.

    ProcError if it lacks a field.
    """
    try:
        fields = [int(field) for field in text[text.rindex(b")") + _AFTER_NAME :].split()[_TOTALS]]
        minor, of_children, major, of_childrens, *ticks = fields
    except ValueError as error:
        raise _unlike("stat", error) from error
    return {
        "paging.faults[minor]": float(minor + of_children),
        "paging.faults[major]": float(major + of_childrens),
        "cpu.time": sum(ticks) * _TICK_S,
    }


def parse_statm(text: bytes) -> Counts:
    """Read /proc/PID/statm. ProcError if it lacks a field, EndedError if the process has ended.

    The usage is all that is in RAM (RSS); anonymous is the part that belongs to no file and is not shared.
    """
    try:
        fields = text.split()
        resident, shared = int(fields[_RESIDENT]), int(fields[_SHARED])
    except (IndexError, ValueError) as error:
        raise _unlike("statm", error) from error
    if resident == 0:
        raise EndedError("/proc/PID/statm shows no memory: the process has ended")
    return {
        "memory.usage": float(resident * _PAGE_BYTES),
        "memory.anonymous": float((resident - shared) * _PAGE_BYTES),
    }


def parse_io(text: bytes) -> Counts:
    """Read /proc/PID/io. ProcError if it lacks a line."""
    try:
        values = dict(line.split(b": ") for line in text.splitlines())
        return {name: float(values[line]) for name, line in IO.items()}
    except (KeyError, ValueError) as error:
        raise _unlike("io", error) from error


def parse_switches(text: bytes) -> Switches:
    """Read the switches of one thread from /proc/PID/task/TID/status. ProcError if it lacks them."""
    return Switches(_line(text, _VOLUNTARY, "status"), _line(text, _INVOLUNTARY, "status"))


def parse_pss(text: bytes) -> int:
    """Return the proportional share of memory from /proc/PID/smaps_rollup, bytes.

    A page that n processes share counts as one n-th. ProcError if the text lacks it.
    """
    return _line(text, _PSS, "smaps_rollup") * _KIB


def parse_peak(text: bytes) -> int:
    """Return the most resident memory so far from /proc/PID/status, bytes. ProcError if it lacks that.

    An executed program begins anew: what was resident before is not its own.
    """
    return _line(text, _PEAK, "status") * _KIB


def _line(text: bytes, name: bytes, file: str) -> int:
    """Return the number after ``name``, which includes the end of the line before."""
    start = text.find(name)
    if start < 0:
        raise ProcError(f"/proc/PID/{file} has no line {name.decode().strip()}")
    try:
        return int(text[start + len(name) :].split(None, 1)[0])
    except (IndexError, ValueError) as error:
        raise _unlike(file, error) from error


def _unlike(file: str, error: Exception) -> ProcError:
    return ProcError(f"/proc/PID/{file} is not as proc(5) describes it: {error}")


SAMPLER = b"buto-sampler\n"
"""The name of the agent's thread, as the kernel gives it in /proc/PID/task/TID/comm."""

_MOST_BYTES = 65536
_SOCKET = "socket:"
_ALWAYS = ("", "stat", "statm")
"""What each living process has in /proc: its directory, and files of it."""

T = TypeVar("T")


class ProcessFiles(Closeable):
    """The files of /proc of one living process.

    Each method reads anew. It raises EndedError if the process has ended, and ProcError if the kernel does
    not have the file, or this user may not read it: ``io``, ``fd`` and ``smaps_rollup`` are for the process's
    own user and root.

    Raises:
        EndedError: there is no such process.
        ProcError: it cannot be opened, for example because too many files are open.
    """

    def __init__(self, pid: int) -> None:
        self._path = f"/proc/{pid}"
        self._files: dict[str, int] = {}
        self._sampler: str | None = None
        self._of_sampler: Counts = {}
        try:
            self._directory = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._error("", error) from error

    def close(self) -> None:
        for descriptor in (self._directory, *self._files.values()):
            os.close(descriptor)
        self._files.clear()

    def stat(self) -> Counts:
        """Return page faults, processor time in steps of 10 ms, and number of threads. Takes about 4 us."""
        return self._parse("stat", parse_stat)

    def totals(self) -> Counts:
        """Return faults and processor time with those of children that were waited for. Takes about 4 us."""
        return self._parse("stat", parse_totals)

    def memory(self) -> Counts:
        """Return resident and anonymous memory. Takes about 2 us."""
        return self._parse("statm", parse_statm)

    def transfers(self) -> Counts:
        """Return what the process has read and written, without the agent's thread. Takes about 10 us.

        The thread reads and writes for each sample, and so the more the longer a run takes. It is looked for
        once, because it is there before the program begins.
        """
        counts = self._parse("io", parse_io)
        if self._sampler is None:
            self._sampler = self._find_sampler()
        if self._sampler:
            # It ends after the last sample; what it did until then stays in the sum of the process.
            with suppress(ProcError):
                self._of_sampler = self._parse(f"{self._sampler}/io", parse_io)
        return {name: value - self._of_sampler.get(name, 0.0) for name, value in counts.items()}

    def _find_sampler(self) -> str:
        """Return the directory of the agent's thread; empty if there is none."""
        for name in self._names("task"):
            try:
                descriptor = self._open(f"task/{name}/comm")
            except OSError:
                continue  # ended since the list was made
            try:
                if os.pread(descriptor, _MOST_BYTES, 0) == SAMPLER:
                    return f"task/{name}"
            except ProcessLookupError:
                continue
            finally:
                os.close(descriptor)
        return ""

    def pss(self) -> int:
        """Return the proportional share of memory, bytes.

        The kernel visits each page: some 3 ms for each GiB, while the process cannot map memory.
        """
        return self._parse("smaps_rollup", parse_pss)

    def peak(self) -> int:
        """Return the most memory that was resident so far, bytes. Takes about 20 us."""
        return self._parse("status", parse_peak)

    def n_descriptors(self) -> int:
        """Return the number of open descriptors. Takes about 1 us, before Linux 6.2 about .5 us for each."""
        try:
            return os.stat("fd", dir_fd=self._directory).st_size or len(self._names("fd"))
        except OSError as error:
            raise self._error("fd", error) from error

    def n_sockets(self) -> int:
        """Return the number of open sockets of all kinds. Takes about 2 us for each open descriptor."""
        n = 0
        for name in self._names("fd"):
            try:
                n += os.readlink(f"fd/{name}", dir_fd=self._directory).startswith(_SOCKET)
            except FileNotFoundError:
                continue  # closed since the list was made
            except OSError as error:
                raise self._error(f"fd/{name}", error) from error
        return n

    def switches(self) -> dict[int, Switches]:
        """Return the context switches of each living thread, by its id. Takes about 10 us for each."""
        switches = {}
        for name in self._names("task"):
            path = f"task/{name}/status"
            try:
                descriptor = self._open(path)
            except (FileNotFoundError, ProcessLookupError):
                continue  # ended since the list was made
            except OSError as error:
                raise self._error(path, error) from error
            try:
                switches[int(name)] = parse_switches(os.pread(descriptor, _MOST_BYTES, 0))
            except ProcessLookupError:
                continue
            finally:
                os.close(descriptor)
        return switches

    def _parse(self, name: str, parse: Callable[[bytes], T]) -> T:
        try:
            descriptor = self._files.get(name)
            if descriptor is None:
                descriptor = self._files[name] = self._open(name)
            text = os.pread(descriptor, _MOST_BYTES, 0)
        except OSError as error:
            raise self._error(name, error) from error
        return parse(text)

    def _names(self, directory: str) -> list[str]:
        try:
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._directory)
        except OSError as error:
            raise self._error(directory, error) from error
        try:
            return os.listdir(descriptor)
        except OSError as error:
            raise self._error(directory, error) from error
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int:
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._directory)

    def _error(self, name: str, error: OSError) -> ProcError:
        has_ended = isinstance(error, ProcessLookupError) or (
            isinstance(error, FileNotFoundError) and name in _ALWAYS
        )
        kind = EndedError if has_ended else ProcError
        return kind(f"{'/'.join(filter(None, (self._path, name)))} cannot be read: {error.strerror}")


_NONE = Switches(0, 0)


class ThreadSum:
    """Context switches of a process from repeated readings of its threads.

    Linux reports them for each living thread alone. Those of an ended thread are kept as they were when it
    was last seen; what a thread did after that, and threads that were never seen, are missing.
    """

    def __init__(self) -> None:
        self._living: Mapping[int, Switches] = {}
        self._ended = _NONE

    def add(self, living: Mapping[int, Switches]) -> Switches:
        """Take the next reading, by thread id; return the sum over all threads so far.

        An id with fewer switches than before belongs to a new thread.
        """
        for thread, before in self._living.items():
            now = living.get(thread)
            if now is None or now.voluntary < before.voluntary or now.involuntary < before.involuntary:
                self._ended += before
        self._living = living
        return sum(living.values(), self._ended)
