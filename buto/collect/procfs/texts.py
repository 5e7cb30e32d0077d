"""Parse the texts of /proc/PID, see proc(5). This module does not access files."""

from __future__ import annotations

import os
from dataclasses import dataclass

from buto.errors import MeasureError

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
