"""The jars that the store is compiled and measured with."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from beds.artefacts import CACHE, Artefact, content_of, fetch, made_once
from beds.jdk import jar, javac
from beds.postgresql import Cluster, programs

POSTGRESQL_DRIVER = Artefact(
    "org.postgresql",
    "postgresql",
    "42.7.7",
    "157963d60ae66d607e09466e8c0cdf8087e9cb20d0159899ffca96bca2528460",
)
JMH = (
    Artefact(
        "org.openjdk.jmh",
        "jmh-core",
        "1.37",
        "dc0eaf2bbf0036a70b60798c785d6e03a9daf06b68b8edb0f1ba9eb3421baeb3",
    ),
    Artefact(
        "org.openjdk.jmh",
        "jmh-generator-annprocess",
        "1.37",
        "6a5604b5b804e0daca1145df1077609321687734a8b49387e49f10557c186c77",
    ),
    Artefact(
        "net.sf.jopt-simple",
        "jopt-simple",
        "5.0.4",
        "df26cc58f235f477db07f753ba5a3ab243ebe5789d9f89ecf68dd62ea9a66c28",
    ),
    Artefact(
        "org.apache.commons",
        "commons-math3",
        "3.6.1",
        "1e56d7b058d28b65abd256b8458e3885b674c1d588fa43cd7d1cbb9c7ef2b308",
    ),
)
JUNIT = Artefact(
    "org.junit.platform",
    "junit-platform-console-standalone",
    "1.11.4",
    "b016ef6b1c3454d6d7c2c88ce081dabf289699686af6622d6e4e2e1b54b4a2fc",
)


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
    driver, jmh, junit = fetch(POSTGRESQL_DRIVER), [fetch(artefact) for artefact in JMH], fetch(JUNIT)
    directory = CACHE / f"store-jars-{content_of(SOURCES.rglob('*.java'))}"
    if not directory.exists():
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            made, classes = Path(scratch) / "jars", Path(scratch) / "classes"
            made.mkdir()
            store = made / "store.jar"
            javac(SOURCES / "src", classes / "store", [driver], release=_RELEASE)
            jar(classes / "store", store, f"Class-Path: {_from_jars(driver)}\n")
            javac(SOURCES / "benchmarks", classes / "jmh", [store, *jmh], release=_RELEASE)
            path = "\n  ".join(f"{inner} " for inner in (store.name, *map(_from_jars, jmh)))
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
