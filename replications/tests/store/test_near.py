"""Intervals of a measured delta over runs: coverage, and which side of the boundary they decide."""

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.verdict import Status
from buto_predict.deviations import NEGLIGIBLE, cliffs_delta
from buto_replications.store.measured import MeasuredChange
from buto_replications.store.near import Side, near_table, over_runs

CHANGE = MeasuredChange(
    "v", "fixed", "GET /", 0.1, 0.1, 0.3, True, (0.2, 0.4), 0.35, (0.3, 0.4), Status.REGRESSION
)


def runs(rng, number, slower=0.0):
    """Runs whose levels differ more than the means of their 60 response times."""
    return [np.exp(rng.normal(slower + level, 0.5, 60)) for level in rng.normal(0, 0.2, number)]


@pytest.mark.parametrize("slower", [0.0, 0.3])
def test_the_interval_covers_the_true_delta(slower):
    rng = np.random.default_rng(1)
    truth = cliffs_delta(*(np.concatenate(runs(rng, 2000, shift)) for shift in (0.0, slower)))
    found = [over_runs(runs(rng, 8), runs(rng, 4, slower)) for _ in range(400)]
    covered = np.mean([low <= truth <= high for low, high in found])
    assert 0.92 <= covered <= 0.98


def test_one_run_of_a_version_decides_nothing():
    rng = np.random.default_rng(1)
    assert over_runs(runs(rng, 8), runs(rng, 1, 5.0)) == (-np.inf, np.inf)
    assert Side.of((-np.inf, np.inf)) is Side.UNDECIDED


def test_runs_without_any_variation_have_an_interval_of_no_length():
    same = [np.arange(5.0)] * 3
    assert over_runs(same, [times + 10 for times in same]) == (1.0, 1.0)


def test_an_interval_decides_the_side_that_it_is_on():
    assert Side.of((NEGLIGIBLE, 0.5)) is Side.REGRESSION
    assert Side.of((-0.1, NEGLIGIBLE - 0.001)) is Side.NONE
    assert Side.of((0.1, 0.2)) is Side.UNDECIDED


def test_verdicts_are_counted_for_each_side_that_measurements_decide():
    changes = (
        CHANGE,
        replace(CHANGE, endpoint="GET /b", predicted_delta=0.1, over_runs=(-0.1, 0.1)),
        replace(CHANGE, load="more", status=Status.INCONCLUSIVE, predicted_delta=0.2),
        replace(CHANGE, load="both", over_runs=(-0.1, 0.1), status=Status.PASS, predicted_delta=0.2),
        replace(CHANGE, load="other", over_runs=(-0.1, 0.2)),
        replace(CHANGE, version="other"),
    )
    table = near_table(changes, ["v"])
    assert [(row[1], row[2], row[5]) for row in table.rows] == [
        ("fixed", "GET /", "regression"),
        ("more", "GET /", "regression"),
        ("both", "GET /", "none"),
        ("other", "GET /", "undecided"),
    ]
    assert table.notes == (
        "regression: 1 of 2 right, 1 inconclusive; by predicted delta alone 2 right",
        "none: 1 of 1 right, 0 inconclusive; by predicted delta alone 0 right",
        "measurements leave 1 of 4 undecided",
    )
