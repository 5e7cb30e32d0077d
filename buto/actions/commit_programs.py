"""Programs of commits, kept by content: what turns launch as the old one in place of the training's.

A check of a change asks whether *this change* uses more, so its old program is that of the merge base, not
that of a training some changes ago. A release asks for *the sum* since the last one. Both programs are those
of a commit. They are in the store since the commit was trained, checked or released; else they are built
(``program: {build: ...}``). Those of releases are never removed; of others, the newest few stay.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct, structs

from buto.actions import git
from buto.actions.base import Base
from buto.actions.branches import is_on_main, merge_base
from buto.actions.events import Reporter, Told
from buto.actions.kept import Watched, forget_programs, keep_program, watch
from buto.actions.workspace import Workspace
from buto.errors import BadFileError, ButoError, UsageError
from buto.oracle import Oracle
from buto.oracle.model import COMMIT_NAME
from buto.programs.named import Kept, OldProgram, Revision, Unkept, Unlike, from_data, to_data
from buto.project.model import TestConfig
from buto.run.entries import EntryStore
from buto.run.masking import Mask
from buto.run.model import COMMIT, Run
from buto.run.patterns import fits
from buto.run.stored import parse_json, plain, read

FORMAT = "buto-build"
VERSION = 1

MOST_KEPT = 10
"""Commits of one test, without a release, whose programs stay."""

_CommitName = Annotated[str, Meta(pattern=r"^([0-9a-f]{40,64})?\Z")]
_Name = Annotated[str, Meta(max_length=200)]


class CommitProgram(Struct, frozen=True):
    """The program of a commit, as the store has it.

    Attributes:
        commit: its full name; empty for a release where git is not used.
        release: what the release is called; empty for none.
        program: the program, as an oracle stores it.
        target: how it is started, as an oracle stores it.
    """

    format: str
    version: int
    commit: _CommitName
    release: _Name
    program: Mapping[str, Any]
    target: Mapping[str, Any]

    @property
    def old_program(self) -> OldProgram:
        return from_data(self.program)


class BuildStore(EntryStore):
    """The programs of commits in one store, see :class:`buto.run.entries.EntryStore`."""

    kind: ClassVar[str] = "programs/commits"
    noun: ClassVar[str] = "build"
    loss: ClassVar[str] = "name its release again"
    max_bytes: ClassVar[int] = 1 << 20

    def of(self, test: str) -> dict[str, CommitProgram]:
        """Return the builds of a test by the names of their entries, in the order in which they were added.

        Raises:
            BadFileError: one is damaged.
        """
        return {name: self._read(test, name) for name in self.all(test)}

    def _read(self, test: str, name: str) -> CommitProgram:
        with self.reading(test, name) as content:
            build = read(parse_json(content), CommitProgram)
            if build.format != FORMAT or build.version > VERSION:
                raise ValueError(f"it is not a {FORMAT} of version {VERSION}")
            from_data(build.program)
        return build

    def keep(self, test: str, build: CommitProgram, spared: Container[str] = ()) -> None:
        """Store a build, and remove the oldest ones that are of no release.

        Args:
            spared: commits of releases that nobody has named to the store.

        Raises:
            StorageError: the store cannot be written.
        """
        known = self.of(test)
        if build in known.values():
            return
        self.add(test, json.dumps(plain(build)).encode())
        builds = self.of(test).items()
        others = [name for name, program in builds if not program.release and program.commit not in spared]
        for name in others[:-MOST_KEPT]:
            self.delete(test, name)


def builds_in(workspace: Workspace) -> BuildStore:
    """Return the builds of a workspace, which are beside the programs: one cache keeps both."""
    return BuildStore(workspace.store if workspace.programs is None else workspace.programs)


def find_used_programs(workspace: Workspace, test: str) -> set[str] | None:
    """Return the ids of kept programs that builds of a test name, which must not be removed.

    None if an entry is damaged: what it names is not known, so that any program may be in use.
    """
    try:
        programs = [program.old_program for program in builds_in(workspace).of(test).values()]
    except BadFileError:
        return None
    return {program.id for program in programs if isinstance(program, Kept)}


def commit_of_run(run: Run) -> str:
    """Return the full name of the commit of a run; empty if files had changed, or it is not known."""
    commit = str(run.metadata.get(COMMIT) or "")
    return commit if COMMIT_NAME.fullmatch(commit) else ""


def keep_build(
    workspace: Workspace,
    known: Oracle,
    test: TestConfig,
    path: Path,
    watched: Watched | None,
    runs: Sequence[Run],
) -> OldProgram:
    """Keep the program of a commit, if it is of one and can be kept, and return what was kept.

    Args:
        path: the file of the oracle, which is no part of the program.
        watched: the program before it was launched.
        runs: of that program; all of one commit without changes.

    Raises:
        StorageError: the store cannot be written.
    """
    commits = {commit_of_run(run) for run in runs}
    if len(commits) != 1 or "" in commits:
        return Unkept("files differ from the commit")
    if isinstance(known.program, Unlike):
        return known.program
    program = keep_program(workspace, test, path, watched, runs)
    if isinstance(program, Kept):
        add_build(workspace, known.test, commits.pop(), program, test.written, pattern=test.release)
    return program


def add_build(
    workspace: Workspace,
    test: str,
    commit: str,
    program: OldProgram,
    target: Mapping[str, Any],
    release: str = "",
    pattern: str = "",
) -> None:
    """Store which program a commit has; StorageError if the store cannot be written.

    Args:
        pattern: of the tags that are releases; their programs are not removed.
    """
    masked = Mask(tuple(target.get("mask", ()))).data(dict(target))
    build = CommitProgram(FORMAT, VERSION, commit, release, to_data(program), masked)
    builds_in(workspace).keep(test, build, releases_by_tag(workspace, pattern).values())


def releases_by_tag(workspace: Workspace, pattern: str) -> dict[str, str]:
    """Return the commits of tags that match a pattern, by their names; none without a pattern or git."""
    if not pattern:
        return {}
    try:
        tags = git.tags_of(git.repository_of(workspace.root, ""))
    except UsageError:
        return {}
    return {tag.name: tag.commit for tag in tags if fits(tag.name, pattern)}


def program_of(workspace: Workspace, known: Oracle, test: TestConfig, commit: str) -> Base | Unkept:
    """Return the program of a commit: as it is stored, else as it is built; nothing is built yet.

    Raises:
        BadFileError: an entry is damaged.
    """
    for build in [*builds_in(workspace).of(known.test).values()][::-1]:
        program = build.old_program
        if build.commit == commit and _is_at_hand(workspace, known.test, program):
            return Base(commit[:9], commit, program, build.target)
    if known.commit == commit and _is_at_hand(workspace, known.test, known.program):
        return Base(commit[:9], commit, known.program, known.target)
    if test.program is not None and test.program.build:
        return Base(commit[:9], commit, Revision(commit, test.program.build), test.written)
    return Unkept(f"the program of {commit[:9]} is not in {workspace.store}")


def _is_at_hand(workspace: Workspace, test: str, program: OldProgram) -> bool:
    match program:
        case Kept(id=id):
            return workspace.kept.has(test, id)
        case Revision():
            return True
    return False


def base_of_change(
    workspace: Workspace, known: Oracle, test: TestConfig, path: Path, reporter: Reporter
) -> Base | None:
    """Return the program of the merge base of what is checked out; None if that of the training is the base.

    Where the base is not known, or not at hand, turns take the program of the training, and say so.

    Args:
        path: the file of the oracle. A change that trains anew is judged by its own training.
    """
    try:
        repository = git.repository_of(workspace.root, "")
    except UsageError:
        return None
    try:
        commit = merge_base(repository, os.environ)
        if not commit or commit == known.commit or _is_checked_out(repository, commit):
            return None
        if _trains_anew(repository, known, commit, path):
            return None
        base: Base | Unkept = program_of(workspace, known, test, commit)
    except UsageError as error:
        base = Unkept(error.message, error.advice or "")
    if isinstance(base, Base):
        return structs.replace(base, name=f"the base {base.commit[:9]}")
    advice = f" ({base.advice})" if base.advice else ""
    text = f"the base of this change is not known, and turns take the program of the training: {base.reason}"
    reporter(Told(known.test, f"{text}{advice}", detail=True))
    return None


def _is_checked_out(repository: Path, commit: str) -> bool:
    """Return whether a commit is what is checked out, without any change: then it is no base of itself."""
    return commit == git.commit_of(repository, "HEAD") and not git.list_changed_files(repository)


def _trains_anew(repository: Path, known: Oracle, commit: str, path: Path) -> bool:
    """Return whether the oracle is not that of a base: it is newer, or its training was not yet of the base.

    After a squashed merge the commit of the training did not lead to the base, but its file is there.
    """
    if known.commit and git.has_commit(repository, known.commit):
        if git.is_ancestor(repository, known.commit, commit):
            return False
    elif not known.commit:
        return False
    return not git.has_same(repository, commit, path)


def watch_build(workspace: Workspace, test: TestConfig, path: Path) -> Watched | None:
    """Return the program before a check, if it is a build of the main branch that is kept; else None.

    Args:
        path: the file of its oracle.
    """
    try:
        is_build = is_on_main(git.repository_of(workspace.root, ""), os.environ)
    except UsageError:
        return None
    return watch(workspace, test, path) if is_build else None


def keep_checked(
    workspace: Workspace,
    known: Oracle,
    test: TestConfig,
    path: Path,
    watched: Watched | None,
    runs: Sequence[Run],
) -> None:
    """Keep the program of a build of the main branch, which later changes may have as their base.

    What cannot be kept ends no check.
    """
    with suppress(ButoError):
        if runs and watched is not None:
            kept = keep_build(workspace, known, test, path, watched, runs)
            if isinstance(kept, Kept):
                forget_programs(
                    workspace, known.test, known.program, find_used_programs(workspace, known.test)
                )
