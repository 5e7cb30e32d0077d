"""A load of several kinds and a driver that reports, beside a real JVM."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.processes.command import buto
from tests.support.processes.leftovers import nothing_is_left
from tests.support.processes.sample_project import compile_java

pytestmark = pytest.mark.all

__all__ = ["compile_java", "nothing_is_left"]

CONFIG = """\
version: 1
tests:
  busy:
    command: [java, -Xmx64m, -XX:+UseSerialGC, -cp, classes, MetricsServer]
    interval: 100ms
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


@pytest.mark.jvm
def test_a_load_in_phases_gives_marks_and_properties_of_each_kind(
    tmp_path: Path, compile_java: Callable[[Path], None]
) -> None:
    program = "MetricsServer.java"
    (tmp_path / program).write_text((ROOT / "tests/jvm/sources/programs" / program).read_text())
    compile_java(tmp_path)
    (tmp_path / "buto.yaml").write_text(CONFIG)
    done = buto(tmp_path, "record", "busy")
    assert done.returncode == 0, done.stderr
    run = RunStore(tmp_path / ".buto").load("busy", done.stdout.strip())
    marks = {one.name: one.time_s for one in run.marks}
    assert marks["load.start"] <= marks["quiet"] < marks["slower"] < marks["load.end"]
    # When phases begin is not judged.
    assert [one.type for one in run.notifications] == ["buto.mark.load.start", "buto.mark.load.end"]
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
    [summary] = [one.message for one in run.notifications if one.type == "buto.mark.load.end"]
    assert "requests, median" in summary
