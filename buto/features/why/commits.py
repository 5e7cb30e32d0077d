"""The commit between two revisions that touched a changed method, by its line or its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from buto.actions import git
from buto.features.why.changes import How
from buto.features.why.model import Cause, Explanation, Tier
from buto.programs.classes import class_of

_CHANGED = (How.ADDED.value, How.CHANGED.value, How.ANNOTATED.value)
_FORMAT = ("--no-patch", "--no-show-signature", "--encoding=UTF-8", "--format=%h %s")


def with_commits(explanation: Explanation, directory: Path, revisions: tuple[str, str]) -> Explanation:
    """Return the explanation with the commits of its changed methods, as far as they can be found.

    Args:
        directory: in the repository.
        revisions: the old and the new one.
    """

    def known(cause: Cause) -> Cause:
        is_wanted = cause.tier is not Tier.OTHER and cause.code in _CHANGED and cause.file
        return replace(cause, commit=_commit_of(cause, directory, revisions)) if is_wanted else cause

    return replace(
        explanation,
        kinds=tuple(replace(kind, found=tuple(map(known, kind.found))) for kind in explanation.kinds),
    )


def _commit_of(cause: Cause, directory: Path, revisions: tuple[str, str]) -> str:
    """Return name and subject of the newest commit that changed the line, else the only one of the file."""
    package = class_of(class_of(cause.method)).replace(".", "/")
    old, new = revisions
    pattern = f":(top,glob)**/{package}/{cause.file}" if package else f":(top,glob)**/{cause.file}"
    files = git.paths(directory, "diff", "--name-only", "-z", "--diff-filter=d", old, new, "--", pattern)
    if len(files) != 1:
        return ""
    between = f"{old}..{new}"
    if cause.line > 1:
        line = f"-L{cause.line},{cause.line}:{files[0]}"
        top = git.repository_of(directory, "")
        found = git.call(top, "log", *_FORMAT, line, between)
        # The line may be of other sources than those of the revision.
        if found.returncode == 0 and found.stdout.strip():
            return found.stdout.splitlines()[0]
    commits = git.output_of(
        directory, "log", *_FORMAT, between, "--", f":(top,literal){files[0]}"
    ).splitlines()
    return commits[0] if len(commits) == 1 else ""
