"""Revisions of a git repository: checked out into temporary working trees, built, and bisected.

What a build has made is kept in the store, by commit and command, so that the next call need not build again.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from enum import Enum
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path

from buto.actions import git
from buto.actions.events import OnEvent, Told, ignore
from buto.actions.stored import Site
from buto.errors import JudgeError, MeasureError, StorageError, UsageError
from buto.measure import account
from buto.measure.output import last_lines
from buto.measure.private_directory import private_directory
from buto.measure.watchdog import Watchdog
from buto.project.model import TestConfig
from buto.report.result import Commit
from buto.run.files import acquire
from buto.steps import Action, Advice, Step

BUILD_TIMEOUT_S = 3600.0


KEPT_BYTES = 2 * 2**30
"""The newest builds are kept that need less together."""


@contextmanager
def checked_out(repository: Path, commit: str, place: Path | None = None) -> Iterator[Path]:
    """Check out a commit into a temporary working tree, which is removed at the end.

    Args:
        place: the directory for the working tree; None for a temporary one.
    """
    with private_directory() if place is None else nullcontext(place) as parent:
        # All have the same name: paths of different lengths would make the programs differ.
        tree = parent / "checkout"
        # A buto that was killed may have left one at this place.
        _remove(repository, tree)
        try:
            git.output_of(repository, "worktree", "add", "--detach", "--quiet", os.fspath(tree), commit)
            yield tree
        finally:
            _remove(repository, tree)


def _remove(repository: Path, tree: Path) -> None:
    """Remove a working tree and git's record of it, if there is one."""
    git.call(repository, "worktree", "remove", "--force", "--force", os.fspath(tree))
    # Files that git leaves are removed, too; git later prunes its own record.
    shutil.rmtree(tree, ignore_errors=True)


@contextmanager
def built(
    builds: Path, repository: Path, commit: str, build: str, on_event: OnEvent = ignore
) -> Iterator[Path]:
    """Check out a commit and build it, or add what an earlier call has built; the working tree is removed.

    The command runs where the current directory is in the working tree, else at its top.

    Args:
        builds: the directory of the kept builds, one for each commit, command, directory and JDK. Two calls
            at the same time build each for itself.

    Raises:
        StorageError: the build cannot be kept.
    """
    inside = _inside(repository)
    with _place(builds, commit, build, inside) as place:
        kept = place / "built"
        with checked_out(repository, commit, place) as tree:
            if kept.is_dir():
                on_event(Told("", f"{commit[:12]} was built before", detail=True))
                _copied(kept, tree)
            else:
                on_event(Told("", f"building {commit[:12]}: {build}"))
                run_build(build, same_place(tree, repository, repository / inside))
                new = place / "new"
                shutil.rmtree(new, ignore_errors=True)
                _copied(tree, new)
                new.rename(kept)
            os.utime(kept)
            yield tree
    # If another call removes some at the same time, the next one does the rest.
    with suppress(FileNotFoundError):
        _prune(builds)


def _inside(repository: Path) -> Path:
    """Return where the current directory is in any working tree of a repository; else its top."""
    words = ("rev-parse", "--git-common-dir", "--show-prefix")
    here, there = (git.call(directory, *words) for directory in (Path(), repository))
    if here.returncode or there.returncode:
        return Path()
    (ours, *prefix), (theirs, *_) = (done.stdout.splitlines() for done in (here, there))
    is_same = Path(ours).resolve() == (repository / theirs).resolve()
    return Path(*prefix) if is_same else Path()


@contextmanager
def _place(builds: Path, commit: str, build: str, inside: Path) -> Iterator[Path]:
    """Lock the directory of a build, or of its next copy if another call uses that."""
    jdk = os.path.realpath(shutil.which("java") or "")
    for number in count():
        parts = (commit, build, os.fspath(inside), jdk, os.environ.get("JAVA_HOME", ""), str(number))
        place = builds / sha256("\0".join(parts).encode()).hexdigest()[:16]
        with _locked(place) as is_ours:
            if is_ours:
                yield place
                return


@contextmanager
def _locked(place: Path) -> Iterator[bool]:
    try:
        place.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise StorageError(f"{place} cannot be written: {error.strerror}") from error
    try:
        # It may have been removed before it was locked.
        yield acquire(descriptor, 0.0) and place.exists()
    finally:
        os.close(descriptor)


def _copied(source: Path, target: Path) -> None:
    try:
        shutil.copytree(
            source, target, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git")
        )
    except OSError as error:
        raise StorageError(f"what was built cannot be kept in {target}: {error}") from error


def _prune(builds: Path) -> None:
    """Remove the oldest builds beyond the limit, except those that are in use."""
    used = 0
    for kept in sorted(builds.glob("*/built"), key=lambda path: path.stat().st_mtime, reverse=True):
        used += sum(path.lstat().st_size for path in kept.rglob("*") if not path.is_dir())
        if used > KEPT_BYTES:
            with _locked(kept.parent) as is_ours:
                if is_ours:
                    shutil.rmtree(kept.parent, ignore_errors=True)


def same_place(tree: Path, repository: Path, directory: Path) -> Path:
    """Return the directory of a working tree that corresponds to one of the repository."""
    inside = directory.resolve()
    if not inside.is_relative_to(repository):
        raise UsageError(f"{inside} is not in the repository {repository}, so no revision has it")
    place = tree / inside.relative_to(repository)
    if not place.is_dir():
        raise UsageError(f"this revision has no directory {inside.relative_to(repository)}")
    return place


def run_build(command: str, directory: Path, timeout_s: float = BUILD_TIMEOUT_S) -> None:
    """Run the build command in a working tree, by a shell that stops at the first line that fails.

    Raises:
        UsageError: the command is empty.
        MeasureError: it fails, or takes too long.
    """
    if not command.strip():
        raise UsageError("--build: the command is empty")
    with tempfile.TemporaryFile() as output, Watchdog() as watchdog:
        # Its own session, so that all processes that it starts can be ended together.
        process = subprocess.Popen(
            ["sh", "-ec", command],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **watchdog.environment},
            start_new_session=True,
            preexec_fn=partial(account.die_with_parent, os.getpid()),
        )
        watchdog.watch(process.pid)
        try:
            code: int | None = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if code != 0:
            how = f"took longer than {timeout_s:g} s" if code is None else f"exited with code {code}"
            output.seek(0)
            raise MeasureError(
                f"--build: {command} {how}; its last lines:\n{last_lines(output.read())}",
                advice="try the command in a fresh clone: only committed files are built",
            )


_WITHOUT_GIT = Advice(
    Step(Action.COMPARE, "A", against="B", command=("COMMAND",)), " compares without a repository"
)


def at_revision(
    site: Site, test: TestConfig, revision: str, build: str | None, stack: ExitStack, on_event: OnEvent
) -> TestConfig:
    """Return how to launch a revision of a test's program; closing the stack removes its working tree.

    Args:
        build: the command that builds it; None for none.
    """
    here = test.target.directory or Path()
    repository = git.repository_of(here, _WITHOUT_GIT)
    commit = git.commit_of(repository, revision)
    if build is None:
        tree = stack.enter_context(checked_out(repository, commit))
    else:
        builds = site.runs.storage.here.resolve() / "builds"
        tree = stack.enter_context(built(builds, repository, commit, build, on_event))
    # After the build, which may create the directory.
    directory = same_place(tree, repository, here)
    return replace(test, target=replace(test.target, directory=directory))


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
    form = "--format=%H%x00%an <%ae>%x00%as%x00%s"
    plain = ("--max-count=1", "--no-show-signature", "--encoding=UTF-8")
    return Commit(*git.output_of(repository, "log", *plain, form, commit).split("\0"))


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
        tree: a working tree of the repository for this search only, where git keeps its state.
        good, bad: full names of a commit known to be good and of one known to be bad.
        judge: called with the name of a commit, at most once for each.

    Returns:
        The commit; or several candidates, if all but one of them were skipped.

    Raises:
        JudgeError: git cannot continue, for instance because the commits are unrelated, or the
            regression is not between them.
    """
    words: tuple[str, ...] = ("start", "--no-checkout", bad, good, "--")
    judged: set[str] = set()
    while True:
        done = git.call(tree, "bisect", *words)
        found = _FIRST_BAD.search(done.stdout)
        if found is not None:
            return (found[1],)
        if done.returncode == _ONLY_SKIPPED:
            return tuple(_NAME.findall(done.stdout))
        if done.returncode:
            raise JudgeError(f"git bisect cannot continue: {done.stderr.strip() or done.stdout.strip()}")
        commit = git.output_of(tree, "rev-parse", "BISECT_HEAD")
        if commit in judged:
            raise JudgeError(f"git bisect chose {commit[:12]} twice and printed: {done.stdout.strip()}")
        judged.add(commit)
        words = (judge(commit).value,)
