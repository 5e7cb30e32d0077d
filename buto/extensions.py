"""What other packages add to buto by entry points: commands, detectors, and kinds of sources.

An entry point has the name of what it adds. That is imported when it is asked for by name: listing names
costs nothing, and a broken package harms only the tests that use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from buto.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DISTRIBUTION = "buto-jvm"
"""What ``pip`` calls buto."""

EXTRAS = {
    "aiohttp": "load",
    "botocore": "s3",
    "dask": "cluster",
    "distributed": "cluster",
    "filterpy": "thesis",
    "jpype": "jmx",
    "matplotlib": "plots",
    "obstore": "s3",
    "pandas": "frames",
    "prometheus_client": "sources",
    "psycopg": "sources",
    "pyarrow": "frames",
    "scipy": "thesis",
}
"""The extra that installs what is imported under this name."""


class MissingExtraError(UsageError):
    """A package of an extra is needed, and not installed."""


@contextmanager
def optional_packages(why: str = "") -> Iterator[None]:
    """Turn a failing import of a package of an extra in the block into a MissingExtraError.

    Args:
        why: what needs the package, as the subject of a sentence; empty for "this".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise missing_extra(package, why) from error


def require(package: str, why: str) -> None:
    """Raise MissingExtraError if a package of an extra is not installed; nothing is imported.

    Args:
        why: what needs the package, as the subject of a sentence.
    """
    # Imported here: most programs need no extra.
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise missing_extra(package, why)


def missing_extra(package: str, why: str = "") -> MissingExtraError:
    """Return the error for a missing package of an extra, with the command that adds it.

    The runtime has no pip, and no extras.
    """
    # Imported here: most programs need no extra.
    from importlib.util import find_spec

    where = "" if find_spec("pip") else "in another Python, which has pip: "
    return MissingExtraError(
        f"{why or 'this'} needs the package {package}, which is not installed",
        advice=f"{where}pip install '{DISTRIBUTION}[{EXTRAS[package]}]'",
    )


IMPORT_FAILURES = (
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
"""What importing a module of another package may raise."""


class Extensions(Struct, frozen=True):
    """One kind of extension.

    Attributes:
        group: the group of entry points.
        noun: what messages call it.
        error: raised for one that cannot be used.
        packages: the directory in buto's own repository of the package that adds what has this name.
    """

    group: str
    noun: str
    error: type[UsageError]
    packages: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> frozenset[str]:
        """Return the names of all that packages add; nothing is imported."""
        return frozenset(entry_point.name for entry_point in entry_points_of(self.group))

    def find(self, name: str) -> tuple[EntryPoint, Any] | None:
        """Return the entry point of this name and what it adds, imported; None if no package has it.

        Raises:
            UsageError: of the type ``error``: more than one package has it, or it cannot be imported.
        """
        entries = [entry_point for entry_point in entry_points_of(self.group) if entry_point.name == name]
        if not entries:
            return None
        if len(entries) > 1:
            packages = " and ".join(sorted(map(_package, entries)))
            raise self.error(
                f"the {self.noun} {name!r} is in more than one package: {packages}",
                advice="uninstall one of them",
            )
        [entry] = entries
        try:
            return entry, entry.load()
        except IMPORT_FAILURES as error:
            raise self.error_for(entry, f"{type(error).__name__}: {error}") from error

    def missing(self, name: str) -> str | None:
        """Return the command that installs what has this name; None if buto's repository has none."""
        package = self.packages.get(name)
        return f"pip install ./{package} (in a checkout of buto)" if package else None

    def error_for(self, entry: EntryPoint, fault: str) -> UsageError:
        """Return the error for an entry point that cannot be used."""
        package = _package(entry)
        return self.error(
            f"the {self.noun} {entry.name!r} of the package {package!r} cannot be used: {fault}",
            advice=f"pip install --upgrade {package}",
        )


@cache
def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of all installed packages; they are looked up once."""
    # Imported here: it takes a while, and most programs use only what buto itself has.
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module
