"""git bisect by known truth: the commit that is found, those that are skipped, and what is left alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from buto.actions.worktrees import Answer, check_out, describe_commit, first_bad
from buto.errors import JudgeError

N_COMMITS = 9


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=A U Thor", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=True
    ).stdout.strip()


@dataclass
class Repository:
    """Commits in a row, each of which has its number in ``number``."""

    top: Path
    commits: list[str] = field(default_factory=list)

    def number(self, commit: str) -> int:
        return self.commits.index(commit)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("repository"))
    git(made.top, "init", "--quiet")
    for number in range(N_COMMITS):
        (made.top / "number").write_text(str(number))
        git(made.top, "add", "number")
        git(made.top, "commit", "--quiet", "-m", f"the {number}th: 'quoted' | ünlike")
        made.commits.append(git(made.top, "rev-parse", "HEAD"))
    return made


@pytest.fixture
def tree(repository: Repository) -> Iterator[Path]:
    with check_out(repository.top, repository.commits[0]) as place:
        yield place
    assert len(git(repository.top, "worktree", "list").splitlines()) == 1


def judge_of(
    repository: Repository, first: int, skipped: tuple[int, ...] = ()
) -> tuple[Callable[[str], Answer], list[int]]:
    """What says of a commit whether it is one from ``first`` on, and which it was asked of."""
    asked: list[int] = []

    def judge(commit: str) -> Answer:
        number = repository.commits.index(commit)
        asked.append(number)
        if number in skipped:
            return Answer.SKIP
        return Answer.BAD if number >= first else Answer.GOOD

    return judge, asked


@pytest.mark.parametrize("first", [1, 2, 5, N_COMMITS - 1])
def test_the_commit_is_found_in_few_steps(repository: Repository, tree: Path, first: int) -> None:
    judge, asked = judge_of(repository, first)
    found = first_bad(tree, repository.commits[0], repository.commits[-1], judge)
    assert [repository.number(commit) for commit in found] == [first]
    assert len(asked) == len(set(asked)) <= 4
    assert not {0, N_COMMITS - 1} & set(asked)


def test_of_two_commits_none_needs_to_be_judged(repository: Repository, tree: Path) -> None:
    judge, asked = judge_of(repository, 4)
    assert first_bad(tree, repository.commits[3], repository.commits[4], judge) == (repository.commits[4],)
    assert asked == []


def test_skipped_commits_do_not_hide_the_one_if_they_are_not_beside_it(
    repository: Repository, tree: Path
) -> None:
    judge, asked = judge_of(repository, 7, skipped=(4, 3))
    assert first_bad(tree, repository.commits[0], repository.commits[-1], judge) == (repository.commits[7],)
    assert set(asked) & {3, 4}


def test_another_bisect_of_the_repository_is_left_alone(repository: Repository, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(repository.top), "clone")
    clone = tmp_path / "clone"
    git(clone, "bisect", "start", "HEAD", "HEAD~4")
    (clone / "number").write_text("not committed")
    before = (git(clone, "bisect", "log"), git(clone, "status", "--short"), git(clone, "rev-parse", "HEAD"))
    with check_out(clone, repository.commits[0]) as tree:
        judge, _ = judge_of(repository, 3)
        found = first_bad(tree, repository.commits[0], repository.commits[-1], judge)
    assert found == (repository.commits[3],)
    after = (git(clone, "bisect", "log"), git(clone, "status", "--short"), git(clone, "rev-parse", "HEAD"))
    assert after == before


def test_what_git_cannot_bisect_is_reported_in_its_words(
    repository: Repository, tree: Path, tmp_path: Path
) -> None:
    """A branch that never had the fault, from before it was mended on the other one."""
    git(tmp_path, "clone", "--quiet", str(repository.top), "clone")
    git(tmp_path / "clone", "checkout", "--quiet", "-b", "branch", repository.commits[2])
    (tmp_path / "clone" / "number").write_text("0")
    git(tmp_path / "clone", "commit", "--quiet", "--all", "-m", "mended")
    good = git(tmp_path / "clone", "rev-parse", "HEAD")
    with check_out(tmp_path / "clone", good) as other:
        judge, asked = judge_of(repository, 1)
        with pytest.raises(JudgeError, match="git bisect cannot continue: The merge base .* is bad"):
            first_bad(other, good, repository.commits[-1], judge)
    assert asked == [2]


def test_a_commit_is_described(repository: Repository) -> None:
    git(repository.top, "config", "log.showSignature", "true")
    commit = describe_commit(repository.top, repository.commits[3])
    assert (commit.name, commit.author) == (repository.commits[3], "A U Thor <a@example.org>")
    assert commit.subject == "the 3th: 'quoted' | ünlike"
    assert len(commit.date) == len("2026-11-21")
