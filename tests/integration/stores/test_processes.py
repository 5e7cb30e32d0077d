"""Several processes at one bucket, some of them killed: a run is there wholly or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import pytest

from buto.run import cache, s3
from buto.run.files import in_order
from buto.run.storage import S3Url
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.runs.examples import assert_same, full_run
from tests.support.runs.writers import OUTPUT_BYTES
from tests.support.stores.proxy import Proxy

pytestmark = pytest.mark.slow

N_KILLS = 15
DEADLINE_S = 100.0


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.support.runs.writers", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def written(run_id: str, test: str = "leaker") -> object:
    return full_run(run_id, test, stdout=bytes(OUTPUT_BYTES))


@pytest.mark.all
def test_a_killed_writer_leaves_whole_runs_and_what_it_had_not_sent(bucket: S3Url, proxy: Proxy) -> None:
    # As far as servers are, or hardly a kill would hit a request.
    proxy.plan = lambda request: time.sleep(0.02)
    with start("kill", bucket, N_KILLS, "a seed", "0.2") as killer:
        output, _ = killer.communicate(timeout=DEADLINE_S)
    assert killer.returncode == 0
    store = RunStore(bucket)
    n_waiting = 0
    for test, completed in map(json.loads, output.splitlines()):
        ids, waiting = store.ids(test), store.unsent([test])
        assert set(completed) <= set(ids), "a completed run was lost"
        for _, run_id in waiting:
            store.send(test, run_id)
        assert store.unsent([test]) == []
        for run in store.load_set(test):
            assert_same(run, written(run.id, test))
        n_waiting += len(waiting)
    assert len(output.splitlines()) == N_KILLS
    assert n_waiting > N_KILLS / 5, "most kills must hit a writer at work, or this test shows nothing"


@pytest.mark.all
def test_writers_and_deleters_do_not_disturb_each_other(bucket: S3Url) -> None:
    store = RunStore(bucket)
    for number in range(5):
        store.add(full_run(f"old{number}"))
    with (
        start("write", bucket, "a", 10) as writer,
        start("write", bucket, "b", 10) as other,
        start("delete", bucket, "old") as deleter,
    ):
        codes = [process.wait(DEADLINE_S) for process in (writer, other, deleter)]
    assert codes == [0, 0, 0]
    assert store.ids("leaker") == [f"{prefix}{number:03d}" for prefix in "ab" for number in range(10)]
    for run in store.load_set("leaker"):
        assert_same(run, written(run.id))


@pytest.mark.all
def test_a_list_of_several_answers_is_whole(bucket: S3Url, proxy: Proxy) -> None:
    objects, names = s3.Bucket(bucket), [f"{number:04d}" for number in range(1005)]
    in_order(lambda name: objects.add(f"probes/{name}", BytesIO(b"")), names, s3.READERS)
    proxy.requests.clear()
    assert [name for name, _ in objects.objects("probes")] == names
    assert len(proxy.requests) == 2


def test_a_list_reads_only_what_this_machine_does_not_know(
    bucket: S3Url, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "WORTH_KEEPING", 3)
    store = RunStore(bucket)
    for number in range(6):
        store.add(full_run(f"{number}"))

    def listed() -> tuple[list[str], int]:
        """Return the ids in a list, and how many objects were read for it."""
        proxy.requests.clear()
        ids = [summary.id for summary in store.summaries("leaker") if summary.head is not None]
        lists = [request for request in proxy.requests if "list-type=2" in request.target]
        assert len(lists) == 1
        return ids, len(proxy.requests) - len(lists)

    assert listed() == (list("012345"), 6)
    assert listed() == (list("012345"), 0)
    RunStore(bucket).delete("leaker", ["3"])
    store.add(full_run("6"))
    assert listed() == (list("012456"), 1)
    place = store.storage.here / "cache" / "runs" / "leaker.json"
    assert isinstance(place, Path)
    place.unlink()
    assert listed() == (list("012456"), 6)
