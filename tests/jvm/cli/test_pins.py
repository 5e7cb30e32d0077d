"""A virtual thread that begins to hold on to its carrier fails a check, on Java 21 and 25."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from buto import jars
from buto.judging.verdict import Status
from tests.support.checkout import compile_java
from tests.support.judging import know_a_busy_machine, literal
from tests.support.jvm.releases import INSTALL_TIMEOUT_S, java_of
from tests.support.processes.command import buto

SOURCE = """
public final class Serves {
    public static void main(String[] words) throws Exception {
        String[] how = {"--threads", "20", "--pins", "%s"};
        buto.testprograms.virtualthreads.VirtualThreads.main(how);
    }
}
"""
CONFIG = """\
version: 1
tests:
  serves:
    command: {java} -Xmx64m -XX:+UseSerialGC -cp classes:${{testprograms}} Serves
    runs: 5
    live-set: off
    virtual-threads: count
    judge: {judge}
"""
BY_PINS = {"alpha": 0.05, "minimum-effect": {"*": "never", "jvm.thread.virtual.pinned": "1"}}
"""Only pins, of which the programs here have none, or eight."""

PINS = {21: "monitor", 25: "initializer"}
"""What pins in each release: since 24 no monitor does."""


def build(project: Path, pins: str) -> None:
    (project / "Serves.java").write_text(SOURCE % pins)
    testprograms = os.fspath(jars.path(jars.TESTPROGRAMS))
    compile_java(project / "classes", [project / "Serves.java"], "-cp", testprograms)


@pytest.mark.all
@pytest.mark.slow
@pytest.mark.timeout(INSTALL_TIMEOUT_S + 900)
@pytest.mark.parametrize("release", PINS)
def test_a_pin_that_appears_fails_a_check(release: int, tmp_path: Path) -> None:
    project = tmp_path
    (project / "buto.yaml").write_text(CONFIG.format(java=java_of(release), judge=literal(BY_PINS)))
    build(project, "nowhere")
    trained = buto(project, "train", timeout_s=900)
    assert trained.returncode == 0, trained.stderr
    know_a_busy_machine(project / "oracles" / "serves.json")
    unchanged = buto(project, "check", timeout_s=900)
    assert unchanged.returncode == 0, unchanged.stdout + unchanged.stderr
    build(project, PINS[release])
    changed = buto(project, "check", "--json", "found.json", timeout_s=900)
    assert changed.returncode == 1, changed.stdout + changed.stderr
    (found,) = json.loads((project / "found.json").read_text())["tests"]
    assert found["status"] == Status.REGRESSION.value
    (finding,) = found["verdict"]["findings"]
    assert finding["subject"] == "jvm.thread.virtual.pinned"
    (warning,) = found["verdict"]["warnings"]
    assert "VirtualThreads.block:73 (8)" in warning
