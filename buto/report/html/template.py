"""The templates of pages, and what makes them safe. Importing this module imports Jinja2.

Every value that a template prints is cut, made visible and escaped, without a word in the template: names,
messages and values are chosen by the program under test. Only :class:`markupsafe.Markup` passes as it is. A
page has its own style and script, and a policy that lets a browser run no other script.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from buto.run.units import format_count
from buto.version import __version__

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
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def line(text: str, limit: int = MAX_NAME) -> str:
    """Return one line of at most ``limit`` characters and the number of those cut. Not escaped yet."""
    left_out = f" … ({len(text) - limit} more characters)" if len(text) > limit else ""
    return visible(text[:limit]).replace("\n", "\\n").replace("\t", "\\t") + left_out


def markup(pattern: str, *texts: str, limit: int = MAX_NAME) -> Markup:
    """Return our own markup around texts, each cut, made visible and escaped."""
    return Markup(pattern).format(*(line(text, limit) for text in texts))


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


def property_name(name: str) -> Markup:
    """Return a property's name with its instance in bold."""
    owner, instance = name_parts(name)
    whole = markup("<bdi>{}</bdi>", owner)
    return whole + markup(" <b><bdi>{}</bdi></b>", instance) if instance else whole


_OPTION = re.compile(r"(?<!\S)-\S+")


def keep_options_whole(text: str) -> Markup:
    """Return a text in which no line ends after the hyphen of an option such as ``--input``."""
    shown, parts, end = line(text), [], 0
    for option in _OPTION.finditer(shown):
        parts += [
            escape(shown[end : option.start()]),
            Markup('<span class="whole">{}</span>').format(option[0]),
        ]
        end = option.end()
    return Markup("").join([*parts, escape(shown[end:])])


def json_block(data: Any) -> Markup:
    """Return JSON for a script element: nothing in it ends the element or begins a comment."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(written.translate(_UNSAFE_IN_SCRIPT))


def render_template(name: str, *, package: str = "buto.report.html", **values: Any) -> str:
    """Return a page.

    Args:
        name: of a file in ``templates/``.
        package: the one that has this folder.
        values: what the template prints.
    """
    return _environment(package).get_template(name).render(values)


def render_page(name: str, data: Any, scripts: Sequence[str], styles: Sequence[str], **values: Any) -> str:
    """Return a page that needs no other file and no network.

    Args:
        data: for the scripts.
        scripts, styles: files in ``assets/``, in their order in the page; no name in a script is global.
    """
    script = f'(() => {{\n"use strict";\n{asset(*scripts)}\n}})();'
    style = asset(*styles)
    allowed = "; ".join(
        f"{kind}-src '{_digest(text)}'" for kind, text in (("script", script), ("style", style))
    )
    return render_template(
        name,
        version=__version__,
        policy=f"default-src 'none'; {allowed}; img-src data:; base-uri 'none'; form-action 'none'",
        style=Markup(style),
        script=Markup(script),
        data=json_block(data),
        **values,
    )


@cache
def asset(*names: str) -> str:
    """Return the content of files in ``assets/``."""
    folder = files("buto.report.html").joinpath("assets")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


@cache
def _environment(package: str) -> Environment:
    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else line(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # These escape by themselves: ``line`` cuts elsewhere than other values, ``block`` keeps ends of lines.
    made.filters["line"] = lambda text, limit: escape(line(text, limit))
    made.filters["whole_options"] = keep_options_whole
    made.filters["block"] = lambda text: escape(visible(text))
    made.filters["property_name"] = property_name
    made.filters["count"] = format_count
    return made


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
