"""The releases that are replayed: consecutive, each with its file, and where sums are judged."""

from __future__ import annotations

from itertools import pairwise

import yaml

from buto_replications.commands.run_releases import RELEASES
from buto_replications.live.artefacts import SOURCES
from buto_replications.live.releases import releases_of

DATA = yaml.safe_load(RELEASES.read_text(encoding="utf-8"))


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_at_least_thirty_releases_follow_each_other() -> None:
    releases = releases_of(DATA)
    assert len(releases) >= 30
    assert all(number(earlier.version) < number(other.version) for earlier, other in pairwise(releases))
    assert all(earlier.date <= other.date for earlier, other in pairwise(releases))
    assert len({release.jar.sha256 for release in releases}) == len(releases)
    assert all(len(release.jar.sha256) == 64 for release in releases)


def test_sums_are_judged_at_the_first_release_of_each_minor_version() -> None:
    first = [release.version for release in releases_of(DATA) if release.begins_minor]
    assert first[:3] == ["1.7.1", "1.8.1", "1.9.1"]
    assert len({number(version)[:2] for version in first}) == len(first)


def test_there_is_a_driver() -> None:
    assert list((SOURCES / DATA["driver"]).glob("*.java"))
