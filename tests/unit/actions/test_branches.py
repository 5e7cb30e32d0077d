"""Which commit a change begins at, as providers and git tell it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.branches import is_on_main, merge_base
from buto.actions.turns import TurnsReason, reason_since_training
from buto.errors import UsageError
from perf.fuzz import examples
from tests.support.processes.repository import git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits on main, of which the second is the base of a change; and main has gone on."""
    path = tmp_path / "project"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    for subject in ("First", "Base"):
        git(path, "commit", "--quiet", "--allow-empty", "-m", subject)
    git(path, "checkout", "--quiet", "-b", "change")
    git(path, "commit", "--quiet", "--allow-empty", "-m", "Change")
    git(path, "checkout", "--quiet", "main")
    git(path, "commit", "--quiet", "--allow-empty", "-m", "Later")
    git(path, "checkout", "--quiet", "change")
    return path


def base(repository: Path) -> str:
    return git(repository, "rev-parse", "main~1").strip()


def test_a_change_begins_where_it_left_the_main_branch(repository: Path) -> None:
    assert merge_base(repository, {}) == base(repository)


def test_the_main_branch_is_no_change(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "main")
    assert merge_base(repository, {}) == ""


@pytest.mark.parametrize("name", ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"])
def test_a_provider_names_the_branch_that_a_change_is_for(repository: Path, name: str) -> None:
    git(repository, "branch", "release-1", "main~2")
    first = git(repository, "rev-parse", "release-1").strip()
    of_pull_request = {"GITHUB_HEAD_REF": "change", name: "release-1"}
    assert merge_base(repository, of_pull_request) == first


def test_a_branch_that_is_not_here_must_be_fetched(repository: Path) -> None:
    with pytest.raises(UsageError) as caught:
        merge_base(repository, {"GITHUB_HEAD_REF": "change", "GITHUB_BASE_REF": "release-1"})
    assert "git fetch origin release-1" in str(caught.value.advice)


def test_a_clone_without_history_says_what_to_fetch(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    words = ("clone", "--quiet", "--depth", "1", "--no-single-branch", "--branch", "change")
    git(repository, *words, f"file://{repository}", str(clone))
    with pytest.raises(UsageError) as caught:
        merge_base(clone, {"GITHUB_HEAD_REF": "change", "GITHUB_BASE_REF": "main"})
    assert "fetch-depth" in str(caught.value.advice)


def test_a_main_branch_with_a_slash_is_the_main_one(repository: Path, tmp_path: Path) -> None:
    git(repository, "branch", "-m", "main", "release/1.x")
    git(repository, "checkout", "--quiet", "release/1.x")
    clone = tmp_path / "clone"
    git(repository, "clone", "--quiet", f"file://{repository}", str(clone))
    assert is_on_main(clone, {})
    assert merge_base(clone, {}) == ""


def test_the_provider_names_the_main_branch_before_a_usual_name_does(repository: Path) -> None:
    git(repository, "branch", "develop", "change")
    git(repository, "checkout", "--quiet", "--detach", "develop")
    assert not is_on_main(repository, {})
    assert is_on_main(repository, {"CI_DEFAULT_BRANCH": "develop"})


@pytest.mark.parametrize(
    ("trained", "age"), [("main~1", "1 commit ago"), ("main~2", "2 commits ago"), ("main", "")]
)
def test_turns_with_the_program_of_the_training_say_how_many_commits_ago_that_was(
    repository: Path, trained: str, age: str
) -> None:
    """On the main branch, where all that was merged since then counts; not if nothing was."""
    git(repository, "checkout", "--quiet", "main")
    known = replace(examples.oracle(), commit=git(repository, "rev-parse", trained).strip())
    assert reason_since_training(TurnsReason("they differ"), known, repository).trained == age


@pytest.mark.parametrize("commit", ["", "0" * 40])
def test_a_training_of_no_commit_that_is_here_has_no_age(repository: Path, commit: str) -> None:
    known = replace(examples.oracle(), commit=commit)
    assert not reason_since_training(TurnsReason("they differ"), known, repository).trained


def test_without_git_a_training_has_no_age(tmp_path: Path) -> None:
    known = replace(examples.oracle(), commit="0" * 40)
    assert not reason_since_training(TurnsReason("they differ"), known, tmp_path).trained
