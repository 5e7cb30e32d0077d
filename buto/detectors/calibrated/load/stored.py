"""Old observations as plain data, and back; ``docs/formats/oracle.md`` describes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.detectors.bounds.data import property_of, property_to_data
from buto.errors import BadFileError
from buto.properties import Property
from buto.runs import FloatArray

OBSERVATIONS = "observations"
"""The key of how many rows each run has."""

Parts = tuple[tuple[Property, ...], tuple[FloatArray, ...], dict[str, str]]


def write(
    properties: Sequence[Property], runs: Sequence[FloatArray], left_out: Mapping[str, str]
) -> dict[str, Any]:
    """Return plain data; for a property that is the same everywhere, only that value."""
    together = np.vstack(runs)
    return {
        OBSERVATIONS: [len(run) for run in runs],
        "properties": [
            {**property_to_data(prop), "values": _values(together[:, column])}
            for column, prop in enumerate(properties)
        ],
        "left_out": dict(sorted(left_out.items())),
    }


def read(data: Mapping[str, Any]) -> Parts:
    """Invert :func:`write`; raise BadFileError for data of another shape."""
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the observations are damaged: {what}") from error


def _read(data: Mapping[str, Any]) -> Parts:
    counts = [_count(one) for one in data[OBSERVATIONS]]
    blocks: Sequence[Mapping[str, Any]] = data["properties"]
    properties = tuple(map(property_of, blocks))
    together = np.array([numbers(block["values"], sum(counts)) for block in blocks], dtype=float)
    ends = np.cumsum(counts)
    runs = tuple(
        together.T[end - count : end].copy() for count, end in zip(counts, ends.tolist(), strict=True)
    )
    if not runs or not properties:
        raise ValueError("there are none")
    return properties, runs, {str(name): str(why) for name, why in data["left_out"].items()}


def _values(column: FloatArray) -> float | list[float]:
    listed: list[float] = column.tolist()
    return listed[0] if all(value == listed[0] for value in listed) else listed


def numbers(written: float | Sequence[float], length: int) -> FloatArray:
    """Return so many numbers, of which one that is the same everywhere is written once; else ValueError."""
    if not isinstance(written, list):
        return np.full(length, _finite(written))
    if len(written) != length:
        raise ValueError(f"{len(written)} numbers where {length} belong")
    return np.array([_finite(one) for one in written])


def _finite(written: Any) -> float:
    number = float(written)
    if not np.isfinite(number):
        raise ValueError(f"{number} where a number belongs")
    return number


def _count(written: Any) -> int:
    if type(written) is not int or not 0 < written <= 10_000:
        raise ValueError(f"{str(written)[:20]} is no number of observations")
    return written
