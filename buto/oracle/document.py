"""JSON that people review: one key a line, a list of plain values on one line, no needless points."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_PLAIN = {float, int, str, bool, type(None)}
"""What is most often in a list, known without a slow look at abstract types."""
_NESTED = (Mapping, list, tuple)

_WHOLE_BELOW = 1e15
"""Floats below this hold every whole number exactly."""


def to_text(data: Mapping[str, Any]) -> str:
    """Plain data as JSON text that ends with a newline; ValueError for NaN and infinity."""
    return _block(data, "") + "\n"


def _block(value: Any, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        items = [
            f"{inner}{json.dumps(str(key), ensure_ascii=False)}: {_block(value[key], inner)}" for key in value
        ]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list | tuple):
        if any(type(item) not in _PLAIN and isinstance(item, _NESTED) for item in value):
            items = [f"{inner}{_block(item, inner)}" for item in value]
            return "[\n" + ",\n".join(items) + f"\n{indent}]"
        return "[" + ", ".join(map(_scalar, value)) + "]"
    return "{}" if isinstance(value, Mapping) else _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_BELOW:
        return str(int(value))
    if isinstance(value, float) and math.isfinite(value):
        return float.__repr__(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
