"""A store whose writers are killed at random points has no half run and has lost no whole one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.measure.journal import recover
from buto.run.journal import find_unfinished
from buto.run.model import ProblemKind
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.runs.examples import assert_same
from tests.support.runs.store_victims import finished, recording_of

pytestmark = pytest.mark.all

N_KILLS = int(os.environ.get("BUTO_STORE_KILLS", "100"))
SEED = os.environ.get("BUTO_STORE_SEED", "a seed")
WORDS = ("kept", "stored", "recovered", "deleting", "deleted")


def assert_whole(store: RunStore, test: str, run_id: str) -> bool:
    """A run is the one that was stored, or what a journal had of it; returns whether it was stored."""
    run = store.load(test, run_id)
    expected = finished(recording_of(run_id, test))
    if run.quality.valid:
        assert_same(run, expected)
        return True
    assert run.quality.problems[0].kind is ProblemKind.BUTO_LOST
    assert run.values.tobytes() == expected.values.tobytes()
    assert run.times_s.tobytes() == expected.times_s.tobytes()
    return False


@pytest.fixture
def quick_disk(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory where there is one, for a flush to a disk takes longer than all else."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="buto-test-") as directory:
        yield Path(directory)


@pytest.mark.timeout(60 + N_KILLS)
def test_a_store_killed_at_random_points_has_no_half_run_and_loses_no_whole_one(quick_disk: Path) -> None:
    store = RunStore(quick_disk)
    last_words: Counter[str] = Counter()
    n_killed = n_recovered = 0
    command = [sys.executable, "-m", "tests.support.runs.store_victims", quick_disk, str(N_KILLS), SEED]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as killer:
        assert killer.stdout is not None
        for test, report in map(json.loads, killer.stdout):
            last_words[report[-1].split()[0]] += 1
            n_recovered += recovered_of(store, test, report)
            n_killed += 1
            shutil.rmtree(store.directory(test))
    assert (killer.returncode, n_killed) == (0, N_KILLS)
    print(f"{n_killed} kills; last words: {dict(last_words)}; {n_recovered} recovered")
    assert n_recovered > N_KILLS / 10, "most kills must hit a writer at work, or this test shows nothing"


def recovered_of(store: RunStore, test: str, report: list[str]) -> int:
    """Look at what a victim left behind and recover what can be; returns how much that was."""
    known = {word: {line.split()[1] for line in report if line.startswith(f"{word} ")} for word in WORDS}
    ids = set(store.ids(test))
    stored = {run_id for run_id in ids if assert_whole(store, test, run_id)}
    assert known["stored"] - known["deleting"] <= stored, "a whole run was lost"
    assert known["recovered"] - known["deleting"] <= ids, "a recovered run was lost"
    assert not known["deleted"] & ids
    left = find_unfinished(store, [test])
    assert not any(recording.live for recording in left)
    assert known["kept"] - known["deleting"] <= ids | {recording.id for recording in left}, (
        "a journal was lost"
    )
    n_recovered = sum(recover(store, recording) is not None for recording in left)
    for run_id in set(store.ids(test)) - ids:
        assert not assert_whole(store, test, run_id)
    assert find_unfinished(store, [test]) == []
    return n_recovered
