"""Read what Linux counts of one process, through files that stay open, and parse it, see proc(5).

An open file of /proc belongs to one process for good: after its end it gives an error, and never the values
of another process that got the same id. What is counted for each thread is summed over the threads that live
and those that have ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from buto.errors import MeasureError
from buto.measure.progress import Closeable

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_KIB = 1024

_AFTER_NAME = 2
"""The name of a process ends with the last parenthesis; a space follows."""

_MINOR, _CHILDREN_MINOR, _MAJOR, _USER, _SYSTEM, _THREADS = 7, 8, 9, 11, 12, 17
"""Places in /proc/PID/stat after the name."""

_RESIDENT, _SHARED = 1, 2
"""Places in /proc/PID/statm."""

_VOLUNTARY, _INVOLUNTARY = b"\nvoluntary_ctxt_switches:", b"\nnonvoluntary_ctxt_switches:"
_PSS = b"\nPss:"


class ProcError(MeasureError):
    """A file of /proc cannot be read or lacks what is asked for; the message says which and why."""


class EndedError(ProcError):
    """A file of /proc cannot be read because its process has ended."""


@dataclass(frozen=True, slots=True)
class Stat:
    """Of all threads of a process together, also of those that have ended.

    Attributes:
        minor_faults: page faults that the kernel served from memory.
        major_faults: page faults that had to wait for a disk.
        waited_for_children: whether the process has waited for a child process to end.
        cpu_s: processor time, in steps of 10 ms.
        n_threads: of the kernel, living; a JVM's own threads are among them.
    """

    minor_faults: int
    major_faults: int
    waited_for_children: bool
    cpu_s: float
    n_threads: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory that a process has in RAM, bytes.

    Attributes:
        resident: all of it (RSS), with what it shares with others.
        anonymous: the part that belongs to no file and is not shared: heap, stacks, native memory.
    """

    resident: int
    anonymous: int


@dataclass(frozen=True, slots=True)
class Transfers:
    """What all threads of a process have read and written, also those that have ended.

    Attributes:
        bytes_read, bytes_written: by calls of the kind of ``read`` and ``write``, from and to files, pipes,
            terminals and sockets, also where a cache served them.
        calls_read, calls_written: number of these calls.
        disk_read, disk_written: bytes for which a disk was needed; pages that were written but not yet
            stored count as written.
    """

    bytes_read: int
    bytes_written: int
    calls_read: int
    calls_written: int
    disk_read: int
    disk_written: int


@dataclass(frozen=True, slots=True)
class Switches:
    """How often threads gave their core up to wait (voluntary), and how often it was taken from them."""

    voluntary: int
    involuntary: int

    def __add__(self, other: Switches) -> Switches:
        return Switches(self.voluntary + other.voluntary, self.involuntary + other.involuntary)


def parse_stat(text: bytes) -> Stat:
    """Read /proc/PID/stat. ProcError if it lacks a field."""
    try:
        fields = text[text.rindex(b")") + _AFTER_NAME :].split()
        return Stat(
            minor_faults=int(fields[_MINOR]),
            major_faults=int(fields[_MAJOR]),
            waited_for_children=int(fields[_CHILDREN_MINOR]) > 0,
            cpu_s=(int(fields[_USER]) + int(fields[_SYSTEM])) * _TICK_S,
            n_threads=int(fields[_THREADS]),
        )
    except (IndexError, ValueError) as error:
        raise _unlike("stat", error) from error


def parse_statm(text: bytes) -> Memory:
    """Read /proc/PID/statm. ProcError if it lacks a field, EndedError if the process has ended."""
    try:
        fields = text.split()
        resident, shared = int(fields[_RESIDENT]), int(fields[_SHARED])
    except (IndexError, ValueError) as error:
        raise _unlike("statm", error) from error
    if resident == 0:
        raise EndedError("/proc/PID/statm shows no memory: the process has ended")
    return Memory(resident * _PAGE_BYTES, (resident - shared) * _PAGE_BYTES)


def parse_io(text: bytes) -> Transfers:
    """Read /proc/PID/io. ProcError if it lacks a line."""
    try:
        values = dict(line.split(b": ") for line in text.splitlines())
        return Transfers(
            bytes_read=int(values[b"rchar"]),
            bytes_written=int(values[b"wchar"]),
            calls_read=int(values[b"syscr"]),
            calls_written=int(values[b"syscw"]),
            disk_read=int(values[b"read_bytes"]),
            disk_written=int(values[b"write_bytes"]),
        )
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
        try:
            self._directory = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._error("", error) from error

    def close(self) -> None:
        for descriptor in (self._directory, *self._files.values()):
            os.close(descriptor)
        self._files.clear()

    def stat(self) -> Stat:
        """Return page faults, processor time and number of threads. Takes about 4 us."""
        return self._parsed("stat", parse_stat)

    def memory(self) -> Memory:
        """Return resident and anonymous memory. Takes about 2 us."""
        return self._parsed("statm", parse_statm)

    def transfers(self) -> Transfers:
        """Return what the process has read and written. Takes about 5 us."""
        return self._parsed("io", parse_io)

    def pss(self) -> int:
        """Return the proportional share of memory, bytes.

        The kernel visits each page: some 3 ms for each GiB, while the process cannot map memory.
        """
        return self._parsed("smaps_rollup", parse_pss)

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
        found = {}
        for name in self._names("task"):
            path = f"task/{name}/status"
            try:
                descriptor = self._open(path)
            except (FileNotFoundError, ProcessLookupError):
                continue  # ended since the list was made
            except OSError as error:
                raise self._error(path, error) from error
            try:
                found[int(name)] = parse_switches(os.pread(descriptor, _MOST_BYTES, 0))
            except ProcessLookupError:
                continue
            finally:
                os.close(descriptor)
        return found

    def _parsed(self, name: str, parse: Callable[[bytes], T]) -> T:
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
