"""Typed access to the fields of a JSON document; a ValueError names the field that is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def get(data: Mapping[str, Any], key: str, *kinds: type) -> Any:
    """Return a field's value. ValueError if it is missing or of another type."""
    if key not in data:
        raise ValueError(f"{key!r} is missing")
    value = data[key]
    # Not isinstance, because bool is a subclass of int.
    if type(value) not in kinds:
        raise ValueError(f"{key!r} is of type {type(value).__name__}")
    return value


def all_of(kind: type[T], key: str, values: Iterable[Any]) -> Iterator[T]:
    """Yield the values of a field that is a list or an object. ValueError at one of another type."""
    for value in values:
        if type(value) is not kind:
            raise ValueError(f"{key!r} holds a value of type {type(value).__name__}")
        yield value


def items(data: Mapping[str, Any], key: str, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Yield the keys and values of a field that is an object. ValueError at a value of another type."""
    mapping = get(data, key, dict)
    return zip(mapping, all_of(kind, key, mapping.values()), strict=True)


def json_number(value: float) -> float | str:
    """Return a float for JSON; NaN and infinities, which JSON lacks, become ``nan``, ``inf`` and ``-inf``."""
    return float(value) if math.isfinite(value) else repr(float(value))


def number(data: Mapping[str, Any], key: str) -> float:
    """Return a field's value as a float, see :func:`json_number`. ValueError if it is not a number."""
    value = get(data, key, float, int, str)
    if isinstance(value, str) and value not in ("nan", "inf", "-inf"):
        raise ValueError(f"{key!r} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{key!r} is too large a number") from None
