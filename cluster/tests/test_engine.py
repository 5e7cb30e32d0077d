"""Launches on several hosts: each run once, whatever happens to the hosts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from buto.actions.collecting import LaunchPlan, collect
from buto.actions.events import Event, LaunchRepeated, LaunchStarted
from buto.engine.launching import LaunchRequest, Setup
from buto.engine.placement import HostLabels, Placement
from buto.errors import BadFileError, ButoError, EngineLostError, MeasureError, StorageError, UsageError
from buto.measure.target import Target
from buto.measure.workload.services import PortOpen, Service
from buto.run.masking import MaskedMetadata
from buto.run.model import COMMAND, SESSION, WORKER, Run
from buto.run.store import RunStore
from buto_cluster import host as inputs_module
from buto_cluster import worker
from buto_cluster.engine import MOST_RETRIES, ClusterEngine
from cluster.tests.support.collecting import collected, good
from cluster.tests.support.scripted import SILENT, Answer, ScriptedCluster, host, names
from tests.support.runs.scripted import GOOD, STARVED

SPREAD = Placement(spread=True)


def test_each_run_is_stored_once_and_names_its_host(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a"), host("b"), host("c")), good)
    results = collected(cluster, store, dict.fromkeys("vwxyz", 4))
    assert len(cluster.launched) == 20
    for test, result in results.items():
        assert result.failure is None
        stored = RunStore(store).load_set(test)
        assert [run.id for run in stored] == sorted(run.id for run in result.runs)
        assert len(stored) == 4
        # One test, one host: its runs are judged together.
        [name] = {run.metadata[WORKER] for run in stored}
        assert {placing for placing, launched in cluster.launched if launched == test} == {name}
        assert {run.metadata[SESSION] for run in stored} == {result.runs[0].id}
        assert {run.metadata[COMMAND] for run in stored} == {test}
    assert {name for name, _ in cluster.launched} == {"a", "b", "c"}


def test_runs_that_may_be_unlike_come_from_all_hosts_in_one_session(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a"), host("b", **{"host.cores": 8})), good)
    results = collected(cluster, store, {"x": 6}, SPREAD)
    assert {name for name, _ in cluster.launched} == {"a", "b"}
    stored = RunStore(store).load_set("x")
    assert len(stored) == len(results["x"].runs) == 6
    assert len({run.metadata[SESSION] for run in stored}) == 1


def test_a_host_masks_secrets_that_only_the_caller_knows(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, of_service, other = "correct horse battery", "staple of a service", "of no concern"
    monkeypatch.setenv("DB_PASSWORD", secret)
    monkeypatch.setenv("CACHE_PASSWORD", of_service)
    monkeypatch.setenv("API_TOKEN", other)
    service = Service("db", ("db", f"--url=x:{secret}", f"--cache=x:{of_service}"), PortOpen(1))
    # Of its own: without a class path the program's files are those below its directory, here the checkout,
    # in which other tests write.
    directory = tmp_path / "program"
    directory.mkdir()
    target = Target(("java", f"-Durl=x:{secret}", "Main"), timeout_s=5.0, directory=directory)
    sent: list[LaunchRequest] = []

    def does(name: str, launch: LaunchRequest) -> Run:
        # A host does not have the caller's variables.
        monkeypatch.delenv("DB_PASSWORD", raising=False)
        monkeypatch.delenv("CACHE_PASSWORD", raising=False)
        monkeypatch.delenv("API_TOKEN", raising=False)
        sent.append(launch)
        mask = launch.target.new_mask()
        metadata = MaskedMetadata(mask)
        metadata["jvm.options"] = f"-Durl=x:{secret}"
        return replace(GOOD, stdout=mask.output(f"connected to x:{secret}".encode()), metadata=dict(metadata))

    cluster = ScriptedCluster(tmp_path, names(host("a")), does)
    engine_for = partial(ClusterEngine, cluster=cluster, look_s=0.01)
    plan = LaunchPlan("x", target, 1, setup=Setup((service,)))
    results = collect(
        [plan], RunStore(store), lambda event: None, seed=1, purpose="record", engine_for=engine_for
    )
    assert results["x"].failure is None
    [run] = RunStore(store).load_set("x")
    assert run.stdout == b"connected to x:_MASKED_"
    assert run.metadata["jvm.options"] == "-Durl=x:_MASKED_"
    assert secret not in str(run.metadata)
    [launch] = sent
    assert launch.target.secrets == launch.setup.services[0].secrets == (secret, of_service)


def test_a_large_run_comes_in_pieces_and_is_removed_from_its_host(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "INLINE_BYTES", 700)
    cluster = ScriptedCluster(tmp_path, names(host("a")), good)
    results = collected(cluster, store, {"x": 1})
    [run] = RunStore(store).load_set("x")
    assert run.id == results["x"].runs[0].id
    assert run.values.tobytes() == GOOD.values.tobytes()
    assert cluster.n_tasks > 3
    assert cluster.runs.ids("x") == []


def test_a_launch_costs_one_task_if_its_host_has_its_files(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a")), good)
    collected(cluster, store, {"x": 3})
    assert cluster.n_tasks == 3


def test_a_group_stays_on_one_host(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a"), host("b")), good)
    collected(cluster, store, {"old": 3, "new": 3}, Placement(group="old new"))
    assert len({name for name, _ in cluster.launched}) == 1


def test_a_lost_host_gives_its_launch_back_to_another_of_its_class(tmp_path: Path, store: Path) -> None:
    events: list[Event] = []
    cluster = ScriptedCluster(tmp_path, names(host("a")))
    cluster.does = lambda name, launch: SILENT if name == "a" else GOOD

    def look(number: int) -> None:
        if number == 5:
            cluster.present = names(host("b", **{"host.cores": 8}), host("c"))

    cluster.on_look = look
    results = collected(cluster, store, {"x": 2}, events=events)
    assert cluster.launched == [("a", "x"), ("c", "x"), ("c", "x")]
    assert len(results["x"].valid()) == 2
    assert [(event.test, event.host) for event in events if isinstance(event, LaunchRepeated)] == [("x", "a")]
    assert [event.host for event in events if isinstance(event, LaunchStarted)] == ["a", "c", "c"]


def test_a_run_that_arrives_after_its_host_was_given_up_is_dropped(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a")))
    late = replace(GOOD, test="x", metadata={**GOOD.metadata, WORKER: "a"})

    def does(name: str, launch: LaunchRequest) -> Run | str:
        if name == "a":
            return SILENT
        # The host that was cut off is back with its run, just before the other one has its own.
        if cluster.open:
            cluster.open.pop().give(cluster.delivered(late))
        return GOOD

    def look(number: int) -> None:
        if cluster.open and cluster.present == names(host("a")):
            cluster.open[0].cancel = lambda force=False: None  # type: ignore[method-assign]
            cluster.present = names(host("b"))

    cluster.does, cluster.on_look = does, look
    results = collected(cluster, store, {"x": 3})
    assert [run.metadata[WORKER] for run in results["x"].runs] == ["b"] * 3
    assert late.id not in RunStore(store).ids("x")
    assert len(RunStore(store).ids("x")) == 3


def test_a_launch_whose_host_is_lost_too_often_ends_its_test_and_no_other(
    tmp_path: Path, store: Path
) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a")))
    cluster.does = lambda name, launch: SILENT if launch.test == "cursed" else GOOD

    def look(number: int) -> None:
        # The host is lost whenever it measures this test, and another one takes its place.
        if len(cluster.open) > len(lost):
            lost.append(next(iter(cluster.present)))
            cluster.present = names(host(f"host{len(lost)}"))

    lost: list[str] = []
    cluster.on_look = look
    results = collected(cluster, store, {"cursed": 1, "other": 2})
    assert cluster.launched.count(("a", "cursed")) <= 1
    assert Counter(test for _, test in cluster.launched)["cursed"] == 1 + MOST_RETRIES
    failure = results["cursed"].failure
    assert isinstance(failure, MeasureError)
    assert f"were lost {1 + MOST_RETRIES} times in mid-run: {', '.join(lost)}" in failure.message
    assert len(results["other"].valid()) == 2


def test_disturbed_runs_are_repeated_on_the_same_host(tmp_path: Path, store: Path) -> None:
    runs = iter([GOOD, STARVED, GOOD])
    cluster = ScriptedCluster(tmp_path, names(host("a"), host("b")), lambda name, launch: next(runs))
    results = collected(cluster, store, {"x": 2})
    assert len(results["x"].runs) == 3
    assert len({name for name, _ in cluster.launched}) == 1


@pytest.mark.parametrize("kind", [MeasureError, StorageError, BadFileError])
def test_a_program_that_cannot_be_measured_on_a_host_is_given_up_and_no_other(
    tmp_path: Path, store: Path, kind: type[ButoError]
) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a"), host("b")))
    error = kind("the disk is full", advice="df -h")
    cluster.does = lambda name, launch: error if launch.test == "x" else GOOD
    results = collected(cluster, store, {"x": 5, "y": 5})
    failure = results["x"].failure
    assert isinstance(failure, MeasureError)
    [name] = [name for name, test in cluster.launched if test == "x"]
    assert (failure.message, failure.advice) == (f"on {name}: the disk is full", "df -h")
    assert len(results["y"].valid()) == 5
    assert [test for _, test in cluster.launched].count("x") == 1


@pytest.mark.parametrize(
    ("labels", "present", "said"),
    [
        (HostLabels(tags=("fast",)), [host("a")], "no host of the cluster fits (hosts: {tag: fast})"),
        (HostLabels(cpu="Xeon*"), [host("a")], "there are: a (EPYC)"),
        (HostLabels(), [], "there are: none"),
        (HostLabels(), [host("a", version="0.0.1")], "not used: a has buto 0.0.1"),
    ],
)
def test_a_test_that_no_host_fits_is_given_up_after_a_while(
    tmp_path: Path, store: Path, labels: HostLabels, present: list[Any], said: str
) -> None:
    cluster = ScriptedCluster(tmp_path, names(*present), good)
    results = collected(cluster, store, {"x": 3}, Placement(labels))
    failure = results["x"].failure
    assert isinstance(failure, MeasureError)
    assert said in failure.message
    assert failure.advice is not None
    assert "buto worker --scheduler tcp://scheduler:8786" in failure.advice
    assert cluster.launched == []


def test_a_host_that_joins_later_is_used(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, {}, good)

    def look(number: int) -> None:
        if number == 3:
            cluster.present = names(host("a", tags=("fast",)))

    cluster.on_look = look
    results = collected(cluster, store, {"x": 2}, Placement(HostLabels(tags=("fast",))))
    assert len(results["x"].valid()) == 2


def test_a_lost_scheduler_leaves_complete_runs(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a")))

    def does(name: str, launch: LaunchRequest) -> Run | str:
        if len(cluster.launched) < 3:
            return GOOD
        cluster.is_lost = True
        return SILENT

    cluster.does = does
    with pytest.raises(EngineLostError):
        collected(cluster, store, {"x": 5})
    assert len(RunStore(store).load_set("x")) == 2
    assert all(answer.is_cancelled for answer in cluster.open)


def test_inputs_that_can_no_longer_be_sent_end_their_test_and_no_other(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs_module, "MOST_BYTES", 100)
    program = tmp_path / "program"
    program.write_bytes(b"short")

    def does(name: str, launch: LaunchRequest) -> Run:
        program.write_bytes(bytes(101))
        return GOOD

    cluster = ScriptedCluster(tmp_path, names(host("a")), does)
    plans = [
        LaunchPlan("x", Target(("./program",), directory=tmp_path), 2),
        LaunchPlan("y", Target(("y",)), 2),
    ]
    engine_for = partial(ClusterEngine, cluster=cluster, look_s=0.01)
    results = collect(
        plans, RunStore(store), lambda event: None, seed=1, purpose="record", engine_for=engine_for
    )
    assert isinstance(results["x"].failure, UsageError)
    assert len(results["x"].runs) < 2
    assert len(results["y"].valid()) == 2


def test_an_interrupt_takes_all_launches_back(tmp_path: Path, store: Path) -> None:
    cluster = ScriptedCluster(tmp_path, names(host("a"), host("b")), lambda name, launch: SILENT)

    def look(number: int) -> None:
        if len(cluster.open) == 2:
            raise KeyboardInterrupt

    cluster.on_look = look
    with pytest.raises(KeyboardInterrupt):
        collected(cluster, store, {"x": 1, "y": 1})
    assert [answer.is_cancelled for answer in cluster.open] == [True, True]
    assert RunStore(store).tests() == []


def test_a_file_that_vanishes_before_it_is_sent_ends_its_test(tmp_path: Path, store: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"program")

    class Lacking(ScriptedCluster):
        """A cluster whose hosts have no file."""

        def submit(self, key: str, address: str, function: Any, *arguments: Any) -> Answer:
            program.unlink()
            answer = Answer(key)
            answer.give(worker.Missing(tuple(file.sha256 for file in arguments[0].inputs.files)))
            return answer

    engine_for = partial(ClusterEngine, cluster=Lacking(tmp_path, names(host("a"))), look_s=0.01)
    plan = LaunchPlan("x", Target(("./program",), directory=tmp_path), 1)
    results = collect(
        [plan], RunStore(store), lambda event: None, seed=1, purpose="record", engine_for=engine_for
    )
    failure = results["x"].failure
    assert isinstance(failure, MeasureError)
    assert f"{program} cannot be read any more" in failure.message
