"""Further JVMs: what their agents send, from a process that speaks like an agent."""

from __future__ import annotations

import math
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure import channel
from buto.measure.channel import AgentRecorder
from buto.measure.command_line import Found, living
from buto.measure.messages import ChannelError, FrameDecoder, farewell, go
from buto.measure.sources import attached, jvm
from buto.measure.sources.attached import AttachedAgent, AttachedSample, Newest
from buto.measure.sources.jvm import JvmReader, JvmSource
from buto.measure.sources.protocol import SourceError
from tests.support.jvm import speech
from tests.support.jvm.line import Line
from tests.support.sources.surroundings import NoProgram

THREADS, CPU = "jvm.thread.count", "jvm.cpu.time"
INTERVAL_S = 60.0
"""However busy the machine is, no row is old."""

EARLIER, LATER = -(1 << 40), 1 << 40
"""Clock ticks from boot to starts before and after all rows."""

COLUMNS = speech.columns(0, [(THREADS, "", 3), (CPU, "", 3)])


def added(recorder: AgentRecorder, frames: bytes) -> list[bytes]:
    decoder = FrameDecoder()
    answers = [recorder.receive(message) for message in decoder.feed(frames)]
    return [answer for answer in answers if answer is not None]


def test_the_newest_row_counts_and_the_first_one_opens_the_gate() -> None:
    received = Newest()
    recorder = AgentRecorder(received)
    described = speech.metadata([("jvm.vm.version", "17")]) + speech.reasons([(1, "not here")])
    answers = added(recorder, COLUMNS + described + speech.samples([(5, [3.0, 0.25]), (6, [4.0, 0.5])], 2))
    assert answers == [go()]
    assert received.row is not None
    assert (received.row.time_ns, received.row.values) == (6, {THREADS: 4.0, CPU: 0.5})
    assert received.reasons == {CPU: "not here"}
    assert received.metadata.finish() == {"jvm.vm.version": "17"}
    assert added(recorder, speech.samples([(7, [5.0, 0.75])], 2) + speech.bye()) == [farewell()]


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (speech.columns(1, [(CPU, "", 3)]), "new columns from 1 on, not 0"),
        (speech.samples([(1, [2.0])], 1), "1 columns, 0 announced"),
        (COLUMNS + speech.reasons([(2, "why")]), "a reason for column 2 of 2"),
        (speech.hello(1, "A"), "a second HELLO"),
    ],
    ids=["columns", "samples", "reasons", "hello"],
)
def test_an_agent_that_contradicts_itself_is_refused(frames: bytes, message: str) -> None:
    with pytest.raises(ChannelError, match=message):
        added(AgentRecorder(Newest()), frames)


Speak = Callable[[Line, Mapping[str, str]], None]


@pytest.fixture
def answered_by(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AttachedAgent]]:
    """What a JVM would do that is asked to load the agent."""
    opened: list[AttachedAgent] = []

    def attach(speak: Speak, of: int | None = None) -> AttachedAgent:
        def load(pid: int, agent: str, within_s: float) -> None:
            lines = Path(agent.split("=")[1]).read_text().splitlines()
            session = dict(line.split("=", 1) for line in lines)
            with Line(session) as connection:
                speak(connection, session)

        monkeypatch.setattr(attached, "load_agent", load)
        opened.append(AttachedAgent(os.getpid() if of is None else of, INTERVAL_S))
        return opened[-1]

    yield attach
    for agent in opened:
        agent.close()


def greet(connection: Line, pid: int | None = None) -> None:
    connection.sendall(speech.hello(os.getpid() if pid is None else pid, "Catalogue"))
    connection.hear()


def sample(connection: Line, value: float) -> None:
    connection.sendall(speech.samples([(time.monotonic_ns(), [value, value])], 2))


def test_a_jvm_is_greeted_sampled_and_let_go(answered_by: Callable[..., AttachedAgent]) -> None:
    let_go = threading.Event()

    def speak(connection: Line, session: Mapping[str, str]) -> None:
        assert session["exit.ms"] == "0"
        greet(connection)
        connection.sendall(COLUMNS)
        sample(connection, 3.0)
        with suppress(BrokenPipeError):
            while True:
                sample(connection, 4.0)
        let_go.set()

    agent = answered_by(speak)
    assert agent.row(20.0).values[THREADS] in (3.0, 4.0)
    agent.close()
    assert let_go.wait(20)


def test_a_jvm_that_ends_has_ended(answered_by: Callable[..., AttachedAgent]) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:

        def speak(connection: Line, session: Mapping[str, str]) -> None:
            greet(connection, process.pid)
            process.kill()
            process.wait()

        agent = answered_by(speak, process.pid)
        with pytest.raises(MeasureError, match=f"process {process.pid} has ended"):
            agent.row(20.0)
    assert agent.has_ended


@pytest.mark.parametrize(
    ("sent", "why"), [(b"", "has sent no sample"), (COLUMNS, "does not send any more")], ids=["none", "one"]
)
def test_a_jvm_that_lives_without_its_agent_has_not_ended(
    sent: bytes, why: str, answered_by: Callable[..., AttachedAgent]
) -> None:
    def speak(connection: Line, session: Mapping[str, str]) -> None:
        greet(connection)
        if sent:
            connection.sendall(sent)
            sample(connection, 3.0)

    agent = answered_by(speak)
    with pytest.raises(MeasureError, match=f"process {os.getpid()} runs, but its agent {why}"):
        deque(iter(lambda: agent.row(20.0), None), maxlen=0)
    assert agent.has_ended


def test_a_connection_that_says_nothing_gives_way_to_the_next(
    monkeypatch: pytest.MonkeyPatch, answered_by: Callable[..., AttachedAgent]
) -> None:
    monkeypatch.setattr(channel, "HELLO_S", 1.0)

    def speak(silent: Line, session: Mapping[str, str]) -> None:
        with Line(session) as second:
            greet(second)
            second.sendall(COLUMNS)
            sample(second, 7.0)
            second.expect(67)
            second.await_end()

    assert answered_by(speak).row(20.0).values[THREADS] == 7.0


@pytest.mark.parametrize("first", ["another process", "no agent", "nothing"])
def test_strangers_do_not_become_the_further_jvm(
    first: str, answered_by: Callable[..., AttachedAgent]
) -> None:
    def speak(connection: Line, session: Mapping[str, str]) -> None:
        if first == "another process":
            greet(connection, 1)
        elif first == "no agent":
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        connection.close()
        with Line(session) as second:
            greet(second)
            second.sendall(COLUMNS)
            sample(second, 7.0)
            second.expect(67)
            second.await_end()

    assert answered_by(speak).row(20.0).values[THREADS] == 7.0


def test_a_jvm_that_says_nothing_is_not_waited_for_longer_than_allowed(
    answered_by: Callable[..., AttachedAgent],
) -> None:
    over = threading.Event()
    agent = answered_by(lambda connection, session: over.wait(20) and None)
    with pytest.raises(MeasureError, match=r"did not answer within 0\.05 s"):
        agent.row(0.05)
    assert not agent.has_ended
    over.set()


def test_a_jvm_that_does_not_load_the_agent_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int, agent: str, within_s: float) -> None:
        raise MeasureError("Dynamic agent loading is not enabled")

    monkeypatch.setattr(attached, "load_agent", refuse)
    with AttachedAgent(os.getpid(), INTERVAL_S) as agent:
        with pytest.raises(MeasureError, match="Dynamic agent loading is not enabled"):
            agent.row(20.0)
        assert agent.has_ended


class Scripted:
    """Stands for the agent in a JVM: gives prepared rows, and then has ended."""

    def __init__(self, rows: list[dict[str, float]]) -> None:
        self.received = Newest()
        added(AgentRecorder(self.received), COLUMNS + speech.reasons([(0, "it cannot count")]))
        self.received.metadata.update({"jvm.vm.version": "17", "jvm.uptime": "7", "system.processors": "2"})
        self.has_ended = False
        self._rows = rows

    def row(self, within_s: float) -> AttachedSample:
        if not self._rows:
            self.has_ended = True
            raise MeasureError("process 7 has ended")
        return AttachedSample(len(self._rows), self._rows.pop(0))

    def close(self) -> None:
        self._rows = []


def test_the_next_jvm_continues_the_counters_of_the_one_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    seven, eight = Found(7, 1, 0, "java"), Found(8, 1, LATER, "java")
    found = iter([None, seven, seven, eight, None])
    monkeypatch.setattr(jvm, "_WAITS_S", (0.0, 0.0))
    scripts = iter([[{THREADS: math.nan, CPU: 2.0}], [{THREADS: 5.0, CPU: 3.0}], [{THREADS: 6.0, CPU: 0.5}]])
    monkeypatch.setattr(jvm, "AttachedAgent", lambda pid, interval_s: Scripted(next(scripts)))
    with JvmReader(lambda: next(found), "there is none", 1.0, 1.0) as further:

        def reading() -> Mapping[str, float] | str:
            try:
                return further.read()
            except SourceError as error:
                return error.message

        assert reading() == "there is none"
        first = reading()
        assert isinstance(first, dict) and np.isnan(first[THREADS]) and first[CPU] == 2.0
        assert further.taken_ns() == 1
        assert further.reasons() == {THREADS: "it cannot count"}
        assert further.metadata() == {"jvm.vm.version": "17"}
        assert further.property(CPU).unit == "s"
        assert reading() == "process 7 has ended"
        # The same process again, for example because buto lost it: it still has its own counts.
        assert reading() == {THREADS: 5.0, CPU: 3.0}
        assert reading() == "process 7 has ended"
        assert reading() == {THREADS: 6.0, CPU: 3.5}
        assert reading() == "process 7 has ended"
        assert reading() == "process 8 has ended"


def test_a_jvm_that_ran_beside_the_one_that_ended_adds_what_it_counts_from_then_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = iter([Found(7, 1, 0, "java"), Found(8, 1, EARLIER, "java"), Found(9, 1, LATER, "java")])
    scripts = iter(
        [
            [{THREADS: 1.0, CPU: 3.0}],
            [{THREADS: 2.0, CPU: math.nan}, {THREADS: 3.0, CPU: 5000.0}, {THREADS: 4.0, CPU: 5002.0}],
            [{THREADS: 5.0, CPU: 0.5}],
        ]
    )
    monkeypatch.setattr(jvm, "AttachedAgent", lambda pid, interval_s: Scripted(next(scripts)))
    read = []
    with JvmReader(lambda: next(found), "there is none", 1.0, 1.0) as further:
        for _ in range(7):
            with suppress(SourceError):
                read.append(further.read()[CPU])
    np.testing.assert_array_equal(read, [3.0, math.nan, 3.0, 5.0, 5.5])


@pytest.mark.parametrize(("waits_s", "n_loads"), [((0.0, 0.0), 3), ((1e6, 1e6), 1)])
def test_the_agent_is_not_loaded_into_the_same_jvm_again_and_again(
    waits_s: tuple[float, float], n_loads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[int] = []

    def attach(pid: int, interval_s: float) -> Scripted:
        loaded.append(pid)
        return Scripted([])

    monkeypatch.setattr(jvm, "AttachedAgent", attach)
    monkeypatch.setattr(jvm, "_WAITS_S", waits_s)
    with JvmReader(lambda: Found(7, 1, 0, "java"), "there is none", 1.0, 1.0) as further:
        for _ in range(10):
            with pytest.raises(SourceError, match="process 7 has ended"):
                further.read()
    assert loaded == [7] * n_loads


def test_a_process_is_known_to_have_started_before_now_and_after_its_parent() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        started_ns = {living_process.pid: living_process.started_ns for living_process in living()}
        process.kill()
    # The kernel rounds to 10 ms.
    assert started_ns[os.getpid()] <= started_ns[process.pid] <= time.monotonic_ns()


def test_without_a_jvm_the_reason_says_which_is_missing() -> None:
    for settings, missing in (
        ({}, "no further JVM of the test's command can be recognised; name it with match"),
        ({"match": "* buto-has-no-such-*"}, r"no JVM runs whose command line matches \* buto-has-no-such-\*"),
    ):
        source = JvmSource(settings)
        with source.open(NoProgram(), 1.0, 1.0) as further, pytest.raises(SourceError, match=missing):
            further.read()
