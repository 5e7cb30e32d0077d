"""What the engine keeps and forgets: runs that have arrived, reports, and launches that wait."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from buto.actions.events import Event, LaunchProgressed
from buto.engine.launching import LaunchRequest
from buto.engine.placement import HostLabels, Placement
from buto.errors import MeasureError, StorageError
from buto.measure.target import Target
from buto.run.model import WORKER
from buto.run.store import RunStore
from buto_cluster import engine as engine_module
from buto_cluster.engine import ClusterEngine
from cluster.tests.support.collecting import collected
from cluster.tests.support.scripted import SILENT, ScriptedCluster, host, names
from tests.support.runs.scripted import GOOD
from tests.support.services import until


class Watched(SimpleQueue[Any]):
    """A queue that notes when something is put into it."""

    filled = threading.Event()

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        super().put(item)
        self.filled.set()


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when anything arrives from a host."""
    monkeypatch.setattr(engine_module, "SimpleQueue", Watched)
    Watched.filled.clear()
    return Watched.filled


@pytest.mark.parametrize(("error", "n_stored"), [(KeyboardInterrupt(), 1), (StorageError("full"), 0)])
def test_a_run_that_has_arrived_is_stored_at_the_end_if_the_store_can_be_written(
    tmp_path: Path, store: Path, filled: threading.Event, error: BaseException, n_stored: int
) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a"), host("b")))
    cluster.does = lambda name, launch: GOOD if launch.test == "x" else SILENT
    with suppress(type(error)), ClusterEngine(RunStore(store), lambda news: None, cluster=cluster) as engine:
        engine.begin([LaunchRequest("x", Target(("x",))), LaunchRequest("y", Target(("y",)))])
        assert filled.wait(20.0)
        until(lambda: bool(cluster.open))
        raise error
    assert len(RunStore(store).ids("x")) == n_stored
    assert RunStore(store).ids("y") == []
    assert [answer.is_cancelled for answer in cluster.open] == [True]


def test_reports_about_launches_of_others_or_of_the_past_are_not_kept(
    tmp_path: Path, store: Path, filled: threading.Event
) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a")), lambda name, launch: SILENT)
    report = {"elapsed_s": 2.5, "n_samples": 25, "stage": "running"}
    with ClusterEngine(RunStore(store), lambda news: None, cluster=cluster) as engine:
        engine.begin([LaunchRequest("x", Target(("x",)))])
        until(lambda: bool(cluster.open))
        cluster.handler({"key": "of another client", **report})
        assert not filled.is_set()
        key = cluster.open[0].key
        cluster.handler({"key": key, **report})
        assert filled.is_set()
    filled.clear()
    cluster.handler({"key": key, **report})
    assert not filled.is_set()


def test_a_launch_that_waits_is_forgotten_with_its_test(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a")), lambda name, launch: SILENT)

    def look(number: int) -> None:
        if number == 20:
            cluster.open.pop().give(MeasureError("no such program"))

    cluster.on_look = look
    nowhere = Placement(HostLabels(tags=("fast",)))
    with ClusterEngine(
        RunStore(store), lambda news: None, cluster=cluster, look_s=0.01, patience_s=0.05
    ) as engine:
        begun = engine.begin(
            [LaunchRequest("x", Target(("x",)), where=nowhere), LaunchRequest("y", Target(("y",)))]
        )
        assert [launch.test for launch in begun] == ["y"]
        engine.drop("x")
        ended = engine.wait()
    assert ended is not None
    assert ended.launch.test == "y"


def test_reports_of_hosts_become_progress(tmp_path: Path, store: Path) -> None:
    events: list[Event] = []
    cluster = ScriptedCluster(tmp_path, names(host("a")), lambda name, launch: SILENT)

    def look(number: int) -> None:
        if len(cluster.open) == 1:
            key = cluster.open[0].key
            message = {"elapsed_s": 2.5, "n_samples": 25, "stage": "running"}
            cluster.handler({"key": "of another client", **message})
            cluster.handler({"key": key, **message})
            run = replace(GOOD, test="x", metadata={**GOOD.metadata, WORKER: "a"})
            answer = cluster.open.pop()
            answer.give(cluster.delivered(run))

    cluster.on_look = look
    collected(cluster, store, {"x": 1}, events=events)
    [progress] = [event for event in events if isinstance(event, LaunchProgressed)]
    assert (progress.test, progress.host) == ("x", "a")
    assert (progress.progress.elapsed_s, progress.progress.n_samples) == (2.5, 25)
