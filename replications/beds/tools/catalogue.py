"""The tools, their releases, and how they are started."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from beds.artefacts import CACHE, Artefact, BedError, digest_of, fetch
from beds.jdk import make_agent
from beds.tools.inputs import inputs

HERE = Path(__file__).parent
TOOLS, SUMS, DRAW = HERE / "tools.yaml", HERE / "sums.yaml", HERE / "draw.yaml"
SEED = 20261129
OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC")
TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        jars: group and name of those of each release, or coordinates of those that all releases need.
        releases: in the order of their publication.
        arguments: with ``{input}`` and ``{output}`` for directories.
    """

    name: str
    jars: tuple[str, ...]
    releases: tuple[str, ...]
    main: str
    arguments: tuple[str, ...]

    def coordinates(self, release: str) -> tuple[str, ...]:
        return tuple(own_jar if own_jar.count(":") == 2 else f"{own_jar}:{release}" for own_jar in self.jars)

    def files(self, release: str) -> list[Path]:
        """Return the jars of a release, fetched unless they are in the cache.

        Raises:
            BedError: one cannot be fetched, or is not the file that it was.
        """
        return [fetch(artefact(coordinate)) for coordinate in self.coordinates(release)]

    def command(self, release: str, directory: Path, agent: str = "") -> list[str]:
        """Return how a release is started in a directory, as somebody types it; its jars are put there.

        The path of the jars is the same for all releases of a length, because a JVM allocates more for longer
        paths; the directory for the output is emptied.

        Raises:
            BedError: a file cannot be fetched.
        """
        output = directory / "output"
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(parents=True)
        lib = directory / "lib"
        lib.mkdir(exist_ok=True)
        paths = []
        for file in self.files(release):
            path = lib / file.name
            if not path.exists():
                shutil.copy(file, path)
            paths.append(f"lib/{file.name}")
        words = [argument.format(input=inputs(), output="output") for argument in self.arguments]
        options = [agent] if agent else []
        return ["java", *options, *OPTIONS, "-cp", ":".join(paths), self.main, *words]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The first release with each later one: what a maintainer compares with the stored oracle."""
        return [(self.releases[0], later) for later in self.releases[1:]]


@cache
def tools() -> dict[str, Tool]:
    """Return the tools by name."""
    written: dict[str, Any] = yaml.safe_load(TOOLS.read_text(encoding="utf-8"))
    return {
        name: Tool(
            name,
            tuple(tool["jars"]),
            tuple(tool["releases"]),
            tool["main"],
            tuple(map(str, tool["arguments"])),
        )
        for name, tool in written.items()
    }


@cache
def _sums() -> dict[str, str]:
    return yaml.safe_load(SUMS.read_text(encoding="utf-8")) if SUMS.exists() else {}


def artefact(coordinates: str) -> Artefact:
    """Return a jar by its coordinates; BedError if its sum was not written down."""
    group, name, version = coordinates.split(":")
    if coordinates not in _sums():
        raise BedError(f"{SUMS.name} has no sum of {coordinates}: python -m beds.tools sums")
    return Artefact(group, name, version, _sums()[coordinates])


def write_sums() -> None:
    """Write down the sums of all jars as they are served now, once; they are kept in the cache."""
    known = dict(_sums())
    for tool in tools().values():
        for release in tool.releases:
            for coordinate in tool.coordinates(release):
                if coordinate not in known:
                    known[coordinate] = digest_of(coordinate)
    SUMS.write_text(yaml.safe_dump(known), encoding="utf-8")


def draw() -> dict[str, list[str]]:
    """Return the tools that tune and those set apart, drawn by the seed."""
    names = sorted(tools())
    random.Random(SEED).shuffle(names)
    half = len(names) // 2
    return {"tuning": sorted(names[:half]), "apart": sorted(names[half:])}


def halves() -> dict[str, str]:
    """Return the half of each tool, as it was written down."""
    written: dict[str, list[str]] = yaml.safe_load(DRAW.read_text(encoding="utf-8"))
    return {name: half for half, names in written.items() for name in names}


def agent(cache_directory: Path = CACHE) -> Path:
    """Return the jar of the probe, compiled unless it is there."""
    return make_agent(HERE / "Probe.java", cache_directory)
