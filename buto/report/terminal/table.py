"""Align the cells of a table."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a line for each row, with columns two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
