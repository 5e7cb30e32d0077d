"""The commits of a branch in their order, and its tags, as a real git tells them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from buto.actions.git import history_of, tags_of


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=Ann\tLee", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=True
    ).stdout.strip()


def commit(directory: Path, subject: str) -> str:
    git(directory, "commit", "--quiet", "--allow-empty", "-m", subject)
    return git(directory, "rev-parse", "HEAD")


def test_what_a_merge_brings_along_counts_at_the_merge(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    first = commit(tmp_path, "First | one")
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    commit(tmp_path, "On the side")
    git(tmp_path, "checkout", "--quiet", "main")
    second = commit(tmp_path, "Second")
    git(tmp_path, "merge", "--quiet", "--no-ff", "-m", "Merge side", "side")
    merge = git(tmp_path, "rev-parse", "HEAD")
    found = history_of(tmp_path)
    assert [later_commit.name for later_commit in found] == [first, second, merge]
    assert [later_commit.subject for later_commit in found] == ["First | one", "Second", "Merge side"]
    assert found[0].author.endswith("<a@example.org>")


def test_tags_name_the_commits_that_they_tag(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    first = commit(tmp_path, "First")
    git(tmp_path, "tag", "v1.0")
    second = commit(tmp_path, "Second")
    git(tmp_path, "tag", "--annotate", "--message", "words", "v1.1")
    assert {release.name: release.commit for release in tags_of(tmp_path)} == {"v1.0": first, "v1.1": second}


def test_a_repository_without_commits_has_no_history(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    assert history_of(tmp_path) == []
    assert tags_of(tmp_path) == []
