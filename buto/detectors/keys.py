"""Keys of a configuration's ``judge``: which values each accepts, for messages and for the JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any


@dataclass(frozen=True, slots=True)
class Key:
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
        lambda value: isinstance(value, list | tuple) and all(isinstance(one, str) for one in value),
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
