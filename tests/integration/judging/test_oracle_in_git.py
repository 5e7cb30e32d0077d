"""An oracle in git: what buto says commits both files, and after a merge conflict it is trained again."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from buto.errors import EXIT_BAD_FILE
from buto.oracle import load
from tests.support.processes.command import called
from tests.support.processes.repository import commit, git
from tests.support.runs.stored import leaking_run, store


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with an oracle of runs 0 to 5; those from 20 and from 40 on leak more."""
    for first, leak in ((0, 1.0), (20, 3.0), (40, 5.0)):
        store(tmp_path, *(leaking_run(first + number, leak=leak) for number in range(6)))
    (tmp_path / ".gitignore").write_text(".buto/\n")
    train(tmp_path, 0)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path)
    return tmp_path


def train(project: Path, first: int, action: str = "train") -> str:
    runs = f"{leaking_run(first).id}..{leaking_run(first + 5).id}"
    command = ("--", "java", "Main") if action == "train" else ()
    return called(project, action, "leaker", "--from-runs", runs, *command, exits=0).stderr


def test_what_is_typed_after_accepting_commits_both_files_and_removes_the_old_one(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    advice = train(project, 20, "accept")
    shown, add = (shlex.split(command) for command in advice.strip().partition("next: ")[2].split("; "))
    assert '+    "jvm.memory.heap.used": "largest 16.' in git(project, *shown[1:])
    git(project, *add[1:])
    git(project, "commit", "--quiet", "--message", "accepted")
    assert git(project, "status", "--porcelain") == ""
    assert len(git(project, "ls-files", "oracles").split()) == 2
    clone = tmp_path_factory.mktemp("clones") / "clone"
    git(project, "clone", "--quiet", ".", str(clone))
    assert load(clone / "oracles" / "leaker.json").run_ids[0] == leaking_run(20).id


def test_after_a_merge_conflict_it_is_trained_again(project: Path) -> None:
    git(project, "checkout", "--quiet", "-b", "other")
    train(project, 20, "accept")
    commit(project)
    git(project, "checkout", "--quiet", "main")
    train(project, 40, "accept")
    commit(project)
    git(project, "merge", "other", check=False)
    assert len(list((project / "oracles").glob("*.numbers"))) == 2, "those of both sides"
    refused = called(project, "check", "leaker", "--from-runs", leaking_run(0).id, exits=EXIT_BAD_FILE)
    assert "oracles/leaker.json is in a merge conflict, see line " in refused.stderr
    advice = refused.stderr.partition("try:  keep one side (")[2]
    keep, _, again = advice.partition("), then train again: buto ")
    assert shlex.split(again) == ["train", "leaker"]
    git(project, *shlex.split(keep)[1:])
    called(project, *shlex.split(again), "--from-runs", "all", exits=0)
    assert len(load(project / "oracles" / "leaker.json").run_ids) == 18
    assert len(list((project / "oracles").glob("*.numbers"))) == 1
