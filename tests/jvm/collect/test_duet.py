"""Two programs at the same time, each with all its processes on cores of its own."""

from __future__ import annotations

import os
from pathlib import Path

from buto.actions.collecting import Plan
from buto.actions.duet import collect_pairs
from buto.actions.events import ignore
from buto.measure.target import Target
from buto.run.model import PAIR
from buto.run.store import RunStore
from tests.support.jvm.recorder import problems

SCRIPT = """\
grep Cpus_allowed_list /proc/self/status >&2
touch "$OWN"
until [ -e "$OTHER" ]; do sleep 0.01; done
exec java -Xmx64m -cp "$CLASSES" Ends 100
"""


def test_both_programs_of_a_pair_run_at_once_on_disjoint_cores(tmp_path: Path, classes: Path) -> None:
    """Each waits for the other to begin; a process that it starts before the JVM is pinned, too."""
    (tmp_path / "start.sh").write_text(SCRIPT)

    def plan(test: str, other: str) -> Plan:
        files = {"CLASSES": str(classes), "OWN": str(tmp_path / test), "OTHER": str(tmp_path / other)}
        command = ("sh", str(tmp_path / "start.sh"))
        return Plan(test, Target(command, timeout_s=60.0, interval_s=0.02, environment=files), 1)

    one, other = sorted(os.sched_getaffinity(0))[:2]
    plans = (plan("old", "new"), plan("new", "old"))
    store = RunStore(tmp_path / "store")
    found = collect_pairs(plans, store, ignore, seed=1, purpose="compare", cores=((one,), (other,)))
    old, new = (found[test].runs[0] for test in ("old", "new"))
    assert problems(old) == problems(new) == []
    assert old.metadata[PAIR] == new.metadata[PAIR]
    assert {run.metadata["process.cores"] for run in (old, new)} == {str(one), str(other)}
    for run in (old, new):
        assert run.stderr.split() == [b"Cpus_allowed_list:", str(run.metadata["process.cores"]).encode()]
        assert run.metadata["host.cores"] == 1
        assert run.metadata["system.processors"] == "1"
