"""The store: what is added is found again, exactly, and what is deleted is gone."""

from __future__ import annotations

import math
import subprocess
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from msgspec import structs

from buto.errors import EXIT_NOT_JUDGED, BadFileError, JudgeError, StorageError, UsageError
from buto.run.model import Run
from buto.run.names import new_id, start_of
from buto.run.store import RunStore
from buto.run.tables import MAX_OUTPUT_BYTES
from buto.steps import Advice, Setting
from tests.support.runs.examples import assert_same, full_run, runs
from tests.support.runs.qualities import starved


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / ".buto")


@pytest.mark.slow
@given(runs())
def test_any_run_comes_back_as_it_was(run: Run) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = RunStore(Path(directory))
        store.add(run)
        assert store.tests() == [run.test]
        assert store.ids(run.test) == [run.id]
        assert_same(store.load(run.test, run.id), run)


def test_a_run_is_a_directory_of_five_files(store: RunStore) -> None:
    place = store.add(full_run())
    assert place == store.root / "runs" / "leaker" / "20261120T234041.123Z-1f2e"
    assert sorted(file.name for file in place.iterdir()) == [
        "notifications.columns",
        "run.json",
        "samples.columns",
        "stderr.txt",
        "stdout.txt",
    ]


def test_nan_keeps_its_bits(store: RunStore) -> None:
    odd_nan = np.array(
        [[0x7FF8_0000_DEAD_BEEF, 0xFFF8_0000_0000_0001, 0x8000_0000_0000_0000]], dtype=np.uint64
    )
    run = full_run(times_s=np.array([0.0]), values=odd_nan.view(np.float64))
    store.add(run)
    assert_same(store.load(run.test, run.id), run)


def test_ids_sort_by_start_and_tests_by_name(store: RunStore) -> None:
    for test, run_id in (("b", "2"), ("a", "1"), ("b", "10"), ("b", "1")):
        store.add(full_run(run_id, test))
    assert store.tests() == ["a", "b"]
    assert store.ids("b") == ["1", "10", "2"]


def test_an_empty_store_has_nothing(store: RunStore) -> None:
    assert store.tests() == []
    assert store.ids("leaker") == []
    assert store.summaries("leaker") == []
    assert len(store.load_set("leaker")) == 0
    assert not store.root.exists()


def test_a_set_is_chosen_by_ids_or_by_age(store: RunStore) -> None:
    for run_id in ("1", "2", "3"):
        store.add(full_run(run_id))
    assert [run.id for run in store.load_set("leaker")] == ["1", "2", "3"]
    assert [run.id for run in store.load_set("leaker", ["3", "1"])] == ["1", "3"]
    assert [run.id for run in store.load_set("leaker", newest=2)] == ["2", "3"]
    assert [run.id for run in store.load_set("leaker", newest=9)] == ["1", "2", "3"]
    assert len(store.load_set("leaker", newest=0)) == 0


def test_a_summary_says_what_a_list_shows(store: RunStore) -> None:
    run = full_run(quality=starved("starved", foreign_load=0.05))
    place = store.add(run)
    (summary,) = store.summaries("leaker")
    assert summary.head is not None
    assert (summary.head.samples, summary.head.notifications) == (3, 2)
    assert (summary.head.outcome, summary.head.quality) == (run.outcome, run.quality)
    assert summary.size_bytes == sum(f.stat().st_size for f in place.iterdir() if f.name != "run.json")


def test_a_summary_needs_nothing_but_the_document(store: RunStore) -> None:
    place = store.add(full_run())
    for file in place.iterdir():
        if file.name != "run.json":
            file.unlink()
    (summary,) = store.summaries("leaker")
    assert summary.head is not None
    assert summary.damage == ""


def test_a_run_is_never_overwritten(store: RunStore) -> None:
    store.add(full_run())
    with pytest.raises(StorageError, match="20261120T234041") as refusal:
        store.add(full_run(stdout=b"another"))
    assert "is not overwritten" in (refusal.value.advice or "")
    assert_same(store.load("leaker", full_run().id), full_run())
    assert _hidden(store) == []


def test_runs_that_do_not_fit_into_memory_together_are_refused(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = full_run("1")
    for number in ("1", "2", "3"):
        store.add(full_run(number))
    monkeypatch.setattr("buto.run.store.MOST_VALUES", 2 * run.values.size)
    assert [stored_run.id for stored_run in store.load_set("leaker", ["1", "2"])] == ["1", "2"]
    with pytest.raises(JudgeError) as refused:
        store.load_set("leaker")
    assert refused.value.exit_code == EXIT_NOT_JUDGED
    assert isinstance(refused.value.advice, Advice)
    assert Setting("interval", "5s") in refused.value.advice.parts


def test_deleted_runs_are_gone_and_others_stay(store: RunStore) -> None:
    for run_id in ("1", "2", "3"):
        store.add(full_run(run_id))
    store.delete("leaker", ["1", "3"])
    assert store.ids("leaker") == ["2"]
    assert _hidden(store) == []
    store.delete("leaker", ["2"])
    assert store.tests() == []


@pytest.mark.parametrize("run_id", ["", ".", "..", "../other", "/etc", ".hidden", "a/b", "a\x00b", "x" * 81])
def test_an_id_never_leaves_its_test(store: RunStore, run_id: str) -> None:
    store.add(full_run("1", "other"))
    store.add(full_run("1"))
    with pytest.raises(UsageError):
        store.add(full_run(run_id))
    for refused in (store.load, lambda test, run_id: store.delete(test, [run_id])):
        with pytest.raises(BadFileError, match="there is no run"):
            refused("leaker", run_id)
    assert (store.ids("leaker"), store.ids("other")) == (["1"], ["1"])


def test_long_output_keeps_its_beginning_and_its_end(store: RunStore) -> None:
    size = 3 * MAX_OUTPUT_BYTES
    store.add(full_run(stdout=b"first" + b"." * size + b"last", stderr=b"." * MAX_OUTPUT_BYTES))
    run = store.load("leaker", full_run().id)
    assert len(run.stdout) < MAX_OUTPUT_BYTES + 100
    assert run.stdout.startswith(b"first")
    assert run.stdout.endswith(b"last")
    assert f"{size + 9 - MAX_OUTPUT_BYTES} bytes of output are not kept".encode() in run.stdout
    assert len(run.stderr) == MAX_OUTPUT_BYTES


def test_a_lone_surrogate_becomes_a_question_mark(store: RunStore) -> None:
    run = full_run(
        properties=(structs.replace(full_run().properties[0], name="a\ud800"), *full_run().properties[1:]),
        metadata={"k": "\udfff"},
    )
    store.add(run)
    loaded = store.load("leaker", run.id)
    assert loaded.properties[0].name == "a?"
    assert loaded.metadata == {"k": "?"}


def test_metadata_that_is_not_a_number_keeps_its_type(store: RunStore) -> None:
    store.add(
        full_run(metadata={"a": math.nan, "b": "nan", "c": math.inf, "d": 1, "e": 1.0, "f": True, "g": 2**70})
    )
    loaded = store.load("leaker", full_run().id).metadata
    assert repr(loaded) == f"{{'a': nan, 'b': 'nan', 'c': inf, 'd': 1, 'e': 1.0, 'f': True, 'g': {2**70}}}"


def test_git_sees_nothing_of_a_store(tmp_path: Path, store: RunStore) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    store.add(full_run())
    status = subprocess.run(["git", "-C", tmp_path, "status", "--porcelain"], check=True, capture_output=True)
    assert status.stdout == b""


def test_a_directory_of_others_gets_no_gitignore(tmp_path: Path) -> None:
    (tmp_path / "Main.java").touch()
    RunStore(tmp_path).add(full_run())
    assert not (tmp_path / ".gitignore").exists()


def test_an_edited_gitignore_stays(store: RunStore) -> None:
    store.add(full_run("1"))
    (store.root / ".gitignore").write_text("*.tmp\n")
    store.add(full_run("2"))
    assert (store.root / ".gitignore").read_text() == "*.tmp\n"


def test_new_ids_differ_and_tell_their_start() -> None:
    assert len({new_id() for _ in range(50)}) > 45
    start = datetime(2026, 11, 21, 1, 40, 41, 123456, tzinfo=timezone(timedelta(hours=2)))
    assert new_id(start).startswith("20261120T234041.123Z-")
    ids = [new_id(start + timedelta(milliseconds=k)) for k in (0, 1, 999, 60_000)]
    assert ids == sorted(ids)
    assert start_of(new_id(start)) == start.replace(microsecond=123000)
    assert start_of("1") is None


def _hidden(store: RunStore) -> list[Path]:
    return [path for path in store.root.rglob(".*") if path.name != ".gitignore"]
