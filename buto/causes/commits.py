"""The commit between two revisions that touched a changed method, and the lines of the diff next to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from buto.actions import git
from buto.causes.changes import CodeChange
from buto.causes.classes import class_of
from buto.causes.model import Cause, Explanation, Tier

_CHANGED = (CodeChange.ADDED.value, CodeChange.CHANGED.value, CodeChange.ANNOTATED.value)
_FORMAT = ("--no-patch", "--no-show-signature", "--encoding=UTF-8", "--format=%h %s")


MOST_LINES = 8
"""Lines of a diff beside a cause."""

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@.*\n", re.MULTILINE)


def with_commits(explanation: Explanation, directory: Path, revisions: tuple[str, str]) -> Explanation:
    """Return the explanation with the commits and diffs of its changed methods, as far as they can be found.

    Args:
        directory: in the repository.
        revisions: the old and the new one; nothing is added if the repository lacks one, as a shallow clone.
    """
    if any(
        git.call(directory, "cat-file", "-e", f"{revision}^{{commit}}").returncode for revision in revisions
    ):
        return explanation

    def find_commits(cause: Cause) -> Cause:
        is_wanted = cause.tier is not Tier.OTHER and cause.code in _CHANGED and cause.file
        file = _file_of(cause, directory, revisions) if is_wanted else ""
        if not file:
            return cause
        commit = _commit_of(cause, file, directory, revisions)
        return replace(cause, commit=commit, diff=_diff_of(cause, file, directory, revisions))

    return structs.replace(
        explanation,
        kinds=tuple(
            structs.replace(kind, found=tuple(map(find_commits, kind.found))) for kind in explanation.kinds
        ),
    )


def _file_of(cause: Cause, directory: Path, revisions: tuple[str, str]) -> str:
    """Return the only changed file that may have the method, from the top of the repository; else nothing."""
    package = class_of(class_of(cause.method)).replace(".", "/")
    pattern = f":(top,glob)**/{package}/{cause.file}" if package else f":(top,glob)**/{cause.file}"
    files = git.paths(directory, "diff", "--name-only", "-z", "--diff-filter=d", *revisions, "--", pattern)
    return files[0] if len(files) == 1 else ""


def _commit_of(cause: Cause, file: str, directory: Path, revisions: tuple[str, str]) -> str:
    """Return name and subject of the newest commit that changed the line, else the only one of the file."""
    between = "..".join(revisions)
    if cause.line > 1:
        top = git.repository_of(directory, "")
        log = git.call(top, "log", *_FORMAT, f"-L{cause.line},{cause.line}:{file}", between)
        # The line may be of other sources than those of the revision.
        if log.returncode == 0 and log.stdout.strip():
            return log.stdout.splitlines()[0]
    commits = git.output_of(directory, "log", *_FORMAT, between, "--", f":(top,literal){file}").splitlines()
    return commits[0] if len(commits) == 1 else ""


def _diff_of(cause: Cause, file: str, directory: Path, revisions: tuple[str, str]) -> tuple[str, ...]:
    """Return the part of the file's diff that is next to the line; the only part if no line is known."""
    options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-renames")
    parts = list(
        _hunks(git.output_of(directory, "diff", *options, *revisions, "--", f":(top,literal){file}"))
    )
    if not parts or (cause.line <= 1 and len(parts) > 1):
        return ()
    _, lines = min(parts, key=lambda part: _distance(cause.line, part[0]))
    left = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], f"... and {left} more lines") if left > 0 else tuple(lines)


def _hunks(diff: str) -> Iterator[tuple[range, list[str]]]:
    """Yield the new program's lines that each part of a diff of one file changes, and its text."""
    _, *parts = _HUNK.split(diff)
    for first, count, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        # A tab is no visible character, and a form feed ends no line.
        lines = [line[:1] + line[1:].expandtabs(4) for line in text.rstrip("\n").split("\n")]
        yield range(int(first), int(first) + int(count or 1)), lines


def _distance(line: int, changed: range) -> int:
    """Return how far a line is from changed ones; of deleted lines, from where they were."""
    return max(changed.start - line, line - (changed.stop - 1), 0) if changed else abs(line - changed.start)
