"""Call git in a repository of a test, whatever its user has configured."""

from __future__ import annotations

import subprocess
from pathlib import Path

NAMES = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(directory: Path, *words: str, check: bool = True) -> str:
    """Return what git prints."""
    return subprocess.run(
        ["git", *NAMES, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=check
    ).stdout


def commit(directory: Path) -> None:
    """Commit all that there is."""
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "-m", "a change")
