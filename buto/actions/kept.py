"""Keeping the program that a test was trained on."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence, Set
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, structs

from buto.actions import git
from buto.actions.events import Told
from buto.actions.workspace import Workspace
from buto.actions.worktrees import corresponding
from buto.errors import ButoError, UsageError
from buto.measure.command_line import program_digest
from buto.measure.target import PROCESS
from buto.programs.java import reference_text
from buto.programs.named import (
    INPUTS,
    UNKNOWN,
    Kept,
    Named,
    OldProgram,
    Revision,
    Unkept,
    files_of,
    native_executable,
)
from buto.programs.snapshot import Snapshot, snapshot
from buto.project.model import TestConfig
from buto.run.model import COMMAND, PROGRAM, Run
from buto.run.units import format_bytes, format_count
from buto.steps import Advice, Setting

_BUILD_TOOLS = frozenset(
    (
        *("mvn", "mvnw", "mvnd", "gradle", "gradlew", "make", "ninja", "cmake", "bazel", "bazelisk", "ant"),
        *("sbt", "mill", "lein", "just", "task", "npm", "npx", "yarn", "pnpm", "jbang", "scala-cli", "buck2"),
    )
)
_WRAPPERS = frozenset(
    ("env", "nice", "ionice", "taskset", "numactl", "chrt", "setsid", "nohup", "stdbuf", "time", "timeout")
)
"""Commands that only start another one."""

_BOUND = ("-XX:SharedArchiveFile=", "-XX:AOTCache=")
"""Options that name an archive of classes, which a JVM does not use for jars in another directory."""

_REVISION = Advice("name how to build a revision: ", Setting("program", "{build: COMMAND}"))


class Watched(Struct, frozen=True):
    """The program of a test, as it was at one time.

    Attributes:
        program: the contents of its files, its revision, or why it cannot be kept.
        earlier: ids of the runs that were stored before.
    """

    program: Snapshot | Revision | Unkept
    earlier: frozenset[str]


def watch(workspace: Workspace, test: TestConfig, path: Path) -> Watched:
    """Return the program of a test as it is now, before it is launched.

    Args:
        path: the file of its oracle, which is no part of the program.
    """
    try:
        program: Snapshot | Revision | Unkept = program_now(workspace, test, path)
    except UsageError as error:
        program = Unkept(error.message, error.advice or "")
    return Watched(program, frozenset(workspace.runs.ids(test.name)))


def keep_program(
    workspace: Workspace, test: TestConfig, path: Path, watched: Watched | None, runs: Sequence[Run]
) -> OldProgram:
    """Keep the program of training runs, unless it has changed since it was watched.

    Args:
        watched: None if buto did not launch it.
        runs: the training runs; also earlier ones if they are of the same program.
    """
    if watched is None:
        return UNKNOWN
    if isinstance(watched.program, Unkept):
        return watched.program
    earlier = [run for run in runs if run.id in watched.earlier]
    if earlier and not _are_of_now(test, earlier):
        return Unkept("some of the runs were recorded earlier, and perhaps of another program")
    try:
        match watched.program, program_now(workspace, test, path):
            case Snapshot() as before, Snapshot() as after:
                return _store(workspace, test, before, after)
            case Revision() as before, Revision() as now if now == before:
                return now
            case _, Unkept() as unkept:
                return unkept
    except ButoError as error:
        return Unkept(error.message, error.advice or "")
    return Unkept("another revision was checked out while it was launched")


def describe_program(test: str, program: OldProgram) -> Told:
    """Return whether the program of a test can be launched again after it has changed, and why not."""
    match program:
        case Kept(n_files=n_files, n_bytes=n_bytes):
            size = f"{format_count(n_files, 'file')}, {format_bytes(n_bytes)}"
            return Told(test, f"kept the program: {size}", detail=True)
        case Revision(commit=commit):
            text = f"the program is that of revision {commit[:12]}, to be launched again"
            return Told(test, text, detail=True)
        case Unkept(reason=reason, advice=advice):
            more = (" (", advice, ")") if advice else ()
            return Told(test, Advice(f"the program is not kept: {reason}", *more))


def forget_programs(workspace: Workspace, test: str, program: OldProgram, used: Set[str] | None) -> None:
    """Remove the oldest programs of a test, except for that of its oracle.

    Args:
        used: ids of further ones that stay; None if they are not known, and all stay.
    """
    if used is None:
        return
    # If that is not possible now, the next training does it.
    with suppress(ButoError):
        workspace.kept.prune(test, {*used, program.id} if isinstance(program, Kept) else used)


def program_now(workspace: Workspace, test: TestConfig, path: Path) -> Snapshot | Revision | Unkept:
    """Return the program of a test as it is now, or why it cannot be kept.

    Args:
        path: the file of its oracle, which is no part of the program.

    Raises:
        UsageError: a file cannot be read, is a link out of the project, or there are too many or too large
            ones.
    """
    if test.keep_bytes == 0:
        return Unkept("the configuration says so")
    if test.program is not None:
        return _revision(test, test.program, path)
    command, here = test.target.command, test.target.directory or Path()
    tool = os.path.basename(command[0])
    if tool in _BUILD_TOOLS:
        return Unkept(f"{tool} builds and starts it", _REVISION)
    environment = {**os.environ, **test.target.environment}
    is_process = test.target.collector == PROCESS
    executable = native_executable(command, here, environment) if is_process else None
    base = corresponding(workspace.base, here)
    named = files_of(command, here, environment, test.inputs, base, executable)
    # The store and the oracle lie below a class path of ``.``; a revision that was built lies in the store.
    below = here.absolute()
    ours = [
        path.absolute(),
        *(directory for directory in workspace.own_directories if not below.is_relative_to(directory)),
    ]
    files = {
        file: data for file, data in named.files.items() if not any(map(Path(file).is_relative_to, ours))
    }
    named = structs.replace(named, files=files)
    if not (named.declared or _is_of_java(named, command) or _is_native(named, executable)):
        return Unkept(f"the files that {tool} starts are not known", INPUTS)
    options = [reference_text(word) for word in (*named.words, *named.environment.values())]
    if any(name in option for option in options for name in _BOUND):
        return Unkept("its archive of classes belongs to the place where its jars are")
    return snapshot(named, test.keep_bytes, within=named.declared)


def _is_native(named: Named, executable: str | None) -> bool:
    """Return whether the program is a native executable that is no part of the system."""
    return executable is not None and executable in named.files


def _is_of_java(named: Named, command: Sequence[str]) -> bool:
    return named.java == 0 or (named.java is not None and os.path.basename(command[0]) in _WRAPPERS)


def _revision(test: TestConfig, wanted: Revision, path: Path) -> Revision | Unkept:
    """Return the revision of a program; that of now only if it has all changes."""
    repository = git.repository_of(test.target.directory or Path(), INPUTS)
    if wanted.commit:
        return structs.replace(wanted, commit=git.commit_of(repository, wanted.commit))
    oracles = path.resolve().parent
    left_out = (
        [f":(top,exclude,literal){oracles.relative_to(repository)}"]
        if oracles.is_relative_to(repository) and oracles != repository
        else []
    )
    changed = git.paths(repository, "diff", "--name-only", "-z", "HEAD", "--", ":(top)", *left_out)
    if changed:
        return Unkept(f"{changed[0]} has changes that are not committed", "commit them, and train again")
    return structs.replace(wanted, commit=git.commit_of(repository, "HEAD"))


def _store(workspace: Workspace, test: TestConfig, before: Snapshot, after: Snapshot) -> OldProgram:
    changed = after.find_changed_since(before)
    # What is data and changes is written by the program itself.
    written = {path for path in changed if {**before.named.files, **after.named.files}[path]}
    code = [path for path in changed if path not in written]
    if code:
        return Unkept(f"{code[0]} has changed while it was launched")
    words = test.written.get("command", ())
    as_written = shlex.split(words) if isinstance(words, str) else [str(word) for word in words]
    mask = test.target.new_mask()
    program = after.without_secrets(after.program(written), mask, test.target.command, as_written)
    return workspace.kept.keep(test.name, program, after.root)


def _are_of_now(test: TestConfig, runs: Sequence[Run]) -> bool:
    """Return whether runs are known to be of the program as it is now."""
    command = test.target.new_mask().command(test.target.command)
    programs = {run.metadata.get(PROGRAM) for run in runs}
    is_same = all(run.metadata.get(COMMAND) == command for run in runs) and len(programs) == 1
    return is_same and programs == {program_digest(runs[-1].metadata)} != {None}
