"""The checks of the past, with what is known of them, and the trainings that they were judged by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from buto.actions.like_runs import find_known_since, start_of_runs
from buto.actions.workspace import Workspace
from buto.report.history import HistoryEntry, load_entries
from buto.run.entries import ResultStore
from buto.run.labels import LABEL, Label, Labelling, LabelStore, current
from buto.run.model import SESSION
from buto.steps import Action
from buto_replications.suggestions.suggestion import PastCheck, Truth

_OF_GROUPS = (LABEL, Action.BISECT.value)
"""Commands whose labels make runs that no check has judged a check of their own."""


def past_checks(workspace: Workspace, test: str) -> tuple[list[PastCheck], list[HistoryEntry]]:
    """Return checks and labelled recordings by time, and trainings by time; neither needs its runs.

    Runs that are labelled invalid are left out. If the labels of a check's runs differ, the last decision of
    a person counts, or the last label if there is none.
    """
    entries = load_entries(ResultStore(workspace.store), test)
    given = current(LabelStore(workspace.store).all(test))
    trainings = [entry for entry in entries if entry.is_training]
    judged = _whole([entry.run_ids for entry in entries if not entry.is_training and entry.run_ids])
    taken = {run for runs in (*judged, *(training.run_ids for training in trainings)) for run in runs}
    others = {
        run: labelling
        for run, labelling in given.items()
        if run not in taken and labelling.command in _OF_GROUPS
    }
    groups = (*judged, *_together(workspace, test, others))
    checks = [check for check in (_check(runs, given) for runs in groups) if check is not None]
    return sorted(checks, key=lambda check: check.at), sorted(trainings, key=find_known_since)


def _whole(groups: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the groups that are no part of another: some runs of a check may be judged again alone."""
    largest: list[tuple[str, ...]] = []
    for runs in sorted(groups, key=len, reverse=True):
        if not any(set(runs) <= set(values) for values in largest):
            largest.append(runs)
    return largest


def _check(run_ids: Sequence[str], given: Mapping[str, Labelling]) -> PastCheck | None:
    """Return a check with the truth of its runs; None if all of them are invalid."""
    invalid = {run for run in run_ids if run in given and given[run].label is Label.INVALID}
    usable = tuple(run for run in sorted(run_ids) if run not in invalid)
    if not usable:
        return None
    labels = [given[run] for run in usable if run in given]
    if not labels:
        return PastCheck(usable, start_of_runs(usable[:1]), Truth.UNKNOWN)
    counts = max(labels, key=lambda labelling: (labelling.is_decision, labelling.at))
    # Who trains again on the runs of a check has accepted what they show.
    is_meant = counts.meant or counts.command == Action.TRAIN.value
    truth = Truth.MEANT if is_meant else Truth.UNCHANGED
    truth = Truth.REGRESSION if counts.label is Label.BAD else truth
    return PastCheck(usable, start_of_runs(usable[:1]), truth, counts.command, counts.person, counts.reason)


def _together(workspace: Workspace, test: str, labelled: Mapping[str, Labelling]) -> list[tuple[str, ...]]:
    """Return labelled runs that no check has judged: those of one command with one label together."""
    if not labelled:
        return []
    by_command: dict[tuple[object, Labelling], list[str]] = {}
    for summary in workspace.runs.summaries(test):
        if summary.id in labelled and summary.head is not None and summary.head.quality.valid:
            session = summary.head.metadata.get(SESSION, summary.id)
            by_command.setdefault((session, labelled[summary.id]), []).append(summary.id)
    return [tuple(runs) for runs in by_command.values()]
