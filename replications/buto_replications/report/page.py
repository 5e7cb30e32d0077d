"""One self-contained HTML page of experiments: no scripts, and nothing that a browser must fetch."""

from __future__ import annotations

import base64
from itertools import accumulate

from markupsafe import Markup

from buto.report.html.template import asset, render_template
from buto_replications.report.content import Columns, Page, Picture
from buto_replications.report.pictures import png

_LONG = 24
"""Characters of a cell that gets a wide column."""


def html(page: Page) -> str:
    """Return the page as a text."""
    return render_template(
        "experiments.html",
        package="buto_replications",
        page=page,
        # buto's own style, and numbers in letters that need no escaping.
        style=Markup(asset("tables.css")),
        image=lambda picture: Markup(_data_url(picture)),
        classes=_classes,
    )


def _data_url(picture: Picture) -> str:
    return f"data:image/png;base64,{base64.b64encode(png(picture)).decode()}"


def _classes(table: Columns, column: int, cell: str) -> str:
    """Return the classes of one cell; empty for a plain number."""
    is_text = column < table.left
    edges = list(accumulate(width for _, width in table.groups))[:-1]
    names = [
        "word" if is_text else "",
        "long" if is_text and len(cell) > _LONG else "",
        "edge" if column in edges else "",
        dict(table.tones).get(cell, ""),
    ]
    return " ".join(filter(None, names))
