"""Pairs of releases with a reported regression, and the hashes of their jars."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from beds.artefacts import Artefact

SUMS = Path(__file__).parent / "sha256sums.txt"
SHA256 = {coordinates: digest for digest, coordinates in map(str.split, SUMS.read_text().splitlines())}
"""The SHA-256 of each jar, by ``group:name:version``."""


def jar(coordinates: str) -> Artefact:
    """Return a jar by its coordinates, as ``group:name:version``."""
    group, name, version = coordinates.split(":")
    return Artefact(group, name, version, SHA256[coordinates])


def jars(*coordinates: str) -> tuple[Artefact, ...]:
    return tuple(map(jar, coordinates))


def jsoup(version: str) -> tuple[Artefact, ...]:
    return jars(f"org.jsoup:jsoup:{version}")


def snakeyaml(version: str) -> tuple[Artefact, ...]:
    return jars(f"org.yaml:snakeyaml:{version}")


def jackson(version: str) -> tuple[Artefact, ...]:
    parts = ("databind", "core", "annotations")
    return jars(*(f"com.fasterxml.jackson.core:jackson-{part}:{version}" for part in parts))


def micrometer(version: str) -> tuple[Artefact, ...]:
    return jars(
        *(f"io.micrometer:micrometer-{part}:{version}" for part in ("core", "commons", "observation"))
    )


class Kind(enum.StrEnum):
    """What a release uses more of; the value is its name on the line that a scenario prints."""

    HEAP = "heap_mb"
    ALLOCATION = "allocated_mb"
    CPU = "cpu_s"
    THREADS = "threads"
    CLASSES = "classes"
    DESCRIPTORS = "descriptors"
    NATIVE = "rss_mb"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two releases of a library, and a program that shows what was reported of the newer one.

    Attributes:
        scenario: the program's main class, in ``scenarios/``.
        kinds: what the newer release uses more of, the reported one first.
        old: the library's files before the regression, the library itself first.
        new: the files after it.
        beside: what both need.
    """

    name: str
    scenario: str
    kinds: tuple[Kind, ...]
    issue: str
    reported: str
    old: tuple[Artefact, ...]
    new: tuple[Artefact, ...]
    beside: tuple[Artefact, ...] = ()

    @property
    def versions(self) -> str:
        return f"{self.old[0].name} {self.old[0].version} → {self.new[0].version}"


PAIRS = (
    Pair(
        "hikari-cycle",
        "HikariCycle",
        (Kind.CPU,),
        "brettwooldridge/HikariCP#2159",
        "taking and returning a connection, pool of 32: 10,421 → 8,329 times a ms",
        old=jars("com.zaxxer:HikariCP:5.0.0"),
        new=jars("com.zaxxer:HikariCP:5.0.1"),
        beside=jars("org.slf4j:slf4j-api:2.0.16", "org.slf4j:slf4j-nop:2.0.16"),
    ),
    Pair(
        "jackson-mappers",
        "JacksonMappers",
        (Kind.HEAP,),
        "FasterXML/jackson-databind#3665",
        "an ObjectMapper holds 4,376 → 259,240 bytes, on 24 cores",
        old=jackson("2.13.4"),
        new=jackson("2.14.0"),
    ),
    Pair(
        "jackson-short-lived",
        "JacksonShortLived",
        (Kind.ALLOCATION,),
        "json4s/json4s#1443",
        "mappers that share no factory make their buffers anew",
        old=jackson("2.16.2"),
        new=jackson("2.17.0"),
    ),
    Pair(
        "jsoup-connections",
        "JsoupConnections",
        (Kind.THREADS, Kind.DESCRIPTORS),
        "jhy/jsoup#2516",
        "each connection starts threads, which live until a collection",
        old=jars("org.jsoup:jsoup:1.20.1"),
        new=jars("org.jsoup:jsoup:1.21.1"),
    ),
    Pair(
        "jsoup-errors",
        "JsoupErrors",
        (Kind.ALLOCATION,),
        "jhy/jsoup#159",
        "125 million parse errors in the heap, 5 GB",
        old=jars("org.jsoup:jsoup:1.5.2"),
        new=jars("org.jsoup:jsoup:1.6.1"),
    ),
    Pair(
        "jsoup-parse",
        "JsoupParse",
        (Kind.CPU,),
        "jhy/jsoup#1327",
        "parsing a page some thousand times: 8.7 → 16.4 s",
        old=jars("org.jsoup:jsoup:1.11.2"),
        new=jars("org.jsoup:jsoup:1.12.2"),
    ),
    Pair(
        "jsoup-selectors",
        "JsoupSelectors",
        (Kind.HEAP,),
        "jhy/jsoup#2277",
        "a compiled selector of three levels keeps all documents in which it was searched",
        old=jars("org.jsoup:jsoup:1.16.1"),
        new=jars("org.jsoup:jsoup:1.16.2"),
    ),
    Pair(
        "micrometer-remove",
        "MicrometerRemove",
        (Kind.CPU,),
        "micrometer-metrics/micrometer#5466",
        "removing a meter looks at all others",
        old=micrometer("1.12.5"),
        new=micrometer("1.13.2"),
        beside=jars("org.hdrhistogram:HdrHistogram:2.1.12", "org.latencyutils:LatencyUtils:2.0.3"),
    ),
    Pair(
        "postgres-redeploy",
        "PostgresRedeploy",
        (Kind.CLASSES, Kind.THREADS),
        "pgjdbc/pgjdbc#3089",
        "the classes of an application that is deployed anew are not unloaded",
        old=jars("org.postgresql:postgresql:42.5.4"),
        new=jars("org.postgresql:postgresql:42.6.0"),
    ),
    Pair(
        "snakeyaml-long-text",
        "YamlLongText",
        (Kind.CPU,),
        "FasterXML/jackson-dataformats-text#67",
        "parsing large text values is slow; 1.17 was not",
        old=jars("org.yaml:snakeyaml:1.17"),
        new=jars("org.yaml:snakeyaml:1.18"),
    ),
)
