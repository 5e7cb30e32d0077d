"""Further JVMs beside the measured one, declared as a user declares them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from buto.run.model import SourceState
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.processes.command import buto
from tests.support.processes.leftovers import nothing_is_left
from tests.support.processes.sample_project import compile_java

pytestmark = pytest.mark.all

__all__ = ["compile_java", "nothing_is_left"]

JAVA = "java -Xmx64m -XX:+UseSerialGC -Dof=NAME -cp classes"
"""The name keeps two suites on one machine apart: patterns are applied to all its processes."""

CONFIG = f"""\
version: 1
tests:
  system:
    command: sh -c "{JAVA} Further 5 child-was-sampled & exec {JAVA} MetricsServer"
    jvm: MetricsServer
    interval: 100ms
    timeout: 90s
    services:
      twice:
        command: sh -c "rm -f *-was-sampled; {JAVA} Further 30; sleep 1; {JAVA} Further 3 twice-was-sampled"
        ready: {{log: up}}
    sources:
      child: {{kind: jvm, interval: 200ms}}
      child-process: {{kind: process, match: "java *-Dof=NAME * Further 5 *", interval: 200ms}}
      twice: {{kind: jvm, match: "java *-Dof=NAME * Further 3*", interval: 200ms}}
      never: {{kind: jvm, match: "java *-Dof=NAME * Absent"}}
    workload:
      command: sh -c "until [ -e child-was-sampled ] && [ -e twice-was-sampled ]; do sleep .1; done"
      stop: true
"""


@pytest.mark.jvm
def test_a_child_and_a_service_that_starts_a_second_jvm_are_sampled(
    tmp_path: Path, compile_java: Callable[[Path], None]
) -> None:
    for program in ("MetricsServer.java", "Further.java"):
        (tmp_path / program).write_text((ROOT / "tests/jvm/sources/programs" / program).read_text())
    compile_java(tmp_path)
    unique = uuid4().hex
    (tmp_path / "buto.yaml").write_text(CONFIG.replace("NAME", unique))
    done = buto(tmp_path, "record", "system", timeout_s=300)
    assert done.returncode == 0, done.stderr
    run = RunStore(tmp_path / ".buto").load("system", done.stdout.strip())
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
