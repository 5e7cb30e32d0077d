"""Which program turns launch as the old one: the kept files, or a commit that is built where these lack.

The files that training kept are missing in a fresh clone without ``.buto``. Where the configuration has a
command that builds a revision (``program: {build: ...}``), the commit of the oracle is built in their place:
the commit that ``program`` names; else that of the training, if its runs recorded a clean working tree; else
the one that last changed the oracle, which a verdict then states as its assumption. In a clone without
history, git takes its oldest commit for the one that changed every file, so that commit is never used.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, structs

from buto.actions import git
from buto.actions.arms import old_test
from buto.actions.events import Told
from buto.actions.launcher import Launcher
from buto.actions.old_target import OF_PROGRAM, old_target
from buto.actions.workspace import Workspace
from buto.errors import UsageError
from buto.oracle import CheckedRuns, Oracle
from buto.programs.named import Kept, OldProgram, Revision, Unkept
from buto.project.model import TestConfig
from buto.steps import Advice, Setting

BUILD_IT = Advice(
    "keep .buto/programs of the training from build to build, or have the old program built: ",
    Setting("program", "{build: COMMAND}"),
)
"""How to get turns where the files are missing."""

NAME_BUILD = Advice("have the old program built: ", Setting("program", "{build: COMMAND}"))
"""How to get turns where the files cannot be kept."""

_NO_REPOSITORY = "check in a git checkout, or bring .buto/programs of the training along"


class ChosenProgram(Struct, frozen=True):
    """What turns launch as the old program.

    Attributes:
        program: how; else why not, as a clause of its own, and how to get turns.
        is_built: whether it is built in place of missing files.
        assumes: why this may be another program than that of the training, as a sentence; empty if it is not.
    """

    program: OldProgram
    is_built: bool = False
    assumes: str = ""


def choose_old_program(workspace: Workspace, known: Oracle, test: TestConfig) -> ChosenProgram:
    """Return what turns launch as the program that an oracle was trained on; nothing is built yet.

    Args:
        test: how the present program is launched; whether it has a command that builds a revision.
    """
    match known.program:
        case Revision():
            return ChosenProgram(known.program)
        case Kept(id=id) if workspace.kept.has(known.test, id):
            return ChosenProgram(known.program)
        case Kept():
            missing = Unkept(f"the old program is not in {workspace.store}", BUILD_IT)
        case Unkept(reason=reason, advice=advice):
            missing = Unkept(f"the old program was not kept: {reason}", advice or NAME_BUILD)
    if test.program is None or not test.program.build:
        return ChosenProgram(missing)
    try:
        commit, assumes = _commit(workspace, known, test, test.program)
    except UsageError as error:
        return ChosenProgram(Unkept(f"{missing.reason}, and {error.message}", error.advice or ""))
    return ChosenProgram(Revision(commit, test.program.build), is_built=True, assumes=assumes)


def launch_of(
    launcher: Launcher, known: Oracle, chosen: Kept | Revision, test: TestConfig, stack: ExitStack
) -> TestConfig:
    """Return how to launch the program that an oracle was trained on, with the target of the training.

    Args:
        test: how the present program is launched and measured.
        stack: closing it removes the program.

    Raises:
        ButoError: it cannot be launched.
    """
    return old_test(launcher, chosen, old_target(test, known, launcher.workspace.base_of(test.name)), stack)


def describe_build(test: str, chosen: ChosenProgram) -> Told | None:
    """Return which commit is built before turns, which may take long; None if none is."""
    if not (chosen.is_built and isinstance(chosen.program, Revision)):
        return None
    which = "the commit that last changed the oracle" if chosen.assumes else "its commit"
    text = f"the old program is not stored: {which}, {chosen.program.commit[:12]}, is built"
    return Told(test, text)


def mark_assumption(checked: CheckedRuns, assumes: str) -> CheckedRuns:
    """Return a verdict by turns with what it assumes of the old program; empty for nothing."""
    if not assumes:
        return checked
    verdict = replace(checked.verdict, warnings=(assumes, *checked.verdict.warnings))
    return structs.replace(checked, verdict=verdict)


def identity(known: Oracle) -> tuple[object, ...]:
    """Return what is equal of oracles whose old program one launch serves, besides their kept program."""
    return (*map(known.target.get, OF_PROGRAM), known.commit)


def _commit(workspace: Workspace, known: Oracle, test: TestConfig, wanted: Revision) -> tuple[str, str]:
    """Return the commit of an oracle's program, and what that assumes; UsageError if git does not know it."""
    repository = git.repository_of(test.target.directory or Path(), _NO_REPOSITORY)
    if wanted.commit:
        return git.commit_of(repository, wanted.commit), ""
    # A commit that was rebased away is in no complete clone; of a shallow one the error says how to get it.
    if known.commit and (git.has_commit(repository, known.commit) or git.is_shallow(repository)):
        return git.commit_of(repository, known.commit), ""
    path = None if workspace.oracle_of is None else workspace.oracle_of(known.test)
    if path is None or not path.resolve().is_relative_to(repository):
        raise UsageError("its oracle is not in the repository of the program", advice=_NO_REPOSITORY)
    commit = git.last_change(path.resolve())
    assumes = (
        f"commit {commit[:12]}, which last changed the oracle, was launched as the old program: "
        "the training recorded none without changes"
    )
    return commit, assumes
