from dataclasses import replace

import numpy as np
import pytest

from buto.judging.calibrated.load_findings import Errors
from buto.judging.configuration import settings_from
from buto.judging.features import observations
from buto.judging.verdict import Direction, Effect, Status
from buto.oracle import check, train
from buto.run.model import run_set
from buto.run.properties import Kind, Property
from buto_replications.detectors.regression_models import Judged, differs, excesses
from tests.support.runs.signals import make_run

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
    assert [one.subject for one in verdict.findings] == ["jvm.thread.count"]


def test_a_cluster_must_be_worse_than_the_threshold_and_than_every_training_run():
    def cluster(error, usual):
        return Judged(0, (), Errors(-error, error, 0.0), (Errors(usual, usual, 0.0),) * 2, 1.0, 2.0, 0.0)

    assert differs(cluster(0.31, 0.02), 0.3, "absolute")
    assert differs(cluster(0.31, 0.02), 0.3, "signed")
    assert not differs(cluster(0.3, 0.02), 0.3, "absolute")
    assert not differs(cluster(0.8, 0.9), 0.3, "absolute")
    assert differs(cluster(np.inf, 0.9), 0.3, "absolute")


def test_several_runs_are_judged_together(oracle):
    runs = run_set([served(20, cost=2.0), served(21, cost=3.0), served(22, cost=2.0)])
    verdict = check(oracle, runs)
    assert [(one.subject, one.run_id) for one in verdict.findings] == [(CPU, runs.runs[1].id)]


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
        return Judged(
            0, (), Errors(-new, new, 0.0), tuple(Errors(one, one, 0.0) for one in usual), 1.0, 2.0, 0
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
