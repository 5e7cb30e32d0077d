"""The Java releases that programs run on today, each measured once."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from buto.run.store import RunStore
from tests.support.checkout import compile_java
from tests.support.jvm.releases import INSTALL_TIMEOUT_S, PACKAGES, java_of
from tests.support.processes.command import called

pytestmark = pytest.mark.all

PROGRAMS = Path(__file__).parents[1] / "cli" / "programs"
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
    """The command ``java`` of each release."""
    return java_of(request.param)


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
