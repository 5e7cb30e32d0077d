"""The first look beside runs that turns have left, on runs of known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from buto.run.model import run_set
from buto_replications.judging.drift import DriftTask
from buto_replications.judging.mood import N_TRAINING, N_WINDOW, look_at_first_runs, tables
from tests.support.runs.signals import program_runs


def stream(slower: float) -> DriftTask:
    """Runs of an unchanged program, on a machine that takes so many times longer after the training."""
    runs = list(program_runs(7, N_WINDOW).runs)
    for place in range(N_TRAINING, N_WINDOW):
        outcome = replace(runs[place].outcome, duration_s=slower * runs[place].outcome.duration_s)
        runs[place] = replace(runs[place], outcome=outcome)
    return DriftTask("slower", "shop", run_set(runs), 1)


def test_a_machine_that_has_become_slower_is_suspected_only_by_training_alone() -> None:
    looks = look_at_first_runs(stream(2.0))
    suspected = {
        joined: np.mean([look.suspicious for look in looks if look.joined is joined and not look.planted])
        for joined in (False, True)
    }
    assert suspected[False] == 1.0
    assert suspected[True] <= 0.5


def test_each_part_has_a_row_with_and_one_without_the_runs() -> None:
    (table,) = tables(look_at_first_runs(stream(1.0)))
    assert [row[0] for row in table.rows] == ["training", "training and twenty runs"]
