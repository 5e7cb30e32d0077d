"""Releases: which programs they are, and which one is the anchor of the sum since the last one.

The anchor of a test does not move when a change is accepted or an oracle is trained anew: only the next
release moves it. It is the release that the history of what is checked out has last, whatever the clock says;
HEAD itself is none, so that a release is judged by the one before it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from buto.actions import git
from buto.actions.base import Base
from buto.actions.commit_programs import (
    CommitProgram,
    add_build,
    builds_in,
    find_used_programs,
    program_of,
    releases_by_tag,
)
from buto.actions.events import Reporter, Told, ignore
from buto.actions.kept import describe_program, forget_programs, keep_program, watch
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.workspace import KnownOracle, Workspace
from buto.errors import JudgeError, UsageError
from buto.oracle import Oracle
from buto.programs.named import Kept, OldProgram, Revision, Unkept, Unlike
from buto.project.model import TestConfig
from buto.steps import Action, Advice, Setting, Step

_TAG_BUILDS = ("CI_COMMIT_TAG", "BUTO_RELEASE")
"""Variables of a build of a tag, beside GitHub's ``GITHUB_REF_TYPE``."""


class ReleaseRequest(Struct, frozen=True):
    """What was released.

    Attributes:
        names: tests, each with an oracle; empty for all of the configuration.
        release: what the release is called. If git has such a tag, its commit was released, else HEAD.
        overrides: what this call specifies of the tests.
    """

    names: tuple[str, ...]
    release: str
    overrides: Overrides = NO_OVERRIDES


class Released(Struct, frozen=True):
    """A release of a test: its commit, empty without git, and the program that is kept of it."""

    test: str
    release: str
    commit: str
    program: OldProgram


def release(project: Project, request: ReleaseRequest, reporter: Reporter = ignore) -> list[Released]:
    """Keep the programs of a release, which later checks of the sum since then compare with.

    Nothing is launched: the program is in the store since its commit was trained or checked; else it is the
    present one, or is built.

    Raises:
        UsageError: the release has no name, or its program is not at hand.
        BadFileError: there is no oracle.
        StorageError: the store cannot be written.
    """
    action = Action.RELEASE
    name = request.release
    if not name or name != name.strip() or not name.isprintable() or len(name) > 100:
        raise UsageError(f"a release needs a name of at most 100 characters in one line, got {name!r}")
    if project.find_test(name) is not None or name in project.files.find_trained():
        raise UsageError(
            f"{name!r} is a test, and no name for a release",
            advice=Advice("name the release after it: ", Step(action, name, release="VERSION")),
        )
    every = [
        project.load_known(test, action) for test in project.names(request.names, action, request.overrides)
    ]
    tests = [project.test(known.oracle.test, action, request.overrides, known.oracle) for known in every]
    workspace = project.workspace()
    done = []
    for known, test in zip(every, tests, strict=True):
        released = _release(workspace, known, test, name)
        reporter(describe_program(released.test, released.program))
        used = find_used_programs(workspace, released.test)
        forget_programs(workspace, released.test, known.oracle.program, used)
        done.append(released)
    return done


def take_back(project: Project, request: ReleaseRequest) -> list[str]:
    """Remove a release that was named by mistake, and return the tests that had it.

    A tag that the configuration takes for a release stays one.

    Raises:
        UsageError: none of the tests has such a release.
        BadFileError: an entry is damaged, or there is no oracle.
        StorageError: the store cannot be written.
    """
    workspace, action = project.workspace(), Action.RELEASE
    builds = builds_in(workspace)
    names = project.names(request.names, action, request.overrides)
    builds_of = {test: builds.of(test) for test in names}
    done = [
        test
        for test, builds_of_test in builds_of.items()
        if any(build.release == request.release for build in builds_of_test.values())
    ]
    if not done:
        named = {build.release for found in builds_of.values() for build in found.values()} - {""}
        raise UsageError(
            f"no release of {', '.join(map(repr, names))} was named {request.release!r}",
            advice=f"these were: {', '.join(sorted(named)) or 'none'}; a tag is removed by git tag -d NAME",
        )
    for test in done:
        known = project.load_known(test, action)
        for entry, build in builds_of[test].items():
            if build.release == request.release:
                builds.delete(test, entry)
        forget_programs(workspace, test, known.oracle.program, find_used_programs(workspace, test))
    return done


def _release(workspace: Workspace, known: KnownOracle, test: TestConfig, name: str) -> Released:
    commit, is_here = _release_commit(workspace, name)
    program: OldProgram | Unkept = Unkept("there is no commit")
    target: Mapping[str, object] = test.written
    if commit:
        base = program_of(workspace, known.oracle, test, commit)
        program, target = (base, target) if isinstance(base, Unkept) else (base.program, base.target)
    if isinstance(program, Unkept) and is_here:
        program, target = _present(workspace, known, test), test.written
    if isinstance(program, Unkept):
        raise UsageError(
            f"the program of the release {name} cannot be kept: {program.reason}",
            advice=Advice(
                "check out its commit, build it, and release it there",
                *(("; or ", Setting("program", "{build: COMMAND}")) if commit else ()),
            ),
        )
    add_build(workspace, known.oracle.test, commit, program, target, name)
    return Released(known.oracle.test, name, commit, program)


def _release_commit(workspace: Workspace, name: str) -> tuple[str, bool]:
    """Return the commit of a release, empty without git, and whether its files are those that are here."""
    try:
        repository = git.repository_of(workspace.root, "")
    except UsageError:
        return "", True
    tags = {tagged.name: tagged.commit for tagged in git.tags_of(repository)}
    head = git.commit_of(repository, "HEAD")
    commit = tags.get(name, head)
    changed = git.list_changed_files(repository)
    if commit == head and name not in tags and changed:
        raise UsageError(
            f"{changed[0]} is not committed, so that {name} is no commit",
            advice=f"commit it; or tag the commit of the release: git tag {name} COMMIT",
        )
    return commit, commit == head and not changed


def _present(workspace: Workspace, known: KnownOracle, test: TestConfig) -> OldProgram:
    if isinstance(known.oracle.program, Unlike):
        return known.oracle.program
    return keep_program(workspace, test, known.path, watch(workspace, test, known.path), ())


def anchor_of(workspace: Workspace, known: Oracle, test: TestConfig, reporter: Reporter) -> Base:
    """Return the program of the last release before what is checked out.

    Raises:
        JudgeError: there is none, it is not at hand, or nobody can tell which one it is: a tag was moved, or
            its commit is not in this clone.
        BadFileError: an entry is damaged.
    """
    try:
        repository: Path | None = git.repository_of(workspace.root, "")
    except UsageError:
        repository = None
    named = [program for program in builds_in(workspace).of(known.test).values() if program.release]
    if repository is None:
        if not named:
            raise _no_release(known)
        last = named[-1]
        if not _is_stored(workspace, known, last.old_program):
            raise JudgeError(
                f"the program of the release {last.release} is not in {workspace.store}",
                advice="bring the store along that has it; or release its program again",
            )
        return _anchor(last.release, Base(last.release, "", last.old_program, last.target), test)
    tags = {tagged.name: tagged.commit for tagged in git.tags_of(repository)}
    releases = {
        **releases_by_tag(workspace, test.release),
        **_commits_of(named_commits := _of_this_history(repository, named), tags, known),
    }
    ancestors = {commit: place for place, commit in enumerate(git.ancestors_of(repository))}
    # What is not committed yet comes after a release of HEAD, but a build changes files of its own release.
    nearest = 0 if git.list_changed_files(repository) and not _is_of_tag(os.environ) else 1
    for name, commit in named_commits:
        if not git.has_commit(repository, commit):
            raise _not_in_clone(repository, name, commit, known)
    before = {name: commit for name, commit in releases.items() if ancestors.get(commit, -1) >= nearest}
    if not before:
        if git.is_shallow(repository):
            raise JudgeError(
                "the history of what is checked out is not in this clone, and so no release", advice=git.FETCH
            )
        here = sorted(name for name, commit in releases.items() if commit in ancestors)
        raise _is_released(known, here[-1]) if here else _no_release(known)
    name = _last(repository, before, ancestors)
    later = sorted(tag for tag, commit in releases.items() if commit not in ancestors)
    if later:
        text = f"not in the history of what is checked out, and left out: {', '.join(later[-3:])}"
        reporter(Told(known.test, text, detail=True))
    commit = releases[name]
    stored_base = next(
        (
            Base(name, commit, program.old_program, program.target)
            for program in named[::-1]
            if (program.release, program.commit) == (name, commit)
            and _is_stored(workspace, known, program.old_program)
        ),
        None,
    )
    anchor = stored_base or program_of(workspace, known, test, commit)
    if isinstance(anchor, Unkept):
        raise JudgeError(
            f"the program of the release {name} is not at hand: {anchor.reason}",
            advice=Advice(
                "bring the store along that has it; or check out its commit, build it, and: ",
                Step(Action.RELEASE, known.test, release=name),
                "; or ",
                Setting("program", "{build: COMMAND}"),
            ),
        )
    return _anchor(name, anchor, test)


def _is_of_tag(environment: Mapping[str, str]) -> bool:
    return environment.get("GITHUB_REF_TYPE") == "tag" or any(map(environment.get, _TAG_BUILDS))


def _of_this_history(repository: Path, named: Sequence[CommitProgram]) -> list[tuple[str, str]]:
    """Return names and commits of named releases, without gone commits of those that were named anew.

    A release that was named without git has no place in a history.
    """
    pairs = [(program.release, program.commit) for program in named if program.commit]
    here = {name for name, commit in pairs if git.has_commit(repository, commit)}
    return [
        (name, commit) for name, commit in pairs if name not in here or git.has_commit(repository, commit)
    ]


def _last(repository: Path, releases: Mapping[str, str], ancestors: Mapping[str, int]) -> str:
    """Return the last release before what is checked out: no other one descends from it.

    Of several, as of a line of older releases that was merged, it is the one on the branch itself.
    """
    left = git.last_of(repository, list(dict.fromkeys(releases.values())))
    own = [commit.name for commit in git.history_of(repository)[::-1] if commit.name in left]
    last = own[0] if own else min(left, key=lambda commit: ancestors[commit])
    return min(name for name, commit in releases.items() if commit == last)


def _commits_of(named: Sequence[tuple[str, str]], tags: Mapping[str, str], known: Oracle) -> dict[str, str]:
    """Return the commits of named releases; JudgeError if nobody can tell the commit of one."""
    commits: dict[str, str] = {}
    for name, commit in named:
        if tags.get(name, commit) != commit and (name, tags[name]) not in named:
            raise JudgeError(
                f"the tag {name} has moved: it is at {tags[name][:9]}, and {commit[:9]} was released",
                advice=Advice(
                    "move it back, or release its commit: ", Step(Action.RELEASE, known.test, release=name)
                ),
            )
        if name not in tags and commits.get(name, commit) != commit:
            raise JudgeError(
                f"the release {name} was named at {commits[name][:9]} and at {commit[:9]}",
                advice=f"tag the one that holds: git tag {name} COMMIT",
            )
        commits[name] = tags.get(name, commit)
    return commits


def _is_stored(workspace: Workspace, known: Oracle, program: OldProgram) -> bool:
    return isinstance(program, Revision) or (
        isinstance(program, Kept) and workspace.kept.has(known.test, program.id)
    )


def _anchor(name: str, base: Base, test: TestConfig) -> Base:
    return structs.replace(base, name=name, sizes=dict(test.budget), is_release=True)


def _no_release(known: Oracle) -> JudgeError:
    return JudgeError(
        f"no release of {known.test!r} is known before what is checked out",
        advice=Advice(
            "name the last one: ",
            Step(Action.RELEASE, known.test, release="NAME"),
            "; or the tags of releases: ",
            Setting("release", "v*"),
        ),
    )


def _is_released(known: Oracle, name: str) -> JudgeError:
    return JudgeError(
        f"{name} is what is checked out, so nothing of {known.test!r} has changed since",
        advice=Advice("after the next commit: ", Step(Action.CHECK, known.test, release=name)),
    )


def _not_in_clone(repository: Path, name: str, commit: str, known: Oracle) -> JudgeError:
    text = f"the commit of the release {name}, {commit[:9]}, is not in this clone"
    if git.is_shallow(repository):
        return JudgeError(text, advice=git.FETCH)
    return JudgeError(
        f"{text}: its history was rebased or squashed",
        advice=Advice(
            "check out what was released, build it, and: ", Step(Action.RELEASE, known.test, release=name)
        ),
    )
