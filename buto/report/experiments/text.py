"""Tables as plain text, for terminals and logs."""

from __future__ import annotations

from buto.report.experiments.content import Columns


def lines(table: Columns) -> list[str]:
    """Return the caption and the table; words are aligned left, numbers right."""
    rows = [table.heads, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.heads))]
    drawn = []
    if table.groups:
        drawn.append(_groups(table, widths))
    drawn += [_row(row, widths, table.left) for row in rows]
    return [
        table.caption,
        *(f"  {one}".rstrip() for one in drawn),
        *(f"  {note}" for note in table.notes),
    ]


def _row(cells: tuple[str, ...], widths: list[int], left: int) -> str:
    aligned = [
        cell.ljust(width) if column < left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(aligned)


def _groups(table: Columns, widths: list[int]) -> str:
    parts, start = [], 0
    for name, number in table.groups:
        width = sum(widths[start : start + number]) + 2 * (number - 1)
        parts.append(f" {name} ".center(width, "─") if name else " " * width)
        start += number
    return "  ".join(parts)
