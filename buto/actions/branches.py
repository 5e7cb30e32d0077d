"""Which branch a build is of, and which change it judges: as its provider says in variables, else as git."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from buto.actions import git
from buto.errors import UsageError
from buto.oracle.model import COMMIT_NAME

PULL_REQUESTS = (
    "GITHUB_HEAD_REF",
    "CI_MERGE_REQUEST_IID",
    "CHANGE_ID",
    "SYSTEM_PULLREQUEST_PULLREQUESTID",
    "BITBUCKET_PR_ID",
    "CIRCLE_PULL_REQUEST",
    "DRONE_PULL_REQUEST",
    "TRAVIS_PULL_REQUEST",
    "BUILDKITE_PULL_REQUEST",
)
"""Variables that builds of pull requests have: GitHub, GitLab, Jenkins, Azure, Bitbucket, and others."""

TARGETS = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CHANGE_TARGET",
    "SYSTEM_PULLREQUEST_TARGETBRANCHNAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "DRONE_TARGET_BRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
)
"""Variables with the branch that a pull request is for: GitHub, GitLab, Jenkins, Azure, and others."""


_BRANCH, _DEFAULT_BRANCH = "CI_COMMIT_BRANCH", "CI_DEFAULT_BRANCH"
"""GitLab's, which checks out commits without a branch."""

_MAIN = ("main", "master", "trunk")


def is_on_main(repository: Path, environment: Mapping[str, str]) -> bool:
    """Return whether what is checked out is of the main branch, and no pull request."""
    if any(environment.get(name, "") not in ("", "false") for name in PULL_REQUESTS):
        return False
    if environment.get(_DEFAULT_BRANCH) and environment.get(_BRANCH):
        return environment[_BRANCH] == environment[_DEFAULT_BRANCH]
    branch = git.branch_of(repository)
    main = main_branch(repository, environment)
    if main is None:
        return True
    if branch is not None:
        return branch == main.removeprefix("origin/")
    return git.is_ancestor(repository, "HEAD", main)


def main_branch(repository: Path, environment: Mapping[str, str]) -> str | None:
    """Return the main branch, as the provider or git names it; None if there is none."""
    named = environment.get(_DEFAULT_BRANCH, "")
    return git.main_of(repository, (*filter(None, [named]), *_MAIN), by_remote=not named)


def merge_base(repository: Path, environment: Mapping[str, str]) -> str:
    """Return the commit from which a change begins; empty on the main branch, or if no branch is its target.

    Raises:
        UsageError: the target or its history is not in this clone; the advice says what to fetch.
    """
    if is_on_main(repository, environment):
        return ""
    named = next((environment[name] for name in TARGETS if environment.get(name)), "")
    target = main_branch(repository, environment) if not named else _branch(repository, named)
    if target is None:
        return ""
    done = git.call(repository, "merge-base", "HEAD", target)
    commit = done.stdout.strip()
    if done.returncode or not COMMIT_NAME.fullmatch(commit):
        advice = git.FETCH if git.is_shallow(repository) else f"git merge-base HEAD {target}"
        raise UsageError(f"HEAD and {target} have no commit in common in this clone", advice=advice)
    return commit


def _branch(repository: Path, name: str) -> str:
    short = name.removeprefix("refs/heads/")
    for ref in (f"refs/remotes/origin/{short}", f"refs/heads/{short}"):
        if git.has_commit(repository, ref):
            return ref
    raise UsageError(
        f"the branch {short}, which this change is for, is not in this clone",
        advice=f"git fetch origin {short}; {git.FETCH}",
    )
