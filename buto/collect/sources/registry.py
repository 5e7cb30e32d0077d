"""Which kinds of sources there are: buto's own, and other packages' by the entry points ``buto.sources``.

An entry point's name is the kind. A source is imported when it is asked for by name.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from buto.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from buto.collect.sources.protocol import Source

GROUP = "buto.sources"

SOURCES = {
    "host": "buto.collect.sources.host:HostSource",
    "process": "buto.collect.sources.process:ProcessSource",
    "prometheus": "buto.collect.sources.prometheus.source:PrometheusSource",
    "sql": "buto.collect.sources.sql:SqlSource",
}
"""buto's own kinds by name: where the class is."""

PACKAGES = {"prometheus": ("prometheus_client", "prometheus-client"), "sql": ("psycopg", "psycopg")}
"""What a source of buto's own needs of the extra ``sources``: a module, and the package that has it."""

_IMPORT_FAILURES = (
    ImportError,
    AttributeError,
    SyntaxError,
    NameError,
    TypeError,
    ValueError,
    OSError,
    RuntimeError,
    LookupError,
)
"""What importing a stranger's module may raise."""

_PARTS = ("kind", "keys", "required", "settle_s", "open")


class UnknownSourceError(UsageError):
    """There is no such kind of source: its name is wrong, or its package is not installed."""


class BrokenSourceError(UsageError):
    """A source of another package that cannot be used."""


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
    entries = [one for one in _entry_points() if one.name == kind]
    if not entries:
        raise UnknownSourceError(f"the kind of a source must be {' or '.join(kinds())}, got {kind!r}")
    if len(entries) > 1:
        packages = " and ".join(sorted(map(_package, entries)))
        raise BrokenSourceError(
            f"the source {kind!r} is in more than one package: {packages}", advice="uninstall one of them"
        )
    return _loaded(entries[0])


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
    return tuple(sorted({one.name for one in _entry_points()} - SOURCES.keys()))


def _loaded(entry: EntryPoint) -> type[Source]:
    try:
        found: type[Source] = entry.load()
    except _IMPORT_FAILURES as error:
        raise _broken(entry, f"{type(error).__name__}: {error}") from error
    missing = [part for part in _PARTS if not hasattr(found, part)]
    if missing:
        raise _broken(entry, f"{entry.value} has no {' and no '.join(missing)}")
    if found.kind != entry.name:
        raise _broken(entry, f"{entry.value} calls itself {found.kind!r}")
    return found


def _broken(entry: EntryPoint, what: str) -> BrokenSourceError:
    package = _package(entry)
    return BrokenSourceError(
        f"the source {entry.name!r} of the package {package!r} cannot be used: {what}",
        advice=f"pip install --upgrade {package}",
    )


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    # Here, for most tests have no sources, and it takes a while to import.
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))
