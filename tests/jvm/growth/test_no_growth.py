"""A check of a test with ``growth: never``: what it launches, fails for, stores and shows."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from buto import jars, schemas
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.processes.repository import commit, git

CONFIGURATION = """\
version: 1
tests:
  leak:
    command: {java} --keeps static-map --marks no --rounds 400
    growth: never
    inputs: [src]
    judge: {judge}
  marked:
    command: {java} --keeps static-map --marks yes --rounds 24
    growth: {{rounds: 8}}
    judge: {judge}
  cache:
    command: {java} --keeps lru-cache --marks no --rounds 400
    growth: never
    judge: {judge}
  short:
    command: {java} --keeps static-map --marks yes --rounds 4
    growth: never
    judge: {judge}
"""
JAVA = f"java -Xmx128m -XX:+UseSerialGC -cp {jars.path(jars.TESTPROGRAMS)} buto.testprograms.growth.Growth"
NOTHING_MATTERS = '{alpha: 0.05, minimum-effect: {"*": never}}'
"""Nothing that differs from training fails a check."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("trained")
    (directory / "buto.yaml").write_text(CONFIGURATION.format(java=JAVA, judge=NOTHING_MATTERS))
    (directory / "src").mkdir()
    (directory / "src" / "orders.txt").write_text("old")
    called(directory, "train", "--runs", "5", exits=0)
    return directory


@pytest.fixture
def project(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, without a reader of heap dumps: then none is written, which saves seconds."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return Path(shutil.copytree(trained, tmp_path / "project"))


def checked(project: Path, test: str, *options: str, exits: int, command: str = "check") -> dict[str, Any]:
    """What a call says of a test in its JSON."""
    called(project, command, test, "--json", "found.json", *options, exits=exits)
    document = json.loads((project / "found.json").read_text())
    jsonschema.validate(document, schemas.load("result"))
    found: dict[str, Any] = document["tests"][0]
    return found


def sources(found: dict[str, Any]) -> list[str]:
    return [finding["source"] for finding in found["verdict"]["findings"]]


def test_a_check_fails_for_what_grows_and_for_that_alone(project: Path) -> None:
    found = checked(project, "leak", exits=1)
    assert (found["status"], sources(found)) == ("regression", ["growth"])
    names = [growth["name"] for growth in found["growth"]["grows"]]
    assert "buto.testprograms.growth.Leaks$Order" in names
    assert found["growth"]["rounds"]["by"] == "work"
    # The runs of the check tell how much is allocated: no launch is needed to learn it.
    counted = RunStore(project / ".buto").load_set("leak@grow")
    assert {run.metadata["buto.rounds.by"] for run in counted} == {"work"}


def test_what_does_not_grow_passes(project: Path) -> None:
    found = checked(project, "cache", exits=0)
    assert (found["status"], found["growth"]["grows"]) == ("pass", [])


def test_a_growth_that_cannot_be_counted_is_no_pass(project: Path) -> None:
    found = checked(project, "short", exits=3)
    assert found["status"] == "inconclusive"
    assert "growth" not in found


@pytest.mark.all
def test_of_marked_rounds_the_next_check_needs_one_launch(project: Path) -> None:
    store = RunStore(project / ".buto")
    for n_launches in (2, 3):
        found = checked(project, "marked", exits=1)
        assert found["growth"]["rounds"] == {"counted": 8, "warm_up": 2, "by": "program", "share_bytes": None}
        assert len(store.ids("marked@grow")) == n_launches


@pytest.mark.all
def test_acceptance_ends_no_growth(project: Path) -> None:
    checked(project, "leak", exits=1)
    called(project, "accept", "leak", exits=0)
    assert sources(checked(project, "leak", exits=1)) == ["growth"]


def test_a_report_judges_the_stored_rounds_again(project: Path) -> None:
    growth = checked(project, "leak", exits=1)["growth"]
    # A launch that the machine has disturbed is repeated, and stays.
    counted = RunStore(project / ".buto").ids("leak@grow")
    again = checked(project, "leak", exits=0, command="report")
    assert (again["status"], again["growth"]) == ("regression", growth)
    assert RunStore(project / ".buto").ids("leak@grow") == counted


def test_runs_that_are_named_launch_nothing(project: Path) -> None:
    runs = RunStore(project / ".buto").ids("leak")
    found = checked(project, "leak", "--from-runs", ",".join(runs[-3:]), exits=0)
    assert "growth" not in found
    assert RunStore(project / ".buto").ids("leak@grow") == []


@pytest.mark.all
def test_the_plan_names_the_launch_before_the_first_one(project: Path) -> None:
    said = called(project, "check", "leak", exits=1).stderr.splitlines()
    (plan,) = [number for number, text in enumerate(said) if "12 rounds are counted" in text]
    assert plan < min(number for number, text in enumerate(said) if "run 1 of 1" in text)


def test_every_format_shows_it(project: Path) -> None:
    options = ("--html", "r.html", "--junitxml", "r.xml", "--markdown", "r.md", "-v")
    terminal = called(project, "check", "leak", *options, exits=1).stdout
    failure = ElementTree.parse(project / "r.xml").find(".//failure")
    assert failure is not None
    texts = (
        terminal,
        (project / "r.html").read_text(),
        (project / "r.md").read_text(),
        failure.attrib["message"],
    )
    assert ["Order objects a round" in text for text in texts] == [True] * 4
    assert '<section id="growth">' in texts[1]
    assert "buto grow leak" in terminal


@pytest.fixture
def repository(project: Path) -> Path:
    """The project as a repository with one commit, which is a release."""
    git(project, "init", "--quiet", "--initial-branch=main")
    (project / ".gitignore").write_text(".buto/\nfound.json\n")
    commit(project)
    git(project, "tag", "v1")
    return project


def test_what_no_change_concerns_is_not_counted(repository: Path) -> None:
    done = called(repository, "check", "leak", "--changed-since", "v1", exits=0)
    assert "LEFT OUT  leak" in done.stdout
    assert RunStore(repository / ".buto").ids("leak@grow") == []


def change(repository: Path) -> None:
    (repository / "src" / "orders.txt").write_text("new")
    commit(repository)


@pytest.mark.all
def test_what_a_change_concerns_fails_for_its_growth(repository: Path) -> None:
    change(repository)
    found = checked(repository, "leak", "--changed-since", "v1", exits=1)
    assert (found["status"], sources(found)) == ("regression", ["growth"])


@pytest.mark.all
def test_a_release_fails_for_growth_that_the_last_one_had_too(repository: Path) -> None:
    called(repository, "release", "leak", "v1", exits=0)
    change(repository)
    found = checked(repository, "leak", "--release", exits=1)
    assert (found["status"], sources(found)) == ("regression", ["growth"])


def test_growth_by_load_needs_a_load(tmp_path: Path) -> None:
    written = CONFIGURATION.format(java=JAVA, judge=NOTHING_MATTERS).replace("{rounds: 8}", "{by: load}")
    (tmp_path / "buto.yaml").write_text(written)
    called(tmp_path, "check", "marked", exits=2)


def test_growth_needs_the_agent(tmp_path: Path) -> None:
    written = CONFIGURATION.format(java=JAVA, judge=NOTHING_MATTERS)
    by_jmx = written.replace("growth: {rounds: 8}", "growth: never\n    collector: jmx")
    (tmp_path / "buto.yaml").write_text(by_jmx)
    called(tmp_path, "check", "marked", exits=2)


LOADED = f"""\
version: 1
tests:
  server:
    command: >-
      java -Xmx128m -XX:+UseSerialGC -cp {jars.path(jars.TESTPROGRAMS)} buto.testprograms.leaker.Leaker
      --at request --leaks 3 --duration 60s
    expect-exit: 143
    workload:
      port: any
      http: {{url: "http://127.0.0.1:${{port}}/", rate: 30, duration: 500ms}}
      stop: true
    growth: {{rounds: 8, by: load}}
    judge: {NOTHING_MATTERS}
"""


@pytest.mark.all
def test_a_round_may_be_the_load_of_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "buto.yaml").write_text(LOADED)
    called(tmp_path, "train", "--runs", "5", exits=0)
    found = checked(tmp_path, "server", exits=1)
    assert sources(found) == ["growth"]
    assert found["growth"]["rounds"] == {"counted": 8, "warm_up": 2, "by": "load", "share_bytes": None}
    assert len(RunStore(tmp_path / ".buto").ids("server@grow")) == 1
