"""What a report consists of, whoever renders it: lines with styles, and tables. Charts are in :mod:`panels`.

Lines are for a terminal, coloured or not. Tables are of texts; a terminal aligns them, and Markdown and
pages write them in their own way.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from buto.judging.verdict import Effect, Status
from buto.report.sanitize import MAX_TEXT, one_line

STATUS_COLOUR = {
    Status.PASS: "bold green",
    Status.REGRESSION: "bold red",
    Status.INCONCLUSIVE: "bold yellow",
}
EFFECT_COLOUR = {Effect.WORSE: "red", Effect.BETTER: "green", Effect.UNKNOWN: "yellow"}

MAX_LINE, MAX_WHOLE_LINE = 2 * MAX_TEXT, 10 * MAX_TEXT
"""Characters of one line, normally and where everything is shown."""


class Line(Struct, frozen=True):
    """A line in parts, each a text and its style, as ``bold red``; none of them moves the cursor."""

    parts: tuple[tuple[str, str], ...]

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.parts)


def line(*parts: str | tuple[str, str]) -> Line:
    """Return a line; a part without a style is plain."""
    return Line(tuple((part, "") if isinstance(part, str) else part for part in parts))


MORE = "(-v)"
"""What shows more of a list; a front end without that option puts its own words there."""


def remarks(
    label: str,
    texts: Sequence[str],
    *,
    most: int | None = None,
    limit: int = MAX_LINE,
    colour: str = "yellow",
) -> list[Line]:
    """Return a line for each text that is not empty, behind a label; of more than ``most``, the number."""
    given = [text for text in texts if text]
    shown = given if most is None or len(given) <= most else given[: max(1, most - 1)]
    texts = [one_line(text, limit) for text in shown]
    if len(shown) < len(given):
        texts.append(f"and {len(given) - len(shown)} more {MORE}")
    return [line("  ", (f"{label}:", colour), f" {text}") for text in texts]


class Table(Struct, frozen=True):
    """Rows of texts below heads.

    Attributes:
        kinds: what each row is, for its colour on a page; empty if all are alike.
        left_out: number of rows that there was no room for.
    """

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    kinds: Sequence[str] = ()
    left_out: int = 0

    def first(self, most: int) -> Table:
        """Return the first rows, and the number of the others."""
        return structs.replace(
            self,
            rows=self.rows[:most],
            kinds=self.kinds[:most],
            left_out=self.left_out + max(0, len(self.rows) - most),
        )

    def without_empty(self) -> Table:
        """Return the table without the columns that are empty in every row."""
        kept = [at for at in range(len(self.heads)) if any(row[at] for row in self.rows)]
        rows = [tuple(row[at] for at in kept) for row in self.rows]
        return structs.replace(self, heads=tuple(self.heads[at] for at in kept), rows=rows)


def align(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a line for each row, with columns two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
