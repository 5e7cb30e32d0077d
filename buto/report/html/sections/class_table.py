"""The table of classes whose live objects changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from buto.analysis.class_changes import ClassChange
from buto.units import format_bytes, format_change


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A class as the page shows it: numbers and bytes in the judged runs, and how they changed."""

    name: str
    objects: str
    more_objects: str
    size: str
    more_size: str


def class_rows(changes: Sequence[ClassChange]) -> list[ClassRow]:
    """Return a row for each class."""
    return [
        ClassRow(
            name=one.name,
            objects=f"{one.after.instances:,}",
            more_objects=f"{one.instances:+,}",
            size=format_bytes(one.after.size_bytes),
            more_size=format_change(one.before.size_bytes, one.after.size_bytes, "By"),
        )
        for one in changes
    ]
