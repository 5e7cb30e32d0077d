"""From before main to after the exit hook: the gate, every way to end, and what the program notices."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.jvm.agents import AGENT, PATIENCE_S, Launcher
from tests.support.jvm.plain_collector import (
    BYE,
    COLUMNS,
    DROPPED,
    HELLO,
    MARK,
    METADATA,
    SAMPLES,
    PlainCollector,
)


@pytest.mark.parametrize(
    ("program", "options", "code"),
    [
        (["Ends", "sleep=50"], [], 0),
        (["Ends", "exit=7"], [], 7),
        (["Ends", "throw"], [], 1),
        (["Ends", "fill"], ["-Xmx16m"], 1),
        (["Ends", "daemon"], [], 0),
        (["NoSuchProgram"], [], 1),
    ],
    ids=["return", "exit", "uncaught", "out-of-memory", "daemon-left", "no-main-class"],
)
def test_an_orderly_end_is_recorded_to_its_last_sample(
    java: Path,
    launcher: Launcher,
    collector: PlainCollector,
    program: list[str],
    options: list[str],
    code: int,
) -> None:
    process = launcher.start(java, collector, program, options)
    collector.start()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == code
    assert heard.ended
    n_samples, n_notifications = heard.dropped
    assert n_notifications == 0
    # A sample finds no memory in a full heap, now and then; it must be counted.
    assert n_samples <= (2 if program == ["Ends", "fill"] else 0)
    assert heard.times == sorted(heard.times)
    assert heard.times[0] < heard.marks["main"] < heard.marks["exit"] < heard.times[-1]


def test_the_streams_are_the_programs_own(java: Path, launcher: Launcher, collector: PlainCollector) -> None:
    process = launcher.start(java, collector, ["Ends", "fill-and-survive", "sleep=100"], ["-Xmx16m"])
    collector.start(interval_ms=1)
    collector.finish()
    assert process.wait(PATIENCE_S) == 0
    assert len(launcher.lines()) == 3
    assert launcher.stderr.read_bytes() == b""


def test_a_heap_full_to_the_end_may_cost_the_exit_but_changes_nothing(
    java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    """The JVM itself needs memory to run its hooks, and may find none: then there is no BYE."""
    process = launcher.start(java, collector, ["Ends", "fill-for-good"], ["-Xmx16m"])
    collector.start()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 1
    assert heard.rows
    assert "OutOfMemoryError" in launcher.stderr.read_text()
    assert "buto" not in launcher.stderr.read_text()


def test_sigterm_is_an_orderly_end(java: Path, launcher: Launcher, collector: PlainCollector) -> None:
    process = launcher.start(java, collector, ["Ends", "sleep=60000"])
    collector.start()
    while len(collector.heard.rows) < 3:
        collector.read()
    process.send_signal(signal.SIGTERM)
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 128 + signal.SIGTERM
    assert heard.ended


@pytest.mark.parametrize(
    ("program", "options", "code"),
    [
        (["Ends", "sleep=300", "halt=9"], [], 9),
        (["Ends", "fill"], ["-Xmx16m", "-XX:+ExitOnOutOfMemoryError"], 3),
    ],
    ids=["halt", "exit-on-out-of-memory"],
)
def test_an_end_without_hooks_leaves_what_was_pushed(
    java: Path,
    launcher: Launcher,
    collector: PlainCollector,
    program: list[str],
    options: list[str],
    code: int,
) -> None:
    process = launcher.start(java, collector, program, options)
    collector.start()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == code
    assert heard.rows
    assert "main" in heard.marks
    assert not heard.ended


@pytest.mark.parametrize(
    ("number", "options"),
    [(signal.SIGKILL, []), (signal.SIGTERM, ["-Xrs"])],
    ids=["sigkill", "sigterm-and-Xrs"],
)
def test_a_signal_that_kills_leaves_what_was_pushed(
    one_java: Path, launcher: Launcher, collector: PlainCollector, number: signal.Signals, options: list[str]
) -> None:
    process = launcher.start(one_java, collector, ["Ends", "sleep=60000"], options)
    collector.start()
    while len(collector.heard.rows) < 3:
        collector.read()
    process.send_signal(number)
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == -number
    assert not heard.ended


def test_main_waits_for_the_first_sample_and_the_collector(
    java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    process = launcher.start(java, collector, ["Ends", "sleep=1"])
    collector.prepare()
    time.sleep(0.3)
    assert launcher.lines() == []
    opened = time.monotonic_ns()
    collector.send(67)
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    began, done = map(int, launcher.lines())
    assert heard.times[0] < opened < heard.marks["main"] <= began
    assert heard.times[-1] > done


def test_a_program_of_no_length_is_measured_every_time(
    one_java: Path, launcher: Launcher, tmp_path: Path
) -> None:
    for _ in range(20):
        with PlainCollector(tmp_path) as collector:
            process = launcher.start(one_java, collector, ["Ends"])
            collector.start(interval_ms=100)
            heard = collector.finish()
            assert process.wait(PATIENCE_S) == 0
        began, done = map(int, launcher.lines())
        assert heard.ended
        assert heard.times[0] < began <= done < heard.times[-1]


def test_frames_come_in_the_documented_order(
    one_java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    process = launcher.start(one_java, collector, ["Ends"])
    collector.start(interval_ms=10000)
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    opening = [kind for kind in heard.types if kind != 6]
    assert opening == [HELLO, METADATA, COLUMNS, SAMPLES, MARK, MARK, SAMPLES, DROPPED, BYE]
    assert heard.hello["secret"] == collector.secret
    assert heard.hello["pid"] == process.pid
    assert heard.hello["command"] == "Ends"


def test_exit_is_hardly_delayed(java: Path, launcher: Launcher, tmp_path: Path) -> None:
    """The shortest of five launches, or of more where other load on the machine delays them."""

    def exit_ms(*, measured: bool) -> float:
        with PlainCollector(tmp_path) as collector:
            process = launcher.start(java, collector if measured else None, ["Ends", "sleep=100"])
            if measured:
                collector.start()
                collector.finish()
            process.wait(PATIENCE_S)
            gone = time.monotonic_ns()
        return (gone - int(launcher.lines()[-1])) * 1e-6

    alone, beside = [], []
    for number in range(30):
        alone.append(exit_ms(measured=False))
        beside.append(exit_ms(measured=True))
        if number >= 4 and min(beside) - min(alone) < 200:
            break
    assert min(beside) - min(alone) < 200


def test_the_agent_given_twice_measures_once(
    java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    options = f"-javaagent:{AGENT}={collector.session_file}"
    process = launcher.start(
        java,
        collector,
        ["Ends", "sleep=100", "threads"],
        environment={"JAVA_TOOL_OPTIONS": f"{options} {options}"},
    )
    collector.start()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    assert heard.ended
    assert launcher.lines().count("buto-sampler") == 1
    collector.server.settimeout(0.2)
    with pytest.raises(TimeoutError):
        collector.server.accept()


def test_no_jvm_outlives_its_program_by_the_agents_thread(
    one_java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    process = launcher.start(one_java, collector, ["Ends"])
    collector.start()
    collector.finish()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        pytest.fail("the JVM runs on")
