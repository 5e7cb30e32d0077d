"""The arms of turns: the program of the training and the present one, alike in all but themselves."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Self

from msgspec import Struct, field, structs

from buto.actions.base import Base
from buto.actions.kept import program_now
from buto.actions.launcher import Launcher
from buto.actions.stored import is_of_another_program
from buto.actions.workspace import Workspace
from buto.actions.worktrees import at_revision
from buto.errors import ButoError, MeasureError, StorageError, UsageError
from buto.judging.effects import MINIMUM_EFFECT, NEVER
from buto.judging.settings import Settings
from buto.measure.private_directory import private_directory
from buto.measure.target import Target
from buto.programs.contents import ChangedError, Contents
from buto.programs.java import ReferenceKind, is_java, reference_text, references
from buto.programs.named import Kept, Revision, Unkept
from buto.programs.snapshot import Program, Snapshot
from buto.programs.stage import Placed, ProgramSource, Stage, present
from buto.project.document import expand
from buto.project.model import TestConfig
from buto.run.model import ASSUMED, COMMAND, COMMIT, PROGRAM, MetadataValue, Run, RunSet
from buto.run.properties import OF_PLACES
from buto.steps import Action, Advice, Step

OF_THE_PLACE = (
    COMMAND,
    COMMIT,
    PROGRAM,
    "jvm.class.path",
    "system.property[java.class.path]",
    "system.property[jdk.module.path]",
    "system.property[sun.java.command]",
    "system.property[user.dir]",
)
"""Metadata of a run that say where its program is. Runs of the present program have those of its place, where
it is known by them when they are accepted, and where git knows its commit: it knows none in a stage."""

_ENVIRONMENT, _DIRECTORY = "environment", "working-directory"
"""Keys of a test that belong to its program, besides the command."""


class StageError(MeasureError):
    """Old and new cannot be launched alike, or one has changed meanwhile."""


class Assumption(Enum):
    """Why the places of old and new are not alike, which turns assume to make no difference.

    What depends on a program's place (:data:`buto.run.properties.OF_PLACES`) then accuses nobody. The values
    are clauses.
    """

    COMMAND = "the new program is started where it is, since not all of its files are known"
    REVISION = "the new program is started where it is, since it is no revision"
    DIRECTORY = "only one of the programs has its working directory among its files"

    @classmethod
    def of(cls, runs: RunSet) -> Assumption | None:
        """Return what turns assumed of which these are the new program's runs; None for nothing."""
        names = {run.metadata.get(ASSUMED) for run in runs}
        return next((assumption for assumption in cls if assumption.name.lower() in names), None)

    @property
    def warning(self) -> str:
        return f"what depends on where a program is was not judged: {self.value}"


def settings_for(settings: Settings, assumption: Assumption | None, own: Mapping[str, str]) -> Settings:
    """Return the settings by which old and new are compared under an assumption; None for none.

    Args:
        own: sizes that matter, by property, in place of those of the settings.
    """
    sizes = settings.flat().get(MINIMUM_EFFECT)
    left_out = {} if assumption is None else dict.fromkeys(OF_PLACES, NEVER)
    if sizes is None or not (left_out or own):
        return settings
    return settings.with_value(
        MINIMUM_EFFECT, {**{name: size for name, size in sizes.items() if name not in own}, **own, **left_out}
    )


class Arm(Struct, frozen=True):
    """One program of turns.

    Attributes:
        test: how it is launched where it stands first.
        marks: metadata that are written into each of its runs.
        place: called before each launch on this machine, returns how it is launched where it stands then;
            raises StageError if a file has changed. None for a program that stays where it is.
    """

    test: TestConfig
    place: Callable[[], Target] | None = None
    marks: Mapping[str, MetadataValue] = field(default_factory=dict)


class Arms(Struct, frozen=True):
    """Both programs of turns.

    Attributes:
        assumption: what makes their places differ; None if nothing does.
    """

    old: Arm
    new: Arm
    assumption: Assumption | None = None

    def against(self, base: Base) -> Arms:
        """Return the same, marking runs of the new program with what the old one is."""
        return structs.replace(self, new=structs.replace(self.new, marks={**self.new.marks, **base.marks}))


def stage_arms(
    launcher: Launcher,
    program: Kept | Revision,
    before: TestConfig,
    test: TestConfig,
    typed: Run,
    path: Path,
    stack: ExitStack,
    *,
    is_checked_out: bool = False,
) -> Arms:
    """Return how to launch the program that an oracle was trained on, and the present one, alike.

    Args:
        program: the old one.
        before: how it is launched and measured if its files were the present ones, see
            :func:`buto.actions.old_target.old_target`.
        test: the same of the present program.
        typed: a run of the present program as its user typed it.
        path: the file of the oracle, which is no part of the program.
        stack: closing it removes what is staged.
        is_checked_out: whether the present program already stands in a working tree of its revision.

    Raises:
        StageError: the present program cannot be staged, or has changed since that run.
        StorageError: the place for the programs cannot be written.
        ButoError: the old program cannot be had.
    """
    if is_of_another_program([typed]):
        raise _change_error("the program", test.name)
    match program:
        case Revision():
            old = _check_out(launcher, program, before, stack)
            if is_checked_out:
                arms = Arms(old, _where_it_is(test, typed))
            else:
                arms = _beside_revision(launcher, old, test, typed, path, stack)
        case Kept():
            arms = _of_files(launcher.workspace, program, before, test, typed, path, stack)
    marks = {key: typed.metadata[key] for key in OF_THE_PLACE if key in typed.metadata}
    if arms.assumption is not None:
        marks[ASSUMED] = arms.assumption.name.lower()
    return structs.replace(arms, new=structs.replace(arms.new, marks=marks))


def stage_kept(workspace: Workspace, program: Kept, test: TestConfig, stack: ExitStack) -> Arm:
    """Return how to launch a kept program in a stage of its own; raises as :func:`stage_arms`."""
    stage = _stage(stack, [workspace.kept.load(test.name, program.id, _directory(test))])
    return _Staging(stage, test).arm(0, test)


def old_test(launcher: Launcher, program: Kept | Revision, test: TestConfig, stack: ExitStack) -> TestConfig:
    """Return how to launch the program of a training where it stays until the stack is closed."""
    match program:
        case Revision(commit=commit, build=build):
            return at_revision(launcher, test, commit, build or None, stack)
        case Kept():
            return stage_kept(launcher.workspace, program, test, stack).test


def _check_out(launcher: Launcher, revision: Revision, test: TestConfig, stack: ExitStack) -> Arm:
    """Return a revision of a program in a working tree; the paths of all of these have one length."""
    return Arm(at_revision(launcher, test, revision.commit, revision.build or None, stack))


def _beside_revision(
    launcher: Launcher, old: Arm, test: TestConfig, typed: Run, path: Path, stack: ExitStack
) -> Arms:
    """Return the present program beside a revision: as a revision if it is one, else where it is."""
    now = _now(launcher.workspace, test, path)
    # A revision that the user names says nothing of the files of now.
    if not isinstance(now, Revision) or (test.program is not None and test.program.commit):
        return Arms(old, _where_it_is(test, typed), Assumption.REVISION)
    with _stage_errors(ButoError):
        return Arms(old, _check_out(launcher, now, test, stack))


def _of_files(
    workspace: Workspace,
    program: Kept,
    before: TestConfig,
    test: TestConfig,
    typed: Run,
    path: Path,
    stack: ExitStack,
) -> Arms:
    kept = workspace.kept.load(test.name, program.id, _directory(before))
    now = _now(workspace, test, path)
    if not isinstance(now, Snapshot):
        old = _Staging(_stage(stack, [kept]), test).arm(0, before)
        return Arms(old, _where_it_is(test, typed), Assumption.COMMAND)
    # Looked at before its files are copied, so that no change is missed.
    files = _Typed.of(now)
    new = present(now, _directory(test), _own_data(now, kept.program))
    staging = _Staging(_stage(stack, [kept, new]), test, files)
    is_alike = (kept.program.within is None) == (new.program.within is None)
    return Arms(staging.arm(0, before), staging.arm(1, test), None if is_alike else Assumption.DIRECTORY)


def _where_it_is(test: TestConfig, typed: Run) -> Arm:
    """Return the present program where it is; one of ``java`` must not change."""

    def place() -> Target:
        # A build tool may make other files at each launch, as jars with the time in them.
        if is_java(test.target.command[0]) and is_of_another_program([typed]):
            raise _change_error("the program", test.name)
        return test.target

    return Arm(test, place)


def _now(workspace: Workspace, test: TestConfig, path: Path) -> Snapshot | Revision | Unkept:
    with _stage_errors(UsageError):
        return program_now(workspace, test, path)


def _own_data(now: Snapshot, old: Program) -> frozenset[str]:
    """Return the data of the present program that training left out, since runs change them."""
    left_out = {part for word in old.words for part in word if isinstance(part, str)}
    named = references([*now.named.words, *now.named.environment.values()])
    return frozenset(
        reference.path
        for reference in named
        if reference.kind is ReferenceKind.DATA and reference_text((reference,)) in left_out
    )


def _stage(stack: ExitStack, sources: Sequence[ProgramSource]) -> Stage:
    place = stack.enter_context(private_directory())
    with _stage_errors(ChangedError):
        return Stage(place, sources, partial(expand, environment=os.environ), seed=secrets.randbits(32))


@contextmanager
def _stage_errors(kind: type[ButoError]) -> Iterator[None]:
    """Turn errors of a kind, which come from the present program, into a StageError."""
    try:
        yield
    except StorageError:
        raise
    except kind as error:
        message = f"old and new cannot be launched alike: {error.message}"
        raise StageError(message, advice=error.advice) from error


class _Typed(Struct, frozen=True, eq=False):
    """The files of the present program where the user has them, but for data, which it may write."""

    contents: Contents
    root: str

    @classmethod
    def of(cls, seen: Snapshot) -> Self:
        fixed = [file for path, file in seen.files.items() if not seen.named.files[path]]
        return cls(Contents(fixed, seen.root), seen.root)


class _Staging(Struct, frozen=True, eq=False):
    """A stage, and what its programs have of the present test.

    Attributes:
        now: the present test, with whose JVM all programs are launched: that belongs to the environment.
        typed: the files whose copies are on the stage; None if none are.
    """

    stage: Stage
    now: TestConfig
    typed: _Typed | None = None

    def arm(self, number: int, test: TestConfig) -> Arm:
        def target(placed: Placed) -> Target:
            return replace(
                test.target,
                command=_with_placed_java(self.now.target, placed.command),
                environment={**test.target.environment, **placed.environment},
                directory=placed.directory or test.target.directory,
            )

        def place() -> Target:
            self._check()
            return target(self.stage.draw(number))

        return Arm(replace(test, target=target(self.stage.place(number))), place)

    def _check(self) -> None:
        """Raise StageError if a file is not as it was when it was staged."""
        changed = self.stage.find_change()
        if changed is None and self.typed is not None:
            changed = self.typed.contents.find_change(self.typed.root)
        if changed is not None:
            raise _change_error(changed, self.now.name)


def _change_error(what: str, test: str) -> StageError:
    return StageError(
        f"{what} has changed during the check, so that nothing is decided",
        advice=Advice("check again: ", Step(Action.CHECK, test)),
    )


def _with_placed_java(present: Target, command: Sequence[str]) -> tuple[str, ...]:
    """Return a command with the JVM of the present program, if both start one themselves."""
    java = present.command[0]
    if not (is_java(java) and is_java(command[0])):
        return tuple(command)
    # A path may be relative to a working directory that is staged.
    return (os.path.abspath(_in(present, java)) if os.sep in java else java, *command[1:])


def _in(target: Target, path: str) -> Path:
    return (target.directory or Path()) / path


def _directory(test: TestConfig) -> Path:
    return test.target.directory or Path()
