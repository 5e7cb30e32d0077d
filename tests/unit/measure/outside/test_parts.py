"""How often each part of what is read from outside is read, and what is said of values that are missing."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure import outside as part_module
from buto.measure import outside as reader_module
from buto.measure.account import NoEventError
from buto.measure.hsperfdata import NoPerfData
from buto.measure.outside import SWITCHES, OutsideReader, Part, Values
from buto.measure.procfs import ProcessFiles, Switches
from buto.measure.recording import Recording
from buto.run.model import Outcome, Quality
from buto.run.properties import READ_OUTSIDE, Property

NO_COUNTERS = NoPerfData("there are none")
NO_EVENTS = NoEventError("there are none")
VOLUNTARY = "process.context_switches[voluntary]"
PROPORTIONAL = "process.memory.proportional"


class Clock:
    """Time that passes only if a test says so."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def monotonic(self) -> float:
        return self.now_s

    def monotonic_ns(self) -> int:
        return round(self.now_s * 1e9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(part_module, "time", clock)
    return clock


def test_a_part_without_interval_is_read_each_time() -> None:
    values = iter(range(3))
    part = Part(("a",), lambda: {"a": next(values)})
    assert [part.values() for _ in range(3)] == [{"a": 0}, {"a": 1}, {"a": 2}]


def test_a_slow_part_is_read_at_its_interval_and_at_the_end(clock: Clock) -> None:
    part = Part(("a",), lambda: {"a": 1.0}, every_s=1.0)
    assert part.values() == {"a": 1.0}
    clock.now_s += 0.9
    assert part.values() == {}
    assert part.values(always=True) == {"a": 1.0}
    clock.now_s += 1.0
    assert part.values() == {"a": 1.0}


def test_a_part_that_takes_long_is_read_so_seldom_that_it_takes_a_thousandth_of_a_core(clock: Clock) -> None:
    def read() -> Values:
        clock.now_s += 0.05
        return {"a": 1.0}

    part = Part(("a",), read, every_s=1.0)
    part.values()
    clock.now_s += 49.9
    assert part.values() == {}
    clock.now_s += 0.1
    assert part.values() == {"a": 1.0}


def test_what_cannot_be_read_has_its_reason_and_the_next_reading_is_tried() -> None:
    is_allowed = iter([False, True])

    def read() -> Values:
        if next(is_allowed):
            return {"a": 2.0}
        raise MeasureError("no permission")

    part = Part(("a", "b"), read)
    assert part.values() == {}
    assert part.why_missing("b") == "no permission"
    assert part.values() == {"a": 2.0}


def recording_of(*times_ns: int) -> Recording:
    """A recording of samples with one column of the agent's."""
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns((*READ_OUTSIDE, Property("a")))
    for time_ns in times_ns:
        recording.add_row(time_ns, {"a": 1.0})
    return recording


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process without children, which waits."""
    code = "print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"\n"
        yield process
        process.communicate(b"\n")


def test_a_process_is_read_into_the_newest_row(child: subprocess.Popen[bytes]) -> None:
    recording = recording_of(1, 2)
    with OutsideReader(recording, child.pid, NO_COUNTERS, NO_EVENTS) as reader:
        reader.read()
        recording.add_row(3, {"a": 1.0})
        reader.read(is_last=True)
        reader.finish(Switches(10**9, 7))
    run = recording.finish(Outcome(0), Quality())
    resident = run.series("process.memory.usage")
    assert np.isnan(resident).tolist() == [True, False, False]
    assert resident[1] > 2**20
    assert run.nan_reasons["process.memory.usage"] == "read every 0.5 s at most, and at the end"
    assert run.series(VOLUNTARY)[-1] == 10**9
    assert run.nan_reasons[PROPORTIONAL] == "read every 10 s at most, and at the end"
    assert run.nan_reasons["jvm.lock.parked"] == "there are none"
    assert set(run.series("a")) == {1.0}
    assert run.series("buto.outside.delay")[1] > 0


def test_what_follows_the_last_reading_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([{1: Switches(30, 4)}, {1: Switches(50, 5), 2: Switches(6, 0)}])
    monkeypatch.setattr(ProcessFiles, "switches", lambda _: next(readings))
    recording = recording_of(1)
    with OutsideReader(recording, os.getpid(), NO_COUNTERS, NO_EVENTS) as reader:
        monkeypatch.setattr(OutsideReader, "is_alone", True)
        reader.read(is_last=True)
        reader.leave_out()
        reader.finish(Switches(100, 9))
    assert [recording.series(name)[-1] for name in SWITCHES] == [100 - 26, 9 - 1]


def test_the_last_reading_has_also_what_is_read_seldom() -> None:
    recording = recording_of(1)
    with OutsideReader(recording, os.getpid(), NO_COUNTERS, NO_EVENTS) as reader:
        reader.read()
        for time_ns, is_last in ((2, False), (3, True)):
            recording.add_row(time_ns, {"a": 1.0})
            reader.read(is_last=is_last)
    assert np.isnan(recording.series("process.memory.usage")).tolist() == [False, True, False]
    assert np.isnan(recording.series(PROPORTIONAL)).tolist() == [False, True, False]


def test_a_process_is_read_twice_a_second_at_any_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(reader_module, "time", clock)
    recording = recording_of()
    with OutsideReader(recording, os.getpid(), NO_COUNTERS, NO_EVENTS) as reader:
        for k in range(11):
            recording.add_row(1 + k, {"a": 1.0})
            # Samples come at their times, more or less.
            clock.now_s = 100 + 0.1 * k + 0.01 * (-1) ** k
            reader.read()
    read = np.flatnonzero(np.isfinite(recording.series("process.memory.usage")))
    assert read.tolist() == [0, 5, 10]


def test_a_process_that_cannot_be_seen_gives_every_property_and_one_reason() -> None:
    recording = recording_of(1)
    with OutsideReader(recording, None, NO_COUNTERS, NO_EVENTS) as reader:
        reader.read(is_last=True)
        reader.finish(None)
    run = recording.finish(Outcome(0), Quality())
    assert {prop.name for prop in run.properties} == {"a", *(prop.name for prop in READ_OUTSIDE)}
    unread = {prop.name for prop in READ_OUTSIDE if math.isnan(run.series(prop.name)[0])}
    assert unread >= {VOLUNTARY, PROPORTIONAL, "process.io.bytes[read]", "jvm.safepoint.count"}
    assert all(run.nan_reasons[name] for name in unread)
    assert run.nan_reasons[VOLUNTARY] == "the JVM's process cannot be seen from here"


def test_switches_of_children_are_not_taken_for_the_process_own() -> None:
    subprocess.run(["true"], check=True)
    recording = recording_of(1)
    with OutsideReader(recording, os.getpid(), NO_COUNTERS, NO_EVENTS) as reader:
        reader.read()
        reader.finish(Switches(10**9, 7))
    assert recording.series(VOLUNTARY)[-1] < 10**9


def test_before_the_first_sample_nothing_is_read() -> None:
    recording = recording_of()
    with OutsideReader(recording, os.getpid(), NO_COUNTERS, NO_EVENTS) as reader:
        reader.read()
    assert recording.n_samples == 0
