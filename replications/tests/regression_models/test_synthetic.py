"""The paper's method on made-up systems of 28 counters whose truth is known."""

import pytest

from buto_replications.detectors.regression_models import excesses, judged
from replications.tests.support.synthetic_counters import NAMES, run

SEEDS = range(15)


def largest_errors(seed, distance, change="", rate=1.0):
    old = [run(seed, number) for number in range(1, 5)]
    clusters = list(judged(old, run(seed, 9, change, rate), NAMES, 0.9, distance))
    return max(one.new.absolute for one in clusters), len(clusters)


@pytest.mark.parametrize("distance", ["eq1", "correlation"])
def test_an_offset_of_one_half_is_above_the_threshold_and_no_change_far_below(distance):
    for seed in SEEDS:
        assert largest_errors(seed, distance)[0] < 0.11
        assert 0.30 < largest_errors(seed, distance, "offset")[0] < 0.36


def test_only_absolute_correlation_finds_the_four_groups():
    assert {largest_errors(seed, "correlation")[1] for seed in SEEDS} == {4}
    assert min(largest_errors(seed, "eq1")[1] for seed in SEEDS) > 10


def test_half_or_more_load_cancels_out_by_absolute_correlation():
    for rate in (0.5, 1.5):
        assert max(largest_errors(seed, "correlation", rate=rate)[0] for seed in SEEDS) < 0.11


def test_a_reversed_relation_is_missed():
    assert max(largest_errors(seed, "eq1", "reversed")[0] for seed in SEEDS) < 0.11


def is_worse_than_training(seed, change="", rate=1.0, factor=1.0):
    new = run(seed, 99, change, rate)
    new[:, 0] *= factor
    clusters = list(judged([run(seed, number) for number in range(1, 11)], new, NAMES, 0.9, "correlation"))
    found, usual = excesses(clusters, "absolute")
    return found.max() > max(1.0, usual)


def test_calibrated_on_training_runs_it_finds_16_percent_and_seldom_fails_an_unchanged_run():
    assert all(is_worse_than_training(seed, factor=1.16) for seed in SEEDS)
    # Of eleven runs, one is the worst.
    assert sum(is_worse_than_training(seed) for seed in SEEDS) <= 4
    assert sum(is_worse_than_training(seed, rate=0.5) for seed in SEEDS) <= 4
