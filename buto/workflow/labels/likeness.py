"""Which labelled runs of the past are like those of a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from buto.errors import BadFileError, StorageError
from buto.oracle import METADATA_SOURCE, Oracle
from buto.report.history import Entry, stored_entries
from buto.report.likeness import LabelledRuns, Like, likes
from buto.report.run_levels import levels, median_levels
from buto.runs import RunSet
from buto.runs.labels import Label, Labelling, LabelStore, current
from buto.runs.results import ResultStore
from buto.steps import Action
from buto.verdicts import Verdict
from buto.workflow.events import OnEvent, Warned
from buto.workflow.labels.past import baseline_of, known_since, start_of_runs
from buto.workflow.project import Project


def like_runs(
    project: Project, known: Oracle, runs: RunSet, verdict: Verdict, on_event: OnEvent
) -> tuple[Like, ...]:
    """Return the labelled runs in which about the same changed; none for a verdict without findings.

    Args:
        runs: the judged runs.

    A label or result that is damaged or out of reach is only reported: the verdict does not depend on it.
    """
    if not any(one.source != METADATA_SOURCE for one in verdict.findings):
        return ()
    try:
        labelled = list(_labelled(project, known.test, verdict.run_ids))
    except (BadFileError, StorageError) as error:
        on_event(Warned(known.test, f"{error.message}; labelled runs like these are not named"))
        return ()
    if not labelled:
        return ()
    return likes(median_levels([levels(run) for run in runs]), known.fitted.levels(), labelled)


def _labelled(project: Project, test: str, judged: Sequence[str]) -> Iterator[LabelledRuns]:
    """Yield the checks and acceptances of a test whose runs have a label of their own, without the judged."""
    given = {
        run: one
        for run, one in current(LabelStore(project.files.store).all(test)).items()
        if one.command != Action.TRAIN.value and one.label is not Label.INVALID
    }
    if not given:
        return
    entries = stored_entries(ResultStore(project.files.store), test)
    trainings = sorted((one for one in entries if one.is_training), key=known_since)
    for one in entries:
        labelling = _label_of(one, given)
        if labelling is None or not set(one.run_ids).isdisjoint(judged):
            continue
        at = start_of_runs(one.run_ids)
        before = baseline_of(at, trainings)
        yield LabelledRuns(one.run_ids, at, labelling, one.levels, None if before is None else before.levels)


def _label_of(entry: Entry, given: Mapping[str, Labelling]) -> Labelling | None:
    labels = [given[run] for run in entry.run_ids if run in given]
    return max(labels, key=lambda one: (one.is_decision, one.at), default=None)
