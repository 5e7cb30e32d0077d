"""Series of releases of a library: the program of a pair with each of them, and which are regressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from beds.artefacts import Artefact, fetch
from benchmark.launch import TIMEOUT_S, build, started
from benchmark.pairs import HERE, PAIRS, Pair, artefacts, read

FILE = HERE / "series.yaml"
INTERVAL = "50ms"

HOST = "parallel"
"""The collector of ``launch.OPTIONS``; data sets call it the host."""

GOOD, BAD = "good", "bad"
COLUMNS = ("test", "release", "label", "reason")


@dataclass(frozen=True, slots=True)
class Release:
    """One release of a series: whether it is good or bad, and its files."""

    label: str
    files: tuple[Artefact, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Releases of one library with one program, the oldest first.

    Attributes:
        pair: whose program and report these are.
        releases: by their number.
    """

    pair: Pair
    releases: Mapping[str, Release]

    def test(self, release: str) -> str:
        return f"{self.pair.name}-{release}@{HOST}"


def read_series() -> dict[str, Series]:
    """Return all series by the name of their pair.

    Raises:
        BedError: the file of a pair is not as it should be.
    """
    content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {
        name: Series(
            read(PAIRS / f"{name}.yaml"),
            {
                number: Release(release["label"], artefacts(release["files"]))
                for number, release in releases.items()
            },
        )
        for name, releases in content.items()
    }


def place_of(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, by which releases are sorted."""
    return tuple(map(int, release.split(".")))


def tests(series: Iterable[Series]) -> dict[str, Any]:
    """Return the content of a ``buto.yaml`` with a test for each release.

    Raises:
        BedError: a file cannot be fetched, or a program cannot be compiled.
    """
    commands = {name: {"command": words} for run_series in series for name, words in _commands(run_series)}
    return {
        "version": 1,
        "defaults": {"timeout": f"{TIMEOUT_S:g}s", "interval": INTERVAL},
        "tests": commands,
    }


def _commands(series: Series) -> Iterable[tuple[str, list[str]]]:
    classes = build(series.pair)
    for number, release in series.releases.items():
        yield series.test(number), started(series.pair, map(fetch, release.files), classes)


def labels(series: Iterable[Series]) -> list[tuple[str, str, str, str]]:
    """Return a row of :data:`COLUMNS` for each release."""
    return [
        (run_series.pair.name, number, release.label, run_series.pair.issue if release.label == BAD else "")
        for run_series in series
        for number, release in run_series.releases.items()
    ]
