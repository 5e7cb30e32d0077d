"""How a detector explains a verdict: plain values that every report can render."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report that only this detector has.

    Attributes:
        title: of the section.
        text: sentences below the title; may be empty.
        columns: the heads of a table; empty where there is none.
        rows: the table's cells as text, each row as long as ``columns``.
    """

    title: str
    text: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a detector says of its own way to a verdict, in whole sentences.

    Attributes:
        learned: what it learned from the training runs.
        rule: by which rule it decides; may be empty.
        sections: what only this detector has to show.
    """

    learned: str
    rule: str = ""
    sections: tuple[Section, ...] = ()
