"""Text from outside, made harmless for a page."""

from __future__ import annotations

import html
import json
import re
from typing import Any

MAX_NAME = 300
"""Characters of a name, value or message that are shown."""

# Control characters but tab and newline, marks that turn the direction of writing or have no width,
# halves of surrogate pairs, and tags.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_UNSAFE_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def seen(text: str) -> str:
    """Characters that cannot be seen as in a Python text (``\\x1b``, ``\\u202e``); lines stay lines."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def line(text: str, limit: int = MAX_NAME) -> str:
    """One line, at most ``limit`` characters; what was cut is counted behind it. Not escaped yet."""
    left_out = f" … ({len(text) - limit} more characters)" if len(text) > limit else ""
    return seen(text[:limit]).replace("\n", "\\n").replace("\t", "\\t") + left_out


def titled(name: str) -> tuple[str, str]:
    """A property's name in two: what it is of, and what tells it from its like, which may be empty.

    ``jvm.memory.used[G1 Old Gen]`` is ``jvm.memory.used`` and ``G1 Old Gen``; of an MBean's member the
    member comes last.
    """
    start, bracket, rest = name.partition("[")
    owner, end, member = rest.partition("]/")
    if start == "mbean" and end:
        return line(owner), line(member)
    if not bracket or not rest.endswith("]"):
        return line(name), ""
    return line(start), line(rest[:-1])


def escape(text: str, limit: int = MAX_NAME) -> str:
    """One harmless line, for between tags and for attributes in double quotes."""
    return html.escape(line(text, limit))


def block(text: str) -> str:
    """Harmless lines for between tags."""
    return html.escape(seen(text), quote=False)


def json_block(data: Any) -> str:
    """JSON that can stand in a script element: nothing in it ends the element or begins a comment."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return written.translate(_UNSAFE_IN_SCRIPT)
