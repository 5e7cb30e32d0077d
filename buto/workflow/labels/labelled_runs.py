"""Labelled runs for a detector that learns from them."""

from __future__ import annotations

from collections.abc import Mapping

from buto import oracle
from buto.detectors.settings import Settings
from buto.report.history import stored_entries
from buto.runs.labels import Label, Labelling, LabelStore, Past, current
from buto.runs.results import ResultStore
from buto.units import format_count
from buto.workflow.events import OnEvent, Warned
from buto.workflow.project import Project
from buto.workflow.project.stored import windowed

MOST_RUNS = 500
"""Labelled runs of one test that are loaded, unless more are bad or invalid."""


def labelled_past(project: Project, settings: Settings, on_event: OnEvent) -> tuple[Past, ...]:
    """Return the labelled runs of every test that are still stored, by test; nothing if they are not needed.

    Of a test with many, the oldest good ones are left out, with a warning.

    Raises:
        BadFileError: a label, a labelled run or a stored result is damaged.
    """
    if not oracle.learns_from_labels(settings):
        return ()
    labels, store = LabelStore(project.files.store), project.store
    pasts = []
    for test in store.tests():
        labellings = labels.all(test)
        stored = set(store.ids(test))
        known = {run_id: one for run_id, one in current(labellings).items() if run_id in stored}
        ids = kept(known, MOST_RUNS)
        if len(ids) < len(known):
            on_event(Warned(test, _left_out(len(known) - len(ids))))
        if ids:
            runs = windowed(project, store.open_set(test, ids))
            entries = stored_entries(ResultStore(project.files.store), test)
            trainings = tuple(one.run_ids for one in entries if one.is_training)
            pasts.append(Past(test, tuple(runs), tuple(labellings), trainings))
    return tuple(pasts)


def kept(known: Mapping[str, Labelling], most: int) -> list[str]:
    """Return the ids of all bad and invalid runs, and of the newest good ones up to ``most`` runs; sorted."""
    good = sorted(run_id for run_id, one in known.items() if one.label is Label.GOOD)
    others = known.keys() - set(good)
    n_good = max(0, most - len(others))
    return sorted([*others, *good[max(0, len(good) - n_good) :]])


def _left_out(n_runs: int) -> str:
    return (
        f"the oldest {format_count(n_runs, 'good run')} with a label cannot be learned from: training loads "
        f"{MOST_RUNS} labelled runs of a test, or all that are bad or invalid if these are more"
    )
