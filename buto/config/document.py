"""A parsed file: plain data, with the position of each value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from buto.errors import ConfigError

DataPath = tuple[str | int, ...]
"""Keys and indices from the top of the document to a value."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A position in a file; both numbers count from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Document:
    """A parsed file.

    Attributes:
        path: the file, for messages.
        data: None, truth values, numbers, texts, lists and dictionaries with texts as keys.
        values, keys: positions of each value and of its key.
        written: each scalar as it was written.
    """

    path: Path
    data: Any
    values: dict[DataPath, Position] = field(default_factory=dict)
    keys: dict[DataPath, Position] = field(default_factory=dict)
    written: dict[DataPath, str] = field(default_factory=dict)

    def place(self, at: DataPath, *, key: bool = False) -> Position:
        """Return the position of a key, or of a value without one; the file's start if missing."""
        places = self.keys if key and at in self.keys else self.values
        return places.get(at, Position(1, 1))

    def error(self, at: DataPath, what: str, *, key: bool = False, advice: str | None = None) -> ConfigError:
        """Return the error to raise about a value, or about its key."""
        position = self.place(at, key=key)
        return ConfigError(f"{self.path}:{position.line}:{position.column}: {what}", advice=advice)
