"""Count what a launch of an executable uses, by wait4 and nothing else, and say which releases moved.

Nothing here imports buto: what is true of a release is written down before buto sees it.

A release *moved* in a number if its median differs from that of the release before by at least 5 %, and all
five launches of the one lie on one side of all five of the other. It *stayed* if no median differs by 5 % or
more. What lies between, a median that differs while the launches overlap, counts for neither. Processor time
is written down and decides nothing: other programs ran on the machine.
"""

from __future__ import annotations

import csv
import os
import signal
import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

N_LAUNCHES = 5
LEAST_MOVE = 0.05

COLUMNS = (
    "program",
    "release",
    "launch",
    "exit",
    "resident_kib",
    "minor_faults",
    "major_faults",
    "cpu_s",
    "wall_s",
)

DECIDING = ("resident_kib", "minor_faults")


class Count(Struct, frozen=True):
    """What one launch used.

    Attributes:
        resident_kib: the most memory that was resident. No less than what this small process has itself,
            because the kernel counts from fork on.
        exit: its exit code, or minus its signal.
    """

    exit: int
    resident_kib: int
    minor_faults: int
    major_faults: int
    cpu_s: float
    wall_s: float


def count(command: Sequence[str]) -> Count:
    """Launch a command without input and output, wait for its end, and return what it used."""
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.execv(command[0], list(command))
        finally:
            os._exit(127)
    _, status, used = os.wait4(pid, 0)
    return Count(
        exit=os.waitstatus_to_exitcode(status),
        resident_kib=used.ru_maxrss,
        minor_faults=used.ru_minflt,
        major_faults=used.ru_majflt,
        cpu_s=used.ru_utime + used.ru_stime,
        wall_s=time.monotonic() - began,
    )


def rows(program: str, release: str, command: Sequence[str]) -> list[list[str]]:
    """Return the rows of one release. Its file was just written, and is in the page cache."""
    found = []
    for launch in range(N_LAUNCHES):
        used = count(command)
        values = (used.exit, used.resident_kib, used.minor_faults, used.major_faults)
        found.append(
            [program, release, str(launch), *map(str, values), f"{used.cpu_s:.6f}", f"{used.wall_s:.4f}"]
        )
    return found


def read(path: Path, program: str) -> dict[str, list[dict[str, float]]]:
    """Return the launches of each release of a program that ended well, in the order of the file."""
    found: dict[str, list[dict[str, float]]] = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["program"] == program and row["exit"] == "0":
                    found.setdefault(row["release"], []).append(
                        {name: float(row[name]) for name in COLUMNS[3:]}
                    )
    return found


class Move(Struct, frozen=True):
    """How a number of one release compares with the release before.

    Attributes:
        share: the change of the median, as a share of the median before.
        apart: whether all launches of the one lie on one side of all of the other.
    """

    number: str
    share: float
    apart: bool


def moves(before: Sequence[dict[str, float]], after: Sequence[dict[str, float]]) -> list[Move]:
    """Return how each number that decides moved."""
    found = []
    for name in DECIDING:
        old, new = [row[name] for row in before], [row[name] for row in after]
        share = statistics.median(new) / statistics.median(old) - 1
        found.append(Move(name, share, min(new) > max(old) or max(new) < min(old)))
    return found


def kind(found: Iterable[Move]) -> str:
    """Return ``moved``, ``stayed`` or ``between``."""
    large = [move for move in found if abs(move.share) >= LEAST_MOVE]
    if not large:
        return "stayed"
    return "moved" if any(move.apart for move in large) else "between"
