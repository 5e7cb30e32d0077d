"""What methods write in files as plain data, and how it is checked when it is read.

In an oracle file these are properties and numbers; in a configuration they are the keys of ``judge``, each
with the values that it accepts, for messages and for the JSON schema.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any

import numpy as np
from msgspec import Struct

from buto.errors import BadFileError
from buto.judging.features import LARGEST
from buto.run.model import FloatArray
from buto.run.properties import Better, Kind, Property, Role

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


class Key(Struct, frozen=True):
    """One key of ``judge``.

    Attributes:
        name: as it is written, words joined by hyphens.
        schema: the JSON schema of its values.
        accepts: whether a value is one of them; as strict as the schema, or stricter.
        expected: what values there are, in words.
    """

    name: str
    schema: Mapping[str, Any]
    accepts: Callable[[Any], bool]
    expected: str


def choice(name: str, description: str, *values: str) -> Key:
    """Return a key with one of several names as its value."""
    schema = {"description": description, "enum": list(values)}
    return Key(name, schema, lambda value: value in values, " or ".join(values))


def truth(name: str, description: str) -> Key:
    """Return a key that is true or false."""
    schema = {"description": description, "type": "boolean"}
    return Key(name, schema, lambda value: isinstance(value, bool), "true or false")


def whole(name: str, description: str, low: int, high: int, *, example: int) -> Key:
    """Return a key with a whole number in a range."""
    title = f"a whole number from {low} to {high}"
    schema = {"title": title, "description": description, "type": "integer", "minimum": low, "maximum": high}
    return Key(
        name,
        schema | {"examples": [example]},
        lambda value: type(value) is int and low <= value <= high,
        title,
    )


def share(name: str, description: str) -> Key:
    """Return a key with a share."""
    return number(name, description, 0, 1, title="a share from 0 to 1", example=0.25)


def positive(name: str, description: str, *, example: float) -> Key:
    """Return a key with a finite number above zero."""
    schema = {"title": "a positive number", "description": description, "type": "number"}
    return Key(
        name,
        schema | {"exclusiveMinimum": 0, "examples": [example]},
        lambda value: is_number(value) and 0 < value < inf,
        "a positive number",
    )


def number(
    name: str, description: str, low: float, high: float, *, title: str, example: float | None = None
) -> Key:
    """Return a key with a number in a range."""
    schema = {"title": title, "description": description, "type": "number", "minimum": low, "maximum": high}
    examples = {} if example is None else {"examples": [example]}
    return Key(name, schema | examples, lambda value: is_number(value) and low <= value <= high, title)


def patterns(name: str, description: str) -> Key:
    """Return a key with a list of shell patterns."""
    schema = {"title": "a list of shell patterns", "description": description, "type": "array"}
    return Key(
        name,
        schema | {"items": {"type": "string"}, "examples": ["[host.*]"]},
        lambda value: isinstance(value, list | tuple) and all(isinstance(item, str) for item in value),
        "a list of shell patterns",
    )


def is_number(value: object) -> bool:
    """Return whether a value is a number and not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


SMALLEST_ALPHA = 0.0005
"""One in as many choices of runs as the calibrated oracle looks at."""

ALPHA = number(
    "alpha",
    "Share of checks of an unchanged program that may fail.",
    SMALLEST_ALPHA,
    0.5,
    title=f"a share of checks from {SMALLEST_ALPHA:g} to 0.5",
)
METADATA_IGNORED = "metadata-ignored"
COMMON = (
    patterns(
        METADATA_IGNORED,
        "Metadata that may differ, in place of the usual list: for what changes with each start and decides "
        "nothing, such as a port among the JVM's arguments. Shell patterns for the keys.",
    ),
)
"""Keys that every method has."""
