"""Sanitize text from outside for a page."""

from __future__ import annotations

import html
import json
import re
from typing import Any

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
