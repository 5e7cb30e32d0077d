"""Who calls buto."""

from __future__ import annotations

from pathlib import Path

from buto.errors import UsageError
from buto.workflow.git import commands as git


def person_at(directory: Path) -> str:
    """Return git's name of the person (``user.name``); empty if git knows none or is not installed."""
    try:
        return git.call(directory, "config", "user.name").stdout.strip()
    except UsageError:
        return ""
