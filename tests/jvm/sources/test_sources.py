"""Sources, further JVMs and a load beside a real JVM, declared as a user declares them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from buto.run.model import Run, SourceState
from buto.run.store import RunStore
from tests.support.processes.command import buto
from tests.support.processes.sample_project import compile_sample

CONFIG = """\
version: 1
defaults:
  interval: 100ms
  timeout: 30s
  command: [java, -Xmx64m, -XX:+UseSerialGC, -cp, classes, MetricsServer]
tests:
  beside:
    sources:
      tree: {kind: process, interval: 200ms}
      shop: {kind: prometheus, url: "http://127.0.0.1:${port}/metrics", interval: 200ms}
      gone: {kind: prometheus, url: "http://127.0.0.1:1/metrics"}
    workload:
      port: any
      http: {url: "http://127.0.0.1:${port}/search", rate: 50, duration: 2s}
      stop: true
  system:
    command: sh -c "JAVA Further 5 child-was-sampled & exec JAVA MetricsServer"
    jvm: MetricsServer
    interval: 100ms
    timeout: 90s
    services:
      twice:
        command: sh -c "rm -f *-was-sampled; JAVA Further 30; sleep 1; JAVA Further 3 twice-was-sampled"
        ready: {log: up}
    sources:
      child: {kind: jvm, interval: 200ms}
      child-process: {kind: process, match: "java *-Dof=NAME * Further 5 *", interval: 200ms}
      twice: {kind: jvm, match: "java *-Dof=NAME * Further 3*", interval: 200ms}
      never: {kind: jvm, match: "java *-Dof=NAME * Absent"}
    workload:
      command: sh -c "until [ -e child-was-sampled ] && [ -e twice-was-sampled ]; do sleep .1; done"
      stop: true
  busy:
    timeout: 40s
    sources:
      shop: {kind: prometheus, url: "http://127.0.0.1:${port}/metrics", interval: 200ms}
    workload:
      port: any
      command: [sh, -c, "echo buto mark driving; echo buto value level 7 dB; echo plain; sleep 1"]
      load:
        url: http://127.0.0.1:${port}
        seed: 3
        interval: 500ms
        login: {path: /login, body: me, keep: {token: access.token}}
        variables: {word: {one-of: [anna, bob]}}
        requests:
          search: {path: "/search?q=${word}"}
          create: {path: /create, headers: {Authorization: "Bearer ${token}"}, body: "u-${n}", status: 201}
          slow: {path: /slow}
        phases:
          - {name: quiet, duration: 1s, rate: 40, mix: {search: 3, create: 1}}
          - {name: slower, duration: 2s, rate: 20, mix: {slow: 1}}
      stop: true
"""
JAVA = "java -Xmx64m -XX:+UseSerialGC -Dof=NAME -cp classes"
"""NAME keeps two suites on one machine apart: patterns are applied to all its processes."""

Record = Callable[..., Run]


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of the programs, which need more than Java 8."""
    place = tmp_path_factory.mktemp("sources") / "programs"
    shutil.copytree(Path(__file__).with_name("programs"), place)
    compile_sample(place)
    return place / "classes"


@pytest.fixture
def record(tmp_path: Path, classes: Path) -> Record:
    """Records one of the tests."""
    (tmp_path / "classes").symlink_to(classes)

    def recorded(test: str, name: str = "") -> Run:
        (tmp_path / "buto.yaml").write_text(CONFIG.replace("JAVA", JAVA).replace("NAME", name))
        done = buto(tmp_path, "record", test)
        assert done.returncode == 0, done.stderr
        return RunStore(tmp_path / ".buto").load(test, done.stdout.strip())

    return recorded


def test_sources_are_read_on_the_clock_of_the_run(record: Record) -> None:
    run = record("beside")
    begin, end = (notification.time_s for notification in run.notifications)
    searches = run.series("shop.searches_total[kind=all]")
    known = ~np.isnan(searches)
    at_start = searches[known & (run.times_s < begin)]
    # The program ends with its load, and so a reading is the last one shortly before.
    assert 50 <= searches[known][-1] <= 100
    # Between two readings values are interpolated.
    assert (at_start < 10).all()
    assert (np.diff(searches[known]) >= 0).all()
    # 50 requests a second, evenly: about half of them in the middle of the load, also on a busy machine.
    middle = np.interp((begin + end) / 2, run.times_s[known], searches[known])
    assert 15 < middle < 85
    assert np.nanmax(run.series("tree.process.count")) == 1
    own, outside = run.series("jvm.cpu.time"), run.series("tree.cpu.time")
    both = ~np.isnan(own) & ~np.isnan(outside)
    assert both.mean() > 0.7
    # A source counts from its first reading, which the start of the JVM may delay. Between two readings, .2 s
    # and on a busy machine more apart, two cores do what is not yet known.
    assert np.ptp((own - outside)[both & (run.times_s >= begin)]) < 0.5
    states = {source.name: source for source in run.sources}
    assert states["tree"] == SourceState("tree", "process")
    assert states["gone"].reason == "http://127.0.0.1:1/metrics cannot be read: nothing listens there"
    assert run.quality.valid


@pytest.mark.all
def test_a_child_and_a_service_that_starts_a_second_jvm_are_sampled(record: Record) -> None:
    unique = uuid4().hex
    run = record("system", unique)
    own, child, twice = (run.series(f"{prefix}jvm.thread.count") for prefix in ("", "child.", "twice."))
    assert np.nanmax(child) >= np.nanmax(own)
    # The first of the two JVMs has 27 threads more than the second; the reason of the gap is its end.
    assert np.nanmax(twice) - twice[~np.isnan(twice)][-1] == pytest.approx(27, abs=3)
    assert "has ended" in run.nan_reasons["twice.jvm.thread.count"]
    for name in ("child.jvm.cpu.time", "twice.jvm.cpu.time", "twice.jvm.memory.allocated"):
        counted = run.series(name)
        known = counted[~np.isnan(counted)]
        assert known[0] == 0 and known[-1] > 0 and (np.diff(known) >= 0).all()
    inside, outside = run.series("child.jvm.cpu.time"), run.series("child-process.cpu.time")
    # Read at different times, and each counts from its own first reading.
    assert 0 < np.nanmax(inside) < np.nanmax(outside) + 1
    assert run.metadata["source.child.jvm.vm.version"] == run.metadata["jvm.vm.version"]
    never = SourceState(
        "never", "jvm", f"no JVM runs whose command line matches java *-Dof={unique} * Absent"
    )
    assert never in run.sources


@pytest.mark.all
def test_a_load_in_phases_gives_marks_and_properties_of_each_kind(record: Record) -> None:
    run = record("busy")
    marks = {mark.name: mark.time_s for mark in run.marks}
    assert marks["load.start"] <= marks["quiet"] < marks["slower"] < marks["load.end"]
    # When phases begin is not judged.
    assert [notification.type for notification in run.notifications] == [
        "buto.mark.load.start",
        "buto.mark.load.end",
    ]
    # On a busy machine either mark may come late.
    assert 0.3 < marks["slower"] - marks["quiet"] < 10
    assert "driving" in marks
    # Each name was created once: no two requests had the same number.
    for kind in ("search", "create", "slow"):
        assert np.nanmax(run.series(f"load.failures[{kind}]")) == 0
    names, searches = run.series("shop.names"), run.series("shop.searches_total[kind=all]")
    assert np.nanmax(names) > 0 and np.nanmax(names) + np.nanmax(searches) == pytest.approx(40, abs=25)
    late = run.times_s > marks["slower"] + 0.8
    throughput = run.series("load.throughput[slow]")
    # What was asked for, or less where the machine is too busy for it.
    assert 0 < np.nanmean(throughput[late & (run.times_s < marks["load.end"])]) <= 30
    assert np.nanmin(run.series("load.latency.p50[slow]")) >= 0.02
    assert np.nanmax(run.series("driver.level")) == 7
    [summary] = [
        notification.message
        for notification in run.notifications
        if notification.type == "buto.mark.load.end"
    ]
    assert "requests, median" in summary
