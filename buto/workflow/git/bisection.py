"""``git bisect``, driven step by step in a working tree of its own, in which git keeps its state, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from buto.errors import JudgeError, UsageError
from buto.report.result import Commit
from buto.workflow.git import commands as git

_FIRST_BAD = re.compile(r"^([0-9a-f]{40,64}) is the first bad commit$", re.MULTILINE)
_NAME = re.compile(r"^[0-9a-f]{40,64}$", re.MULTILINE)
_ONLY_SKIPPED = 2
"""What git exits with where all that is left was skipped."""


class Answer(Enum):
    """What ``git bisect`` is told of a commit."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"
    """Nothing can be said of it: it does not build, or was not judged."""


def described(repository: Path, commit: str) -> Commit:
    """Return a commit with its author, date and subject."""
    form = "--format=%H%x00%an <%ae>%x00%as%x00%s"
    plain = ("--max-count=1", "--no-show-signature", "--encoding=UTF-8")
    return Commit(*git.said(repository, "log", *plain, form, commit).split("\0"))


def move_to(tree: Path, commit: str) -> None:
    """Have a working tree be a commit and nothing else, whatever was built or changed in it."""
    clean(tree)
    git.said(tree, "checkout", "--quiet", "--detach", commit)


def clean(tree: Path) -> None:
    """Remove all that is not committed: what an older commit left would be measured with a newer one."""
    git.said(tree, "reset", "--quiet", "--hard")
    git.said(tree, "clean", "-ffdxq")


def check_order(repository: Path, good: str, bad: str) -> None:
    """Raise UsageError where no commit can have made the good one bad."""
    if good == bad:
        raise UsageError(f"GOOD and BAD are the same commit: {good[:12]}", advice="git log --oneline")
    if git.call(repository, "merge-base", "--is-ancestor", bad, good).returncode == 0:
        raise UsageError(
            f"BAD ({bad[:12]}) is before GOOD ({good[:12]}): what came between cannot have made it bad",
            advice="name the older one first: buto bisect NAME GOOD BAD",
        )


def first_bad(tree: Path, good: str, bad: str, judge: Callable[[str], Answer]) -> tuple[str, ...]:
    """Find the commit that made a good one bad.

    Args:
        tree: a working tree of the repository that nobody else uses.
        good, bad: full names of commits that are known to be so.
        judge: is called with the name of a commit while the tree is at it, never twice with the same.

    Returns:
        The commit; several where it is one of them and those but one were skipped.

    Raises:
        JudgeError: git cannot go on, as where the commits have nothing to do with each other, or the
            change for the worse is not between them.
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
            raise JudgeError(f"git bisect cannot go on: {done.stderr.strip() or done.stdout.strip()}")
        commit = git.said(tree, "rev-parse", "HEAD")
        if commit in judged:
            raise JudgeError(f"git bisect chose {commit[:12]} twice and printed: {done.stdout.strip()}")
        judged.add(commit)
        words = (judge(commit).value,)
