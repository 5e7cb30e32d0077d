"""``git bisect``, driven step by step in its own working tree, where git also keeps its state."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from buto.errors import JudgeError, UsageError
from buto.report.result import Commit
from buto.steps import Advice, Step
from buto.workflow.git import commands as git

_FIRST_BAD = re.compile(r"^([0-9a-f]{40,64}) is the first bad commit$", re.MULTILINE)
_NAME = re.compile(r"^[0-9a-f]{40,64}$", re.MULTILINE)
_ONLY_SKIPPED = 2
"""Exit code of git when all remaining commits were skipped."""


class Answer(Enum):
    """The answer to ``git bisect`` about a commit."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"
    """Unknown: the commit does not build, or was not judged."""


def described(repository: Path, commit: str) -> Commit:
    """Return a commit with its author, date and subject."""
    form = "--format=%H%x00%an <%ae>%x00%as%x00%s"
    plain = ("--max-count=1", "--no-show-signature", "--encoding=UTF-8")
    return Commit(*git.output_of(repository, "log", *plain, form, commit).split("\0"))


def move_to(tree: Path, commit: str) -> None:
    """Check out a commit and remove everything that was built or changed in the working tree."""
    clean(tree)
    git.output_of(tree, "checkout", "--quiet", "--detach", commit)


def clean(tree: Path) -> None:
    """Remove all that is not committed, so that files of one commit do not affect the next."""
    git.output_of(tree, "reset", "--quiet", "--hard")
    git.output_of(tree, "clean", "-ffdxq")


def check_order(repository: Path, good: str, bad: str, swapped: Step) -> None:
    """Raise UsageError if no commit lies between the good one and the bad one.

    Args:
        swapped: the step that searches with the two exchanged.
    """
    if good == bad:
        raise UsageError(f"GOOD and BAD are the same commit: {good[:12]}", advice="git log --oneline")
    if git.call(repository, "merge-base", "--is-ancestor", bad, good).returncode == 0:
        raise UsageError(
            f"BAD ({bad[:12]}) is before GOOD ({good[:12]}): no commit between them can have made it bad",
            advice=Advice("name the older one first: ", swapped),
        )


def first_bad(tree: Path, good: str, bad: str, judge: Callable[[str], Answer]) -> tuple[str, ...]:
    """Find the commit that made a good one bad.

    Args:
        tree: a working tree of the repository for this search only.
        good, bad: full names of a commit known to be good and of one known to be bad.
        judge: called with the name of a commit that is checked out in the tree; at most once per commit.

    Returns:
        The commit; or several candidates, if all but one of them were skipped.

    Raises:
        JudgeError: git cannot continue, for instance because the commits are unrelated, or the
            regression is not between them.
    """
    words: tuple[str, ...] = ("start", bad, good, "--")
    judged: set[str] = set()
    while True:
        clean(tree)
        done = git.call(tree, "bisect", *words)
        found = _FIRST_BAD.search(done.stdout)
        if found is not None:
            return (found[1],)
        if done.returncode == _ONLY_SKIPPED:
            return tuple(_NAME.findall(done.stdout))
        if done.returncode:
            raise JudgeError(f"git bisect cannot continue: {done.stderr.strip() or done.stdout.strip()}")
        commit = git.output_of(tree, "rev-parse", "HEAD")
        if commit in judged:
            raise JudgeError(f"git bisect chose {commit[:12]} twice and printed: {done.stdout.strip()}")
        judged.add(commit)
        words = (judge(commit).value,)
