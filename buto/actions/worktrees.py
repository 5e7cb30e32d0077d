"""Revisions of a git repository: checked out into temporary working trees, built, and bisected.

What a build has made is kept in the store, by commit and command, so that the next call need not build again.
A store may come from elsewhere: only what this checkout has built is taken from it.
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
from buto.actions.events import Reporter, Told, ignore
from buto.actions.launcher import Launcher
from buto.actions.seals import has_seal, is_sealed, seal
from buto.errors import JudgeError, MeasureError, StorageError, UsageError
from buto.measure import account
from buto.measure.environment import give_environment
from buto.measure.output import last_lines
from buto.measure.private_directory import private_directory
from buto.measure.watchdog import Watchdog
from buto.programs.java import is_java
from buto.project.model import TestConfig
from buto.report.result import Commit
from buto.run.below import below
from buto.run.files import acquire
from buto.steps import Action, Advice, Step

BUILD_TIMEOUT_S = 3600.0

_MOST_SHOWN_BYTES = 64 * 1024
"""Of the output of a build that failed, in which its last lines are looked for."""

KEPT_BYTES = 2 * 2**30
"""The newest builds are kept that need less together."""


@contextmanager
def check_out(repository: Path, commit: str, place: Path | None = None) -> Iterator[Path]:
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
    if tree.is_symlink():
        # Somebody has put it there; git would write to its target.
        tree.unlink()
    git.call(repository, "worktree", "remove", "--force", "--force", os.fspath(tree))
    # Files that git leaves are removed, too; git later prunes its own record.
    _clear(tree)


def _clear(path: Path) -> None:
    """Remove a directory with its content, a file, or a link but not its target; if possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


@contextmanager
def build_revision(
    builds: Path, repository: Path, commit: str, build: str, reporter: Reporter = ignore
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
        with check_out(repository, commit, place) as tree:
            if is_sealed(repository, place, kept):
                reporter(Told("", f"{commit[:12]} was built before", detail=True))
                for path in tree.iterdir():
                    if path.name != ".git":
                        _clear(path)
                _copy(kept, tree)
            else:
                reporter(Told("", f"building {commit[:12]}: {build}"))
                run_build(build, same_place(tree, repository, repository / inside))
                new = place / "new"
                _clear(new)
                _copy(tree, new)
                _clear(kept)
                new.rename(kept)
                seal(repository, place, kept)
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
        place = builds / sha256(os.fsencode("\0".join(parts))).hexdigest()[:16]
        with _lock(place, make=True) as is_ours:
            if is_ours:
                yield place
                return


@contextmanager
def _lock(place: Path, *, make: bool = False) -> Iterator[bool]:
    """Lock the directory of a build; BadFileError if it is a link, which leads out of the store."""
    store = place.parent.parent
    with ExitStack() as stack:
        try:
            key = place.relative_to(store).as_posix()
            directory = stack.enter_context(below(store, key, make=make))
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise StorageError(f"{place} cannot be written: {error.strerror}") from error
        stack.callback(os.close, descriptor)
        # It may have been removed before it was locked.
        yield acquire(descriptor, 0.0) and place.exists()


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copytree(
            source, target, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git")
        )
    except OSError as error:
        raise StorageError(f"what was built cannot be kept in {target}: {error}") from error


def _prune(builds: Path) -> None:
    """Remove the oldest builds beyond the limit, except those that are in use, and what buto has not made."""
    used = 0
    sealed = [
        kept for kept in builds.glob("*/built") if not kept.parent.is_symlink() and has_seal(kept.parent)
    ]
    for kept in sorted(sealed, key=lambda path: path.stat().st_mtime, reverse=True):
        used += sum(path.lstat().st_size for path in kept.rglob("*") if not path.is_dir())
        if used > KEPT_BYTES:
            with _lock(kept.parent) as is_ours:
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


def corresponding(base: Path | None, directory: Path) -> Path | None:
    """Return what a directory of the user's is in the working tree that another one is in.

    Args:
        base: the user's, to which patterns are relative; None for none.
        directory: of the user's, or in a working tree of the same repository.

    Returns:
        The base itself unless there is such a working tree.
    """
    ours, theirs = (None if path is None else _tree_of(path.resolve()) for path in (base, directory))
    if base is None or ours is None or theirs is None or ours[0] == theirs[0] or ours[1] != theirs[1]:
        return base
    return theirs[0] / base.resolve().relative_to(ours[0])


def _tree_of(directory: Path) -> tuple[Path, Path] | None:
    """Return the top of the working tree of a directory, and its repository; None if it is in none."""
    for top in (directory, *directory.parents):
        place = top / ".git"
        if place.is_dir():
            return top, place.resolve()
        if place.is_file():
            # As git writes it for each working tree besides the first: REPOSITORY/worktrees/NAME.
            named = Path(place.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip())
            return top, (top / named).resolve().parent.parent
    return None


_WITH_SUBMODULES = (
    "the submodules of this revision are empty in its working tree; to fill them: "
    "--build 'git submodule update --init --recursive && {command}'"
)


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
            env={**give_environment(), **watchdog.environment},
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
            output.seek(max(0, output.seek(0, os.SEEK_END) - _MOST_SHOWN_BYTES))
            raise MeasureError(
                f"--build: {command} {how}; its last lines:\n{last_lines(output.read())}",
                advice=_WITH_SUBMODULES.format(command=command)
                if any((parent / ".gitmodules").exists() for parent in (directory, *directory.parents))
                else "try the command in a fresh clone: only committed files are built",
            )


_WITHOUT_GIT = Advice(
    Step(Action.COMPARE, "A", against="B", command=("COMMAND",)), " compares without a repository"
)


def at_revision(
    launcher: Launcher, test: TestConfig, revision: str, build: str | None, stack: ExitStack
) -> TestConfig:
    """Return how to launch a revision of a test's program; closing the stack removes its working tree.

    Args:
        build: the command that builds it; None for none.
    """
    here = test.target.directory or Path()
    repository = git.repository_of(here, _WITHOUT_GIT)
    commit = git.commit_of(repository, revision)
    if build is None:
        tree = stack.enter_context(check_out(repository, commit))
    else:
        builds = launcher.workspace.runs.storage.here.resolve() / "builds"
        tree = stack.enter_context(build_revision(builds, repository, commit, build, launcher.report))
    # After the build, which may create the directory.
    directory = same_place(tree, repository, here)
    # The JDK is the present one wherever it is.
    command = tuple(
        word if place == 0 and is_java(word) else _move(word, repository, tree)
        for place, word in enumerate(test.target.command)
    )
    variables = {name: _move(text, repository, tree) for name, text in test.target.environment.items()}
    target = replace(test.target, directory=directory, command=command, environment=variables)
    return replace(test, target=target)


def _move(text: str, repository: Path, tree: Path) -> str:
    """Return a text with the paths of a working tree in place of those of the repository.

    Otherwise a command with absolute paths would start the present files whatever the revision.
    """
    return re.sub(rf"(?<![^:=,;@]){re.escape(os.fspath(repository))}(?=[/:,;]|$)", lambda _: str(tree), text)


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


def describe_commit(repository: Path, commit: str) -> Commit:
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
        match = _FIRST_BAD.search(done.stdout)
        if match is not None:
            return (match[1],)
        if done.returncode == _ONLY_SKIPPED:
            return tuple(_NAME.findall(done.stdout))
        if done.returncode:
            raise JudgeError(f"git bisect cannot continue: {done.stderr.strip() or done.stdout.strip()}")
        commit = git.output_of(tree, "rev-parse", "BISECT_HEAD")
        if commit in judged:
            raise JudgeError(f"git bisect chose {commit[:12]} twice and printed: {done.stdout.strip()}")
        judged.add(commit)
        words = (judge(commit).value,)
