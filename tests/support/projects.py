"""Projects in a directory, for tests that call the workflow without a command line."""

from __future__ import annotations

from pathlib import Path

from buto.actions.project import Files, Project


def project_in(directory: Path) -> Project:
    """A project without a configuration; its store and its oracles are where they usually are."""
    files = Files(None, False, directory, directory / ".buto", None)
    return Project(files, None)
