"""What git knows of a project: all calls of git, and which tests a change can affect.

No other module starts git.

A test is left out only if git shows that none of its declared inputs has changed. If git cannot know this
(a pattern without files, an oracle that is ignored or outside the repository), the test is checked.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from buto.actions.events import OnEvent, Told, Unaffected, Warned
from buto.actions.project import Project
from buto.errors import UsageError
from buto.report.result import LeftOut
from buto.report.sanitize import one_line

GIT_TIMEOUT_S = 600.0

_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""Variables that git sets for its hooks; with them, other calls of git would use the wrong files."""


def repository_of(directory: Path, otherwise: str) -> Path:
    """Return the top of the working tree that contains a directory.

    Args:
        otherwise: the advice if there is no repository.
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
    """Run git in a directory, in English and without the user's hooks, and return how it ended."""
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


_WITHOUT_GIT = "leave --changed-since out to check all tests"


@dataclass(frozen=True, slots=True)
class Difference:
    """The files that differ from a commit: committed since, not committed, or untracked.

    Attributes:
        root: the directory that patterns are relative to.
        repository: the top of the working tree.
        commit: its full name.
    """

    root: Path
    repository: Path
    commit: str

    def of_file(self, path: Path) -> str | None:
        """Return why a file, or the target of a link, may differ from the commit; None if it is the same."""
        for place in dict.fromkeys((path.parent.resolve() / path.name, path.resolve())):
            if not place.is_relative_to(self.repository):
                return f"{place} is not in the repository"
            literal = f":(top,literal){place.relative_to(self.repository)}"
            why = self.of(literal) or (None if self.knows(literal) else f"git knows no file {place}")
            if why is not None:
                return why
        return None

    def of(self, pathspec: str) -> str | None:
        """Return which of these files has changed; None if none has. UsageError from git."""
        options = ("--name-only", "--no-renames", "--no-relative", "--ignore-submodules=none")
        found = paths(self.root, "diff", "-z", *options, self.commit, "--", pathspec)
        if not found:
            untracked = ("--others", "--exclude-standard", "--full-name")
            found = paths(self.root, "ls-files", "-z", *untracked, "--", pathspec)
        return f"{one_line(found[0])} has changed" if found else None

    def ignored(self, pathspec: str) -> str | None:
        """Return one of these files that git ignores and whose changes it does not see; None without any."""
        options = ("--others", "--ignored", "--exclude-standard", "--full-name")
        found = paths(self.root, "ls-files", "-z", *options, "--", pathspec)
        return found[0] if found else None

    def knows(self, pathspec: str) -> bool:
        return bool(paths(self.root, "ls-files", "-z", "--cached", "--", pathspec))


def divided(
    project: Project, names: Sequence[str], since: str | None, on_event: OnEvent
) -> tuple[list[str], list[LeftOut] | None]:
    """Return the tests to check, and those that no change since a revision can affect; None without one.

    Args:
        since: the revision; None to check all.
    """
    if since is None:
        return list(names), None
    root = project.files.root
    repository = repository_of(root, _WITHOUT_GIT)
    difference = Difference(root, repository, commit_of(repository, since))
    of_all = None if project.configuration is None else difference.of_file(project.configuration.path)
    checked, left_out = [], []
    for name in names:
        why = of_all or _reason(name, difference, project, on_event)
        if why is None:
            left_out.append(LeftOut(name, f"nothing that it depends on changed since {since}"))
        else:
            on_event(Told(name, f"checked, because {why}", detail=True))
            checked.append(name)
    for one in left_out:
        on_event(Unaffected(one))
    return checked, left_out


def _reason(test: str, difference: Difference, project: Project, on_event: OnEvent) -> str | None:
    """Return why a test is checked; None if nothing that it depends on has changed."""
    ours = project.configured(test)
    if project.configuration is None or ours is None or not ours.inputs:
        return "it declares no inputs"
    why = difference.of_file(project.oracle_path(test))
    if why is not None:
        return why
    for pattern in ours.inputs:
        try:
            why = difference.of(f":(glob){pattern}")
            ignored = difference.ignored(f":(glob){pattern}")
            known = why is not None or difference.knows(f":(glob){pattern}")
        except UsageError as error:
            raise UsageError(
                f"{project.configuration.path}: tests.{test}.inputs: {pattern!r}: {error.message}",
                advice="patterns are relative to the configuration's directory, within the repository",
            ) from error
        unknown = f"knows no file {pattern!r}" if not known else f"ignores {ignored}" if ignored else None
        if why is None and unknown is not None:
            text = f"git {one_line(unknown)}; until then the test is always checked"
            on_event(Warned(test, text))
            why = "its inputs are not known"
        if why is not None:
            return why
    return None
