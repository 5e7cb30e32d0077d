"""Properties and numbers of an oracle file as plain data, and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from buto.analysis.series import LARGEST
from buto.errors import BadFileError
from buto.properties import Better, Kind, Property, Role
from buto.runs import FloatArray

MOST_RUNS = 100_000
"""What a number of runs is taken for damage beyond, before so many numbers are made of it."""


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Raise BadFileError, which says that these are damaged, where data turn out to be of another shape."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"{what} are damaged: {why}") from error


def property_to_data(prop: Property) -> dict[str, Any]:
    """Return all attributes of a property as plain data."""
    return {
        "name": prop.name,
        "unit": prop.unit,
        "kind": prop.kind.value,
        "role": prop.role.value,
        "range": [_finite(prop.lower), _finite(prop.upper)],
        "better": prop.better.value,
    }


def property_of(block: Mapping[str, Any]) -> Property:
    """Invert :func:`property_to_data`; raise KeyError or ValueError for data of another shape."""
    low, high = block["range"]
    return Property(
        str(block["name"]),
        str(block["unit"]),
        Kind(block["kind"]),
        Role(block["role"]),
        -np.inf if low is None else float(low),
        np.inf if high is None else float(high),
        Better(block["better"]),
    )


def array_to_data(values: FloatArray) -> Any:
    """Return a list, None where a value is not finite; of equal values only that one."""
    listed = [_finite(value) for value in values.tolist()]
    return listed[0] if listed and all(value == listed[0] for value in listed) else listed


def array_of(written: Any, length: int, *, gaps: bool = False, largest: float = LARGEST) -> FloatArray:
    """Invert :func:`array_to_data`, shape (length,); raise ValueError or TypeError for anything else.

    Args:
        gaps: whether None stands for NaN.
        largest: larger numbers are damage.
    """
    listed = written if isinstance(written, list) else [written] * length
    numbers = np.array([np.nan if gaps and value is None else float(value) for value in listed], dtype=float)
    good = (np.abs(numbers) <= largest) | (np.isnan(numbers) if gaps else False)
    if len(numbers) != length or not good.all():
        raise ValueError(f"{_short(written)} are not {length} numbers")
    return numbers


def size_of(written: Any) -> float:
    """Return a number that is not negative; raise ValueError or TypeError for anything else."""
    size = float(written)
    if not 0 <= size <= LARGEST:
        raise ValueError(f"{_short(written)} is no size")
    return size


def count_of(written: Any, what: str) -> int:
    """Return a positive whole number; raise ValueError for anything else."""
    if type(written) is not int or not 1 <= written <= MOST_RUNS:
        raise ValueError(f"there are {_short(written)} {what}")
    return written


def texts_of(written: Mapping[Any, Any]) -> dict[str, str]:
    """Return texts by name, such as why properties are left out."""
    return {str(name): str(text) for name, text in written.items()}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _short(written: Any) -> str:
    text = repr(written)
    return text if len(text) <= 80 else f"{text[:77]}..."
