"""The two programs of a comparison: their names, and how each is launched."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace

from buto.config import TestConfig
from buto.runs.files.reading import is_missing
from buto.steps import Action
from buto.workflow.events import OnEvent
from buto.workflow.git.revisions import at_revision
from buto.workflow.project import Overrides, Project


@dataclass(frozen=True, slots=True)
class Program:
    """One of the two programs.

    Attributes:
        name: the name of its test, under which its runs are stored.
        like: tests of the configuration or with an oracle; the first that exists specifies how to launch the
            program, except for what was given. A program with only a command is launched like the other one.
        command: the given command; None without one.
        revision: a revision of the repository; None for the current files.
    """

    name: str
    like: tuple[str, ...]
    command: tuple[str, ...] | None
    revision: str | None = None


def two_programs(
    first: str, second: str, commands: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
) -> tuple[Program, Program]:
    """Return two programs, each with its command or None."""
    one, other = commands
    return Program(first, (first, second), one), Program(second, (second, first), other)


def two_revisions(
    test: str, revisions: tuple[str, str], command: tuple[str, ...] | None
) -> tuple[Program, Program]:
    """Return two revisions of one program."""
    old, new = (Program(f"{test}@{revision}", (test,), command, revision) for revision in revisions)
    return old, new


def test_of(
    program: Program,
    project: Project,
    overrides: Overrides,
    build: str | None,
    stack: ExitStack,
    on_event: OnEvent,
) -> TestConfig:
    """Return how to launch a program. A revision is checked out and built; closing the stack removes it.

    Args:
        build: the command that builds a revision; None for none.
    """
    test = replace(_described(program, project, overrides), name=program.name)
    if program.revision is None:
        return test
    return at_revision(test, program.revision, build, stack, on_event)


def _described(program: Program, project: Project, overrides: Overrides) -> TestConfig:
    action, own = Action.COMPARE, replace(overrides, command=program.command)
    for name in program.like if program.command is not None else program.like[:1]:
        if project.configured(name) is not None:
            return project.test(name, action, own, project.known_oracle(name, action, own))
        if not is_missing(project.oracle_path(name)):
            return project.test(name, action, own, project.oracle(name, action))
    return project.test(program.like[0], action, own, None)
