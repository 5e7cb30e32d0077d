"""Sources beside a real JVM, declared as a user declares them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from buto.run.model import Run, SourceState
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.processes.command import buto
from tests.support.processes.leftovers import nothing_is_left
from tests.support.processes.sample_project import compile_java

__all__ = ["compile_java", "nothing_is_left"]

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
"""


@pytest.fixture
def project(tmp_path: Path, compile_java: Callable[[Path], None]) -> Path:
    program = "MetricsServer.java"
    (tmp_path / program).write_text((ROOT / "tests/jvm/sources/programs" / program).read_text())
    compile_java(tmp_path)
    (tmp_path / "buto.yaml").write_text(CONFIG)
    return tmp_path


def recorded(project: Path, test: str) -> Run:
    done = buto(project, "record", test)
    assert done.returncode == 0, done.stderr
    return RunStore(project / ".buto").load(test, done.stdout.strip())


@pytest.mark.jvm
def test_sources_are_read_on_the_clock_of_the_run(project: Path) -> None:
    run = recorded(project, "beside")
    begin, end = (one.time_s for one in run.notifications)
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
    # A source counts from its first reading, which the start of the JVM may delay.
    assert np.ptp((own - outside)[both & (run.times_s >= begin)]) < 0.2
    states = {one.name: one for one in run.sources}
    assert states["tree"] == SourceState("tree", "process")
    assert states["gone"].reason == "http://127.0.0.1:1/metrics cannot be read: nothing listens there"
    assert run.quality.valid
