"""Make the store ready: fetch its parts, compile it, and fill the database that every run begins with."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from beds.artefacts import CACHE, content_of, fetch, made_once
from beds.jdk import jar, javac
from beds.postgresql import Cluster, programs
from beds.store.releases import JMH, JUNIT, POSTGRESQL_DRIVER

SOURCES = Path(__file__).parents[3] / "testprograms" / "store"
SCHEMA = SOURCES / "schema.sql"
DATABASE_PORT = 5643
USER = "store"
_MAJOR = "17"
_RELEASE = "17"


@dataclass(frozen=True, slots=True)
class Store:
    """Where the prepared parts are.

    Attributes:
        jars: the directory of ``store.jar``, ``store-benchmarks.jar`` and ``store-tests.jar``; the first two
            name in their manifests what they need.
        programs: the directory of PostgreSQL's programs.
        template: the directory of a database at rest; copied for every run.
        junit: JUnit's launcher.
    """

    jars: Path
    programs: Path
    template: Path
    junit: Path


def prepare(port: int = DATABASE_PORT) -> Store:
    """Return the store, made unless it was before.

    Args:
        port: of the database while it is filled.

    Raises:
        BedError: something cannot be fetched, compiled or started.
    """
    postgresql = programs(_MAJOR)
    return Store(_jars(), postgresql, _template(postgresql, port), fetch(JUNIT))


def _jars() -> Path:
    driver, jmh, junit = fetch(POSTGRESQL_DRIVER), [fetch(one) for one in JMH], fetch(JUNIT)
    directory = CACHE / f"store-jars-{content_of(SOURCES.rglob('*.java'))}"
    if not directory.exists():
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            made, classes = Path(scratch) / "jars", Path(scratch) / "classes"
            made.mkdir()
            store = made / "store.jar"
            javac(SOURCES / "src", classes / "store", [driver], release=_RELEASE)
            jar(classes / "store", store, f"Class-Path: {_from_jars(driver)}\n")
            javac(SOURCES / "benchmarks", classes / "jmh", [store, *jmh], release=_RELEASE)
            path = "\n  ".join(f"{one} " for one in (store.name, *map(_from_jars, jmh)))
            manifest = f"Main-Class: org.openjdk.jmh.Main\nClass-Path: {path}\n"
            jar(classes / "jmh", made / "store-benchmarks.jar", manifest)
            javac(SOURCES / "tests", classes / "tests", [store, junit], release=_RELEASE)
            jar(classes / "tests", made / "store-tests.jar")
            made.rename(directory)
    return directory


def _from_jars(path: Path) -> str:
    """Return where a fetched file is, seen from the jars: relative, so that the checkout can be moved."""
    return f"../{quote(path.name)}"


def _template(postgresql: Path, port: int) -> Path:
    template = CACHE / f"store-database-{_MAJOR}-{content_of([SCHEMA])}"
    made_once(template, lambda draft: _fill(Cluster(postgresql, draft, USER, port)))
    return template


def _fill(cluster: Cluster) -> None:
    cluster.create()
    with cluster.running():
        cluster.execute("postgres", SCHEMA.read_text())
