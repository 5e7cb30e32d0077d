"""The templates of pages. Importing this module imports Jinja2.

Every value that a template prints is cut, made visible and escaped, without a word in the template: names,
messages and values are chosen by the program under test. Only :class:`markupsafe.Markup` passes as it is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from buto.report.html.escaping import block, escape, line, name_parts
from buto.units import format_count


def render_template(name: str, *, package: str = "buto.report.html", **values: Any) -> str:
    """Return a page.

    Args:
        name: of a file in ``templates/``.
        package: the one that has this folder.
        values: what the template prints.
    """
    return _environment(package).get_template(name).render(values)


@cache
def _environment(package: str) -> Environment:
    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # Both escape by themselves: ``line`` cuts elsewhere than other values, ``block`` keeps the ends of lines.
    made.filters["line"] = lambda text, limit: Markup(escape(text, limit))
    made.filters["block"] = lambda text: Markup(block(text))
    made.filters["name_parts"] = name_parts
    made.filters["count"] = format_count
    return made


def _printed(value: object) -> object:
    """Return what is escaped next; markup stays as it is."""
    return value if isinstance(value, Markup) else line(str(value))
