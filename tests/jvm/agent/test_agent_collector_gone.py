"""A collector that is missing, silent, slow, mistaken or dead: the program runs as if alone."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.jvm.agents import PATIENCE_S, Launcher, threads_of, until
from tests.support.jvm.plain_collector import ACCEPT, DECLINE, DROPPED, FAREWELL, GO, PlainCollector, Rule

pytestmark = pytest.mark.all

PROGRAM = ["Ends", "wait", "threads", "exit=5"]
LONG_MS = 10 * int(PATIENCE_S * 1000)
"""A bound for which no test waits."""


def assert_runs_unmeasured(launcher: Launcher) -> None:
    """The agent ends while the program runs, which then does what it does."""
    process = launcher.started[-1]
    until(lambda: launcher.lines() and not any("buto" in name for name in threads_of(process.pid)))
    launcher.go_on()
    assert process.wait(PATIENCE_S) == 5
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
        "version=5\nlines=/tmp\ngate.ms=many\n",
        "version=5\n",
        "version=5\nlines=/nonexistent\n",
        "\0" * 10000,
    ],
    ids=["missing", "empty", "older", "no-number", "no-lines", "no-directory", "nonsense"],
)
def test_a_session_file_without_content(
    one_java: str, launcher: Launcher, tmp_path: Path, text: str | None
) -> None:
    session = tmp_path / "session"
    if text is not None:
        session.write_text(text)
    launcher.start(one_java, session, PROGRAM)
    assert_runs_unmeasured(launcher)


def test_no_one_listens(java: str, launcher: Launcher, collector: PlainCollector) -> None:
    collector.close()
    launcher.start(java, collector, PROGRAM)
    assert_runs_unmeasured(launcher)


DEATHS: dict[str, Callable[[PlainCollector], object]] = {
    "after hello": PlainCollector.greet,
    "after accept": lambda it: (it.greet(), it.accept()),
    "before go": PlainCollector.prepare,
    "after go": PlainCollector.start,
    "while it runs": lambda it: (it.start(), it.read_until(lambda heard: len(heard.rows) >= 3)),
}


@pytest.mark.parametrize("moment", DEATHS)
def test_a_collector_that_dies(one_java: str, launcher: Launcher, tmp_path: Path, moment: str) -> None:
    with PlainCollector(tmp_path, gate_ms=LONG_MS, exit_ms=LONG_MS) as collector:
        launcher.start(one_java, collector, PROGRAM)
        DEATHS[moment](collector)
    assert_runs_unmeasured(launcher)


@pytest.mark.parametrize("kind", [FAREWELL, GO, ACCEPT, DECLINE, 99, 1])
def test_a_frame_out_of_order_ends_the_measurement(
    one_java: str, launcher: Launcher, collector: PlainCollector, kind: int
) -> None:
    launcher.start(one_java, collector, PROGRAM)
    collector.start()
    collector.send(kind)
    heard = collector.finish()
    assert not heard.ended
    assert_runs_unmeasured(launcher)


@pytest.mark.parametrize(
    "answer",
    [
        b"\xff\xff\xff\xffA",
        struct.pack(">IB", 3, ACCEPT) + b"\0\0",
        struct.pack(">IBIQIBQH", 28, ACCEPT, 4096, 0, 0, 0, 0, 0),
    ],
    ids=["too-long", "too-short", "no-interval"],
)
def test_nonsense_instead_of_accept(
    one_java: str, launcher: Launcher, collector: PlainCollector, answer: bytes
) -> None:
    launcher.start(one_java, collector, PROGRAM)
    collector.greet()
    collector.send_bytes(answer)
    assert collector.read() == 0
    assert_runs_unmeasured(launcher)


def test_a_jvm_that_is_not_wanted_leaves_no_trace(
    java: str, launcher: Launcher, collector: PlainCollector
) -> None:
    launcher.start(java, collector, PROGRAM)
    collector.greet()
    collector.send(DECLINE)
    assert collector.read() == 0
    assert_runs_unmeasured(launcher)


@pytest.mark.parametrize("answers", [0, 1, 2], ids=["no-hello-taken", "no-accept", "no-go"])
def test_a_silent_collector_holds_main_no_longer_than_agreed(
    one_java: str, launcher: Launcher, tmp_path: Path, answers: int
) -> None:
    with PlainCollector(tmp_path, gate_ms=2000, exit_ms=LONG_MS) as collector:
        before = time.monotonic_ns()
        launcher.start(one_java, collector, PROGRAM)
        if answers >= 1:
            collector.greet()
        if answers >= 2:
            collector.accept()
        assert_runs_unmeasured(launcher)
    # How much later than that depends on the machine; that main begins at all shows that there is a bound.
    assert (int(launcher.lines()[0]) - before) * 1e-6 > 2000


def test_a_collector_that_never_says_farewell_holds_the_exit_no_longer_than_agreed(
    one_java: str, launcher: Launcher, tmp_path: Path
) -> None:
    with PlainCollector(tmp_path, gate_ms=LONG_MS, exit_ms=2000) as collector:
        process = launcher.start(one_java, collector, ["Ends", "exit=5"])
        collector.start()
        collector.read_until(lambda heard: heard.ended)
        code = process.wait(PATIENCE_S)
        held = (time.monotonic_ns() - collector.heard.marks["exit"]) * 1e-6
    assert code == 5
    assert held > 1990


def test_a_stalled_collector_costs_samples_not_time(java: str, launcher: Launcher, tmp_path: Path) -> None:
    """Rows of 32 kB fill every buffer; then the collector wakes up and gets a whole story."""
    with PlainCollector(tmp_path, capacity=1 << 16) as collector:
        process = launcher.start(java, collector, ["Beans", "many=2000", "reads=400"], ["-Xmx64m"])
        collector.start(interval_ms=2, flush_ms=0, rules=[Rule("test:*", notifications=False)])
        until(lambda: launcher.lines() == ["done"])
        heard = collector.finish()
        assert process.wait(PATIENCE_S) == 0
    assert heard.ended
    assert heard.dropped is not None
    assert heard.dropped[0] > 0
    assert heard.types[-2] == DROPPED
    assert heard.times[-1] > heard.marks["exit"]
