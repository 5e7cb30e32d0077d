"""An explanation as one HTML page with flame graphs, without a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from markupsafe import Markup

from buto.causes import Explanation, Tier
from buto.causes.flame import Flame
from buto.report.causes import tables
from buto.report.html import assets
from buto.report.html.escaping import json_block, line
from buto.report.html.template import render_template
from buto.version import __version__

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
    found = tables.rows(explanation, _MOST_ROWS)
    shown = [tables.HEADS, *(row.cells for row in found)]
    places = tables.columns(shown)
    badge, _, headline = tables.headline(explanation).partition("  ")
    has_cause = any(one.tier is Tier.CAUSE for one in explanation.causes)
    script, style = _script(), _style()
    return render_template(
        "causes.html",
        explanation=explanation,
        badge=badge.lower(),
        status="regression" if has_cause else "inconclusive",
        headline=headline,
        meaning=tables.meaning(explanation),
        heads=[tables.HEADS[at] for at in places],
        rows=[
            _Row(
                row.cause.tier.value,
                tuple(_Cell(row.cells[at], _CSS.get(tables.HEADS[at], "")) for at in places),
            )
            for row in found
        ],
        kind_lines=[tables.kind_line(kind) for kind in explanation.kinds if kind.old or kind.new],
        paths=[(row.cause.method, row.cause.path) for row in found if row.cause.path],
        growth=tables.growth_lines(explanation),
        remarks=tables.remarks(explanation),
        version=__version__,
        policy=assets.policy_of(script, style),
        # Ours, and data in which no character can end the element.
        style=Markup(style),
        script=Markup(script),
        data=Markup(json_block(_data(explanation))),
    )


@cache
def _script() -> str:
    return assets.enclosed("flame")


@cache
def _style() -> str:
    return assets.style() + assets.text_of("flame.css")


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
