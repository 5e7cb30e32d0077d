"""A test whose program is a revision of the repository."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from buto.config import TestConfig
from buto.steps import Action, Advice, Step
from buto.workflow.events import BuildStarted, OnEvent
from buto.workflow.git import commands as git
from buto.workflow.git import worktrees

_WITHOUT_GIT = Advice(
    Step(Action.COMPARE, "A", against="B", command=("COMMAND",)), " compares without a repository"
)


def at_revision(
    test: TestConfig, revision: str, build: str | None, stack: ExitStack, on_event: OnEvent
) -> TestConfig:
    """Return how to launch a revision of a test's program; closing the stack removes its working tree.

    Args:
        build: the command that builds it; None for none.

    Raises:
        UsageError: there is no such revision, or no repository.
        MeasureError: it cannot be built.
        StorageError: there is no room for it.
    """
    here = test.target.directory or Path()
    repository = git.repository_of(here, _WITHOUT_GIT)
    commit = git.commit_of(repository, revision)
    tree = stack.enter_context(worktrees.checked_out(repository, commit))
    if build is not None:
        on_event(BuildStarted(build, commit, revision))
        worktrees.build(build, worktrees.same_place(tree, repository, Path()))
    # After the build, which may create the directory.
    directory = worktrees.same_place(tree, repository, here)
    return replace(test, target=replace(test.target, directory=directory))
