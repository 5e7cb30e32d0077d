"""Which kinds of sources there are: buto's own, and other packages' by the entry points ``buto.sources``.

An entry point's name is the kind. A source is imported when it is asked for by name.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from buto.errors import UsageError
from buto.extensions import Extensions

if TYPE_CHECKING:
    from buto.collect.sources.protocol import Source

SOURCES = {
    "host": "buto.collect.sources.host:HostSource",
    "jvm": "buto.collect.sources.jvm.source:JvmSource",
    "process": "buto.collect.sources.process:ProcessSource",
    "prometheus": "buto.collect.sources.prometheus.source:PrometheusSource",
    "sql": "buto.collect.sources.sql:SqlSource",
}
"""buto's own kinds by name: where the class is."""

PACKAGES = {"prometheus": ("prometheus_client", "prometheus-client"), "sql": ("psycopg", "psycopg")}
"""What a source of buto's own needs of the extra ``sources``: a module, and the package that has it."""

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
    entry, found = added
    missing = [part for part in _PARTS if not hasattr(found, part)]
    if missing:
        raise EXTENSIONS.broken(entry, f"{entry.value} has no {' and no '.join(missing)}")
    if found.kind != entry.name:
        raise EXTENSIONS.broken(entry, f"{entry.value} calls itself {found.kind!r}")
    checked: type[Source] = found
    return checked


def require(kind: str) -> None:
    """Raise UsageError if a package that a kind of source needs is not installed."""
    module, package = PACKAGES.get(kind, (None, None))
    if module is not None and find_spec(module) is None:
        raise UsageError(
            f"a source of kind {kind} needs the package {package}, which is not installed",
            advice="pip install 'buto[sources]'",
        )


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds of sources; nothing is imported."""
    return (*SOURCES, *third_party())


def third_party() -> tuple[str, ...]:
    """Return the names of other packages' kinds of sources; nothing is imported."""
    return tuple(sorted(EXTENSIONS.names() - SOURCES.keys()))
