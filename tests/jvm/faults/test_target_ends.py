"""Programs that fail, crash or hang do what the page of faults says."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure.progress import OnTick, Progress
from buto.run.model import Run
from tests.support.jvm.faulty import (
    STARVED,
    CommandLine,
    Recorder,
    launched,
    problems,
)
from tests.support.jvm.javas import JAVAS

pytestmark = pytest.mark.all

SERIAL = "-XX:+UseSerialGC"
STOPPED_S = 2.0
"""Twice as long as starves a run."""


@pytest.mark.parametrize("moment", ["start", "middle", "end"])
def test_a_killed_target_gives_a_run_that_is_not_used(command_line: CommandLine, moment: str) -> None:
    (run,) = command_line.record(*command_line.java("Faulty", "kill", moment)).runs
    assert run.outcome.signal == signal.SIGKILL
    assert run.times_s[0] < 0 < run.times_s[-1]
    assert run.outcome.last_sample in ("hsperfdata", "agent" if moment == "end" else "")


def test_a_halt_among_the_exit_hooks_gives_a_run_that_is_not_used(command_line: CommandLine) -> None:
    (run,) = command_line.record(*command_line.java("Faulty", "halt", "end")).runs
    assert run.outcome.exit_code == 9


def test_a_target_that_ends_before_the_handshake_leaves_nothing(
    command_line: CommandLine, tmp_path: Path
) -> None:
    """Something that is called java, and ends before it is one."""
    (tmp_path / "java").write_text("#!/bin/sh\nkill -9 $$\n")
    (tmp_path / "java").chmod(0o755)
    reported = command_line.record(str(tmp_path / "java"), "Main")
    assert reported.runs == ()


def test_a_target_that_is_killed_before_the_handshake_leaves_nothing(recorder: Recorder) -> None:
    def kill(_: Progress) -> None:
        for process in launched():
            process.kill()

    with pytest.raises(MeasureError) as raised:
        recorder.record("Faulty", "nothing", on_tick=kill)
    assert "the JVM ended before it could load buto's agent" in raised.value.message
    assert "end: signal 9" in raised.value.message


def test_a_target_that_runs_out_of_memory_and_goes_on_is_measured(command_line: CommandLine) -> None:
    reported = command_line.record(*command_line.java("Faulty", "fill", options=("-Xmx32m",)))
    assert reported.runs[-1].stdout == b"done\n"
    assert reported.runs[-1].stderr == b""
    assert problems(reported.runs[-1]) == []


def test_a_thread_that_runs_out_of_memory_is_quoted(command_line: CommandLine) -> None:
    reported = command_line.record(*command_line.java("Faulty", "fill for good", options=("-Xmx32m",)))
    assert "OutOfMemoryError" in reported.text


def test_two_thousand_busy_threads_starve_a_run_and_every_sample_is_accounted_for(recorder: Recorder) -> None:
    run = recorder.record("Faulty", "threads", "2000", interval_s=0.005)
    assert run.outcome.last_sample == "agent"
    assert run.stdout == b"done\n"
    assert np.nanmax(run.series("jvm.thread.count")) > 1000
    planned = run.times_s[-1] / 0.005
    taken = len(run.times_s) + run.series("buto.missed.ticks")[-1]
    assert abs(taken - planned) <= 3


def samples_beside_the_gap(run: Run) -> tuple[int, int]:
    """How many there are before the longest gap, and behind it."""
    before = int(np.diff(run.times_s).argmax()) + 1
    return before, len(run.times_s) - before


def read_with_a_break(log: Path, sign: str) -> None:
    """Read a pipe up to a sign, then stop for STOPPED_S, so that the writer blocks."""
    with log.open("rb", buffering=0) as pipe:
        # A page, which is full at once.
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        while sign not in pipe.readline().decode():
            pass
        # The fault.
        time.sleep(STOPPED_S)
        pipe.readall()


def test_a_long_collection_is_the_programs_own_and_starves_nothing(
    recorder: Recorder, tmp_path: Path
) -> None:
    """The collector stops in its midst, for nobody reads the log that it writes."""
    log = tmp_path / "gc.log"
    os.mkfifo(log)
    threading.Thread(target=read_with_a_break, args=(log, "Phase 1"), daemon=True).start()
    *_, newest = JAVAS.values()
    run = recorder.record("Faulty", "collect", options=(SERIAL, f"-Xlog:gc*=trace:file={log}"), java=newest)
    pause_s = run.series("jvm.gc.time[MarkSweepCompact]")[-1]
    assert pause_s > 0.98 * STOPPED_S
    assert run.quality.largest_gap_s > 0.98 * pause_s
    assert run.quality.missed_share < 0.5
    assert "no sample for" not in run.quality.describe()
    assert min(samples_beside_the_gap(run)) >= 2
    assert run.stdout == b"done\n"


def test_a_stop_of_the_world_that_is_not_a_collection_starves_a_run(recorder: Recorder) -> None:
    # The stop begins some time after the loop did.
    stop = ("stop", f"{1000 * (STOPPED_S + 1):.0f}")
    run = recorder.record("Faulty", *stop, options=(SERIAL, "-XX:-UseCountedLoopSafepoints"))
    assert run.series("jvm.gc.time[MarkSweepCompact]")[-1] < 1
    assert run.stdout == b"done\n"
    assert_starved(run)


def assert_starved(run: Run) -> None:
    """The run tells how long nothing was seen, is not used, and has what was seen before and after."""
    assert run.quality.largest_gap_s > 0.95 * STOPPED_S
    reported = [
        re.search(rf"{STARVED}: no sample for ([\d.]+) s", problem.text) for problem in run.quality.problems
    ]
    assert [float(found[1]) > 0.95 * STOPPED_S for found in reported if found] == [True]
    assert min(samples_beside_the_gap(run)) >= 2
    assert run.outcome.last_sample == "agent"


def stop_for(duration_s: float) -> OnTick:
    """Stop the JVM at its fourth sample, and let it go on after so long."""
    stopped: list[float] = []

    def on_tick(progress: Progress) -> None:
        if progress.n_samples >= 4 and not stopped:
            (jvm,) = launched()
            stopped.append(time.monotonic())
            os.kill(jvm.pid, signal.SIGSTOP)
        elif len(stopped) == 1 and time.monotonic() - stopped[0] > duration_s:
            (jvm,) = launched()
            os.kill(jvm.pid, signal.SIGCONT)
            stopped.append(time.monotonic())

    return on_tick


def test_a_target_that_is_stopped_for_a_while_starves_its_run(recorder: Recorder) -> None:
    assert_starved(recorder.record("Faulty", "nothing", on_tick=stop_for(STOPPED_S)))


def test_a_target_that_is_stopped_for_good_is_ended_at_its_time_limit(recorder: Recorder) -> None:
    began = time.monotonic()
    run = recorder.record("Faulty", "nothing", on_tick=stop_for(1000), timeout_s=4.0)
    assert run.outcome.timed_out
    assert time.monotonic() - began < 60
