"""Variables in the texts of a configuration: ``${NAME}``, and ``$$`` for a dollar sign."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from buto import jars
from buto.errors import UsageError
from buto.runs.masking import Mask

TESTPROGRAMS = "testprograms"
"""The only variable of buto's own: the jar of the bundled programs."""

_TOKEN = re.compile(r"\$\$|\$\{([^}]*)(\}?)")
_NEEDS_ESCAPE = re.compile(r"\$(?=[${])")


def expand(text: str, environment: Mapping[str, str]) -> str:
    """Replace variables; any other dollar sign stays, as in ``Outer$Inner``.

    Args:
        text: as written in a configuration or an oracle.
        environment: the environment variables.

    Raises:
        UsageError: an unknown variable, or a brace that is not closed.
        BadFileError: the jar of the bundled programs is missing.
    """

    def value(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        name, closed = match[1], match[2]
        if not closed:
            raise UsageError(f"${{ without }} in {Mask().text(text)!r}", advice="write $$ for a dollar sign")
        if name == TESTPROGRAMS:
            return str(jars.path(jars.TESTPROGRAMS))
        if name in environment:
            return environment[name]
        near = difflib.get_close_matches(name, [TESTPROGRAMS, *environment], n=1)
        guess = f"; did you mean ${{{near[0]}}}?" if near else ""
        raise UsageError(
            f"unknown variable ${{{name}}}: no environment variable has this name{guess}",
            advice="set it, or write $${ for the characters themselves",
        )

    return _TOKEN.sub(value, text)


def escape(text: str) -> str:
    """Return a text that :func:`expand` turns into the given one."""
    return _NEEDS_ESCAPE.sub("$$", text)


def portable(text: str, environment: Mapping[str, str]) -> str:
    """Return :func:`escape`'s text with ``${HOME}`` in place of the user's own directory."""
    home = environment.get("HOME", "").rstrip("/")
    if not home or "$" in home:
        return escape(text)
    return re.sub(rf"(?<![^:=,]){re.escape(home)}(?=/)", "${HOME}", escape(text))
