"""Workloads beside real JVMs, declared as a user declares them."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.processes.command import buto

CONFIG = """\
version: 1
defaults:
  interval: 200ms
  timeout: 30s
  command: [java, -Xmx64m, -XX:+UseSerialGC, -cp, classes, Shop, serve]
  mbeans: [{name: "shop:*"}]
tests:
  all:
    workload:
      port: any
      command: ./load.sh 0
      operations:
        - {at: 300ms, mbean: "shop:type=Shop", operation: order, arguments: [100]}
      http: {url: "http://127.0.0.1:${port}/order", rate: 20, duration: 500ms}
      stop: true
  polled:
    collector: jmx
    interval: 10s  # JMX takes about one to be there
    workload:
      operations: [{at: 100ms, mbean: "shop:type=Shop", operation: order, arguments: [100]}]
      after: 800ms
      stop: true
  fails:
    workload: {command: ./load.sh 3}
  throws:
    workload: {operations: [{at: 10ms, mbean: "shop:type=Nothing", operation: order}], stop: true}
  short:
    command: [java, -cp, classes, Shop, "10"]
    workload: {command: sleep 60}
"""


@pytest.fixture
def loaded(project: Path) -> Path:
    (project / "buto.yaml").write_text(CONFIG)
    script = project / "load.sh"
    script.write_text('#!/bin/sh\necho "port $BUTO_PORT"\nkill -0 "$BUTO_PID" && sleep 0.4\nexit $1\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return project


def test_all_parts_drive_the_program_and_its_end_is_the_workloads(loaded: Path) -> None:
    done: subprocess.CompletedProcess[str] = buto(loaded, "record", "all")
    assert done.returncode == 0, done.stderr
    run = RunStore(loaded / ".buto").load("all", done.stdout.strip())
    start, end = run.notifications
    assert (start.type, end.type) == ("buto.mark.load.start", "buto.mark.load.end")
    assert end.message.startswith("10 requests, median ")
    assert 0 < start.time_s < start.time_s + 0.4 < end.time_s < run.outcome.duration_s
    assert run.series("mbean[shop:type=Shop]/Orders")[-1] == 110
    assert run.outcome.exit_code == 143


@pytest.mark.all
def test_where_mbeans_are_polled_anyhow_operations_share_the_connection(loaded: Path) -> None:
    done = buto(loaded, "record", "polled")
    run = RunStore(loaded / ".buto").load("polled", done.stdout.strip())
    # A busy machine may poll too late for a valid run.
    assert done.returncode == (0 if run.quality.valid else 3), done.stderr
    assert [notification.type for notification in run.notifications] == [
        "buto.mark.load.start",
        "buto.mark.load.end",
    ]
    assert run.outcome.exit_code == 143


@pytest.mark.all
def test_a_workload_that_fails_ends_the_test_and_says_why(loaded: Path) -> None:
    done = buto(loaded, "record", "fails", "throws", "short")
    assert done.returncode == 3
    assert "its command ./load.sh exited with code 3; it printed: port" in done.stderr
    assert "order of shop:type=Nothing failed" in done.stderr
    assert "short: its workload: it was still running when the program ended" in done.stderr
