"""The smallest change that counts, as a user writes it: ``64KiB``, ``20ms``, ``3``, or ``5%`` of a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase

import numpy as np

from buto.errors import UsageError
from buto.properties import Property
from buto.runs import FloatArray
from buto.units import parse_bytes, parse_seconds

_PARSERS = {"By": parse_bytes, "s": parse_seconds}


def is_effect(text: str) -> bool:
    """Return whether a text is a quantity of some unit, or a share."""
    for parse in (_parse_share, _parse_number, parse_bytes, parse_seconds):
        with suppress(UsageError):
            return parse(text) >= 0
    return False


def smallest_effects(
    properties: Sequence[Property], levels: FloatArray, minimum: Mapping[str, str]
) -> FloatArray:
    """Return the smallest change of each property that counts, in its unit, shape (n_properties,).

    The last pattern that fits a property's name holds; 0 where none does.

    Args:
        levels: shape (n_properties,), what shares are of.

    Raises:
        UsageError: a quantity of another unit than the property's.
    """
    effects = np.zeros(len(properties))
    for number, prop in enumerate(properties):
        for pattern, text in minimum.items():
            if prop.name == pattern or fnmatchcase(prop.name, pattern):
                effects[number] = _effect(prop, levels[number], pattern, text)
    return effects


def _effect(prop: Property, level: float, pattern: str, text: str) -> float:
    if text.strip().endswith("%"):
        return _parse_share(text) * abs(level)
    try:
        return float(_PARSERS.get(prop.unit, _parse_number)(text))
    except UsageError as error:
        raise UsageError(f"judge: minimum-effect: {pattern}: {prop.name}: {error.message}") from error


def _parse_share(text: str) -> float:
    number, percent, rest = text.strip().partition("%")
    if not percent or rest:
        raise UsageError(f"{text!r} is no share such as 5%")
    return _parse_number(number) / 100.0


def _parse_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no number") from error
    if not np.isfinite(number):
        raise UsageError(f"{text!r} is no finite number")
    return number
