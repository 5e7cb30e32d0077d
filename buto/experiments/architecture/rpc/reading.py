"""The data of the ICPE 2024 data challenge: one CSV file for each scenario."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from buto.errors import BadFileError
from buto.runs import FloatArray

SYSTEMS = ("eshopper", "trainticket")
ADVICE = (
    "git clone https://github.com/SpencerLabAQ/icpe-data-challenge-delag, and name its directory data with "
    "--data"
)

BoolArray = npt.NDArray[np.bool_]

_FIRST, _LAST = "Latency", "anomaly"
_MS = 1e3


@dataclass(frozen=True, eq=False)
class Scenario:
    """Requests of one kind, some of them with delays that were injected into remote calls.

    Attributes:
        number: of the file.
        calls: names of the remote calls.
        times_s: of all calls of one name within one request, with what they call, shape (n_requests,
            n_calls).
        responses_s: response times, shape (n_requests,).
        delays: which delays a request had, 0 for none, shape (n_requests,).
    """

    system: str
    number: int
    calls: tuple[str, ...]
    times_s: FloatArray
    responses_s: FloatArray
    delays: FloatArray


def paths_of(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield each system with its files.

    Raises:
        BadFileError: a system has no files.
    """
    for system in SYSTEMS:
        paths = sorted((directory / system).glob("[0-9]*.csv"))
        if not paths:
            raise BadFileError(f"{directory / system} has no scenarios", advice=ADVICE)
        yield from ((system, path) for path in paths)


def read_scenario(system: str, path: Path) -> Scenario:
    """Read one file.

    Raises:
        BadFileError: it is not such a file.
    """
    try:
        with path.open() as lines:
            head = lines.readline().strip().split(",")
            if (head[0], head[-1]) != (_FIRST, _LAST):
                raise ValueError(f"its columns must be from {_FIRST} to {_LAST}, got {head[0]} to {head[-1]}")
            rows = [_row(line, number, len(head)) for number, line in enumerate(lines, start=2)]
        if not rows:
            raise ValueError("it must have rows below its columns, got none")
        values = np.array(rows)
        times_s = values[:, 1:-1] / _MS
        return Scenario(system, int(path.stem), tuple(head[1:-1]), times_s, values[:, 0] / _MS, values[:, -1])
    except (OSError, ValueError) as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice=ADVICE) from error


def _row(line: str, number: int, n_columns: int) -> list[float]:
    """Return the numbers of a line.

    Raises:
        ValueError: it has more or fewer of them than there are columns, or something else.
    """
    cells = line.strip().split(",")
    if len(cells) != n_columns:
        raise ValueError(f"line {number} must have {n_columns} values, got {len(cells)}")
    return [_number(cell, number) for cell in cells]


def _number(cell: str, line: int) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"line {line} must have finite numbers, got {cell!r}")
    return number
