"""The releases that are replayed: consecutive, each with its files, and where sums are judged."""

from __future__ import annotations

import re
from itertools import pairwise
from math import nan
from pathlib import Path

import pytest

from buto_replications.commands.run_releases import RELEASES, as_csv, load_series, read_done
from buto_replications.live.artefacts import SOURCES
from buto_replications.live.releases import Replayed, count_typed_anew, go_back, without_version
from tests.support.processes.repository import commit, git

LIBRARIES = sorted(path.stem for path in RELEASES.glob("*.yaml"))


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def test_three_libraries_are_replayed() -> None:
    assert LIBRARIES == ["closure", "infinispan", "jsoup"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_at_least_thirty_releases_follow_each_other(library: str) -> None:
    releases = load_series(library).releases
    assert len(releases) >= 30
    assert all(number(earlier.version) < number(other.version) for earlier, other in pairwise(releases))
    assert len({release.jars[0].sha256 for release in releases}) == len(releases)
    assert all(len(jar.sha256) == 64 for release in releases for jar in release.jars)


@pytest.mark.parametrize("library", LIBRARIES)
def test_no_two_jars_of_a_release_take_one_place(library: str) -> None:
    for release in load_series(library).releases:
        assert len(set(map(without_version, release.jars))) == len(release.jars)


@pytest.mark.parametrize(
    ("library", "first"),
    [
        ("jsoup", {"1.7.1", "1.8.1", "1.9.1"}),
        ("infinispan", {"15.0.0.Final", "15.1.0.Final", "15.2.0.Final"}),
        ("closure", {"v20200406", "v20200504"}),
    ],
)
def test_sums_are_judged_at_the_first_release_of_each_line(library: str, first: set[str]) -> None:
    series = load_series(library)
    assert first <= series.first_of_lines
    lines = {release.line for release in series.releases}
    assert len(series.first_of_lines) == len(lines)


@pytest.mark.parametrize("library", LIBRARIES)
def test_there_is_a_driver(library: str) -> None:
    series = load_series(library)
    assert (SOURCES / series.driver / f"{series.main}.java").is_file()


@pytest.mark.parametrize(
    ("values", "n"),
    [([], 0), ([100.0, 101.0, 99.0], 0), ([100.0, 103.0, 100.0], 2), ([100.0, nan, 103.0], 1)],
)
def test_bounds_are_typed_anew_around_a_value_outside(values: list[float], n: int) -> None:
    assert count_typed_anew(values, 0.04) == n


def test_what_a_stopped_replay_has_written_is_read_again(tmp_path: Path) -> None:
    series = load_series("closure")
    first, second = series.releases[:2]
    done = [
        Replayed(first, "trained", ""),
        Replayed(second, "regression", "keeps 1 MiB more", "meant", "pass", "", 5, 3478.0, 14229600.0),
    ]
    project = tmp_path / "closure"
    project.mkdir()
    project.with_suffix(".csv").write_text(as_csv(done))
    assert [as_csv([each]) for each in read_done(series, project)] == [as_csv([each]) for each in done]


def test_a_replay_goes_on_where_the_last_release_was_done(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "buto.yaml").write_text("version: 1")
    commit(tmp_path)
    done = git(tmp_path, "rev-parse", "HEAD")
    releases = load_series("closure").releases
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "closure.jar").write_text("the next release")
    commit(tmp_path)
    git(tmp_path, "tag", releases[5].version)
    go_back(tmp_path, releases[5:])
    assert git(tmp_path, "rev-parse", "HEAD") == done
    assert git(tmp_path, "tag") == ""
    assert not (tmp_path / "lib" / "closure.jar").exists()
