"""An explanation in each form that is read: for a terminal, as HTML, as Markdown, and as JSON.

The HTML page has flame graphs and needs no network; Markdown is for the comment of a pull request.
``buto/schemas/causes.schema.json`` has the shape of the JSON. Terminal, page and Markdown share the table of
methods, as texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Any

from buto.features.why.explain import NAMED
from buto.features.why.flames import Flame
from buto.features.why.model import Cause, Causes, Explanation, Tier
from buto.features.why.sentence import each, likely, sentence, times
from buto.report.document import Table, aligned
from buto.report.formats.json_result import result_text
from buto.report.formats.markdown import code, diff, markdown_table, marker
from buto.report.html.template import line, render_page
from buto.report.sanitize import one_line
from buto.run.units import format_count, format_percent, format_quantity
from buto.version import __version__

FORMAT = "buto-causes"
VERSION = 1


def explanation_json(explanation: Explanation) -> str:
    document = {
        "format": FORMAT,
        "version": VERSION,
        "buto": __version__,
        "test": explanation.test,
        "answer": sentence(explanation),
        "old": {"name": explanation.old, "launches": explanation.launches[0]},
        "new": {"name": explanation.new, "launches": explanation.launches[1]},
        "kinds": [_kind(one) for one in explanation.kinds],
        "growth": [asdict(one) for one in explanation.growth],
        "remarks": list(explanation.remarks),
    }
    return result_text(document)


def _kind(causes: Causes) -> dict[str, Any]:
    return {
        "kind": causes.kind.value,
        "unit": causes.kind.about.unit,
        "old": causes.old,
        "new": causes.new,
        "without_code": causes.without_code,
        "found": [{**asdict(one), "tier": one.tier.value, "kind": one.kind.value} for one in causes.found],
        "remarks": list(causes.remarks),
        "stacks": _flame(causes.flame),
    }


def _flame(flame: Flame) -> dict[str, Any]:
    parts = {"parts": [_flame(part) for part in flame.parts]} if flame.parts else {}
    return {"name": flame.name, "old": flame.old, "new": flame.new, **parts}


HEADS = (
    *("", "what", "method", "code", "through", "where", "class"),
    *("calls", "each", "old", "new", "share", "held by"),
)
MOST_ROWS, MOST_ON_PAGE = 10, 100
MOST_GROWTH = 5


def methods(explanation: Explanation) -> list[Cause]:
    """Return the methods that rose: all causes, then what is likely, of each kind in turns."""
    named = [one for one in explanation.causes if one.tier is Tier.CAUSE]
    others = [[one for one in kind.found if one.tier is not Tier.CAUSE] for kind in explanation.kinds]
    in_turns = [one for row in zip_longest(*others) for one in row if one is not None]
    return [*named, *sorted(in_turns, key=lambda one: one.tier is not Tier.LIKELY)]


def table(causes: Sequence[Cause]) -> Table:
    """Return a row for each method, without the columns that are empty in every row."""
    rows = [
        (
            "" if one.tier is Tier.OTHER else one.tier.value,
            one.kind.value,
            one.method,
            one.code,
            one.at,
            where(one),
            one.type,
            "" if (calls := one.calls_of(one.method)) is None else times(calls),
            each(one),
            amount(one.old, one.kind.about.unit),
            amount(one.new, one.kind.about.unit),
            format_percent(round(one.share, 2)),
            one.held_by,
        )
        for one in causes
    ]
    return Table(HEADS, rows, [one.tier.value for one in causes]).without_empty()


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


def kind_lines(explanation: Explanation) -> list[str]:
    """Return what was recorded of each kind, old and new."""
    return [
        f"{about.title}: {amount(one.old, about.unit)} before, {amount(one.new, about.unit)} now"
        for one in explanation.kinds
        for about in (one.kind.about,)
        if one.old or one.new
    ]


def growth_lines(explanation: Explanation) -> list[str]:
    return [
        f"{one.type}: {amount(one.old, 'By')} before, {amount(one.new, 'By')} now"
        for one in explanation.growth[:MOST_GROWTH]
    ]


def remarks(explanation: Explanation) -> list[str]:
    own = [f"{one.kind.value}: {text}" for one in explanation.kinds for text in one.remarks]
    missing = [one.kind.value for one in explanation.kinds if not one.old and not one.new]
    none = [f"no event of: {', '.join(missing)}"] if missing else []
    return [*explanation.remarks, *own, *none]


_STYLES = {
    "calls": "number",
    "each": "number",
    "old": "number",
    "new": "number",
    "share": "number",
    "method": "name",
    "class": "type",
    "held by": "type",
}


def explanation_page(explanation: Explanation) -> str:
    """Return the page. Names are chosen by the program under test; the template escapes them."""
    found = methods(explanation)[:MOST_ON_PAGE]
    whole = table(found)
    badge, _, first_line = headline(explanation).partition("  ")
    has_cause = any(one.tier is Tier.CAUSE for one in explanation.causes)
    return render_page(
        "causes.html",
        _flames(explanation),
        ("flame.js",),
        ("page.css", "flame.css"),
        explanation=explanation,
        badge=badge.lower(),
        status="regression" if has_cause else "inconclusive",
        headline=first_line,
        answer=sentence(explanation).replace("`", ""),
        meaning=meaning(explanation),
        methods=replace(whole, rows=whole.rows[:MOST_ROWS]),
        others=replace(whole, rows=whole.rows[MOST_ROWS:], kinds=whole.kinds[MOST_ROWS:]),
        of_column=_STYLES,
        kind_lines=kind_lines(explanation),
        paths=[(one.method, one.path) for one in found if one.path],
        growth=growth_lines(explanation),
        remarks=remarks(explanation),
    )


def _flames(explanation: Explanation) -> list[dict[str, Any]]:
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
    answer = sentence(explanation)
    lines = [
        headline(explanation),
        *([f"  {answer.replace('`', '')}"] if answer else []),
        *(f"    {text}" for text in _diff(explanation)),
        f"  {explanation.new} against {explanation.old}, {_launches(explanation)}",
    ]
    lines += [f"  {text}" for text in kind_lines(explanation)]
    found = methods(explanation)
    if found:
        whole = table(found if full else found[:MOST_ROWS])
        cells = [tuple(_cell(text, full=full) for text in row) for row in (whole.heads, *whole.rows)]
        lines += ["", *(f"  {row}" for row in aligned(cells))]
    growth = growth_lines(explanation)
    if growth:
        lines += ["", "  the heap holds more of:", *(f"    {text}" for text in growth)]
    notes = [*remarks(explanation), *([meaning(explanation)] if full else [])]
    return list(map(one_line, [*lines, *([""] if notes else []), *(f"  note: {text}" for text in notes)]))


def _diff(explanation: Explanation) -> tuple[str, ...]:
    """Return the changed lines next to the method that the answer is about."""
    return next((one.diff for one in likely(explanation)), ())


def _launches(explanation: Explanation) -> str:
    old, new = explanation.launches
    return f"{format_count(new, 'launch')} against {format_count(old, 'launch')}"


def _cell(text: str, *, full: bool) -> str:
    line = one_line(text)
    # The end of a qualified name tells more than its beginning.
    return line if full or len(line) <= _LONGEST_CELL else f"...{line[3 - _LONGEST_CELL :]}"


_WORDS = ("", "what", "code", "calls", "each", "old", "new", "share")


def explanation_markdown(explanation: Explanation) -> str:
    word, _, rest = headline(explanation).partition("  ")
    answer = sentence(explanation)
    found = table(methods(explanation)[:MOST_ROWS])
    rows = [
        tuple(
            text if head in _WORDS or not text else code(text)
            for head, text in zip(found.heads, row, strict=True)
        )
        for row in found.rows
    ]
    notes = [text for text in (*kind_lines(explanation), *remarks(explanation), meaning(explanation)) if text]
    parts = [
        marker(f"why {explanation.test}"),
        f"### 🔍 **{word.lower()}** {code(rest)}",
        "",
        *([code(answer.replace("`", ""), 500), diff(_diff(explanation))] if answer else []),
        f"{code(explanation.new)} against {code(explanation.old)}, {_launches(explanation)}.",
        "",
        *(markdown_table(found.heads, rows) if rows else []),
    ]
    parts += ["<details>", "<summary>details</summary>", "", *(f"- {code(text, 500)}" for text in notes), ""]
    return "\n".join([*parts, "</details>", ""])
