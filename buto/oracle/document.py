"""JSON that people review: a key or an item of a list on each line, whole numbers without a point."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_PLAIN = {float, int, str, bool, type(None)}
"""The most frequent types in a list; checking them first avoids slow abstract types."""
_NESTED = (Mapping, list, tuple)

_WHOLE_BELOW = 1e15
"""Floats below this hold every whole number exactly."""


def to_text(data: Mapping[str, Any]) -> str:
    """Return plain data as JSON text that ends with a newline; ValueError for NaN and infinity."""
    return _block(data, "") + "\n"


def to_line(value: Any) -> str:
    """Return plain data as JSON on one line; ValueError for NaN and infinity."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {to_line(value[key])}" for key in value) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(to_line, value)) + "]"
    return _scalar(value)


def _block(value: Any, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        items = [f"{inner}{_key(key)}: {_block(value[key], inner)}" for key in value]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list | tuple):
        if any(type(item) not in _PLAIN and isinstance(item, _NESTED) for item in value):
            items = [f"{inner}{to_line(item)}" for item in value]
            return "[\n" + ",\n".join(items) + f"\n{indent}]"
        return "[" + ", ".join(map(_scalar, value)) + "]"
    return "{}" if isinstance(value, Mapping) else _scalar(value)


def _key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _scalar(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_BELOW:
        return str(int(value))
    if isinstance(value, float) and math.isfinite(value):
        return float.__repr__(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
