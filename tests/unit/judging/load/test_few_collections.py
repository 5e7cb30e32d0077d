"""A server that collects at most a few times in a run: where its saw-tooth stands is chance, not its load."""

import numpy as np
import pytest

from buto.judging.configuration import settings_from
from buto.judging.verdict import Status
from buto.oracle import check, train
from buto.run.model import run_set
from buto.run.properties import Kind, Property
from tests.support.judging import needs_turns
from tests.support.runs.signals import make_run

REQUESTS = "load.throughput[read]"
USED, AFTER, SURVIVOR, EDEN_POOL, OLD = (
    "jvm.memory.heap.used",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.memory.used[PS Survivor Space]",
    "jvm.memory.used[PS Eden Space]",
    "jvm.memory.used[PS Old Gen]",
)
OWN = {
    REQUESTS: Property(REQUESTS, "{answer}/s"),
    "jvm.memory.allocated": Property("jvm.memory.allocated", "By", Kind.COUNTER),
}
EDEN, EACH, SECONDS = 24e6, 9_000, 60
"""Bytes that are full after 0 to 2 times in a run, and bytes of a request."""


def served(number, rate, *, kept=0.0, each=EACH):
    """Answer requests of ``each`` bytes; ``kept`` bytes of each stay for ever."""
    random = np.random.default_rng(number)
    times = np.arange(SECONDS + 1.0)
    requests = random.poisson(rate, len(times)).astype(float)
    total = random.uniform(0, EDEN) + EACH * requests.cumsum()  # the window begins anywhere in the saw-tooth
    collections = (total // EDEN).astype(int)
    survived = np.r_[0.0, 1e6 * random.uniform(0.2, 1.5, collections.max() + 1)]
    survivor = survived[collections]
    old = 8e6 + 2e5 * random.uniform() + kept * requests.cumsum()
    eden = total % EDEN
    columns = {
        REQUESTS: requests,
        "jvm.cpu.time": (0.004 * requests * random.normal(1, 0.03, len(times))).cumsum(),
        "jvm.memory.allocated": each * requests.cumsum(),
        "jvm.gc.count[PS Scavenge]": collections.astype(float),
        USED: eden + survivor + old,
        AFTER: np.where(collections > 0, survivor + old, np.nan),  # no collection has left anything yet
        SURVIVOR: survivor,
        EDEN_POOL: eden,
        OLD: old,
    }
    return make_run(number, times, columns, properties=OWN)


@pytest.fixture(scope="module")
def oracle():
    rates = np.random.default_rng(1).uniform(30, 50, 10)
    return train(run_set([served(number, rate) for number, rate in enumerate(rates)]), settings_from({}))


@pytest.mark.slow
@pytest.mark.parametrize("rate", [20.0, pytest.param(60.0, marks=pytest.mark.all)])
def test_an_unchanged_server_hardly_ever_fails_under_half_and_one_and_a_half_times_the_load(oracle, rate):
    checks = [run_set([served(first + n, rate) for n in range(3)]) for first in (100, 103, 106, 109)]
    # At an alpha of .01 two of four fail once in 1,700 times.
    assert sum(check(oracle, runs).status is not Status.PASS for runs in checks) <= 1


def test_what_each_request_keeps_is_found_all_the_same(oracle):
    runs = run_set([served(200 + number, 60.0, kept=2_000.0) for number in range(3)])
    assert needs_turns(check(oracle, runs))


def test_what_each_request_allocates_accuses_without_turns_under_another_load(oracle):
    runs = run_set([served(200 + number, 60.0, each=1.5 * EACH) for number in range(3)])
    verdict = check(oracle, runs)
    assert verdict.status is Status.REGRESSION
    assert verdict.findings[0].subject == "jvm.memory.allocated"
