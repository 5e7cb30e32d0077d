"""An explanation in each form that is read: for a terminal, as HTML, as Markdown, and as JSON.

The HTML page has flame graphs and needs no network; Markdown is for the comment of a pull request.
``buto/schemas/causes.schema.json`` has the shape of the JSON. Terminal, page and Markdown share the table of
methods, as texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import Any

from msgspec import structs

from buto.causes.explain import NAMED
from buto.causes.flames import Flame
from buto.causes.model import Cause, Causes, Explanation, Tier
from buto.causes.sentence import each, likely, sentence, times
from buto.report.document import Table, align
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
        "kinds": [_kind(causes) for causes in explanation.kinds],
        "growth": [asdict(grown_class) for grown_class in explanation.growth],
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
        "found": [
            {**asdict(cause), "tier": cause.tier.value, "kind": cause.kind.value} for cause in causes.found
        ],
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


def methods(explanation: Explanation, *, noise: bool = False) -> list[Cause]:
    """Return the methods that rose: all causes, then what is likely, of each kind in turns.

    Args:
        noise: whether those are returned, too, that explain nothing.
    """
    causes = _in_turns(explanation)
    return causes if noise else [cause for cause in causes if not explanation.is_noise(cause)]


def _in_turns(explanation: Explanation) -> list[Cause]:
    named = [cause for cause in explanation.causes if cause.tier is Tier.CAUSE]
    others = [[cause for cause in kind.found if cause.tier is not Tier.CAUSE] for kind in explanation.kinds]
    in_turns = [cause for row in zip_longest(*others) for cause in row if cause is not None]
    return [*named, *sorted(in_turns, key=lambda cause: cause.tier is not Tier.LIKELY)]


def table(causes: Sequence[Cause]) -> Table:
    """Return a row for each method, without the columns that are empty in every row."""
    rows = [
        (
            "" if cause.tier is Tier.OTHER else cause.tier.value,
            cause.kind.value,
            cause.method,
            cause.code,
            cause.at,
            where(cause),
            cause.type,
            "" if (calls := cause.calls_of(cause.method)) is None else times(calls),
            each(cause),
            amount(cause.old, cause.kind.about.unit),
            amount(cause.new, cause.kind.about.unit),
            format_percent(round(cause.share, 2)),
            cause.held_by,
        )
        for cause in causes
    ]
    return Table(HEADS, rows, [cause.tier.value for cause in causes]).without_empty()


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
    causes = [cause for cause in explanation.causes if cause.tier is Tier.CAUSE]
    if causes:
        first = causes[0]
        others = {cause.method for cause in causes} - {first.method}
        more = f", and {format_count(len(others), 'further method')}" if others else ""
        cause = f"CAUSE  {explanation.test}: {first.method} {first.kind.about.does} more{more}"
        return "; ".join(filter(None, (cause, _of_headline(explanation, first))))
    if methods(explanation):
        return f"NO CAUSE NAMED  {explanation.test}: the methods below are the most likely, but not proven"
    why = _why_unseen(explanation) or "no method of the program's own rose"
    return f"NO CAUSE NAMED  {explanation.test}: {why}"


def _why_unseen(explanation: Explanation) -> str:
    """Return why what the check's headline is about cannot be seen on this JVM; empty if it can."""
    return next((kind.remarks[0] for kind in explanation.kinds[:1] if not kind.is_seen), "")


def _of_headline(explanation: Explanation, first: Cause) -> str:
    """Return what is likeliest of the kind of the check's headline, if only another kind has a cause."""
    kind = explanation.kinds[0]
    likely = kind.of_tier(Tier.LIKELY)
    if first.kind is kind.kind or not likely or kind.of_tier(Tier.CAUSE):
        return ""
    return f"{likely[0].method} most likely {kind.kind.about.does} more"


def meaning(explanation: Explanation) -> str:
    """Return what the tiers mean, in a sentence."""
    fewest = min(explanation.launches)
    if fewest < min(NAMED):
        return ""
    return (
        f"A cause has a difference of more than {NAMED[min(fewest, max(NAMED))]:g} standard errors and a "
        "tenth of all that rose, or was edited and, exactly counted, does more; docs/why.md says how often "
        "one is wrong. What is most likely is not proven."
    )


def kind_lines(explanation: Explanation) -> list[str]:
    """Return what was recorded of each kind, old and new."""
    return [
        f"{about.title}: {amount(kind.old, about.unit)} before, {amount(kind.new, about.unit)} now"
        for kind in explanation.kinds
        for about in (kind.kind.about,)
        if kind.old or kind.new
    ]


def growth_lines(explanation: Explanation) -> list[str]:
    return [
        f"{grown_class.type}: {amount(grown_class.old, 'By')} before, {amount(grown_class.new, 'By')} now"
        for grown_class in explanation.growth[:MOST_GROWTH]
    ]


def remarks(explanation: Explanation) -> list[str]:
    own = [f"{kind.kind.value}: {text}" for kind in explanation.kinds for text in kind.remarks]
    sampled = [kind.kind.value for kind in explanation.kinds if kind.kind.about.is_sampled and kind.new]
    rough = (
        f"{', '.join(sampled)}: shares are of samples, and sizes are estimates; a check has the exact sizes"
    )
    missing = [kind.kind.value for kind in explanation.kinds if kind.is_seen and not (kind.old or kind.new)]
    none = [f"no event of: {', '.join(missing)}"] if missing else []
    return [*explanation.remarks, *([rough] if sampled else []), *own, *none]


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
    causes = methods(explanation)[:MOST_ON_PAGE]
    whole = table(causes)
    badge, _, first_line = headline(explanation).partition("  ")
    has_cause = any(cause.tier is Tier.CAUSE for cause in explanation.causes)
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
        unseen=_why_unseen(explanation),
        methods=structs.replace(whole, rows=whole.rows[:MOST_ROWS]),
        others=structs.replace(whole, rows=whole.rows[MOST_ROWS:], kinds=whole.kinds[MOST_ROWS:]),
        of_column=_STYLES,
        kind_lines=kind_lines(explanation),
        paths=[(cause.method, cause.path) for cause in causes if cause.path],
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
    causes = methods(explanation, noise=full)
    if causes:
        whole = table(causes if full else causes[:MOST_ROWS])
        cells = [tuple(_cell(text, full=full) for text in row) for row in (whole.heads, *whole.rows)]
        lines += ["", *(f"  {row}" for row in align(cells))]
    growth = growth_lines(explanation)
    if growth:
        lines += ["", "  the heap holds more of:", *(f"    {text}" for text in growth)]
    notes = [*remarks(explanation), *([meaning(explanation)] if full else [])]
    return list(map(one_line, [*lines, *([""] if notes else []), *(f"  note: {text}" for text in notes)]))


def _diff(explanation: Explanation) -> tuple[str, ...]:
    """Return the changed lines next to the method that the answer is about."""
    return next((cause.diff for cause in likely(explanation)), ())


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
    whole = table(methods(explanation)[:MOST_ROWS])
    rows = [
        tuple(
            text if head in _WORDS or not text else code(text)
            for head, text in zip(whole.heads, row, strict=True)
        )
        for row in whole.rows
    ]
    notes = [text for text in (*kind_lines(explanation), *remarks(explanation), meaning(explanation)) if text]
    parts = [
        marker(f"why {explanation.test}"),
        f"### 🔍 **{word.lower()}** {code(rest)}",
        "",
        *([code(answer.replace("`", ""), 500), diff(_diff(explanation))] if answer else []),
        f"{code(explanation.new)} against {code(explanation.old)}, {_launches(explanation)}.",
        "",
        *(markdown_table(whole.heads, rows) if rows else []),
    ]
    parts += ["<details>", "<summary>details</summary>", "", *(f"- {code(text, 500)}" for text in notes), ""]
    return "\n".join([*parts, "</details>", ""])
