"""A line of text with styles, for terminals with and without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from buto.report.sanitize import MAX_TEXT, one_line

MAX_LINE, MAX_WHOLE_LINE = 2 * MAX_TEXT, 10 * MAX_TEXT
"""Characters of one line, normally and where everything is shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line in parts, each a text and its style in colour; none of them moves the cursor."""

    parts: tuple[tuple[str, str], ...]

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.parts)


def line(*parts: str | tuple[str, str]) -> Line:
    """Return a line; a part without a style is plain."""
    return Line(tuple((part, "") if isinstance(part, str) else part for part in parts))


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
        texts.append(f"and {len(given) - len(shown)} more (-v)")
    return [line("  ", (f"{label}:", colour), f" {text}") for text in texts]
