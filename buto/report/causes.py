"""An explanation in each form that is read: for a terminal, as HTML, as Markdown, and as JSON.

The HTML page has flame graphs and needs no network; Markdown is for the comment of a pull request.
``buto/schemas/causes.schema.json`` has the shape of the JSON. Terminal, page and Markdown share the table of
methods, as texts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from markupsafe import Markup

from buto.causes.explain import NAMED
from buto.causes.flame import Flame
from buto.causes.model import Cause, Causes, Explanation, Tier
from buto.report.formats.markdown import code, marker
from buto.report.html import template
from buto.report.html.template import json_block, line, render_template
from buto.report.sanitize import one_line
from buto.run.units import format_count, format_percent, format_quantity
from buto.version import __version__

FORMAT = "buto-causes"
VERSION = 1


def explanation_json(explanation: Explanation) -> str:
    """Return the text of the file."""
    text = json.dumps(explanation_document(explanation), indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return the whole document as plain data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "buto": __version__,
        "test": explanation.test,
        "old": {"name": explanation.old, "launches": explanation.launches[0]},
        "new": {"name": explanation.new, "launches": explanation.launches[1]},
        "kinds": [_kind(one) for one in explanation.kinds],
        "growth": [asdict(one) for one in explanation.growth],
        "remarks": list(explanation.remarks),
    }


def _kind(causes: Causes) -> dict[str, Any]:
    return {
        "kind": causes.kind.value,
        "unit": causes.kind.about.unit,
        "old": causes.old,
        "new": causes.new,
        "without_code": causes.without_code,
        "found": [_cause(one) for one in causes.found],
        "remarks": list(causes.remarks),
        "stacks": _flame(causes.flame),
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {**asdict(cause), "tier": cause.tier.value, "kind": cause.kind.value}


def _flame(flame: Flame) -> dict[str, Any]:
    parts = {"parts": [_flame(part) for part in flame.parts]} if flame.parts else {}
    return {"name": flame.name, "old": flame.old, "new": flame.new, **parts}


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


_CSS = {
    "old": "number",
    "new": "number",
    "share": "number",
    "method": "name",
    "class": "type",
    "held by": "type",
}
_MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    css: str


@dataclass(frozen=True, slots=True)
class _Row:
    css: str
    cells: tuple[_Cell, ...]


def explanation_page(explanation: Explanation) -> str:
    """Return the page. Names are chosen by the program under test; the template escapes them."""
    found = rows(explanation, _MOST_ROWS)
    shown = [HEADS, *(row.cells for row in found)]
    places = columns(shown)
    badge, _, first_line = headline(explanation).partition("  ")
    has_cause = any(one.tier is Tier.CAUSE for one in explanation.causes)
    script, style = _script(), _style()
    return render_template(
        "causes.html",
        explanation=explanation,
        badge=badge.lower(),
        status="regression" if has_cause else "inconclusive",
        headline=first_line,
        meaning=meaning(explanation),
        heads=[HEADS[at] for at in places],
        rows=[
            _Row(
                row.cause.tier.value,
                tuple(_Cell(row.cells[at], _CSS.get(HEADS[at], "")) for at in places),
            )
            for row in found
        ],
        kind_lines=[kind_line(kind) for kind in explanation.kinds if kind.old or kind.new],
        paths=[(row.cause.method, row.cause.path) for row in found if row.cause.path],
        growth=growth_lines(explanation),
        remarks=remarks(explanation),
        version=__version__,
        policy=template.policy_of(script, style),
        # Ours, and data in which no character can end the element.
        style=Markup(style),
        script=Markup(script),
        data=Markup(json_block(_data(explanation))),
    )


@cache
def _script() -> str:
    return template.enclosed("flame")


@cache
def _style() -> str:
    return template.style() + template.text_of("flame.css")


def _data(explanation: Explanation) -> list[dict[str, Any]]:
    """Return the flame graphs, those of the findings first; kinds without a stack have none."""
    return [
        {"title": kind.kind.about.title, "unit": kind.kind.about.unit, "root": _part(kind.flame)}
        for kind in explanation.kinds
        if kind.flame.parts
    ]


def _part(flame: Flame) -> dict[str, Any]:
    return {
        "name": line(flame.name),
        "old": flame.old,
        "new": flame.new,
        "users": flame.is_users,
        "parts": [_part(part) for part in flame.parts],
    }


_LONGEST_CELL = 60


def explanation_lines(explanation: Explanation, *, full: bool = False) -> list[str]:
    """Return the headline, the methods that rose most, the classes that grew, and what could not be told.

    Args:
        full: whether all methods are listed and nothing is shortened.
    """
    old, new = explanation.launches
    compared = (
        f"{explanation.new} against {explanation.old}, "
        f"{format_count(new, 'launch')} against {format_count(old, 'launch')}"
    )
    lines = [headline(explanation), f"  {compared}"]
    lines += [f"  {kind_line(kind)}" for kind in explanation.kinds if kind.old or kind.new]
    found = [row.cells for row in rows(explanation, None if full else 10)]
    if found:
        shown = [HEADS, *found]
        places = columns(shown)
        cells = [[_cell(row[at], full=full) for at in places] for row in shown]
        widths = [max(len(row[at]) for row in cells) for at in range(len(places))]
        lines += ["", *(_aligned(row, widths) for row in cells)]
    growth = growth_lines(explanation)
    if growth:
        lines += ["", "  the heap holds more of:", *(f"    {text}" for text in growth)]
    notes = [*remarks(explanation), *([meaning(explanation)] if full else [])]
    return [
        one_line(line) for line in [*lines, *([""] if notes else []), *(f"  note: {text}" for text in notes)]
    ]


def _cell(text: str, *, full: bool) -> str:
    line = one_line(text)
    # The end of a qualified name tells more than its beginning.
    return line if full or len(line) <= _LONGEST_CELL else f"...{line[3 - _LONGEST_CELL :]}"


def _aligned(row: list[str], widths: list[int]) -> str:
    return f"  {'  '.join(f'{cell:<{width}}' for cell, width in zip(row, widths, strict=True))}".rstrip()


_WORDS = {HEADS.index(name) for name in ("", "what", "old", "new", "share")}


def explanation_markdown(explanation: Explanation) -> str:
    """Return a headline, the table of methods, and folded notes; after a marker as of a check."""
    old, new = explanation.launches
    launches = f"{format_count(new, 'launch')} against {format_count(old, 'launch')}"
    word, _, rest = headline(explanation).partition("  ")
    parts = [
        marker(f"why {explanation.test}"),
        f"### 🔍 **{word.lower()}** {code(rest)}",
        "",
        f"{code(explanation.new)} against {code(explanation.old)}, {launches}.",
        "",
    ]
    found = [row.cells for row in rows(explanation)]
    if found:
        shown = [HEADS, *found]
        places = columns(shown)
        parts += [_markdown_cells([HEADS[at] for at in places]), _markdown_cells(["---"] * len(places))]
        parts += [_markdown_cells([_markdown_cell(row[at], at) for at in places]) for row in found]
        parts += [""]
    kinds = [kind_line(kind) for kind in explanation.kinds if kind.old or kind.new]
    notes = [text for text in (*kinds, *remarks(explanation), meaning(explanation)) if text]
    parts += ["<details>", "<summary>details</summary>", "", *(f"- {code(text, 500)}" for text in notes), ""]
    return "\n".join([*parts, "</details>", ""])


def _markdown_cell(text: str, at: int) -> str:
    return text if at in _WORDS or not text else code(text)


def _markdown_cells(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
