"""Events of a search through commits, and of building revisions."""

from __future__ import annotations

from dataclasses import dataclass

from buto.report.result import Commit


@dataclass(frozen=True, slots=True)
class BuildStarted:
    """A revision is being built.

    Attributes:
        revision: as it was specified; None in a bisection, which reports its commits separately.
        commit: its full name.
    """

    command: str
    commit: str
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class CommitsCounted:
    """The number of commits that a bisection has to search."""

    n_commits: int


@dataclass(frozen=True, slots=True)
class CommitReached:
    """A bisection is about to judge this commit."""

    commit: Commit


@dataclass(frozen=True, slots=True)
class CommitJudged:
    """A bisection has judged a commit.

    Attributes:
        outcome: ``good``, ``bad`` or ``skip``.
        why: as a clause.
    """

    commit: Commit
    outcome: str
    why: str
