"""Every way in which a program can end."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from tests.support.jvm.recorder import Recorder, problems, said_times


@pytest.mark.parametrize(
    ("how", "options", "exit_code"),
    [
        (("return",), (), 0),
        (("exit", "3"), (), 3),
        (("exit", "255"), (), 255),
        (("exception",), (), 1),
        (("memory",), ("-Xmx32m",), 1),
        (("daemon",), (), 0),
        (("signal", "TERM"), (), 143),
        (("signal", "INT"), (), 130),
    ],
    ids=["return", "exit", "exit 255", "exception", "memory", "daemon", "SIGTERM", "SIGINT"],
)
def test_an_end_with_exit_hook_is_whole_and_keeps_the_exit_code(
    record: Recorder, java: str, one_java: str, how: tuple[str, ...], options: tuple[str, ...], exit_code: int
) -> None:
    if how == ("memory",):
        # A heap that is full to the end may keep a newer JVM from running its hooks.
        java = one_java
    run = record.java("Ends", "100", *how, options=options, java=java, expected_exit=exit_code)
    assert (run.outcome.exit_code, run.outcome.signal) == (exit_code, None)
    assert run.outcome.last_sample == "agent"
    assert problems(run) == []
    assert run.times_s[0] < 0
    _, ended_ns = said_times(run)
    assert record.last_time_ns(run) > ended_ns


@pytest.mark.parametrize(
    ("how", "options", "exit_code", "signal"),
    [
        (("halt",), (), 4, None),
        (("memory",), ("-Xmx32m", "-XX:+ExitOnOutOfMemoryError"), 3, None),
        (("memory",), ("-Xmx32m", "-XX:+CrashOnOutOfMemoryError", "-XX:-CreateCoredumpOnCrash"), 1, None),
        (("signal", "KILL"), (), None, 9),
        (("signal", "TERM"), ("-Xrs",), None, 15),
    ],
    ids=["halt", "ExitOnOutOfMemoryError", "CrashOnOutOfMemoryError", "kill", "Xrs"],
)
def test_an_end_without_exit_hook_gets_its_last_state_from_the_held_counters(
    record: Recorder,
    tmp_path: object,
    java: str,
    how: tuple[str, ...],
    options: tuple[str, ...],
    exit_code: int | None,
    signal: int | None,
) -> None:
    options = (*options, f"-XX:ErrorFile={tmp_path}/error.log")
    run = record.java("Ends", "150", *how, options=options, java=java)
    assert (run.outcome.exit_code, run.outcome.signal) == (exit_code, signal)
    assert run.outcome.last_sample == "hsperfdata"
    _, ended_ns = said_times(run)
    assert record.last_time_ns(run) > ended_ns
    assert run.series("jvm.class.loaded")[-1] >= run.series("jvm.class.loaded")[-2] > 300
    assert run.series("jvm.cpu.time")[-1] >= run.series("jvm.cpu.time")[-2]
    assert np.isnan(run.series("jvm.memory.heap.used")[-1])
    assert "hsperfdata" in run.nan_reasons["jvm.memory.heap.used"]
    ended = f"was ended by signal {signal}" if signal else f"exited with code {exit_code}, expected 0"
    assert problems(run) == [f"it {ended}"]


@pytest.mark.parametrize(
    "collector", ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC"]
)
def test_held_counters_agree_with_the_programs_own_beans(record: Recorder, java: str, collector: str) -> None:
    run = record.java("Counters", options=(collector, "-Xmx64m"), java=java)
    assert run.outcome.last_sample == "hsperfdata"
    printed = dict(line.split("=") for line in run.stdout.decode().splitlines())
    compared = 0
    for name, text in printed.items():
        held = run.series(name)[-1]
        if np.isnan(held):
            assert "Cycles" in name or "Concurrent" in name, name
            continue
        compared += 1
        # ZGC pauses several times in a collection, and may begin one at any time.
        slack = 1.0 if "time" in name else 40 if "class" in name else 10 if "Pauses" in name else 1
        assert float(text) - 0.002 <= held <= float(text) + slack, name
    assert compared >= 5


@pytest.mark.all
def test_processor_time_of_a_child_is_not_taken_for_that_of_a_jvm_that_halts(record: Recorder) -> None:
    busy = "import time\nwhile time.process_time() < 1.0: pass"
    run = record.java("Ends", "0", "child", sys.executable, "-S", "-c", busy, expected_exit=4)
    assert run.outcome.last_sample == "hsperfdata"
    used_s = run.series("jvm.cpu.time")
    assert np.isnan(used_s[-1])
    assert (np.diff(used_s[:-1]) < 0.5).all()
    assert "hsperfdata" in run.nan_reasons["jvm.cpu.time"]


def test_without_counters_the_last_pushed_sample_is_the_last(record: Recorder) -> None:
    run = record.java("Ends", "150", "halt", options=("-XX:-UsePerfData",))
    assert run.outcome.last_sample == "push"
    assert "cannot be opened" in str(run.metadata["buto.hsperfdata.missing"])
    assert np.isfinite(run.series("jvm.memory.heap.used")[-1])
    assert 0 < run.outcome.duration_s < 60


def test_a_halt_right_at_the_start_leaves_a_run(record: Recorder) -> None:
    for _ in range(5):
        run = record.java("Ends", "0", "halt", expected_exit=4)
        assert run.outcome.exit_code == 4
        assert run.times_s[0] < 0


@pytest.mark.all
def test_a_program_that_hangs_in_its_exit_hook_is_killed_at_its_time_limit(record: Recorder) -> None:
    start = time.monotonic()
    run = record.java("Ends", "0", "hook", timeout_s=15.0)
    assert time.monotonic() - start < 50, "the program would have slept for 60 s"
    assert run.outcome.timed_out
    assert (run.outcome.exit_code, run.outcome.signal) == (None, None)
    assert problems(run) == ["it was stopped at its time limit of 15 s"]
    assert run.outcome.last_sample == "agent"
