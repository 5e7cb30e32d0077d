"""The labelled runs of the past that are like those of a check, and the training that each was judged by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from buto.actions.hooks import Addition
from buto.actions.workspace import Workspace
from buto.judging.readable import EACH_SECOND
from buto.oracle import METADATA_SOURCE, CheckedRuns
from buto.report.history import HistoryEntry, load_entries
from buto.report.levels import levels, median_levels
from buto.report.likeness import LabelledRuns, likes
from buto.run.entries import ResultStore
from buto.run.labels import Label, Labelling, LabelStore, current
from buto.run.names import start_of
from buto.run.storage import Place
from buto.steps import Action

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def like_runs(workspace: Workspace, checked: CheckedRuns) -> Addition:
    """Return the labelled runs in which about the same changed; none for a verdict without findings.

    None for old and new in turns, either: labelled runs were judged by an oracle.
    """
    known, verdict = checked.oracle, checked.verdict
    if checked.against is not None or all(finding.source == METADATA_SOURCE for finding in verdict.findings):
        return Addition()
    given = _labels(workspace.store, known.test)
    if not given:
        return Addition()
    entries = load_entries(ResultStore(workspace.store), known.test)
    trainings = sorted((entry for entry in entries if entry.is_training), key=find_known_since)
    labelled = list(_runs_with_labels(entries, trainings, given, verdict.run_ids))
    if not labelled:
        return Addition()
    learned = set(known.run_ids)
    before = next((training.levels for training in trainings if set(training.run_ids) == learned), None)
    now = median_levels([levels(run) for run in checked.runs.valid()])
    usual = [level for level in known.fitted.levels() if level.number != EACH_SECOND]
    return Addition(likes=likes(now, usual, labelled, before))


def _labels(store: Place, test: str) -> dict[str, Labelling]:
    """Return by run the label of its own that counts, of a test's checks and acceptances."""
    return {
        run: labelling
        for run, labelling in current(LabelStore(store).all(test)).items()
        if labelling.command != Action.TRAIN.value and labelling.label is not Label.INVALID
    }


def _runs_with_labels(
    entries: Iterable[HistoryEntry],
    trainings: Sequence[HistoryEntry],
    given: Mapping[str, Labelling],
    judged: Sequence[str],
) -> Iterator[LabelledRuns]:
    """Yield the checks and acceptances whose runs have a label of their own, without the judged.

    Args:
        trainings: by time, see :func:`find_known_since`.
    """
    for entry in entries:
        labels = [given[run] for run in entry.run_ids if run in given]
        labelling = max(labels, key=lambda labelled: (labelled.is_decision, labelled.at), default=None)
        if labelling is None or not set(entry.run_ids).isdisjoint(judged):
            continue
        at = start_of_runs(entry.run_ids)
        before = baseline_of(at, trainings)
        yield LabelledRuns(
            entry.run_ids, at, labelling, entry.levels, None if before is None else before.levels
        )


def find_known_since(training: HistoryEntry) -> datetime:
    """Return the start of a training's last run: checks that started later could be judged by it."""
    return max((_start(run) for run in training.run_ids), default=_LONG_AGO)


def baseline_of(at: datetime, trainings: Iterable[HistoryEntry]) -> HistoryEntry | None:
    """Return the last training before a time; None if there is none.

    Args:
        trainings: by time, see :func:`find_known_since`.
    """
    before = [training for training in trainings if training.run_ids and find_known_since(training) < at]
    return before[-1] if before else None


def start_of_runs(run_ids: Iterable[str]) -> datetime:
    return min(map(_start, run_ids))


def _start(run_id: str) -> datetime:
    return start_of(run_id) or _LONG_AGO
