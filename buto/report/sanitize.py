"""Sanitize text from outside: names, messages and values that a program or an unknown file chose."""

from __future__ import annotations

import re

MAX_TEXT = 200
"""Characters of a name or a message that a report shows; files for programs have all."""


def one_line(text: str, limit: int | None = None) -> str:
    """Return one line of visible characters, cut at ``limit``, with ``...`` after a cut.

    Characters that move the cursor or change the direction of writing, and lone surrogates, are escaped as
    in Python (``\\x1b``, ``\\u202e``). So is what a build server, which reads everything that a build prints,
    would take for a command: GitHub's at the beginning of a line, those of Azure and TeamCity anywhere.
    """
    cut = text if limit is None or len(text) <= limit else f"{text[:limit]} ..."
    shown = cut if cut.isprintable() else "".join(map(_visible, cut))
    if shown.lstrip().startswith("::"):
        shown = shown.replace(":", "\\x3a", 1)
    return _COMMAND.sub(r"#\\x23", shown)


_COMMAND = re.compile(r"##(?=\w*\[)")


def harmless(text: str) -> str:
    """Return text of any lines, in which none moves the cursor or is a command of a build server."""
    return "\n".join(one_line(line.expandtabs()) for line in text.split("\n"))


def _visible(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()
