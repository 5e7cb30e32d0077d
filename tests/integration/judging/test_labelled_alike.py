"""Reports name labelled runs that changed like the judged ones, on a made-up history of twenty checks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.errors import EXIT_REGRESSION
from tests.support.processes.command import called
from tests.support.runs.past import (
    COLD,
    LATER,
    LIKE_ACCEPTED,
    LIKE_FALSE_ALARM,
    LIKE_REGRESSION,
    TEST,
    ids_of,
    make_history,
)


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history; no test changes it."""
    directory = tmp_path_factory.mktemp("past")
    config = directory / "gitconfig"
    config.write_text("[user]\n\tname = Ada Byron\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        # The class path of the program is where it is started.
        patch.chdir(directory)
        make_history(directory)
    return directory


@pytest.fixture
def project(past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the history."""
    directory = tmp_path / "project"
    shutil.copytree(past, directory)
    monkeypatch.chdir(directory)
    return directory


def test_reports_name_labelled_runs_that_changed_alike(project: Path) -> None:
    named = {}
    for day in LATER:
        files = ("--json", "result.json", "--html", "report.html")
        done = called(project, "check", TEST, "--from-runs", ids_of(day), "-v", *files)
        document = json.loads((project / "result.json").read_text())
        jsonschema.validate(document, schemas.load("result"))
        likes = document["tests"][0]["likes"]
        named[day] = [(like["at"][:10], like["label"], like["meant"], like["reason"]) for like in likes]
        page = (project / "report.html").read_text()
        for like in likes:
            assert like["at"][:10] in page and like["reason"] in page
        assert ("like: " in done.stdout) == bool(likes)
    assert {entry[3] for entry in named[LIKE_FALSE_ALARM]} == {COLD}
    assert named[LIKE_REGRESSION][0] == ("2026-01-08", "bad", False, "a leak")
    assert named[LIKE_ACCEPTED] == [("2026-01-13", "good", True, "a new cache")]


def test_a_label_that_cannot_be_read_does_not_change_a_verdict(project: Path) -> None:
    path = min((project / ".buto" / "labels" / TEST).iterdir())
    path.write_text("{")
    done = called(project, "check", TEST, "--from-runs", ids_of(LIKE_REGRESSION), exits=EXIT_REGRESSION)
    assert "labelled runs like these are not named" in done.stderr
