"""The smallest change that counts, as a user writes it: ``64KiB``, ``20ms``, ``3``, ``5%`` of a level, or
``never``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase

import numpy as np

from buto.errors import UsageError
from buto.properties import Property
from buto.runs import FloatArray
from buto.units import parse_bytes, parse_seconds, scale_of_unit

MINIMUM_EFFECT = "minimum-effect"
"""The key of ``judge`` for them."""

NEVER = "never"
"""The effect with which no change of a property counts."""

DIGITS = 2
"""Significant digits of an effect that is proposed."""

_PARSERS = {"By": parse_bytes, "s": parse_seconds}


def is_effect(text: str) -> bool:
    """Return whether a text is a quantity of some unit, a share, or NEVER."""
    if text == NEVER:
        return True
    for parse in (_parse_share, _parse_number, parse_bytes, parse_seconds):
        with suppress(UsageError):
            return parse(text) >= 0
    return False


def smallest_effects(
    properties: Sequence[Property], levels: FloatArray, minimum: Mapping[str, str]
) -> FloatArray:
    """Return the smallest change of each property that counts, in its unit, shape (n_properties,).

    The last pattern that fits a property's name holds; 0 where none does, infinite for NEVER.

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


def effect_text(size: float, unit: str) -> str:
    """Return the smallest effect of two digits that is at least this size, as a user writes it.

    Args:
        size: positive, in the unit of a property.
    """
    steps = [step for step in scale_of_unit(unit) if step.size <= max(size, scale_of_unit(unit)[0].size)]
    step = next((one for one in reversed(steps) if one.shown_from is None), None)
    amount, suffix = (size, "") if step is None else (size / step.size, step.text)
    scale = 10.0 ** (math.floor(math.log10(amount)) - DIGITS + 1)
    return f"{math.ceil(amount / scale - 1e-9) * scale:.10g}{suffix}"


def _effect(prop: Property, level: float, pattern: str, text: str) -> float:
    if text == NEVER:
        return math.inf
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
