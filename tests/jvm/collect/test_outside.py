"""Known amounts of what buto reads from outside: one program does them, and once none of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from buto.measure import account
from buto.measure.account import EventKind
from buto.run.model import Run
from buto.run.properties import READ_OUTSIDE
from tests.support.jvm.recorder import Recorder, problems

pytestmark = pytest.mark.all

CONTENDED, WRITES, BYTES, FILES, SOCKETS, SLEEPS = 200, 1000, 512, 30, 7, 20 * 200
LONG = 10
"""One contended lock in so many is held for long."""

MIB = 2**20
TOUCHED = 128 * MIB


def test_what_the_agent_reads_and_writes_for_each_sample_is_not_counted(record: Recorder, java: str) -> None:
    """A program that is measured ten times as often writes the same; where a thread has its own counts."""
    seldom, often = (
        record.java("Uses", "nothing", "", java=java, options=("-XX:+UseSerialGC",), interval_s=interval_s)
        for interval_s in (0.1, 0.01)
    )
    assert len(often.times_s) > 4 * len(seldom.times_s)
    for name in ("process.io.bytes[write]", "process.io.calls[write]"):
        assert abs(often.series(name)[-1] - seldom.series(name)[-1]) <= 8, name


@pytest.fixture
def used(record: Recorder, java: str, tmp_path: Path) -> dict[str, Run]:
    """A run with the known amounts, and one without."""
    return {
        how: record.java("Uses", how, str(tmp_path / "written"), java=java, options=("-XX:+UseSerialGC",))
        for how in ("all", "nothing")
    }


def more(used: dict[str, Run], name: str) -> float:
    """How much more the program has used at its end when it did all."""
    return float(used["all"].series(name)[-1] - used["nothing"].series(name)[-1])


def counts_locks(run: Run) -> bool:
    """Whether the JVM has the counter of parked threads, which JDK 25 removed."""
    return int(str(run.metadata["jvm.vm.version"]).split(".")[0]) < 25


def test_known_amounts_are_counted(used: dict[str, Run]) -> None:
    assert problems(used["all"]) == []
    if counts_locks(used["all"]):
        # A thread that waits spins first. It parks if it waits long, and else as the machine has it.
        assert CONTENDED // LONG - 5 <= more(used, "jvm.lock.parked") <= CONTENDED + 100
    # The JDK keeps one of its own as soon as a program has a channel.
    assert more(used, "process.socket.count") in (SOCKETS, SOCKETS + 1)
    assert SOCKETS + FILES <= more(used, "process.unix.file_descriptor.count") <= SOCKETS + FILES + 10
    samples = max(0, len(used["all"].times_s) - len(used["nothing"].times_s))
    assert WRITES * BYTES <= more(used, "process.io.bytes[write]") < WRITES * BYTES + 65536
    assert WRITES <= more(used, "process.io.calls[write]") < WRITES + 300
    for name in ("process.memory.usage", "process.memory.anonymous"):
        # What the JVM needs for itself differs by 8 MiB from run to run.
        assert TOUCHED - 32 * MIB <= more(used, name) <= TOUCHED + 32 * MIB, name
    # How much a process has to itself depends on who else has the same files in memory.
    for run in used.values():
        anonymous, proportional, resident = (
            run.series(f"process.memory.{name}")[-1] for name in ("anonymous", "proportional", "usage")
        )
        assert anonymous - 4 * MIB <= proportional <= resident + 4 * MIB
    # The threads that slept have ended long before, some before any reading saw them. The JVM's own threads
    # wait 300 to 1,000 times in each run, more on a busy machine.
    own = 1500
    most = SLEEPS + 4 * CONTENDED + own + 20 * samples
    assert SLEEPS - own <= more(used, "process.context_switches[voluntary]") < most
    assert abs(more(used, "process.thread.count")) <= 3


def test_everything_is_read_at_the_start_and_at_the_end(used: dict[str, Run]) -> None:
    run = used["all"]
    for prop in READ_OUTSIDE:
        series = run.series(prop.name)
        if prop.name.startswith("process.cpu."):
            assert np.isfinite(series[-1]) or "count" in run.nan_reasons[prop.name]
        elif prop.name == "jvm.lock.parked" and not counts_locks(run):
            assert np.isnan(series).all()
            assert "has no performance counter sun.rt._sync" in run.nan_reasons[prop.name]
        else:
            assert np.isfinite(series[-1]), prop.name
            # A JVM tells whose its performance counters are only just before main.
            assert np.isfinite(series[0]) or prop.name.startswith("jvm."), prop.name
    # Seconds, and not their thousandths: a busy machine may take its time, but not at each reading.
    assert 0 < np.nanmin(run.series("buto.outside.delay")) < 0.2
    assert 0 < np.nanmin(run.series("buto.outside.time")) < 0.2


def test_the_processor_counts_for_the_jvm(
    record: Recorder, java: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With counters of the kernel, because few machines let a program use those of the processor."""
    time = EventKind("processor time", "process.cpu.instructions", type=1, config=1)
    faults = EventKind("page faults", "process.cpu.cycles", type=1, config=2)
    monkeypatch.setattr(account, "KINDS", (time, faults))
    run = record.java("Uses", "nothing", java=java, interval_s=0.1)
    cpu_s, n_faults = run.series(time.prop) * 1e-9, run.series(faults.prop)
    assert np.isfinite(cpu_s[[0, -1]]).all()
    assert 0 < cpu_s[0] < cpu_s[-1]
    # What came before the counters were opened is missing; how much depends on the machine.
    for counted, other in ((cpu_s, "jvm.cpu.time"), (n_faults, "process.paging.faults[minor]")):
        whole = run.series(other)[-1]
        # A virtual processor may count what its host took from it.
        assert 0.5 * whole < counted[-1] < 10 * whole, other


def test_a_killed_program_has_its_last_counters(record: Recorder, java: str, tmp_path: Path) -> None:
    run = record.java("Uses", "killed", str(tmp_path / "written"), java=java)
    assert run.outcome.last_sample == "hsperfdata"
    assert run.series("jvm.class.initialized")[-1] > 100
    assert run.series("process.context_switches[voluntary]")[-1] >= SLEEPS
    assert np.isnan(run.series("process.memory.usage")[-1])
    assert "hsperfdata" in run.nan_reasons["process.memory.usage"]
