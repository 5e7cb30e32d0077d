"""What git says of a project, and what it is asked with."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.actions.git import call, list_changed_files, repository_of
from buto.errors import UsageError
from buto.measure.host import commit_of
from tests.support.processes.repository import commit, git


def make_repository(place: Path, content: str) -> Path:
    place.mkdir()
    git(place, "init", "--quiet", "--initial-branch=main")
    (place / "a file").write_text(content)
    (place / "b").write_text(content)
    commit(place)
    return place


def test_changed_files_are_names_whether_or_not_they_are_staged(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", "1")
    for name in ("a file", "b"):
        (repository / name).write_text("2")
    git(repository, "add", "b")
    assert list_changed_files(repository) == ["a file", "b"]


def test_a_repository_may_end_in_a_blank(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop ", "1")
    assert repository_of(repository, "") == repository


def test_the_commit_of_a_run_is_that_of_its_directory_also_in_a_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other = make_repository(tmp_path / "here", "1"), make_repository(tmp_path / "other", "2")
    own = git(here, "rev-parse", "HEAD").strip()
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert commit_of(here) == own


def test_a_directory_that_is_gone_is_no_fault_of_git(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        call(tmp_path / "gone", "status")
    assert raised.value.advice == "name one that is there"
