"""Revisions of a git repository, checked out into temporary working trees and built."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from buto.collect.process import kernel
from buto.collect.process.output import last_lines
from buto.collect.process.private_directory import private_directory
from buto.collect.process.watchdog import Watchdog
from buto.errors import MeasureError, UsageError
from buto.steps import Advice, Setting
from buto.workflow.git import commands as git

BUILD_TIMEOUT_S = 3600.0


@contextmanager
def checked_out(repository: Path, commit: str) -> Iterator[Path]:
    """Check out a commit into a temporary working tree, which is removed at the end.

    Raises:
        UsageError: git cannot create it.
        StorageError: there is no room for it.
    """
    with private_directory() as place:
        # All have the same name: paths of different lengths would make the programs differ.
        tree = place / "checkout"
        try:
            git.output_of(repository, "worktree", "add", "--detach", "--quiet", os.fspath(tree), commit)
            yield tree
        finally:
            # Files that git leaves are removed with the directory; git later prunes its own record.
            git.call(repository, "worktree", "remove", "--force", "--force", os.fspath(tree))


def same_place(tree: Path, repository: Path, directory: Path) -> Path:
    """Return the directory of a working tree that corresponds to one of the repository.

    Raises:
        UsageError: that directory is outside the repository, or this revision does not have it.
    """
    inside = directory.resolve()
    if not inside.is_relative_to(repository):
        raise UsageError(f"{inside} is not in the repository {repository}, so no revision has it")
    place = tree / inside.relative_to(repository)
    if not place.is_dir():
        raise UsageError(f"this revision has no directory {inside.relative_to(repository)}")
    return place


def build(command: str, directory: Path, timeout_s: float = BUILD_TIMEOUT_S) -> None:
    """Run the build command in a working tree.

    Raises:
        UsageError: the command cannot be split into words, or cannot be started.
        MeasureError: it fails, or takes too long; quotes what it printed.
    """
    words = _words(command)
    with tempfile.TemporaryFile() as output, Watchdog() as watchdog:
        try:
            # Its own session, so that all processes that it starts can be ended together.
            process = subprocess.Popen(
                words,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **watchdog.environment},
                start_new_session=True,
                preexec_fn=partial(kernel.die_with_parent, os.getpid()),
            )
        except OSError as error:
            raise UsageError(
                f"--build: {words[0]} cannot be started: {error.strerror}",
                advice=Advice(
                    "buto runs the command without a shell; to use one: ",
                    Setting("build", f"sh -c {shlex.quote(command)}"),
                ),
            ) from error
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


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--build: {command!r} cannot be split into words: {error}") from error
    if not words:
        raise UsageError("--build: the command is empty")
    return words
