"""Which of a source's numbers are recorded: shell patterns for their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from typing import Any

_SCHEMA = {"title": "a list of shell patterns", "type": "array", "items": {"type": "string", "minLength": 1}}

KEYS: Mapping[str, Mapping[str, Any]] = {
    "include": {
        **_SCHEMA,
        "description": "Which numbers to record: shell patterns for their names, with or without labels; "
        "default all.",
        "minItems": 1,
        "examples": ["[http_server_*, jvm_gc_pause_seconds_sum]"],
    },
    "exclude": {
        **_SCHEMA,
        "description": "Which of them not to record; default none.",
        "examples": ["['*_created']"],
    },
}
"""Two keys of every source whose names a user does not choose."""


@dataclass(frozen=True)
class Chosen:
    """A choice of names.

    Attributes:
        include: shell patterns; a bracket stands for itself, as names have them.
        exclude: shell patterns of what is left out nevertheless.
    """

    include: Sequence[str] = ("*",)
    exclude: Sequence[str] = ()

    def __call__(self, metric: str, name: str) -> bool:
        """Return whether to record a number, by its name without and with the part in brackets."""
        return self._matches(self._included, metric, name) and not self._matches(self._excluded, metric, name)

    @cached_property
    def _included(self) -> re.Pattern[str]:
        return _pattern(self.include)

    @cached_property
    def _excluded(self) -> re.Pattern[str]:
        return _pattern(self.exclude)

    @staticmethod
    def _matches(pattern: re.Pattern[str], metric: str, name: str) -> bool:
        return pattern.match(metric) is not None or pattern.match(name) is not None


def chosen(settings: Mapping[str, Any]) -> Chosen:
    """Return the choice of a source's settings."""
    return Chosen(tuple(settings.get("include", ("*",))), tuple(settings.get("exclude", ())))


def _pattern(patterns: Sequence[str]) -> re.Pattern[str]:
    # Without patterns, one that matches nothing.
    return re.compile("|".join(translate(one.replace("[", "[[]")) for one in patterns) or r"(?!)")
