"""The jars that pairs and series are made of."""

from __future__ import annotations

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
    """Return the jar of a release of jsoup."""
    return jars(f"org.jsoup:jsoup:{version}")


def snakeyaml(version: str) -> tuple[Artefact, ...]:
    """Return the jar of a release of SnakeYAML."""
    return jars(f"org.yaml:snakeyaml:{version}")


def jackson(version: str) -> tuple[Artefact, ...]:
    """Return the three jars of a release of Jackson."""
    parts = ("databind", "core", "annotations")
    return jars(*(f"com.fasterxml.jackson.core:jackson-{part}:{version}" for part in parts))


def micrometer(version: str) -> tuple[Artefact, ...]:
    """Return the three jars of a release of Micrometer."""
    return jars(
        *(f"io.micrometer:micrometer-{part}:{version}" for part in ("core", "commons", "observation"))
    )
