"""A parsed file: plain data with the position of each value, and the texts in it that are read further.

Such texts are variables (``${NAME}``, and ``$$`` for a dollar sign), the place where programs are launched
(this machine, or the hosts of a scheduler), and labels of the environment in which runs are recorded (from
the configuration, a variable or an option).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from buto import jars
from buto.errors import ConfigError, UsageError
from buto.run.masking import Mask

DataPath = tuple[str | int, ...]
"""Keys and indices from the top of the document to a value."""


class Position(Struct, frozen=True, order=True):
    """A position in a file; both numbers count from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Document:
    """A parsed file.

    Attributes:
        path: the file, for messages.
        data: None, truth values, numbers, texts, lists and dictionaries with texts as keys.
        values, keys: positions of each value and of its key.
        written: each scalar as it was written.
    """

    path: Path
    data: Any
    values: dict[DataPath, Position] = field(default_factory=dict)
    keys: dict[DataPath, Position] = field(default_factory=dict)
    written: dict[DataPath, str] = field(default_factory=dict)

    def place(self, at: DataPath, *, key: bool = False) -> Position:
        """Return the position of a key, or of a value without one; the file's start if missing."""
        places = self.keys if key and at in self.keys else self.values
        return places.get(at, Position(1, 1))

    def error(self, at: DataPath, what: str, *, key: bool = False, advice: str | None = None) -> ConfigError:
        """Return the error to raise about a value, or about its key."""
        position = self.place(at, key=key)
        return ConfigError(f"{self.path}:{position.line}:{position.column}: {what}", advice=advice)


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


SCHEDULER_VARIABLE = "BUTO_SCHEDULER"
"""The environment variable with the address of a scheduler; it overrides the configuration."""

HERE = "none"
"""In place of an address: no scheduler, whatever the configuration or the variable has."""


def scheduler_of(given: str | None, configured: str, environment: Mapping[str, str]) -> str:
    """Return the address of the scheduler; empty for launches on this machine.

    Args:
        given: what was specified for this call; None for nothing.
        configured: what the configuration has; empty for nothing.
    """
    address = given or environment.get(SCHEDULER_VARIABLE) or configured
    return "" if address == HERE else address


LABELS_VARIABLE = "BUTO_ENVIRONMENT"
"""The environment variable whose labels override those of the configuration."""

NAME = "name"
"""The label that is the name of the environment itself."""

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


def parse_labels(text: str) -> dict[str, str]:
    """Parse ``NAME``, ``KEY=VALUE`` or several of these with commas between them, as ``ci,database=17``.

    Raises:
        UsageError: a part is none of these.
    """
    labels: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (side.strip() for side in part.partition("="))
        if not equals:
            key, value = NAME, key
        if _KEY.fullmatch(key) is None or not value or key in labels:
            raise UsageError(
                f"an environment must be NAME or KEY=VALUE with commas between them, got {text!r}",
                advice=f"{LABELS_VARIABLE}=ci,database=17",
            )
        labels[key] = value
    return labels


def join(configured: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of a configuration, overridden by those of the variable; raises as parse_labels."""
    return {**configured, **parse_labels(environment.get(LABELS_VARIABLE, ""))}
