"""A collector that is missing, silent, slow, mistaken or dead: the program runs as if alone."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.jvm.agents import PATIENCE_S, Launcher
from tests.support.jvm.plain_collector import ACCEPT, DECLINE, DROPPED, FAREWELL, GO, PlainCollector, Rule

PROGRAM = ["Ends", "sleep=400", "threads", "exit=5"]
"""Long enough for the agent to notice, short enough to wait for."""


def assert_ran_unmeasured(launcher: Launcher, code: int) -> None:
    """The program did what it does, and the agent had ended before it looked."""
    assert code == 5
    lines = launcher.lines()
    assert lines[0].isdigit()
    assert not [line for line in lines if line.startswith("buto")]
    assert launcher.stderr.read_bytes() == b""


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "version=4\nport=1\nsecret=00\nanswer=00\n",
        "version=4\nport=many\nsecret=00\nanswer=00\n",
        "version=4\nport=1\n",
        "version=4\nport=99999999\nsecret=00\nanswer=00\n",
        "\0" * 10000,
    ],
    ids=["missing", "empty", "newer", "no-number", "no-secret", "no-port", "nonsense"],
)
def test_a_session_file_without_content(
    one_java: Path, launcher: Launcher, tmp_path: Path, text: str | None
) -> None:
    session = tmp_path / "session"
    if text is not None:
        session.write_text(text)
    process = launcher.start(one_java, session, PROGRAM)
    assert_ran_unmeasured(launcher, process.wait(PATIENCE_S))


def test_no_one_listens(java: Path, launcher: Launcher, collector: PlainCollector) -> None:
    collector.close()
    process = launcher.start(java, collector, PROGRAM)
    assert_ran_unmeasured(launcher, process.wait(PATIENCE_S))


def hang_up_after_hello(collector: PlainCollector) -> None:
    collector.greet()


def hang_up_after_accept(collector: PlainCollector) -> None:
    collector.greet()
    collector.accept()


def hang_up_before_go(collector: PlainCollector) -> None:
    collector.prepare()


def hang_up_after_go(collector: PlainCollector) -> None:
    collector.start()


def hang_up_while_it_runs(collector: PlainCollector) -> None:
    collector.start()
    while len(collector.heard.rows) < 3:
        collector.read()


@pytest.mark.parametrize(
    "until",
    [hang_up_after_hello, hang_up_after_accept, hang_up_before_go, hang_up_after_go, hang_up_while_it_runs],
)
def test_a_collector_that_dies(
    one_java: Path, launcher: Launcher, tmp_path: Path, until: Callable[[PlainCollector], None]
) -> None:
    with PlainCollector(tmp_path, gate_ms=20000, exit_ms=20000) as collector:
        process = launcher.start(one_java, collector, PROGRAM)
        until(collector)
    died = time.monotonic()
    code = process.wait(PATIENCE_S)
    assert time.monotonic() - died < 0.4 + 5, "the program waited for one of the long bounds"
    assert_ran_unmeasured(launcher, code)


@pytest.mark.parametrize("kind", [FAREWELL, GO, ACCEPT, DECLINE, 99, 1])
def test_a_frame_out_of_order_ends_the_measurement(
    one_java: Path, launcher: Launcher, collector: PlainCollector, kind: int
) -> None:
    process = launcher.start(one_java, collector, PROGRAM)
    collector.start()
    collector.send(kind)
    heard = collector.finish()
    assert not heard.ended
    assert_ran_unmeasured(launcher, process.wait(PATIENCE_S))


@pytest.mark.parametrize(
    "answer",
    [
        b"\xff\xff\xff\xffA",
        struct.pack(">IB", 3, ACCEPT) + b"\0\0",
        struct.pack(">IBQIH", 15, ACCEPT, 0, 0, 0),
    ],
    ids=["too-long", "too-short", "no-interval"],
)
def test_nonsense_instead_of_accept(
    one_java: Path, launcher: Launcher, collector: PlainCollector, answer: bytes
) -> None:
    process = launcher.start(one_java, collector, PROGRAM)
    collector.greet()
    assert collector.connection is not None
    collector.connection.sendall(answer)
    assert collector.read() == 0
    assert_ran_unmeasured(launcher, process.wait(PATIENCE_S))


def test_a_jvm_that_is_not_wanted_leaves_no_trace(
    java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    process = launcher.start(java, collector, ["Ends", "threads", "exit=5"])
    collector.greet()
    collector.send(DECLINE)
    assert collector.read() == 0
    assert_ran_unmeasured(launcher, process.wait(PATIENCE_S))


@pytest.mark.parametrize("answers", [0, 1, 2], ids=["no-hello-taken", "no-accept", "no-go"])
def test_a_silent_collector_holds_main_no_longer_than_agreed(
    one_java: Path, launcher: Launcher, tmp_path: Path, answers: int
) -> None:
    with PlainCollector(tmp_path, gate_ms=700) as collector:
        before = time.monotonic_ns()
        process = launcher.start(one_java, collector, PROGRAM)
        if answers >= 1:
            collector.greet()
        if answers >= 2:
            collector.accept()
        code = process.wait(PATIENCE_S)
    assert_ran_unmeasured(launcher, code)
    held = (int(launcher.lines()[0]) - before) * 1e-6
    assert 700 < held < 700 + 2000


def test_a_collector_that_never_says_farewell_holds_the_exit_no_longer_than_agreed(
    one_java: Path, launcher: Launcher, tmp_path: Path
) -> None:
    with PlainCollector(tmp_path, exit_ms=400) as collector:
        process = launcher.start(one_java, collector, ["Ends", "exit=5"])
        collector.start()
        while not collector.heard.ended:
            collector.read()
        code = process.wait(PATIENCE_S)
        held = (time.monotonic_ns() - collector.heard.marks["exit"]) * 1e-6
    assert code == 5
    assert 390 < held < 400 + 1000


def test_a_stalled_collector_costs_samples_not_time(java: Path, launcher: Launcher, tmp_path: Path) -> None:
    """Rows of 32 kB fill every buffer; then the collector wakes up and gets a whole story."""
    with PlainCollector(tmp_path, receive_buffer=1 << 16) as collector:
        process = launcher.start(java, collector, ["Beans", "many=2000", "reads=400"], ["-Xmx64m"])
        collector.start(interval_ms=2, flush_ms=0, rules=[Rule("test:*", notifications=False)])
        deadline = time.monotonic() + PATIENCE_S
        while launcher.lines() != ["done"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        heard = collector.finish()
        assert process.wait(PATIENCE_S) == 0
    assert heard.ended
    assert heard.dropped is not None
    assert heard.dropped[0] > 0
    assert heard.types[-2] == DROPPED
    assert heard.times[-1] > heard.marks["exit"]
