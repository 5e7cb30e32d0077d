"""Verdicts of regression models under changing load, and errors on made-up systems of 28 counters."""

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.configuration import settings_from
from buto.judging.features import observations
from buto.judging.load.findings import Errors
from buto.judging.verdict import Direction, Effect, Status
from buto.oracle import check, train
from buto.run.model import run_set
from buto.run.properties import Kind, Property
from buto_replications.detectors.regression_models import JudgedCluster, differs, excesses, judged
from tests.support.runs.signals import make_run

N_COUNTERS, N_GROUPS, N_OBSERVATIONS = 28, 4, 60
NAMES = [f"counter {number:02}" for number in range(N_COUNTERS)]


def run(seed, number, change="", rate=1.0):
    """One run, shape (60, 28).

    Args:
        seed: of the system: levels, how strongly counters follow their group's demand, and noise.
        number: of the run.
        change: ``offset`` (one counter half as much again) or ``reversed`` (it falls as its group rises).
        rate: of all demands.
    """
    system = np.random.default_rng(seed)
    level = system.uniform(20, 200, N_COUNTERS)
    follows = system.uniform(0.1, 0.3, N_COUNTERS) * system.choice([1, -1], N_COUNTERS)
    noise = system.uniform(0.01, 0.05, N_COUNTERS)
    random = np.random.default_rng((seed, number))
    demand = rate * random.uniform(0.5, 1.5, (N_OBSERVATIONS, N_GROUPS)) - 1
    if change == "reversed":
        follows[0] *= -1
    values = 1 + follows * demand[:, np.arange(N_COUNTERS) % N_GROUPS]
    if change == "offset":
        values[:, 0] += 0.5
    return level * (values + noise * random.normal(size=values.shape))


SHANG = settings_from({"method": "shang"})
ALL_COUNTERS = settings_from({"method": "shang", "shang": {"redundant": 1}})
REQUESTS = "app.requests"
CPU, READ, HEAP = "jvm.cpu.time", "app.read", "jvm.memory.heap.used"
OWN = {REQUESTS: Property(REQUESTS, "{request}", Kind.COUNTER), READ: Property(READ, "By", Kind.COUNTER)}


def served(number, rate=50.0, cost=1.0, read=1.0, n_samples=121):
    """A run in which the load changes, and all but the heap follows it."""
    random = np.random.default_rng(number)
    times = np.arange(n_samples) * 1.0
    requests = rate * (1 + 0.6 * np.sin(times / 9 + number)) * random.normal(1, 0.03, n_samples)
    columns = {
        REQUESTS: requests.cumsum(),
        CPU: (cost * 0.004 * requests * random.normal(1, 0.03, n_samples)).cumsum(),
        READ: (read * 2e4 * requests * random.normal(1, 0.03, n_samples)).cumsum(),
        HEAP: 3e7 * random.normal(1, 0.05, n_samples),
        "jvm.thread.count": np.full(n_samples, 12.0),
    }
    return make_run(number, times, columns, properties=OWN)


def served_runs(numbers, **how):
    return run_set([served(number, **how) for number in numbers])


@pytest.fixture(scope="module")
def oracle():
    return train(served_runs(range(8)), SHANG)


def test_a_load_between_those_of_training_passes():
    oracle = train(served_runs(range(8)), ALL_COUNTERS)
    assert check(oracle, served_runs([20], rate=40.0)).status is Status.PASS


def test_a_request_that_costs_more_is_found_under_another_load(oracle):
    verdict = check(oracle, served_runs([20], rate=40.0, cost=2.0))
    assert verdict.status is Status.REGRESSION
    (finding,) = verdict.findings
    assert (finding.subject, finding.direction, finding.effect) == (CPU, Direction.MORE, Effect.WORSE)
    assert finding.observed == pytest.approx(2 * finding.expected, rel=0.1)
    assert finding.text.startswith(f"predicted from {READ}, it is off by 49.8 % (signed -49.8 %)")
    assert "training runs by at most" in finding.text


def test_a_change_below_the_threshold_is_missed(oracle):
    assert check(oracle, served_runs([20], cost=1.16)).status is Status.PASS


def test_a_load_beyond_those_of_training_is_no_pass():
    oracle = train(served_runs(range(8)), ALL_COUNTERS)
    verdict = check(oracle, served_runs([20], rate=400.0))
    assert verdict.status is Status.INCONCLUSIVE
    assert "beyond those of the training runs" in verdict.reasons[0]


def test_a_constant_that_changes_is_found_without_a_model(oracle):
    run = served(20)
    values = run.values.copy()
    values[:, run.column_of["jvm.thread.count"]] = 99.0
    verdict = check(oracle, run_set([replace(run, values=values)]))
    assert [finding.subject for finding in verdict.findings] == ["jvm.thread.count"]


def test_a_cluster_must_be_worse_than_the_threshold_and_than_every_training_run():
    def cluster(error, usual):
        return JudgedCluster(
            0, (), Errors(-error, error, 0.0), (Errors(usual, usual, 0.0),) * 2, 1.0, 2.0, 0.0
        )

    assert differs(cluster(0.31, 0.02), 0.3, "absolute")
    assert differs(cluster(0.31, 0.02), 0.3, "signed")
    assert not differs(cluster(0.3, 0.02), 0.3, "absolute")
    assert not differs(cluster(0.8, 0.9), 0.3, "absolute")
    assert differs(cluster(np.inf, 0.9), 0.3, "absolute")


def test_several_runs_are_judged_together(oracle):
    runs = run_set([served(20, cost=2.0), served(21, cost=3.0), served(22, cost=2.0)])
    verdict = check(oracle, runs)
    assert [(finding.subject, finding.run_id) for finding in verdict.findings] == [(CPU, runs.runs[1].id)]


def test_observations_are_rates_of_counters_and_means_of_the_rest():
    times = np.array([0.0, 1.0, 2.0, 4.0, 5.0])
    run = make_run(
        0,
        times,
        {REQUESTS: 10 * times, HEAP: np.array([9.0, 2.0, 4.0, 6.0, np.nan]), CPU: times**2},
        properties=OWN,
    )
    found = observations(run, run.properties, 2)
    assert found.tolist() == [[10.0, 3.0, 2.0], [10.0, 6.0, 7.0]]
    assert observations(run, run.properties, 99).shape == (4, 3)


def test_an_excess_is_compared_with_the_worst_of_any_training_run():
    def cluster(new, *usual):
        return JudgedCluster(
            0, (), Errors(-new, new, 0.0), tuple(Errors(errors, errors, 0.0) for errors in usual), 1.0, 2.0, 0
        )

    clusters = [cluster(0.8, 0.2, 0.4, 0.1), cluster(0.09, 0.02, 0.02, 0.02), cluster(np.inf, 0, 0, 0)]
    found, usual = excesses(clusters, "absolute")
    assert found == pytest.approx([0.8 / 0.41, 3.0, 1e8])
    assert usual == pytest.approx(0.4 / 0.21)


@pytest.mark.parametrize(("cost", "status"), [(1.0, Status.PASS), (1.5, Status.REGRESSION)])
def test_the_calibrated_method_judges_by_training_runs(cost, status):
    oracle = train(served_runs(range(10)), settings_from({"method": "shang-calibrated"}))
    verdict = check(oracle, served_runs([20], cost=cost))
    assert verdict.status is status
    assert "by a larger factor" in oracle.fitted.explain(verdict).rule


SEEDS = range(15)


def largest_errors(seed, distance, change="", rate=1.0):
    old = [run(seed, number) for number in range(1, 5)]
    clusters = list(judged(old, run(seed, 9, change, rate), NAMES, 0.9, distance))
    return max(cluster.new.absolute for cluster in clusters), len(clusters)


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
