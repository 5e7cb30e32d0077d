"""Several processes at one store: a run exists wholly or not at all."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from buto.run.files import LEFTOVER_AGE_S
from buto.run.store import RunStore
from tests.support.runs.examples import assert_same, full_run
from tests.support.runs.writers import OUTPUT_BYTES

pytestmark = pytest.mark.slow

DEADLINE_S = 300.0


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.support.runs.writers", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def leftovers(store: RunStore) -> list[Path]:
    return [entry for entry in (store.root / "runs" / "leaker").iterdir() if entry.name.startswith(".")]


def make_old(path: Path) -> None:
    long_ago = time.time() - 2 * LEFTOVER_AGE_S
    os.utime(path, (long_ago, long_ago))


def test_only_what_is_old_is_cleaned(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    place = store.add(full_run("1"))
    old, young = place.with_name(".2.0123abcd.tmp"), place.with_name(".3.0123abcd.tmp")
    for leftover in (old, young):
        leftover.mkdir()
        (leftover / "run.json").write_text("{")
    make_old(old)
    store.add(full_run("4"))
    assert leftovers(store) == [young]
    assert store.ids("leaker") == ["1", "4"]


def test_what_a_living_writer_fills_is_not_cleaned(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    filled = store.add(full_run("1")).with_name(".2.0123abcd.tmp")
    filled.mkdir()
    make_old(filled)
    descriptor = os.open(filled, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    store.add(full_run("3"))
    assert leftovers(store) == [filled]
    os.close(descriptor)
    store.add(full_run("4"))
    assert leftovers(store) == []


def test_writers_readers_and_deleters_do_not_disturb_each_other(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    for number in range(15):
        store.add(full_run(f"old{number}"))
    n_read = 0
    with (
        start("write", tmp_path, "a", "20") as writer,
        start("write", tmp_path, "b", "20") as other,
        start("delete", tmp_path, "old") as deleter,
    ):
        deadline = time.monotonic() + DEADLINE_S
        while any(process.poll() is None for process in (writer, other, deleter)):
            assert time.monotonic() < deadline
            for summary in store.summaries("leaker"):
                # A run may go between the listing and the reading; what is read is whole.
                assert summary.head is not None or "missing" in summary.damage
                n_read += summary.head is not None
    assert [writer.returncode, other.returncode, deleter.returncode] == [0, 0, 0]
    assert n_read > 0
    assert store.ids("leaker") == [f"{prefix}{number:03d}" for prefix in "ab" for number in range(20)]
    for run in store.load_set("leaker"):
        assert_same(run, full_run(run.id, stdout=bytes(OUTPUT_BYTES)))
    assert leftovers(store) == []


def test_what_another_deletion_has_removed_meanwhile_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunStore(tmp_path)
    for name in ("1", "2"):
        store.add(full_run(name))
    listed = store.ids("leaker")
    store.delete("leaker", ["1"])
    monkeypatch.setattr(RunStore, "ids", lambda *_: listed)
    store.delete("leaker", listed)
    monkeypatch.undo()
    assert store.ids("leaker") == []
