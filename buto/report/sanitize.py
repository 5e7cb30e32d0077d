"""Text from outside, made harmless: names, messages and values that a program or a stranger's file chose."""

from __future__ import annotations

MAX_TEXT = 200
"""Characters of a name or a message that a report shows; the files that are written for machines have all."""


def one_line(text: str, limit: int | None = None) -> str:
    """One line of characters that can be seen, cut at ``limit``, with ``...`` behind what was cut.

    What moves a cursor, turns the direction of writing or is no character stands as in a Python text
    (``\\x1b``, ``\\u202e``). So does a beginning that GitHub's runner would take for a command, as all that
    a build prints passes by it.
    """
    cut = text if limit is None or len(text) <= limit else f"{text[:limit]} ..."
    seen = cut if cut.isprintable() else "".join(map(_seen, cut))
    if seen.lstrip().startswith("::"):
        seen = seen.replace(":", "\\x3a", 1)
    return seen.replace("##[", "#\\x23[")


def _seen(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()
