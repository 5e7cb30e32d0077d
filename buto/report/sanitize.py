"""Sanitize text from outside: names, messages and values that a program or an unknown file chose."""

from __future__ import annotations

MAX_TEXT = 200
"""Characters of a name or a message that a report shows; files for programs have all."""


def one_line(text: str, limit: int | None = None) -> str:
    """Return one line of visible characters, cut at ``limit``, with ``...`` after a cut.

    Characters that move the cursor or change the direction of writing, and lone surrogates, are escaped as
    in Python (``\\x1b``, ``\\u202e``). So is a beginning that GitHub's runner, which reads everything that a
    build prints, would take for a command.
    """
    cut = text if limit is None or len(text) <= limit else f"{text[:limit]} ..."
    shown = cut if cut.isprintable() else "".join(map(_visible, cut))
    if shown.lstrip().startswith("::"):
        shown = shown.replace(":", "\\x3a", 1)
    return shown.replace("##[", "#\\x23[")


def _visible(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()
