"""Virtual threads of real programs, by a known number that is pinned, rejected, or left."""

from __future__ import annotations

import os

import pytest

from buto import jars
from buto.errors import MeasureError
from buto.measure.agent import AgentCollector
from buto.measure.target import Target
from buto.run.model import Run
from tests.support.jvm.releases import INSTALL_TIMEOUT_S, java_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(INSTALL_TIMEOUT_S + 400)]

RELEASES = (pytest.param(21, marks=pytest.mark.all), 25)
PROGRAM = "buto.testprograms.virtualthreads.VirtualThreads"
OPENED = "--add-opens=java.base/java.lang=ALL-UNNAMED"


def run(release: int, *words: str) -> Run:
    start = (
        os.fspath(java_of(release)),
        "-XX:+UseSerialGC",
        OPENED,
        "-cp",
        os.fspath(jars.path(jars.TESTPROGRAMS)),
    )
    target = Target((*start, PROGRAM, "--threads", "20", *words), counts_virtual_threads=True)
    with AgentCollector(target) as collector:
        return collector.record("threads")


def test_a_java_whose_flight_recorder_is_off_is_an_error() -> None:
    start = (os.fspath(java_of(25)), "-XX:-FlightRecorder", "-cp", os.fspath(jars.path(jars.TESTPROGRAMS)))
    target = Target((*start, PROGRAM, "--threads", "1"), counts_virtual_threads=True)
    with AgentCollector(target) as collector, pytest.raises(MeasureError, match="Flight Recorder"):
        collector.record("threads")


def last(found: Run, name: str) -> float:
    return float(found.series(f"jvm.thread.virtual.{name}")[-1])


@pytest.mark.parametrize("release", RELEASES)
def test_a_thread_below_a_native_frame_is_pinned_each_time_it_blocks(release: int) -> None:
    found = run(release, "--pins", "initializer", "--times", "8", "--left", "3")
    assert not found.quality.problems
    assert (last(found, "pinned"), last(found, "rejected"), last(found, "count")) == (8, 0, 3)
    assert found.metadata["process.threads.pinned"] == f"{PROGRAM}.block:73 (8)"
    assert last(found, "carriers") >= 1
    assert found.series("jvm.thread.virtual.pinned")[0] == 0


@pytest.mark.parametrize(("release", "pins"), [pytest.param(21, 8, marks=pytest.mark.all), (25, 0)])
def test_a_monitor_pins_before_java_24_alone(release: int, pins: int) -> None:
    assert last(run(release, "--pins", "monitor", "--times", "8"), "pinned") == pins


@pytest.mark.parametrize("release", RELEASES)
def test_threads_of_a_scheduler_that_was_shut_down_are_rejected(release: int) -> None:
    found = run(release, "--rejected", "2")
    assert (last(found, "pinned"), last(found, "rejected"), last(found, "count")) == (0, 2, 0)
