"""The labelled runs of the past, for detectors that learn from them."""

from __future__ import annotations

from collections.abc import Mapping

from buto import oracle
from buto.actions.events import Warned
from buto.actions.launcher import Launcher
from buto.errors import UsageError
from buto.oracle import Settings
from buto.report.history import load_entries
from buto.run.entries import ResultStore
from buto.run.labels import Label, Labelling, LabelStore, Past, current
from buto.run.units import format_count

MOST_RUNS = 500
"""Labelled runs of one test that are loaded, unless more are bad or invalid."""

MAX_REASON = 1000
"""Characters of the reason for a label."""


def check_reason(reason: str) -> None:
    if len(reason) > MAX_REASON:
        raise UsageError(f"a reason must have at most {MAX_REASON} characters, got {len(reason)}")


def load_labelled_past(launcher: Launcher, settings: Settings) -> tuple[Past, ...]:
    """Return the labelled runs of every test that are still stored, by test; nothing if they are not needed.

    Of a test with many, the oldest good ones are left out, with a warning.
    """
    if not oracle.learns_from_labels(settings):
        return ()
    labels, store, pasts = LabelStore(launcher.workspace.store), launcher.workspace.runs, []
    for test in store.tests():
        labellings, stored = labels.all(test), set(store.ids(test))
        known = {run_id: labelling for run_id, labelling in current(labellings).items() if run_id in stored}
        ids = choose_kept(known, MOST_RUNS)
        if len(ids) < len(known):
            oldest = format_count(len(known) - len(ids), "good run")
            text = (
                f"the oldest {oldest} with a label cannot be learned from: training loads {MOST_RUNS} "
                "labelled runs of a test, or all that are bad or invalid if these are more"
            )
            launcher.report(Warned(test, text))
        if ids:
            entries = load_entries(ResultStore(launcher.workspace.store), test)
            trainings = tuple(entry.run_ids for entry in entries if entry.is_training)
            pasts.append(Past(test, tuple(launcher.workspace.load(test, ids)), tuple(labellings), trainings))
    return tuple(pasts)


def choose_kept(known: Mapping[str, Labelling], most: int) -> list[str]:
    """Return the ids of all bad and invalid runs, and of the newest good ones up to ``most`` runs; sorted."""
    good = sorted(run_id for run_id, labelling in known.items() if labelling.label is Label.GOOD)
    others = known.keys() - set(good)
    n_good = max(0, most - len(others))
    return sorted([*others, *good[max(0, len(good) - n_good) :]])
