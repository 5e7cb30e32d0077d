"""Which labelled runs of the past are like those of a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from buto.errors import BadFileError, StorageError
from buto.oracle import METADATA_SOURCE, Checked
from buto.report.history import Entry, stored_entries
from buto.report.likeness import LabelledRuns, Like, likes
from buto.report.run_levels import levels, median_levels
from buto.runs.labels import Label, Labelling, LabelStore, current
from buto.runs.results import ResultStore
from buto.runs.storage.place import Place
from buto.steps import Action
from buto.workflow.events import OnEvent, Warned
from buto.workflow.labels.past import baseline_of, known_since, start_of_runs


def like_runs(store: Place, checked: Checked, on_event: OnEvent) -> tuple[Like, ...]:
    """Return the labelled runs in which about the same changed; none for a verdict without findings.

    A label or result that is damaged or out of reach is only reported: the verdict does not depend on it.
    """
    known, verdict = checked.oracle, checked.verdict
    if not any(one.source != METADATA_SOURCE for one in verdict.findings):
        return ()
    try:
        labelled = list(_labelled(store, known.test, verdict.run_ids))
    except (BadFileError, StorageError) as error:
        on_event(Warned(known.test, f"{error.message}; labelled runs like these are not named"))
        return ()
    if not labelled:
        return ()
    return likes(
        median_levels([levels(run) for run in checked.runs.valid()]), known.fitted.levels(), labelled
    )


def _labelled(store: Place, test: str, judged: Sequence[str]) -> Iterator[LabelledRuns]:
    """Yield the checks and acceptances of a test whose runs have a label of their own, without the judged."""
    given = {
        run: one
        for run, one in current(LabelStore(store).all(test)).items()
        if one.command != Action.TRAIN.value and one.label is not Label.INVALID
    }
    if not given:
        return
    entries = stored_entries(ResultStore(store), test)
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
