"""The table of methods, as texts, which the terminal, the page and Markdown share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from buto.causes import Cause, Causes, Explanation, Tier
from buto.causes.differences import NAMED
from buto.units import format_count, format_percent, format_quantity

HEADS = ("", "what", "method", "where", "class", "old", "new", "share", "held by")
MOST_ROWS = 10
MOST_GROWTH = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One method.

    Attributes:
        cells: as HEADS.
    """

    cause: Cause
    cells: tuple[str, ...]


def rows(explanation: Explanation, most: int | None = MOST_ROWS) -> list[Row]:
    """Return a row for each method that rose: all causes, then what is likely, of each kind in turns."""
    named = [one for one in explanation.causes if one.tier is Tier.CAUSE]
    others = [[one for one in kind.found if one.tier is not Tier.CAUSE] for kind in explanation.kinds]
    in_turns = [
        column[place]
        for place in range(max(map(len, others), default=0))
        for column in others
        if place < len(column)
    ]
    likely_first = sorted(in_turns, key=lambda one: one.tier is not Tier.LIKELY)
    return [Row(one, _cells(one)) for one in [*named, *likely_first][:most]]


def _cells(cause: Cause) -> tuple[str, ...]:
    unit = cause.kind.about.unit
    return (
        "" if cause.tier is Tier.OTHER else cause.tier.value,
        cause.kind.value,
        cause.method,
        where(cause),
        cause.type,
        amount(cause.old, unit),
        amount(cause.new, unit),
        format_percent(round(cause.share, 2)),
        cause.held_by,
    )


def where(cause: Cause) -> str:
    """Return file and line of a method, as ``Shop.java:120``."""
    if not cause.file:
        return ""
    # Line 1 stands for a class without line numbers.
    return f"{cause.file}:{cause.line}" if cause.line > 1 else cause.file


def amount(value: float, unit: str) -> str:
    """Return a mean over launches with its unit."""
    whole = unit.startswith("{") and value >= 10
    return format_quantity(round(value) if whole else float(f"{value:.3g}"), unit)


def headline(explanation: Explanation) -> str:
    """Return the result in one line."""
    causes = [one for one in explanation.causes if one.tier is Tier.CAUSE]
    if causes:
        first = causes[0]
        others = {one.method for one in causes} - {first.method}
        more = f", and {format_count(len(others), 'further method')}" if others else ""
        return f"CAUSE  {explanation.test}: {first.method} {first.kind.about.does} more{more}"
    if explanation.causes:
        return f"NO CAUSE NAMED  {explanation.test}: the methods below are the most likely, but not proven"
    return f"NO CAUSE NAMED  {explanation.test}: no method of the program's own rose"


def meaning(explanation: Explanation) -> str:
    """Return what the tiers mean, in a sentence."""
    fewest = min(explanation.launches)
    if fewest < min(NAMED):
        return ""
    return (
        f"A cause has a difference of more than {NAMED[min(fewest, max(NAMED))]:g} standard errors and a "
        "tenth of all that rose; docs/why.md says how often one is wrong. What is most likely is not proven."
    )


def kind_line(causes: Causes) -> str:
    """Return what was recorded of a kind, old and new."""
    about = causes.kind.about
    return f"{about.title}: {amount(causes.old, about.unit)} before, {amount(causes.new, about.unit)} now"


def growth_lines(explanation: Explanation) -> list[str]:
    """Return the classes of which the heap holds more."""
    return [
        f"{one.type}: {amount(one.old, 'By')} before, {amount(one.new, 'By')} now"
        for one in explanation.growth[:MOST_GROWTH]
    ]


def remarks(explanation: Explanation) -> list[str]:
    """Return all sentences on what could not be told."""
    own = [f"{one.kind.value}: {text}" for one in explanation.kinds for text in one.remarks]
    missing = [one.kind.value for one in explanation.kinds if not one.old and not one.new]
    none = [f"no event of: {', '.join(missing)}"] if missing else []
    return [*explanation.remarks, *own, *none]


def columns(cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of the columns that are not empty in every row but the first."""
    return [at for at in range(len(cells[0])) if any(row[at] for row in cells[1:])]
