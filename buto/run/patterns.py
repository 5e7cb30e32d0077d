"""Shell patterns, as users and tables write them for names: of properties, metadata, tests."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache

_LITERAL = re.compile(r"((?:[^*?[]|\[\[\])*)(\*?)")


def fits(name: str, pattern: str) -> bool:
    """Return whether a name fits a pattern, as :func:`fnmatch.fnmatchcase`.

    A text, alone or with a star at its end, needs no regular expression: compiling those of all tables took
    a tenth of a short command.
    """
    literal = _literal(pattern)
    if literal is None:
        return fnmatchcase(name, pattern)
    text, is_start = literal
    return name.startswith(text) if is_start else name == text


@cache
def _literal(pattern: str) -> tuple[str, bool] | None:
    """Return the text that a name must be, or begin with; None if the pattern is not so simple."""
    simple = _LITERAL.fullmatch(pattern)
    return None if simple is None else (simple[1].replace("[[]", "["), bool(simple[2]))
