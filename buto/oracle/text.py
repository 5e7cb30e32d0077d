"""How the text of an oracle is written, and the checksums over its parts, which show edits by hand.

For review, each key and each item of a list is on a line of its own, and whole numbers have no point.
"""

from __future__ import annotations

import hashlib
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


_ON_ONE_LINE = ("program", "checksums")
"""Blocks that change as a whole with every training."""


def _block(value: Any, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        items = [
            f"{inner}{_key(key)}: {to_line(part) if key in _ON_ONE_LINE else _block(part, inner)}"
            for key, part in value.items()
        ]
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


FOR_PEOPLE, SETTINGS = "for_people", "judge"

_PARTS = {FOR_PEOPLE: ("changed", "properties", "warnings", "environment"), SETTINGS: ("judge",)}

_WARNINGS = {
    FOR_PEOPLE: "what the oracle says for people was edited by hand; no verdict depends on it",
    SETTINGS: "the oracle's settings (judge) were edited by hand after training; they hold for this verdict",
}

_DIGITS = 16
"""Hexadecimal ones: enough to notice an edit, and short enough for a review."""


def checksums(data: Mapping[str, Any]) -> dict[str, str]:
    """Return a checksum for each part of an oracle's data; KeyError if one is missing.

    Layout and the order of the parts do not matter: reformatted text has the same checksums.
    """
    return {name: _of({key: data[key] for key in keys}) for name, keys in _PARTS.items()}


def find_edited(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a warning for each part that was edited; KeyError if one or its checksum is missing."""
    written, actual = data["checksums"], checksums(data)
    return tuple(text for name, text in _WARNINGS.items() if written[name] != actual[name])


def has_own_settings(data: Mapping[str, Any]) -> bool:
    """Return whether the settings are those of the training; KeyError if they or their sum are missing."""
    written: Any = data["checksums"][SETTINGS]
    return bool(written == checksums(data)[SETTINGS])


def _of(part: Any) -> str:
    return hashlib.sha256(to_line(part).encode()).hexdigest()[:_DIGITS]
