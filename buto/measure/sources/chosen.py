"""What a configuration chooses of sources: their kind, and which of a source's numbers are recorded.

Numbers are chosen by shell patterns for their names. Kinds are buto's own, and other packages' by the entry
points ``buto.sources``, whose names are the kinds. A source is imported when it is asked for by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from buto import extensions
from buto.errors import UsageError
from buto.extensions import Extensions

if TYPE_CHECKING:
    from buto.measure.sources.protocol import Source


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
class NameChoice:
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


def choose(settings: Mapping[str, Any]) -> NameChoice:
    return NameChoice(tuple(settings.get("include", ("*",))), tuple(settings.get("exclude", ())))


def _pattern(patterns: Sequence[str]) -> re.Pattern[str]:
    # Without patterns, one that matches nothing.
    return re.compile("|".join(translate(pattern.replace("[", "[[]")) for pattern in patterns) or r"(?!)")


SOURCES = {
    "host": "buto.measure.sources.processes:HostSource",
    "jvm": "buto.measure.sources.jvm:JvmSource",
    "process": "buto.measure.sources.processes:ProcessSource",
    "prometheus": "buto.measure.sources.prometheus:PrometheusSource",
    "sql": "buto.measure.sources.sql:SqlSource",
}
"""buto's own kinds by name: where the class is."""

PACKAGES = {"prometheus": "prometheus_client", "sql": "psycopg"}
"""The package that a source of buto's own needs of the extra ``sources``."""

_PARTS = ("kind", "keys", "required", "settle_s", "open")


class UnknownSourceError(UsageError):
    """There is no such kind of source: its name is wrong, or its package is not installed."""


class BrokenSourceError(UsageError):
    """A source of another package that cannot be used."""


EXTENSIONS = Extensions("buto.sources", "source", BrokenSourceError)


def source(kind: str) -> type[Source]:
    """Return a kind of source by its name.

    Raises:
        BrokenSourceError: it is of another package and cannot be used.
        UnknownSourceError: there is none of that name.
    """
    if kind in SOURCES:
        module, _, attribute = SOURCES[kind].partition(":")
        own: type[Source] = getattr(import_module(module), attribute)
        return own
    added = EXTENSIONS.find(kind)
    if added is None:
        raise UnknownSourceError(f"the kind of a source must be {' or '.join(kinds())}, got {kind!r}")
    entry, plug_in = added
    missing = [part for part in _PARTS if not hasattr(plug_in, part)]
    if missing:
        raise EXTENSIONS.error_for(entry, f"{entry.value} has no {' and no '.join(missing)}")
    if plug_in.kind != entry.name:
        raise EXTENSIONS.error_for(entry, f"{entry.value} calls itself {plug_in.kind!r}")
    checked: type[Source] = plug_in
    return checked


def require(kind: str) -> None:
    """Raise MissingExtraError if a package that a kind of source needs is not installed."""
    if kind in PACKAGES:
        extensions.require(PACKAGES[kind], f"a source of kind {kind}")


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds of sources; nothing is imported."""
    return (*SOURCES, *third_party())


def third_party() -> tuple[str, ...]:
    """Return the names of other packages' kinds of sources; nothing is imported."""
    return tuple(sorted(EXTENSIONS.names() - SOURCES.keys()))
