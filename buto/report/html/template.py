"""The templates of pages, and what makes them safe. Importing this module imports Jinja2.

Every value that a template prints is cut, made visible and escaped, without a word in the template: names,
messages and values are chosen by the program under test. Only :class:`markupsafe.Markup` passes as it is. A
page has its own style and script, and a policy that lets a browser run no other script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from buto.run.units import format_count

MAX_NAME = 300
"""Characters of a name, value or message that a page shows."""

# Control characters except tab and newline, bidirectional and zero-width marks, lone surrogates, and tags.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_UNSAFE_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def visible(text: str) -> str:
    """Return the text with invisible characters escaped as ``\\x1b`` or ``\\u202e``; lines stay lines."""
    return _INVISIBLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def line(text: str, limit: int = MAX_NAME) -> str:
    """Return one line of at most ``limit`` characters and the number of those cut. Not escaped yet."""
    left_out = f" … ({len(text) - limit} more characters)" if len(text) > limit else ""
    return visible(text[:limit]).replace("\n", "\\n").replace("\t", "\\t") + left_out


def name_parts(name: str) -> tuple[str, str]:
    """Return a property's metric and instance, or an MBean and its member; the second may be empty.

    ``jvm.memory.used[G1 Old Gen]`` is ``jvm.memory.used`` and ``G1 Old Gen``. Neither is cut or escaped.
    """
    start, bracket, rest = name.partition("[")
    owner, end, member = rest.partition("]/")
    if start == "mbean" and end:
        return owner, member
    if not bracket or not rest.endswith("]"):
        return name, ""
    return start, rest[:-1]


def escape(text: str, limit: int = MAX_NAME) -> str:
    """Return one escaped line, for between tags and for attributes in double quotes."""
    return html.escape(line(text, limit))


def block(text: str) -> str:
    """Return escaped lines, for between tags."""
    return html.escape(visible(text), quote=False)


def json_block(data: Any) -> str:
    """Return JSON for a script element: nothing in it ends the element or begins a comment."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return written.translate(_UNSAFE_IN_SCRIPT)


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


SCRIPTS = ("sharp", "uplot/uPlot.iife.min", "quantity", "data", "plot", "chart", "overview", "timeline", "page")
"""In the order in which they stand in the page."""


@cache
def style() -> str:
    """Return the style."""
    return text_of("uplot/uPlot.min.css") + text_of("page.css")


@cache
def script() -> str:
    """Return all scripts as one function, so that none of their names is global."""
    return enclosed(*SCRIPTS)


def enclosed(*names: str) -> str:
    """Return scripts as one function."""
    parts = "\n".join(map(source, names))
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def source(name: str) -> str:
    """Return one of the scripts."""
    return text_of(f"{name}.js")


@cache
def policy() -> str:
    """Return the content security policy: no network, and only this script and this style."""
    return policy_of(script(), style())


def policy_of(script: str, style: str) -> str:
    """Return the policy of a page with one script and one style."""
    sources = "; ".join(
        f"{kind}-src 'sha256-{_digest(text)}'" for kind, text in (("script", script), ("style", style))
    )
    return f"default-src 'none'; {sources}; img-src data:; base-uri 'none'; form-action 'none'"


def text_of(name: str) -> str:
    """Return the content of one file in ``assets/``."""
    return files("buto.report.html").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
