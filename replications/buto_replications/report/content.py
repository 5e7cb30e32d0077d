"""The content of a page of experiments; its tables are also plain text, for terminals and logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from buto.judging.views import Band
from buto.report.panels import Curve


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts.

    Attributes:
        heads: one for each column.
        groups: names above several columns, each with its number of columns; may be empty.
        rows: as many cells as there are columns.
        left: number of columns, from the left, with words; the others have numbers.
        faint: rows that the thesis does not have.
        tones: text of a cell and its colour: ``good``, ``bad`` or ``open``.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    left: int = 1
    faint: frozenset[int] = frozenset()
    tones: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class PicturePanel:
    """Runs of one property, and the bounds of a model, if they are compared with one."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    band: Band | None = None
    colour: str = "training"
    """``training``, ``positive`` or ``negative``."""


@dataclass(frozen=True, eq=False, slots=True)
class ThesisFigure:
    """A figure of the thesis, drawn again.

    Attributes:
        number: as ``5.3``.
    """

    number: str
    caption: str
    panels: tuple[PicturePanel, ...]


@dataclass(frozen=True, eq=False, slots=True)
class PageSection:
    """A heading with its content.

    Attributes:
        folded: tables that are hidden until a reader opens them.
    """

    title: str
    texts: tuple[str, ...] = ()
    tables: tuple[TextTable, ...] = ()
    pictures: tuple[ThesisFigure, ...] = ()
    folded: tuple[TextTable, ...] = ()
    folded_title: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class ReportPage:
    title: str
    texts: tuple[str, ...]
    sections: tuple[PageSection, ...]


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[object]], missing: str = "") -> str:
    """Return a table as CSV; NaN and None are ``missing``."""
    # Imported here: it takes a while, and most commands write no table.
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=list(heads), dtype=object)
    return frame.to_csv(index=False, lineterminator="\n", na_rep=missing)


def lines(table: TextTable) -> list[str]:
    """Return the caption and the table; words are aligned left, numbers right."""
    rows = [table.heads, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.heads))]
    drawn = []
    if table.groups:
        drawn.append(_groups(table, widths))
    drawn += [_row(row, widths, table.left) for row in rows]
    return [
        table.caption,
        *(f"  {drawing}".rstrip() for drawing in drawn),
        *(f"  {note}" for note in table.notes),
    ]


def _row(cells: tuple[str, ...], widths: list[int], left: int) -> str:
    aligned = [
        cell.ljust(width) if column < left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(aligned)


def _groups(table: TextTable, widths: list[int]) -> str:
    parts, start = [], 0
    for name, number in table.groups:
        width = sum(widths[start : start + number]) + 2 * (number - 1)
        parts.append(f" {name} ".center(width, "─") if name else " " * width)
        start += number
    return "  ".join(parts)
