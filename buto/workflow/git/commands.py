"""Calls of git. No other module starts git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from buto.errors import UsageError

GIT_TIMEOUT_S = 600.0

_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""Variables that git sets for its hooks; with them, other calls of git would use the wrong files."""


def repository_of(directory: Path, otherwise: str) -> Path:
    """Return the top of the working tree that contains a directory.

    Args:
        otherwise: the advice if there is no repository.

    Raises:
        UsageError: the directory is in no repository, or git is not installed.
    """
    done = call(directory, "rev-parse", "--show-toplevel")
    if done.returncode:
        raise UsageError(
            f"{directory.resolve()} is in no git repository: {done.stderr.strip()}", advice=otherwise
        )
    return Path(done.stdout.strip()).resolve()


def commit_of(repository: Path, revision: str) -> str:
    """Return the full name of a revision's commit. UsageError if there is no such revision."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    done = call(repository, *words)
    if done.returncode == 0:
        return done.stdout.strip()
    if output_of(repository, "rev-parse", "--is-shallow-repository") == "true":
        raise UsageError(
            f"{repository} has no revision {revision!r}, and it is a clone without history",
            advice="git fetch --unshallow; on GitHub: fetch-depth: 0, on GitLab: GIT_DEPTH: 0",
        )
    raise UsageError(
        f"{repository} has no revision {revision!r}", advice="git log --oneline, git tag, git branch"
    )


def paths(directory: Path, *words: str) -> list[str]:
    """Return the paths that a git command with ``-z`` prints; UsageError with git's message."""
    return [path for path in output_of(directory, *words).split("\0") if path]


def output_of(directory: Path, *words: str) -> str:
    """Return what git prints; UsageError with git's message."""
    done = call(directory, *words)
    if done.returncode:
        raise UsageError(f"git {words[0]}: {done.stderr.strip() or f'exited with code {done.returncode}'}")
    return done.stdout.strip()


def call(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run git in a directory, in English and without the user's hooks, and return how it ended.

    Raises:
        UsageError: git cannot be started, or does not end.
    """
    environment = {key: value for key, value in os.environ.items() if key not in _OF_A_HOOK}
    try:
        return subprocess.run(
            ["git", "-c", f"core.hooksPath={os.devnull}", *words],
            cwd=directory,
            env={**environment, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            # File names need not be UTF-8.
            encoding="utf-8",
            errors="surrogateescape",
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git cannot be used: {error}", advice="install git") from error
