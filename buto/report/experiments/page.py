"""One self-contained HTML page: no scripts, nothing to be fetched."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape

from buto.report.experiments.content import Columns, Page, Picture, Section
from buto.report.experiments.pictures import png

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #08714f; --bad: #b34700; --open: #6b6b6b; }
@media (prefers-color-scheme: dark) { :root { --good: #4cc79b; --bad: #ff9d5c; --open: #aaa; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
body > p { max-width: 50rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
nav { columns: 18rem; font-size: .9rem; } nav a { display: block; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 0 0 .4rem; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
.caption { font-weight: 600; margin: 1.2rem 0 .2rem; overflow-wrap: anywhere; }
th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; white-space: nowrap; }
th.word, td.word { text-align: left; }
td.word { white-space: normal; } td.long { min-width: 13rem; max-width: 34rem; }
th.group { text-align: center; }
th.edge, td.edge { border-left: 1px solid var(--line); }
tr.faint { opacity: .7; } .good { color: var(--good); } .bad { color: var(--bad); }
.open { color: var(--open); }
figure { margin: 1.6rem 0; overflow-x: auto; }
figure img { max-width: 100%; background: #fff; }
@media (max-width: 40rem) { figure img { max-width: none; width: 40rem; } }
figcaption { font-size: .9rem; }
.note { font-size: .85rem; color: var(--open); margin: .2rem 0; max-width: 60rem; }
summary { cursor: pointer; margin: 1rem 0; }
"""

_LONG = 24
"""Characters of a cell that is given room."""


def html(page: Page) -> str:
    """The page as a text."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(page.title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(page.title)}</h1>",
        *(f"<p>{escape(text)}</p>" for text in page.texts),
        "<nav>",
        *(f'<a href="#part{number}">{escape(one.title)}</a>' for number, one in enumerate(page.sections)),
        "</nav>",
    ]
    for number, section in enumerate(page.sections):
        parts += _section(section, number)
    return "\n".join([*parts, "</body></html>", ""])


def _section(section: Section, number: int) -> Iterator[str]:
    yield f'<section id="part{number}"><h2>{escape(section.title)}</h2>'
    yield from (f"<p>{escape(text)}</p>" for text in section.texts)
    for table in section.tables:
        yield from _table(table)
    for picture in section.pictures:
        yield from _picture(picture)
    if section.folded:
        yield f"<details><summary>{escape(section.folded_title)}</summary>"
        for table in section.folded:
            yield from _table(table)
        yield "</details>"
    yield "</section>"


def _table(table: Columns) -> Iterator[str]:
    edges, start = set(), 0
    for _, width in table.groups:
        edges.add(start)
        start += width
    edges.discard(0)

    def kind(column: int, cell: str = "") -> str:
        names = [
            "word" if column < table.left else "",
            "long" if column < table.left and len(cell) > _LONG else "",
            "edge" if column in edges else "",
            tones.get(cell, ""),
        ]
        found = " ".join(filter(None, names))
        return f' class="{found}"' if found else ""

    tones = dict(table.tones)
    # Not a caption of the table, which would be scrolled away with it on narrow screens.
    yield f'<p class="caption">{escape(table.caption)}</p>'
    yield f'<div class="scroll"><table aria-label="{escape(table.caption)}"><thead>'
    if table.groups:
        heads = (f'<th class="group" colspan="{width}">{escape(name)}</th>' for name, width in table.groups)
        yield f"<tr>{''.join(heads)}</tr>"
    heads = (f"<th{kind(column)}>{escape(head)}</th>" for column, head in enumerate(table.heads))
    yield f"<tr>{''.join(heads)}</tr></thead><tbody>"
    for row, cells in enumerate(table.rows):
        drawn = (f"<td{kind(column, cell)}>{escape(cell)}</td>" for column, cell in enumerate(cells))
        yield f"<tr{' class=faint' if row in table.faint else ''}>{''.join(drawn)}</tr>"
    yield "</tbody></table></div>"
    yield from (f'<p class="note">{escape(note)}</p>' for note in table.notes)


def _picture(picture: Picture) -> Iterator[str]:
    data = base64.b64encode(png(picture)).decode()
    caption = f"Figure {picture.number}. {picture.caption}"
    yield f'<figure><img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
    yield f"<figcaption>{escape(caption)}</figcaption></figure>"
