"""Labelled runs for a detector that learns from them."""

from __future__ import annotations

from buto import oracle
from buto.detectors.settings import Settings
from buto.runs.labels import LabelStore, Past, current
from buto.workflow.project import Project
from buto.workflow.project.stored import windowed

MOST_RUNS = 500
"""Labelled runs of one test that are loaded, the newest."""


def labelled_past(project: Project, settings: Settings) -> tuple[Past, ...]:
    """Return the labelled runs of every test that are still stored, by test; nothing if they are not needed.

    Raises:
        BadFileError: a label or a labelled run is damaged.
    """
    if not oracle.learns_from_labels(settings):
        return ()
    labels, store = LabelStore(project.files.store), project.store
    pasts = []
    for test in store.tests():
        labellings = labels.all(test)
        stored = set(store.ids(test))
        ids = [run_id for run_id in current(labellings) if run_id in stored][-MOST_RUNS:]
        if ids:
            runs = windowed(project, store.open_set(test, ids))
            pasts.append(Past(test, tuple(runs), tuple(labellings)))
    return tuple(pasts)
