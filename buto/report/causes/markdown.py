"""An explanation as Markdown for the comment of a pull request."""

from __future__ import annotations

from buto.causes import Explanation
from buto.report.causes.tables import HEADS, columns, headline, kind_line, meaning, remarks, rows
from buto.report.formats.markdown import code, marker
from buto.units import format_count

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
        parts += [_cells([HEADS[at] for at in places]), _cells(["---"] * len(places))]
        parts += [_cells([_cell(row[at], at) for at in places]) for row in found]
        parts += [""]
    kinds = [kind_line(kind) for kind in explanation.kinds if kind.old or kind.new]
    notes = [text for text in (*kinds, *remarks(explanation), meaning(explanation)) if text]
    parts += ["<details>", "<summary>details</summary>", "", *(f"- {code(text, 500)}" for text in notes), ""]
    return "\n".join([*parts, "</details>", ""])


def _cell(text: str, at: int) -> str:
    return text if at in _WORDS or not text else code(text)


def _cells(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
