"""Checksums over the parts of an oracle file, which show edits by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from buto.oracle.document import to_line

LEARNED, FOR_PEOPLE, SETTINGS = "learned", "for_people", "judge"

_PARTS = {
    LEARNED: ("runs", "foreign_load", "environment", "environment_varying", "model"),
    FOR_PEOPLE: ("summary", "warnings"),
    SETTINGS: ("judge",),
}

_WARNINGS = {
    FOR_PEOPLE: "the oracle's summary was edited by hand; no verdict depends on it",
    SETTINGS: "the oracle's settings (judge) were edited by hand after training; they hold for this verdict",
}

_DIGITS = 16
"""Hexadecimal ones: enough to notice an edit, and short enough for a review."""


def checksums(data: Mapping[str, Any]) -> dict[str, str]:
    """Return a checksum for each part of an oracle's data; KeyError if one is missing.

    Layout and the order of the parts do not matter: reformatted text has the same checksums.
    """
    return {name: _of({key: data[key] for key in keys}) for name, keys in _PARTS.items()}


def edited(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a warning for each part that may be edited, and was.

    Raises:
        ValueError: what was learned was edited, so that the file contradicts itself.
        KeyError: a part or its checksum is missing.
    """
    written, found = data["checksums"], checksums(data)
    if written[LEARNED] != found[LEARNED]:
        raise ValueError(
            f"it contradicts itself: {', '.join(_PARTS[LEARNED][:-1])} or model are not as they were learned"
        )
    return tuple(text for name, text in _WARNINGS.items() if written[name] != found[name])


def _of(part: Any) -> str:
    return hashlib.sha256(to_line(part).encode()).hexdigest()[:_DIGITS]
