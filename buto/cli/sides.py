"""The two programs of a comparison: what they are called, and how each is launched."""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from buto.cli import chosen
from buto.cli.printing.console import Console
from buto.config import Config, TestConfig
from buto.errors import UsageError
from buto.runs.reading import is_missing
from buto.workflow.git import commands as git
from buto.workflow.git import worktrees

AGAINST = "--against"
_WITHOUT_GIT = "buto compare A -- COMMAND --against B -- COMMAND compares without one"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two programs.

    Attributes:
        name: of its test, under which its runs are stored.
        like: tests of the configuration or with an oracle; the first that there is says how to launch it,
            but for what was typed. A program with a command alone is launched like the other one.
        command: as it was typed, None if it was not.
        revision: of the repository, None for what lies here.
    """

    name: str
    like: tuple[str, ...]
    command: tuple[str, ...] | None
    revision: str | None = None


def sides_of(args: Namespace) -> tuple[Side, Side]:
    """UsageError for anything but two programs of different names."""
    test, command = args.test, args.command
    if args.revisions is not None:
        if args.against is not None:
            raise UsageError(f"{AGAINST} and --revisions exclude each other", advice="buto compare --help")
        old, new = (Side(f"{test}@{revision}", (test,), command, revision) for revision in args.revisions)
    else:
        if args.build is not None:
            raise UsageError("--build goes with --revisions", advice="buto compare --help")
        first: tuple[str, ...] | None = None
        against, second = args.against, command
        if against is None:
            first, against, second = _divided(command or ())
        old, new = Side(test, (test, against), first), Side(against, (against, test), second)
    if old.name == new.name:
        raise UsageError(
            f"both programs are called {old.name!r}",
            advice=f"give them two names: buto compare old {AGAINST} new",
        )
    return old, new


def _divided(words: tuple[str, ...]) -> tuple[tuple[str, ...] | None, str, tuple[str, ...] | None]:
    """``cmdA --against B -- cmdB`` as the first command, B's name, and the second command."""
    for place, word in enumerate(words[:-1]):
        behind = words[place + 2 :]
        if word == AGAINST and behind[:1] in ((), ("--",)):
            return words[:place] or None, words[place + 1], behind[1:] if behind else None
    raise UsageError(
        "nothing says what to compare with",
        advice=f"buto compare A [options] -- COMMAND {AGAINST} B -- COMMAND",
    )


def test_of(
    side: Side, args: Namespace, configured: Config | None, stack: ExitStack, console: Console
) -> TestConfig:
    """How to launch one of the two; a revision is checked out and built for as long as the stack lives."""
    test = replace(_described(side, args, configured), name=side.name)
    if side.revision is None:
        return test
    here = test.target.directory or Path()
    repository = git.repository_of(here, _WITHOUT_GIT)
    commit = git.commit_of(repository, side.revision)
    tree = stack.enter_context(worktrees.checked_out(repository, commit))
    if args.build is not None:
        console.info(f"building {side.revision} ({commit[:12]}): {args.build}")
        worktrees.build(args.build, worktrees.same_place(tree, repository, Path()))
    # Only now: the directory may be one that is built.
    directory = worktrees.same_place(tree, repository, here)
    return replace(test, target=replace(test.target, directory=directory))


def _described(side: Side, args: Namespace, configured: Config | None) -> TestConfig:
    own = Namespace(**{**vars(args), "command": side.command})
    for name in side.like if side.command is not None else side.like[:1]:
        if configured is not None and name in configured.tests:
            return chosen.test_for(name, own, configured, chosen.old_oracle(own, name, configured))
        if not is_missing(chosen.oracle_path(args, name)):
            return chosen.test_for(name, own, configured, chosen.the_oracle(args, name))
    return chosen.test_for(side.like[0], own, configured, None)
