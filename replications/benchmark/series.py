"""Series of releases of a library: the program of a pair with each of them, and which are regressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beds.artefacts import Artefact
from beds.versions.launch import TIMEOUT_S, build, command_with
from beds.versions.pairs import PAIRS, Pair, jackson, jsoup, snakeyaml

INTERVAL = "50ms"

HOST = "parallel"
"""The collector of ``launch.OPTIONS``; data sets call it the host."""

GOOD, BAD = "good", "bad"
COLUMNS = ("test", "release", "label", "reason")


@dataclass(frozen=True, slots=True)
class Series:
    """Releases of one library with one program, the oldest first.

    Attributes:
        pair: whose program and issue these are.
        releases: each with its label. A regression is bad until a release mends it.
        files: of a release.
    """

    pair: Pair
    releases: Mapping[str, str]
    files: Callable[[str], tuple[Artefact, ...]]

    def test(self, release: str) -> str:
        return f"{self.pair.name}-{release}@{HOST}"


def _series(name: str, files: Callable[[str], tuple[Artefact, ...]], **releases: str) -> Series:
    [pair] = (one for one in PAIRS if one.name == name)
    labels = {one: label for label, some in releases.items() for one in some.split()}
    return Series(pair, dict(sorted(labels.items(), key=lambda item: place_of(item[0]))), files)


def place_of(release: str) -> tuple[int, ...]:
    """Return the numbers of a release, by which releases are sorted."""
    return tuple(map(int, release.split(".")))


SERIES = (
    _series(
        "jackson-mappers",
        jackson,
        good="2.12.6 2.12.7 2.13.0 2.13.1 2.13.2 2.13.3 2.13.4 2.14.1 2.14.2",
        bad="2.14.0",
    ),
    _series(
        "jackson-short-lived",
        jackson,
        good="2.15.2 2.15.3 2.15.4 2.16.0 2.16.1 2.16.2 2.17.1 2.17.2",
        bad="2.17.0",
    ),
    _series("jsoup-errors", jsoup, good="1.3.1 1.3.2 1.3.3 1.4.1 1.5.1 1.5.2", bad="1.6.0 1.6.1"),
    _series(
        "jsoup-parse", jsoup, good="1.10.1 1.10.2 1.10.3 1.11.1 1.11.2 1.11.3 1.13.1", bad="1.12.1 1.12.2"
    ),
    _series(
        "jsoup-selectors",
        jsoup,
        good="1.14.2 1.14.3 1.15.1 1.15.2 1.15.3 1.15.4 1.16.1 1.19.1",
        bad="1.16.2 1.17.1 1.17.2 1.18.1 1.18.3",
    ),
    _series(
        "snakeyaml-long-text", snakeyaml, good="1.12 1.13 1.14 1.15 1.16 1.17 1.20 1.21", bad="1.18 1.19"
    ),
)


def tests(series: Iterable[Series]) -> dict[str, Any]:
    """Return the content of a ``buto.yaml`` with a test for each release.

    Raises:
        BedError: a file cannot be fetched, or a scenario cannot be compiled.
    """
    return {
        "version": 1,
        "defaults": {"timeout": f"{TIMEOUT_S:g}s", "interval": INTERVAL},
        "tests": {
            name: {"command": words} for one in series for name, words in _commands(one, build(one.pair))
        },
    }


def _commands(series: Series, classes: Path) -> Iterable[tuple[str, list[str]]]:
    for release in series.releases:
        yield series.test(release), command_with(series.pair, series.files(release), classes)


def labels(series: Iterable[Series]) -> list[tuple[str, str, str, str]]:
    """Return a row of :data:`COLUMNS` for each release."""
    return [
        (one.pair.name, release, label, one.pair.issue if label == BAD else "")
        for one in series
        for release, label in one.releases.items()
    ]
