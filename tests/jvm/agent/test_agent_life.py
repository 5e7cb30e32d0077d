"""From before main to after the exit hook: the gate, every way to end, and what the program notices."""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.jvm.agents import AGENT, PATIENCE_S, Launcher, Scene
from tests.support.jvm.plain_collector import (
    BYE,
    COLUMNS,
    DROPPED,
    GO,
    HELLO,
    MARK,
    METADATA,
    REASONS,
    SAMPLES,
    PlainCollector,
)


def test_out_of_memory_is_an_orderly_end(java: str, scene: Scene) -> None:
    heard = scene.measured(java, "Ends", "fill", options=["-Xmx16m"], code=1)
    n_samples, n_notifications = heard.dropped
    assert n_notifications == 0
    # A sample finds no memory in a full heap, now and then; it must be counted.
    assert n_samples <= 2
    assert heard.times == sorted(heard.times)
    assert heard.times[0] < heard.marks["main"] < heard.marks["exit"] < heard.times[-1]


def test_the_streams_are_the_programs_own(java: str, launcher: Launcher, collector: PlainCollector) -> None:
    """A sample, too, may find no memory while the heap is full; then the agent falls silent."""
    process = launcher.start(java, collector, ["Ends", "fill-and-survive", "sleep=100"], ["-Xmx16m"])
    collector.start(1)
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    assert heard.rows
    assert len(launcher.lines()) == 3
    assert launcher.stderr.read_bytes() == b""


def test_a_heap_full_to_the_end_may_cost_the_exit_but_changes_nothing(
    java: str, launcher: Launcher, collector: PlainCollector
) -> None:
    """The JVM itself needs memory to run its hooks, and may find none: then there is no BYE."""
    process = launcher.start(java, collector, ["Ends", "fill-for-good"], ["-Xmx16m"])
    collector.start()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 1
    assert heard.rows
    assert "OutOfMemoryError" in launcher.stderr.read_text()
    assert "buto" not in launcher.stderr.read_text()


def test_main_waits_for_the_first_sample_and_the_collector(
    java: str, launcher: Launcher, collector: PlainCollector
) -> None:
    process = launcher.start(java, collector, ["Ends", "sleep=1"])
    collector.prepare()
    time.sleep(0.3)
    assert launcher.lines() == []
    opened = time.monotonic_ns()
    collector.send(GO)
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    began, done = map(int, launcher.lines())
    assert heard.times[0] < opened < heard.marks["main"] <= began
    assert heard.times[-1] > done


def test_frames_come_in_the_documented_order(one_java: str, scene: Scene) -> None:
    heard = scene.measured(one_java, "Ends", interval_ms=10_000)
    opening = [kind for kind in heard.types if kind != REASONS]
    assert opening == [HELLO, METADATA, COLUMNS, SAMPLES, MARK, MARK, SAMPLES, DROPPED, BYE]
    assert heard.hello["class_path"] == str(scene.launcher.classes)
    assert heard.hello["pid"] == scene.launcher.started[-1].pid
    assert heard.hello["command"] == "Ends"


def test_exit_is_hardly_delayed(java: str, launcher: Launcher, tmp_path: Path) -> None:
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
    java: str, launcher: Launcher, collector: PlainCollector
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
    assert collector.n_free_lines == 1
