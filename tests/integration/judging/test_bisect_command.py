"""Bisect by the command line, in a real repository; what the launches of each commit give is scripted."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from buto.actions import collecting
from buto.measure.target import Target
from buto.run.model import Run
from tests.support.jvm.harness import harness, until
from tests.support.processes.command import called
from tests.support.runs.scripted import Script, ScriptedCollector
from tests.support.runs.stored import leaking_run

COMMITS = {
    "first": "1",
    "a remark": "1 // a remark",
    "half done": "no number",
    "another remark": "1 // another",
    "a leak for each customer": "9",
    "a last remark": "9 // a last remark",
}
BUILD = "grep -q ^[0-9] source && cut -d ' ' -f 1 source > built"
CONFIG = """\
version: 1
tests:
  leaker: {command: java Leaker, inputs: [built], runs: 10}
"""


class Built(ScriptedCollector):
    """Gives the run of a program that leaks as many MiB a second as its build says."""

    def __init__(self, script: Script, target: Target) -> None:
        super().__init__(script, target.command[0])
        self.built = (target.directory or Path()) / "built"

    def record(self, test: str, *others: Any, **settings: Any) -> Run:
        self.script.launched.append(test)
        number = len(self.script.launched)
        run = leaking_run(number, leak=float(self.built.read_text()))
        return replace(run, id=f"20260101T000000.{number:03d}Z-0000", test=test)


class ByBuild(Script):
    def collector(self, target: Target) -> ScriptedCollector:
        return Built(self, target)


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=A U Thor", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=120, check=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six commits: the third does not build, the fifth leaks more; the oracle is not committed."""
    monkeypatch.setattr(collecting, "collect", ByBuild({}).collect)
    top = tmp_path / "repository"
    top.mkdir()
    git(top, "init", "--quiet")
    (top / ".gitignore").write_text("built\n.buto/\n")
    (top / "buto.yaml").write_text(CONFIG)
    for subject, source in COMMITS.items():
        (top / "source").write_text(source)
        git(top, "add", "--all")
        git(top, "commit", "--quiet", "-m", subject)
    (top / "built").write_text("1")
    called(top, "train", exits=0)
    (top / "source").write_text("not committed")
    return top


def bisect(top: Path, good: str, bad: str, *, build: str = BUILD) -> subprocess.CompletedProcess[str]:
    return called(top, "bisect", "leaker", good, bad, "--no-why", "--build", build)


def untouched(top: Path) -> None:
    """The files and the branch of the user's are as they were, and no other working tree is left."""
    assert (top / "source").read_text() == "not committed"
    assert git(top, "status", "--short").split("\n") == ["M source", "?? oracles/"]
    assert git(top, "symbolic-ref", "--short", "HEAD")
    assert len(git(top, "worktree", "list").splitlines()) == 1


def test_the_commit_is_found(repository: Path) -> None:
    done = bisect(repository, "HEAD~5", "HEAD")
    assert done.returncode == 0, done.stderr
    guilty = git(repository, "rev-parse", "HEAD~1")
    assert done.stdout.splitlines()[:2] == [f"FIRST BAD  leaker: {guilty}", "  a leak for each customer"]
    untouched(repository)


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("HEAD~1", "HEAD", ("buto: GOOD (HEAD~1, ", "does not pass: ")),
        ("HEAD~5", "HEAD~4", ("buto: BAD (HEAD~4, ", "does not fail: ")),
        ("HEAD~3", "HEAD", ("cannot be judged: --build: ", "exited with code 1")),
    ],
)
def test_what_is_not_good_or_not_bad_is_reported_before_anything_is_looked_for(
    repository: Path, good: str, bad: str, said: tuple[str, ...]
) -> None:
    done = bisect(repository, good, bad)
    assert (done.returncode, done.stdout) == (3, "")
    for text in said:
        assert text in done.stderr
    untouched(repository)


def test_what_hides_behind_commits_that_do_not_build_is_narrowed_down(repository: Path) -> None:
    done = bisect(repository, "HEAD~4", "HEAD~1", build=f"grep -q another source && exit 7; {BUILD}")
    assert (done.returncode, done.stdout) == (3, "")
    several = "buto: the first bad commit is one of these; all but one of them were skipped:\n"
    printed = done.stderr.partition(several)[2]
    named = {line.split("  ")[2] for line in printed.splitlines()[:3]}
    assert named == {"half done", "another remark", "a leak for each customer"}
    assert "skipped: --build: grep -q another source && exit 7; " in printed
    assert "exited with code 7" in printed
    untouched(repository)


def test_what_cannot_be_bisected_is_wrong_usage(repository: Path, tmp_path: Path) -> None:
    for words, printed in {
        ("HEAD", "HEAD"): "GOOD and BAD are the same commit",
        ("HEAD", "HEAD~2"): "name the older one first: buto bisect leaker 'HEAD~2' HEAD",
        ("v0", "HEAD"): "has no revision 'v0'",
        ("HEAD~1", "HEAD", "--build", "no-such-program"): "cannot be judged: --build: no-such-program",
    }.items():
        done = called(repository, "bisect", "leaker", *words)
        assert done.returncode == (3 if "--build" in words else 2), done.stderr
        assert printed in done.stderr
    oracle = os.fspath(repository / "oracles" / "leaker.json")
    nowhere = called(tmp_path, "bisect", "leaker", "a", "b", "--oracle", oracle)
    assert nowhere.returncode == 2
    assert "is in no git repository" in nowhere.stderr


def test_ctrl_c_leaves_nothing_behind(repository: Path, tmp_path: Path) -> None:
    """While a commit is built, in a process group of its own as from a shell."""
    place = tmp_path / "place"
    place.mkdir()
    build = f"touch {place}/begun; sleep 600"
    words = ("-m", "buto", "bisect", "leaker", "HEAD~5", "HEAD", "--build", build)
    with harness(repository, *words, TMPDIR=str(place)) as bisecting:
        until((place / "begun").exists, "no commit is built")
        assert len(git(repository, "worktree", "list").splitlines()) == 2
        os.killpg(bisecting.process.pid, signal.SIGINT)
        assert bisecting.ended() == 130
        bisecting.assert_alone()
        printed = bisecting.printed()
    (repository / "tmp").rmdir()
    assert "stopped by Ctrl-C" in printed
    assert "Traceback" not in printed
    assert [path.name for path in place.iterdir()] == ["begun"]
    untouched(repository)
