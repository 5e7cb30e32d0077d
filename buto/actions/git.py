"""What git knows of a project: all calls of git, and which tests a change can affect.

No other module starts git, but for the commit of a run (:func:`buto.measure.host.commit_of`).

A test is left out only if git shows that none of its declared inputs has changed. If git cannot know this
(a pattern without files, an oracle that is ignored or outside the repository), the test is checked.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from buto.actions.events import Reporter, Told, Unaffected, Warned
from buto.actions.project import Project
from buto.errors import UsageError
from buto.measure.host import give_environment_of_git
from buto.report.builds import Release
from buto.report.result import Commit, LeftOut
from buto.report.sanitize import one_line

GIT_TIMEOUT_S = 600.0


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
    return Path(done.stdout.removesuffix("\n")).resolve()


FETCH = "git fetch --unshallow; on GitHub: fetch-depth: 0, on GitLab: GIT_DEPTH: 0"


def commit_of(repository: Path, revision: str) -> str:
    """Return the full name of a revision's commit. UsageError if there is no such revision."""
    done = _verify(repository, revision)
    if done.returncode == 0:
        return done.stdout.strip()
    if is_shallow(repository):
        raise UsageError(
            f"{repository} has no revision {revision!r}, and it is a clone without history", advice=FETCH
        )
    raise UsageError(
        f"{repository} has no revision {revision!r}", advice="git log --oneline, git tag, git branch"
    )


def has_commit(repository: Path, revision: str) -> bool:
    return _verify(repository, revision).returncode == 0


def _verify(repository: Path, revision: str) -> subprocess.CompletedProcess[str]:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return call(repository, *words)


def is_ancestor(repository: Path, ancestor: str, other: str) -> bool:
    """Return whether a commit is another one, or among those that led to it."""
    return call(repository, "merge-base", "--is-ancestor", ancestor, other).returncode == 0


def is_shallow(repository: Path) -> bool:
    """Return whether a repository lacks commits before some of those that it has."""
    return output_of(repository, "rev-parse", "--is-shallow-repository") == "true"


def last_change(file: Path) -> str:
    """Return the full name of the last commit before HEAD that changed a file, an absolute path.

    Raises:
        UsageError: the file is not as it was committed, or the history that has the commit is not here.
    """
    directory, literal = file.parent, f":(literal){file.name}"
    if paths(directory, "status", "--porcelain", "-z", "--", literal):
        raise UsageError(f"{file} has changes that are not committed", advice="commit them")
    commit = output_of(directory, "log", "-1", "--format=%H", "--", literal)
    if not commit:
        raise UsageError(f"no commit has {file}", advice="commit it")
    # At the oldest commit of a shallow clone every file seems to be new.
    if is_shallow(directory):
        cut = directory / output_of(directory, "rev-parse", "--git-path", "shallow")
        if commit in cut.read_text().split():
            raise UsageError(f"the history that changed {file} is not in this clone", advice=FETCH)
    return commit


def branch_of(repository: Path) -> str | None:
    """Return the name of the branch that is checked out; None if a commit is, without a branch."""
    done = call(repository, "symbolic-ref", "--quiet", "--short", "HEAD")
    return done.stdout.strip() or None if done.returncode == 0 else None


def main_of(repository: Path, usual: Sequence[str], *, by_remote: bool = True) -> str | None:
    """Return the main branch, as that of the remote is named or by a usual name; None if there is none.

    Args:
        by_remote: whether to ask for the remote's first.
    """
    done = call(repository, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    if by_remote and done.returncode == 0:
        return done.stdout.strip()
    names = [f"{place}{name}" for name in usual for place in ("", "origin/")]
    return next((name for name in names if has_commit(repository, name)), None)


MOST_COMMITS = 20_000


def history_of(repository: Path) -> list[Commit]:
    """Return the commits of the branch that is checked out, oldest first, at most the newest MOST_COMMITS.

    Only first parents: what a merge has brought along counts at the merge. Empty without a commit.
    """
    return _log(repository, "HEAD")


def commits_after(repository: Path, base: str, head: str = "HEAD") -> list[Commit]:
    """Return the commits after one and up to another, as :func:`history_of` has them."""
    return _log(repository, f"{base}..{head}")


def _log(repository: Path, which: str) -> list[Commit]:
    form = "--format=%H%x00%an <%ae>%x00%as%x00%s"
    plain = ("--first-parent", "--no-show-signature", "--encoding=UTF-8", f"--max-count={MOST_COMMITS}")
    done = call(repository, "log", *plain, "-z", form, which)
    fields = done.stdout.split("\0") if done.returncode == 0 else []
    rows = zip(*(iter(fields),) * len(Commit.__dataclass_fields__), strict=False)
    return [Commit(*row) for row in rows][::-1]


def ancestors_of(repository: Path) -> list[str]:
    """Return the names of HEAD and of the commits that led to it, merged ones too, newest first.

    At most MOST_COMMITS.
    """
    words = ("rev-list", "--topo-order", f"--max-count={MOST_COMMITS}", "HEAD")
    done = call(repository, *words)
    return done.stdout.split() if done.returncode == 0 else []


def last_of(repository: Path, commits: Sequence[str]) -> list[str]:
    """Return those of some commits from which no other one of them descends, in the order given."""
    if len(commits) < 2:
        return list(commits)
    left = set(output_of(repository, "merge-base", "--independent", *commits).split())
    return [commit for commit in commits if commit in left]


def list_changed_files(repository: Path) -> list[str]:
    """Return the tracked files that differ from HEAD."""
    return paths(repository, "diff", "--name-only", "-z", "HEAD")


def has_same(repository: Path, commit: str, file: Path) -> bool:
    """Return whether a commit has a file as it is now."""
    try:
        place = file.resolve().relative_to(repository.resolve()).as_posix()
    except ValueError:
        return False
    is_there = call(repository, "cat-file", "-e", f"{commit}:{place}").returncode == 0
    return is_there and call(repository, "diff", "--quiet", commit, "--", place).returncode == 0


class Message(Struct, frozen=True):
    """The message of a commit: full name, author, and the text with its trailers."""

    name: str
    author: str
    text: str


def messages_of(repository: Path, base: str, head: str) -> list[Message]:
    """Return the messages of the commits after one and up to another, oldest first; UsageError from git."""
    form = "--format=%H%x00%an <%ae>%x00%B"
    plain = ("--reverse", "--no-show-signature", "--encoding=UTF-8")
    fields = output_of(repository, "log", *plain, "-z", form, f"{base}..{head}").split("\0")
    return [Message(*row) for row in zip(*(iter(fields),) * 3, strict=False)]


def tags_of(repository: Path) -> list[Release]:
    """Return the tags of commits, oldest first by the date of their commit or tag."""
    form = "%(refname:lstrip=2)%00%(objectname)%00%(*objectname)"
    lines = output_of(repository, "for-each-ref", "--sort=creatordate", f"--format={form}", "refs/tags")
    rows = [line.split("\0") for line in lines.splitlines()]
    return [Release(name, of_tag or commit) for name, commit, of_tag in rows]


def paths(directory: Path, *words: str) -> list[str]:
    """Return the paths that a git command with ``-z`` prints; UsageError with git's message."""
    return [path for path in _run(directory, *words).split("\0") if path]


def output_of(directory: Path, *words: str) -> str:
    """Return what git prints, without blanks around it; UsageError with git's message."""
    return _run(directory, *words).strip()


def _run(directory: Path, *words: str) -> str:
    done = call(directory, *words)
    if done.returncode:
        raise UsageError(f"git {words[0]}: {done.stderr.strip() or f'exited with code {done.returncode}'}")
    return done.stdout


def call(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run git in a directory, in English and without the user's hooks, and return how it ended."""
    try:
        return subprocess.run(
            ["git", "-c", f"core.hooksPath={os.devnull}", *words],
            cwd=directory,
            env={**give_environment_of_git(), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            # File names need not be UTF-8.
            encoding="utf-8",
            errors="surrogateescape",
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"git {words[0]} takes longer than {GIT_TIMEOUT_S:g} s", advice=f"try it: git {words[0]}"
        ) from error
    except OSError as error:
        if not directory.is_dir():
            raise UsageError(f"{directory} is no directory", advice="name one that is there") from error
        raise UsageError(f"git cannot be used: {error}", advice="install git") from error


_WITHOUT_GIT = "leave --changed-since out to check all tests"


class ChangedFiles(Struct, frozen=True):
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
        changed_paths = paths(self.root, "diff", "-z", *options, self.commit, "--", pathspec)
        if not changed_paths:
            untracked = ("--others", "--exclude-standard", "--full-name")
            changed_paths = paths(self.root, "ls-files", "-z", *untracked, "--", pathspec)
        return f"{one_line(changed_paths[0])} has changed" if changed_paths else None

    def find_ignored(self, pathspec: str) -> str | None:
        """Return one of these files that git ignores and whose changes it does not see; None without any."""
        options = ("--others", "--ignored", "--exclude-standard", "--full-name")
        ignored_paths = paths(self.root, "ls-files", "-z", *options, "--", pathspec)
        return ignored_paths[0] if ignored_paths else None

    def knows(self, pathspec: str) -> bool:
        return bool(paths(self.root, "ls-files", "-z", "--cached", "--", pathspec))


def divide(
    project: Project, names: Sequence[str], since: str | None, reporter: Reporter
) -> tuple[list[str], list[LeftOut] | None]:
    """Return the tests to check, and those that no change since a revision can affect; None without one.

    Args:
        since: the revision; None to check all.
    """
    if since is None:
        return list(names), None
    root = project.files.root
    repository = repository_of(root, _WITHOUT_GIT)
    difference = ChangedFiles(root, repository, commit_of(repository, since))
    of_all = None if project.configuration is None else difference.of_file(project.configuration.path)
    checked, left_out = [], []
    for name in names:
        why = of_all or _reason(name, difference, project, reporter)
        if why is None:
            left_out.append(LeftOut(name, f"nothing that it depends on changed since {since}"))
        else:
            reporter(Told(name, f"checked, because {why}", detail=True))
            checked.append(name)
    for test in left_out:
        reporter(Unaffected(test))
    return checked, left_out


def _reason(test: str, difference: ChangedFiles, project: Project, reporter: Reporter) -> str | None:
    """Return why a test is checked; None if nothing that it depends on has changed."""
    ours = project.find_test(test)
    if project.configuration is None or ours is None or not ours.inputs:
        return "it declares no inputs"
    why = difference.of_file(project.oracle_path(test))
    if why is not None:
        return why
    for pattern in ours.inputs:
        try:
            why = difference.of(f":(glob){pattern}")
            ignored = difference.find_ignored(f":(glob){pattern}")
            known = why is not None or difference.knows(f":(glob){pattern}")
        except UsageError as error:
            raise UsageError(
                f"{project.configuration.path}: tests.{test}.inputs: {pattern!r}: {error.message}",
                advice="patterns are relative to the configuration's directory, within the repository",
            ) from error
        unknown = f"knows no file {pattern!r}" if not known else f"ignores {ignored}" if ignored else None
        if why is None and unknown is not None:
            text = f"git {one_line(unknown)}; until then the test is always checked"
            reporter(Warned(test, text))
            why = "its inputs are not known"
        if why is not None:
            return why
    return None
