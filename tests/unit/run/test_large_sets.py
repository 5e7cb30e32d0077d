"""Runs that do not fit into the memory together: any number of them, and no file stays open."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.run import long as long_runs
from buto.run.long import LongRun
from buto.run.model import Run, RunSet
from buto.run.properties import Property
from buto.run.store import RunStore
from tests.support.processes.descriptors import n_open_below
from tests.support.runs.examples import full_run

N_RUNS, N_SAMPLES, N_PROPERTIES = 12, 200, 5
N_VALUES = N_RUNS * N_SAMPLES * N_PROPERTIES
PROPERTIES = tuple(Property(f"jvm.number.{number}") for number in range(N_PROPERTIES))


def a_run(number: int) -> Run:
    values = np.random.default_rng(number).normal(size=(N_SAMPLES, N_PROPERTIES))
    values[:, 4] = np.nan
    times_s = np.arange(N_SAMPLES) / 10
    return full_run(f"{number:03}", properties=PROPERTIES, times_s=times_s, values=values)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    here = RunStore(tmp_path)
    for number in range(N_RUNS):
        here.add(a_run(number))
    return here


def opened(store: RunStore) -> RunSet:
    return store.open_set("leaker", store.ids("leaker"))


def test_a_set_that_is_too_large_has_few_samples_in_memory(
    tmp_path: Path, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_runs, "MOST_VALUES", N_VALUES - 1)
    monkeypatch.setattr(long_runs, "MOST_DRAWN", N_VALUES // 10)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    runs = opened(store)
    assert n_open_below(tmp_path) == 0
    assert all(isinstance(run, LongRun) and run.stride == 16 for run in runs)
    assert sum(run.values.size for run in runs) <= N_VALUES // 10
    for number, run in enumerate(runs):
        assert isinstance(run, LongRun)
        whole = a_run(number)
        part = run.part([PROPERTIES[3], PROPERTIES[0]])
        assert part.values.tobytes() == whole.values[:, [3, 0]].tobytes()
        assert part.times_s.tobytes() == whole.times_s.tobytes()
        assert repr(run.smallest_read(4)) == "nan"
    assert n_open_below(tmp_path) == 0


def test_a_set_that_fits_is_in_memory(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_runs, "MOST_VALUES", N_VALUES)
    assert not any(isinstance(run, LongRun) for run in opened(store))


def test_a_run_that_is_deleted_before_it_is_read_is_named(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_runs, "MOST_VALUES", 1)
    first, *_ = opened(store)
    store.delete("leaker", [first.id])
    assert isinstance(first, LongRun)
    with pytest.raises(BadFileError, match=f"there is no run {first.id!r}"):
        first.part(PROPERTIES)
