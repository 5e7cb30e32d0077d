"""Runs of too many values to hold: some samples in memory, all the others on demand."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.judging.features import series_of
from buto.run import long as long_runs
from buto.run import store
from buto.run.long import MOST_SAMPLES, LongRun, drawn, stride_for
from buto.run.model import Run
from buto.run.properties import Property
from buto.run.store import RunStore
from buto.run.tables import SAMPLES
from tests.support.processes.descriptors import n_open_below
from tests.support.runs.examples import assert_same, full_run

N_SAMPLES = 1000
NAMES = (
    "jvm.memory",
    "jvm.memory.used",
    "jvm.memory.used.max",
    "mbean[a:b=c]/D",
    "mbean[a:b=c]/D.e",
    "never",
)


def a_long_run(run_id: str = "1") -> Run:
    random = np.random.default_rng(int(run_id))
    values = random.normal(size=(N_SAMPLES, len(NAMES))) * 10.0 ** np.arange(len(NAMES))
    values[5:700, 2] = np.nan
    values[3, 3] = math.inf
    values[:, 5] = np.nan
    return full_run(
        run_id,
        properties=tuple(map(Property, NAMES)),
        times_s=np.arange(N_SAMPLES) / 10 + 0.05,
        values=values,
    )


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    """A store with one run, in which such a run is a long one."""
    monkeypatch.setattr(store, "LONG_VALUES", N_SAMPLES)
    here = RunStore(tmp_path)
    here.add(a_long_run())
    return here


@pytest.fixture
def opened(here: RunStore) -> LongRun:
    (run,) = here.open_set("leaker", ["1"])
    assert isinstance(run, LongRun)
    return run


def test_every_part_of_a_long_run_is_that_of_the_run(opened: LongRun) -> None:
    whole = a_long_run()
    for columns in ([0], [1, 0], [4, 3, 2, 1, 0], range(6), []):
        properties = [whole.properties[column] for column in columns]
        part = opened.part(properties)
        assert part.values.tobytes() == whole.values[:, list(columns)].tobytes()
        assert part.times_s.tobytes() == whole.times_s.tobytes()
        assert series_of(opened, properties).values.tobytes() == series_of(whole, properties).values.tobytes()
    assert opened.part([Property("jvm.memory"), Property("unknown")]).properties == (Property("jvm.memory"),)


def test_every_nth_sample_is_kept(opened: LongRun) -> None:
    whole = a_long_run()
    assert (opened.n_samples, opened.stride) == (N_SAMPLES, 16)
    assert opened.values.tobytes() == whole.values[::16].tobytes()
    assert opened.times_s.tobytes() == whole.times_s[::16].tobytes()
    assert drawn(opened).n_samples == len(opened.times_s)
    for column in range(len(NAMES)):
        assert repr(opened.smallest_read(column)) == repr(whole.smallest_read(column))


def test_all_but_the_samples_is_as_in_any_run(opened: LongRun) -> None:
    assert_same(opened.part(opened.properties), a_long_run())


def test_runs_of_one_set_keep_samples_of_the_same_numbers(here: RunStore) -> None:
    short = a_long_run("2")
    here.add(
        full_run("2", properties=short.properties, times_s=short.times_s[:900], values=short.values[:900])
    )
    here.add(full_run("3"))
    runs = here.open_set("leaker", here.ids("leaker")).runs
    assert [getattr(run, "stride", None) for run in runs] == [16, 16, None]
    assert_same(runs[2], full_run("3"))


@pytest.mark.parametrize("n_samples", [0, 1, MOST_SAMPLES, MOST_SAMPLES + 1, 28_800, 10**7])
def test_no_more_samples_are_held_than_are_reported(n_samples: int) -> None:
    stride = stride_for(n_samples)
    assert len(range(0, n_samples, stride)) <= MOST_SAMPLES
    assert stride == 1 or len(range(0, n_samples, stride // 2)) > MOST_SAMPLES


def test_a_damaged_long_run_is_refused_before_anything_is_made_of_it(here: RunStore) -> None:
    (path,) = here.directory("leaker").glob(f"1/{SAMPLES}")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadFileError, match="not the file that"):
        here.open_set("leaker", ["1"])
    path.unlink()
    with pytest.raises(BadFileError, match="missing"):
        here.open_set("leaker", ["1"])


def test_a_run_that_is_deleted_meanwhile_can_be_read_to_its_end(here: RunStore, opened: LongRun) -> None:
    here.delete("leaker", ["1"])
    assert_same(opened.part(opened.properties), a_long_run())


N_RUNS = 12
N_VALUES = N_RUNS * N_SAMPLES * len(NAMES)


@pytest.fixture
def large(tmp_path: Path) -> RunStore:
    """A store of runs that are too many for the memory only together."""
    here = RunStore(tmp_path)
    for number in range(N_RUNS):
        here.add(a_long_run(f"{number:03}"))
    return here


def test_a_set_that_is_too_large_has_few_samples_in_memory_and_no_file_open(
    tmp_path: Path, large: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_runs, "MOST_VALUES", N_VALUES - 1)
    monkeypatch.setattr(long_runs, "MOST_DRAWN", N_VALUES // 10)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    runs = large.open_set("leaker", large.ids("leaker"))
    assert n_open_below(tmp_path) == 0
    assert sum(run.values.size for run in runs) <= N_VALUES // 10
    for run in runs:
        assert isinstance(run, LongRun) and run.stride == 16
        whole = a_long_run(run.id)
        part = run.part([whole.properties[4], whole.properties[0]])
        assert part.values.tobytes() == whole.values[:, [4, 0]].tobytes()
        assert part.times_s.tobytes() == whole.times_s.tobytes()
        assert repr(run.smallest_read(5)) == "nan"
    assert n_open_below(tmp_path) == 0


def test_a_set_that_fits_is_in_memory(large: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_runs, "MOST_VALUES", N_VALUES)
    assert not any(isinstance(run, LongRun) for run in large.open_set("leaker", large.ids("leaker")))


def test_a_run_that_is_deleted_before_it_is_read_is_named(
    large: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_runs, "MOST_VALUES", 1)
    first, *_ = large.open_set("leaker", large.ids("leaker"))
    large.delete("leaker", [first.id])
    assert isinstance(first, LongRun)
    with pytest.raises(BadFileError, match=f"there is no run {first.id!r}"):
        first.part(first.properties)
