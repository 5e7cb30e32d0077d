"""Detectors that learn from many runs hold what they learn, and not all samples."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from buto import oracle
from buto.oracle.file import to_text
from buto.run import long as long_runs
from buto.run.long import LongRun
from buto.run.model import Outcome
from buto.run.properties import property_for
from buto.run.store import RunStore
from buto_replications.detectors.ensemble.settings import FOO, INTERVAL
from buto_replications.detectors.history.settings import HISTORY
from buto_replications.detectors.regression_models import SHANG
from tests.support.runs.stored import leaking_run

pytestmark = pytest.mark.slow

N_RUNS, N_SAMPLES = 20, 8000
NAMES = ("jvm.memory.heap.used", "jvm.thread.count", "jvm.cpu.time", "jvm.class.loaded")
INTERVALS = replace(FOO, values={**FOO.values, INTERVAL: 40.0})
TOTAL_BYTES = 8 * N_RUNS * N_SAMPLES * len(NAMES)


def a_run(number):
    noise = np.random.default_rng(number)
    times_s = np.arange(N_SAMPLES) / 10
    load = noise.normal(1.0, 0.1, N_SAMPLES).clip(0.1)
    values = np.column_stack(
        [2**20 * (8 + load), 10 + np.rint(load), np.cumsum(load) / 100, 450 + np.rint(3 * load)]
    )
    return replace(
        leaking_run(number),
        properties=tuple(map(property_for, NAMES)),
        times_s=times_s,
        values=values,
        outcome=Outcome(0, duration_s=float(times_s[-1])),
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    here = RunStore(tmp_path_factory.mktemp("store"))
    for number in range(N_RUNS):
        here.add(a_run(number))
    return here


@pytest.mark.parametrize("settings", [SHANG, HISTORY, INTERVALS], ids=lambda one: one.method)
def test_an_oracle_of_a_set_that_is_not_in_memory_is_the_same(store, settings, monkeypatch):

    def learned():
        runs = store.open_set("leaker", store.ids("leaker"))
        return runs, to_text(oracle.train(runs, settings).fitted.to_data())

    _, expected = learned()
    monkeypatch.setattr(long_runs, "MOST_VALUES", 1)
    monkeypatch.setattr(long_runs, "MOST_DRAWN", 1)
    tracemalloc.start()
    try:
        runs, found = learned()
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all(isinstance(run, LongRun) for run in runs)
    assert found == expected
    assert peak_bytes < TOTAL_BYTES / 2, f"{peak_bytes / TOTAL_BYTES:.2f} of all samples"
