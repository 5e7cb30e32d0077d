"""What is learned of runs that do not fit into memory together is what is learned of all of them at once."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from buto import oracle
from buto.errors import JudgeError
from buto.judging.calibrated import profile as by_parts
from buto.judging.calibrated.settings import CALIBRATED
from buto.judging.readable import read_at_all
from buto.oracle.text import to_text
from buto.report.levels import levels
from buto.run import long as long_runs
from buto.run import store as stores
from buto.run.long import LongRun
from buto.run.model import Outcome, RunSet, run_set
from buto.run.properties import property_for
from buto.run.store import RunStore
from buto_replications.dataset import archive
from buto_replications.detectors.ensemble.settings import FOO, INTERVAL
from buto_replications.detectors.history.settings import HISTORY
from buto_replications.detectors.regression_models import SHANG
from tests.support.checkout import ROOT
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


RECORDED = ROOT / "data" / "experiments"
N_TRAINING = 8


@pytest.fixture(scope="module")
def groups():
    """Some runs of each of some recorded programs, those with the most and the fewest samples among them."""
    host = archive.hosts(RECORDED)[0]
    groups = sorted(archive.load(RECORDED, host).values(), key=lambda runs: runs.runs[0].n_samples)
    usable = [runs.valid() for runs in groups if len(runs.valid()) > N_TRAINING + 3]
    assert len(usable) > 8
    return [
        RunSet(runs.runs[: N_TRAINING + 3]) for runs in (*usable[:2], usable[len(usable) // 2], *usable[-2:])
    ]


def written(learned):
    return to_text({"model": learned.fitted.to_data(), "warnings": list(learned.warnings)})


@pytest.fixture
def long(monkeypatch, tmp_path):
    """A store that takes every run for a long one; two properties are learned from at a time."""
    monkeypatch.setattr(stores, "LONG_VALUES", 1)
    monkeypatch.setattr(by_parts, "PART_VALUES", 1)
    return RunStore(tmp_path)


@pytest.mark.parametrize("group", range(5))
@pytest.mark.parametrize("part_values", [1, 20_000])
def test_an_oracle_and_its_verdicts_are_the_same_to_the_last_digit(
    groups, group, long, part_values, monkeypatch
):
    runs = groups[group]
    monkeypatch.setattr(by_parts, "PART_VALUES", part_values)
    for run in runs:
        long.add(run)
    opened = long.open_set(runs.runs[0].test, long.ids(runs.runs[0].test))
    assert all(isinstance(run, LongRun) for run in opened)
    plain = oracle.train(RunSet(runs.runs[:N_TRAINING]), CALIBRATED)
    parted = oracle.train(RunSet(opened.runs[:N_TRAINING]), CALIBRATED)
    assert written(parted) == written(plain)
    for first, last in ((N_TRAINING, N_TRAINING + 1), (N_TRAINING, N_TRAINING + 3)):
        expected = oracle.check(plain, RunSet(runs.runs[first:last]))
        assert oracle.check(parted, RunSet(opened.runs[first:last])) == expected
    for one, other in zip(opened, runs, strict=True):
        assert levels(one) == levels(other)


def test_features_before_they_are_rounded_are_the_same_bits(groups, long):
    runs = groups[0]
    for run in runs:
        long.add(run)
    opened = long.open_set(runs.runs[0].test, long.ids(runs.runs[0].test))
    properties, _ = read_at_all(runs.runs, runs.properties, CALIBRATED)
    assert read_at_all(opened.runs, runs.properties, CALIBRATED)[0] == properties
    plain = by_parts.learn(runs.runs, properties)
    parts = by_parts._learned(opened, by_parts._divided(properties, 1000), by_class=False)
    joined = by_parts._joined([profile for profile, _ in parts])
    assert len(parts) > 10
    assert joined.catalogue == plain.catalogue
    assert joined.values.tobytes() == plain.values.tobytes()
    assert joined.grain.tobytes() == plain.grain.tobytes()


def test_only_the_envelope_is_of_some_samples(groups, long, monkeypatch):
    monkeypatch.setattr(long_runs, "MOST_SAMPLES", 30)
    runs = groups[-1]
    for run in runs:
        long.add(run)
    opened = long.open_set(runs.runs[0].test, long.ids(runs.runs[0].test))
    plain, parted = oracle.train(runs, CALIBRATED), oracle.train(opened, CALIBRATED)
    (theirs, ours) = (json.loads(written(one))["model"] for one in (plain, parted))
    assert ours["envelope"]["curves"] != theirs["envelope"]["curves"]
    assert ours["envelope"]["left_out"] == theirs["envelope"]["left_out"]
    del ours["envelope"], theirs["envelope"]
    assert ours == theirs


def test_too_few_long_runs_are_refused_as_others_are(groups, long):
    for run in groups[0].runs[:4]:
        long.add(run)
    opened = long.open_set(groups[0].runs[0].test, long.ids(groups[0].runs[0].test))
    with pytest.raises(JudgeError, match="at least 5 runs"):
        oracle.train(opened, CALIBRATED)


def test_a_property_that_some_run_lacks_is_left_out_with_the_same_reason(groups, long):
    runs = list(groups[0])
    values = runs[3].values.copy()
    values[:, 5] = np.nan
    runs[3] = replace(runs[3], values=values)
    for run in runs:
        long.add(run)
    opened = long.open_set(runs[0].test, long.ids(runs[0].test))
    assert written(oracle.train(opened, CALIBRATED)) == written(oracle.train(run_set(runs), CALIBRATED))
