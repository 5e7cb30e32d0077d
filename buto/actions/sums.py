"""How much has changed since a release, and who gave which share: from stored first runs, at no launch.

Turns say how large the sum is. Which commits gave it is read from the first runs of their checks, whatever
oracle judged them then: only builds of the environment of the present oracle are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np
from msgspec import Struct

from buto.actions import git
from buto.actions.base import Base
from buto.actions.commit_programs import commit_of_run
from buto.actions.monitor import is_alike, is_first_of_check
from buto.actions.workspace import Workspace
from buto.errors import UsageError
from buto.judging.effects import last_fitting, size_of
from buto.judging.monitor import OverBuilds
from buto.judging.shares import BuildShare, divide_change
from buto.judging.story import story_of
from buto.judging.verdict import CommitShare, Difference, Direction, Since, Waiver
from buto.oracle import CheckedRuns, Oracle
from buto.report.result import Commit
from buto.run.format import Head
from buto.run.model import COMMIT, FloatArray, Run
from buto.run.properties import Better, Property, property_for
from buto.run.window import cut_to_window

MOST_SUMS = 4
"""Properties whose sum is divided."""

MOST_NAMED = 8
"""Commits that a sentence names of one property, the largest shares first."""

NO_RUNS = "which commits gave it is not known: no first run of those before the present one is stored"

_SHORT = 9


class _Builds(Struct, frozen=True, eq=False):
    """The first runs of commits since a release.

    Attributes:
        commits: since the release, oldest first; the last one is checked out.
        values: shape (n_commits, n_quantities), NaN where a commit has no first run.
    """

    commits: tuple[Commit, ...]
    values: FloatArray

    @property
    def n_read(self) -> int:
        return int(np.isfinite(self.values).any(axis=1).sum()) if self.values.size else 0


def divide_sum(workspace: Workspace, known: Oracle, checked: CheckedRuns, base: Base) -> tuple[Since, ...]:
    """Return the sums for which a release fails, each with the shares of commits.

    Args:
        checked: old and new in turns.
    """
    over = known.fitted.over_builds()
    leading = [headline.finding for headline in story_of(checked.verdict).headlines]
    findings = [
        finding for finding in leading if isinstance(finding, Difference) and finding.size is not None
    ][:MOST_SUMS]
    if checked.against is None:
        return ()
    # Judged again, what was checked may no longer be what is checked out.
    head = commit_of_run(checked.runs.runs[0]) or "HEAD"
    builds, limits = _builds_since(workspace, known, over, base, head) if findings else (None, "")
    sums = tuple(_sum_of(sum_finding, checked, base, over, builds, limits) for sum_finding in findings)
    return (*sums, *_within_budgets(checked, base, over, {sum_finding.subject for sum_finding in findings}))


def _within_budgets(
    checked: CheckedRuns, base: Base, over: OverBuilds | None, left_out: Set[str]
) -> Iterator[Since]:
    """Yield how much is used of each budget that the release keeps, as the turns tell."""
    if over is None or checked.against is None or not base.sizes:
        return
    levels = [_median(over, runs.valid().runs) for runs in (checked.against, checked.runs)]
    for quantity, old, new in zip(over.series.quantities, *levels, strict=True):
        budget = _budget(quantity, float(old), base.sizes)
        if budget is not None and quantity.name not in left_out and np.isfinite([old, new]).all():
            yield Since(quantity.name, quantity.unit, base.name, float(old), float(new), budget=budget)


def _sum_of(
    finding: Difference,
    checked: CheckedRuns,
    base: Base,
    over: OverBuilds | None,
    builds: _Builds | None,
    limits: str,
) -> Since:
    size = finding.size
    assert size is not None
    quantity = Property(finding.subject, finding.unit)
    budget = _budget(quantity, size.old, base.sizes)
    since = Since(finding.subject, finding.unit, base.name, size.old, size.new, (), limits, budget)
    column = None if over is None else _column(over, finding.subject)
    if over is None or column is None or builds is None or checked.against is None:
        what = "" if column is not None else "its first runs follow the machine, so that no commit is named"
        return replace(since, limits=limits or what)
    old = np.array([over.measure(cut_to_window(run))[column] for run in checked.against.valid()])
    new = np.array([over.measure(cut_to_window(run))[column] for run in checked.runs.valid()])
    if not np.isfinite([*old, *new]).all() or len(old) < 2:
        return since
    since = replace(since, old=float(old.mean()), new=float(new.mean()))
    divided = divide_change(old, builds.values[:, column], new)
    shares = [_share(share, builds, column) for share in divided.shares]
    if len(builds.commits) > 1 and any(len(share.commits) == len(builds.commits) for share in shares):
        return replace(since, limits=NO_RUNS)
    named = sorted(shares, key=lambda share: -abs(share.change))[:MOST_NAMED]
    return replace(since, shares=tuple(share for share in shares if share in named))


def _share(share: BuildShare, builds: _Builds, column: int) -> CommitShare:
    """Return the share of a build with the commits after the last one that has a first run."""
    read = np.flatnonzero(np.isfinite(builds.values[:, column]))
    before = read[read < share.first]
    first = int(before[-1]) + 1 if len(before) else 0
    some = builds.commits[first : share.place + 1]
    last = some[-1]
    text = f"{last.name[:_SHORT]} {last.subject} ({last.author.partition(' <')[0]})"
    if len(some) > 1:
        text = f"{len(some)} commits up to {text}"
    return CommitShare(tuple(commit.name for commit in some), text, share.change, share.half)


def _builds_since(
    workspace: Workspace, known: Oracle, over: OverBuilds | None, base: Base, head: str
) -> tuple[_Builds | None, str]:
    """Return the builds since a release; else None, and why they are not known."""
    if over is None:
        return None, ""
    if not base.commit:
        return None, "which commits gave it is not known without git"
    try:
        repository = git.repository_of(workspace.root, "")
        if not git.has_commit(repository, head):
            return None, f"which commits gave it is not known: git has no commit {head[:12]} here"
        commits = tuple(git.commits_after(repository, base.commit, head))
    except UsageError as error:
        return None, f"which commits gave it is not known: {error.message}"
    if not commits:
        return None, "no commit was made since"
    values = _first_values(workspace, known, over, [commit.name for commit in commits])
    builds = _Builds(commits, values)
    if not builds.n_read:
        return None, NO_RUNS
    lacking = len(commits) - builds.n_read
    return builds, f"{lacking} of {len(commits)} commits have no first run here" if lacking else ""


def _first_values(
    workspace: Workspace, known: Oracle, over: OverBuilds, commits: Sequence[str]
) -> FloatArray:
    """Return what the first runs of commits used, shape (n_commits, n_quantities), NaN without one."""
    place = {name: number for number, name in enumerate(commits)}
    heads: dict[str, Head] = {}
    for head in _heads(workspace, known.test):
        commit = str(head.metadata.get(COMMIT) or "")
        if commit in place and is_first_of_check(head):
            heads.setdefault(commit, head)
    values = np.full((len(commits), len(over.series.quantities)), np.nan)
    ids = sorted(head.id for head in heads.values())
    for run in workspace.load(known.test, ids) if ids else []:
        if is_alike(run, known):
            values[place[commit_of_run(run)]] = over.measure(cut_to_window(run))
    return values


def _heads(workspace: Workspace, test: str) -> list[Head]:
    heads = (summary.head for summary in workspace.runs.summaries(test))
    return [head for head in heads if head is not None and head.quality.valid]


def budget_waivers(test: str, base: Base) -> tuple[Waiver, ...]:
    """Return budgets as waivers of what gets worse, to which trailers add."""
    waivers = []
    for name, size in base.sizes.items():
        is_better_high = property_for(name).better is Better.HIGHER
        direction = Direction.LESS if is_better_high else Direction.MORE
        waivers.append(Waiver(test, name, direction, size, f"the budget since {base.name}"))
    return tuple(waivers)


def compute_used_budgets(
    workspace: Workspace, known: Oracle, checked: CheckedRuns, anchor: Base, *, is_by_base: bool
) -> tuple[Since, ...]:
    """Return how much of each budget is used since a release, and how much of it by the change under check.

    Of exact totals alone: others would need turns with the release. Nothing of a property whose level at the
    release is not stored.

    Args:
        is_by_base: whether the runs were launched in turns with the base of the change.
    """
    over = known.fitted.over_builds()
    valid = checked.runs.valid()
    if over is None or not anchor.sizes or not anchor.commit or not len(valid):
        return ()
    at_release = _runs_of(workspace, known, anchor.commit)
    if not at_release:
        return ()
    old = _median(over, at_release)
    now = _median(over, valid.runs)
    before = _before(workspace, known, checked, over, is_by_base=is_by_base)
    budgets = []
    for column, quantity in enumerate(over.series.quantities):
        budget = _budget(quantity, old[column], anchor.sizes)
        levels = (old[column], now[column], before[column])
        if budget is not None and np.isfinite(levels).all():
            level, present, base = map(float, levels)
            budgets.append(
                Since(
                    quantity.name,
                    quantity.unit,
                    anchor.name,
                    level,
                    present,
                    budget=budget,
                    by_change=present - base,
                )
            )
    return tuple(budgets)


def _runs_of(workspace: Workspace, known: Oracle, commit: str) -> list[Run]:
    ids = [head.id for head in _heads(workspace, known.test) if head.metadata.get(COMMIT) == commit]
    return [run for run in workspace.load(known.test, sorted(ids)) if is_alike(run, known)] if ids else []


def _before(
    workspace: Workspace, known: Oracle, checked: CheckedRuns, over: OverBuilds, *, is_by_base: bool
) -> FloatArray:
    """Return the level before the change under check, shape (n_quantities,): of its base or last build."""
    if is_by_base and checked.against is not None:
        return _median(over, checked.against.runs)
    try:
        repository = git.repository_of(workspace.root, "")
        history: Sequence[str] = [commit.name for commit in git.history_of(repository)][:-1]
    except UsageError:
        history = []
    checked_name = commit_of_run(checked.runs.runs[0])
    values = _first_values(workspace, known, over, [name for name in history if name != checked_name])
    read = values[np.isfinite(values).any(axis=1)] if len(values) else values
    level: FloatArray = read[-1] if len(read) else np.median(over.series.known, axis=0)
    return level


def _median(over: OverBuilds, runs: Sequence[Run]) -> FloatArray:
    level: FloatArray = np.median([over.measure(cut_to_window(run)) for run in runs], axis=0)
    return level


def _column(over: OverBuilds, name: str) -> int | None:
    names = [quantity.name for quantity in over.series.quantities]
    return names.index(name) if name in names else None


def _budget(quantity: Property, level: float, sizes: Mapping[str, str]) -> float | None:
    """Return the budget of a property in its unit; None without one."""
    fitting = last_fitting(quantity.name, sizes)
    if fitting is None:
        return None
    pattern, size = fitting
    try:
        return size_of(quantity, level, size)
    except UsageError as error:
        raise UsageError(f"budget: {pattern}: {quantity.name}: {error.message}") from error
