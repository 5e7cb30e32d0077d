"""From a java command to a verdict, on real JVMs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from buto.project.document import portable
from buto.run.model import SourceState
from buto.run.store import RunStore
from tests.support.judging import BY_HEAP, know_a_busy_machine, literal, without_turns
from tests.support.jvm.harness import until
from tests.support.jvm.javas import JAVAS
from tests.support.processes.command import buto

BESIDE = """\
version: 1
tests:
  running:
    command: [java, Does]
    sources: {tree: {kind: process}, more: {kind: jvm, match: "java * Absent"}}
"""


@pytest.mark.parametrize(
    ("collector", "java", "interval", "step_ms"),
    [
        pytest.param("agent", JAVAS[max(JAVAS)], "100ms", "5", id="agent"),
        pytest.param("jmx", JAVAS[min(JAVAS)], "1s", "60", id="jmx", marks=pytest.mark.all),
    ],
)
def test_a_program_is_trained_passes_and_fails_after_a_change(
    tmp_path: Path, classes: Path, collector: str, java: str, interval: str, step_ms: str
) -> None:
    """The newest Java under the agent, the oldest through JMX, which needs a second or more to connect.

    Also: the command is remembered, another may be given, and nothing but runs and oracle is written."""
    (tmp_path / "buto.yaml").write_text(f"version: 1\ntests:\n  keeper: {{judge: {literal(BY_HEAP)}}}\n")
    start = (java, "-Xmx128m", "-cp", str(classes), "Does", "keep")
    options = f"--runs 5 --interval {interval} --timeout 1min --collector {collector}"
    done = buto(tmp_path, "train", "keeper", *options.split(), "--", *start, "40", step_ms)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("TRAINED  keeper: 5 runs, oracles/keeper.json\n")
    assert "keeper: run 5 of 5: " in done.stderr
    target = json.loads((tmp_path / "oracles" / "keeper.json").read_text())["target"]
    command = [portable(word, os.environ) for word in (*start, "40", step_ms)]
    assert target.pop("collector", "agent") == collector
    assert target == {"command": command, "interval": interval, "timeout": "1min"}

    remembered = buto(tmp_path, "check", "keeper", "--json", "result.json")
    assert remembered.returncode == 0, remembered.stdout + remembered.stderr
    run = json.loads((tmp_path / "result.json").read_text())["tests"][0]["runs"][0]
    metadata = RunStore(tmp_path / ".buto").load("keeper", run["id"]).metadata
    assert str(metadata["buto.command"]).endswith(f"Does keep 40 {step_ms}")
    assert metadata["buto.collector"] == collector

    know_a_busy_machine(tmp_path / "oracles" / "keeper.json")
    without_turns(tmp_path / "oracles" / "keeper.json")
    changed = buto(tmp_path, "check", "keeper", "--", *start, "400", step_ms)
    assert changed.returncode == 1, changed.stdout + changed.stderr
    assert changed.stdout.startswith("REGRESSION  keeper: ")
    assert re.search(r"live heap|allocated bytes", changed.stdout)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".buto",
        "buto.yaml",
        "oracles",
        "result.json",
    ]


def test_record_keeps_runs_without_judging(tmp_path: Path, classes: Path) -> None:
    done = buto(
        tmp_path,
        "record",
        "sleeper",
        "--runs",
        "2",
        "--interval",
        "1s",
        "-q",
        "--",
        "java",
        "-cp",
        str(classes),
        "Does",
        "sleep",
        "200",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == RunStore(tmp_path / ".buto").ids("sleeper")
    assert [path.name for path in tmp_path.iterdir()] == [".buto"]


def test_attach_records_a_running_jvm_and_the_sources_of_its_test(tmp_path: Path, classes: Path) -> None:
    (tmp_path / "buto.yaml").write_text(BESIDE)
    with subprocess.Popen(["java", "-cp", str(classes), "Does", "hang"], cwd=tmp_path) as jvm:
        try:
            until((tmp_path / "started").exists, "the program has started")
            done = buto(
                tmp_path,
                "attach",
                "running",
                "--pid",
                str(jvm.pid),
                "--duration",
                "3s",
                "--interval",
                "200ms",
            )
        finally:
            jvm.kill()
    assert done.stdout, done.stderr
    run = RunStore(tmp_path / ".buto").load("running", done.stdout.strip())
    assert done.returncode == (0 if run.quality.valid else 3)
    assert len(run.times_s) >= 3
    assert run.metadata["buto.attach.ended_by"] == "the given duration"
    assert np.nanmax(run.series("tree.thread.count")) > 1
    absent = SourceState("more", "jvm", "no JVM runs whose command line matches java * Absent")
    assert run.sources == (SourceState("tree", "process"), absent)
