"""What the agent uses on top of a program: about as much as was asked for, and nothing unless it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.jvm.agents import PATIENCE_S, Launcher, Scene, without_opening
from tests.support.jvm.plain_collector import AT_EXIT, Heard, PlainCollector

pytestmark = pytest.mark.all

ALLOCATED, KEPT, THREADS, DESCRIPTORS, CPU = range(1, 6)
MIB = 1 << 20
SPREAD_S = 0.4
OPTIONS = ["-XX:+UseSerialGC", "-Xmx64m"]
COUNTED = ("jvm.memory.allocated", "jvm.thread.started", "jvm.thread.count", "jvm.cpu.time")


def is_over(heard: Heard) -> bool:
    """Whether the program has run for longer than what is used is spread."""
    began = heard.marks.get("main")
    return began is not None and heard.times[-1] - began > 1.5 * SPREAD_S * 1e9


def run(
    java: str,
    launcher: Launcher,
    directory: Path,
    extra: tuple[int, int, float] | None,
    until: Callable[[Heard], object] = is_over,
) -> Heard:
    """A program that only waits until then."""
    with PlainCollector(directory) as collector:
        collector.extra, collector.live_set = extra, AT_EXIT
        return Scene(launcher, collector).measured(java, "Ends", "wait", options=OPTIONS, until=[until])


def last(heard: Heard, name: str) -> float:
    return heard.series(name)[-1]


def during(heard: Heard, name: str) -> float:
    """What a counter has grown by from before main to the end."""
    values = heard.series(name)
    return values[-1] - values[0]


def open_null(pid: int) -> int:
    """How often a process has /dev/null open."""
    n = 0
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            n += os.readlink(path) == "/dev/null"
    return n


def test_each_use_moves_its_counter_by_its_size(java: str, launcher: Launcher, tmp_path: Path) -> None:
    alone = run(java, launcher, tmp_path, None)

    garbage = run(java, launcher, tmp_path, (ALLOCATED, 20 * MIB, SPREAD_S))
    more = during(garbage, "jvm.memory.allocated") - during(alone, "jvm.memory.allocated")
    assert more == pytest.approx(20 * MIB, rel=0.02)
    so_far = [
        value - garbage.series("jvm.memory.allocated")[0] for value in garbage.series("jvm.memory.allocated")
    ]
    assert any(4 * MIB < value < 16 * MIB for value in so_far), "it is spread over the run"
    assert during(garbage, "buto.snapshot.allocated") < MIB, "what measuring costs is counted apart"

    kept = run(java, launcher, tmp_path, (KEPT, 8 * MIB, 0.0))
    live = last(kept, "jvm.memory.heap.live") - last(alone, "jvm.memory.heap.live")
    assert live == pytest.approx(8 * MIB, rel=0.02)

    threads = run(java, launcher, tmp_path, (THREADS, 5, 0.0))
    assert last(threads, "jvm.thread.count") - last(alone, "jvm.thread.count") == 5
    assert last(threads, "jvm.thread.daemon.count") - last(alone, "jvm.thread.daemon.count") == 5

    burnt = run(java, launcher, tmp_path, (CPU, 300_000_000, SPREAD_S))
    more = during(burnt, "jvm.cpu.time") - during(alone, "jvm.cpu.time")
    # A young JVM compiles now more and now less.
    assert 0.2 < more < 0.6

    for heard in (garbage, kept, burnt):
        assert last(heard, "jvm.thread.started") == last(alone, "jvm.thread.started")
    for heard in (kept, threads, burnt):
        more = during(heard, "jvm.memory.allocated") - during(alone, "jvm.memory.allocated")
        assert abs(more) < MIB / 4
    for heard in (garbage, threads, burnt):
        assert abs(last(heard, "jvm.memory.heap.live") - last(alone, "jvm.memory.heap.live")) < MIB / 16


def test_open_files_are_kept_until_the_end(java: str, launcher: Launcher, tmp_path: Path) -> None:
    def are_open(_: Heard) -> bool:
        return open_null(launcher.started[-1].pid) == 7

    heard = run(java, launcher, tmp_path, (DESCRIPTORS, 7, 0.0), until=are_open)
    assert heard.ended


def test_a_jvm_without_a_sum_counts_what_is_allocated_too(
    one_java: str, launcher: Launcher, tmp_path: Path
) -> None:
    launcher.agent = without_opening(tmp_path)
    alone = during(run(one_java, launcher, tmp_path, None), "jvm.memory.allocated")
    heard = run(one_java, launcher, tmp_path, (ALLOCATED, 20 * MIB, SPREAD_S))
    assert during(heard, "jvm.memory.allocated") - alone == pytest.approx(20 * MIB, rel=0.02)


def test_what_a_short_program_leaves_is_used_at_its_end(
    java: str, launcher: Launcher, tmp_path: Path
) -> None:
    heard = run(java, launcher, tmp_path, (ALLOCATED, 20 * MIB, 3600.0), until=bool)
    assert during(heard, "jvm.memory.allocated") > 19.5 * MIB


@pytest.mark.parametrize(("extra", "n_classes"), [(None, 0), ((THREADS, 3, 0.0), 1), ((KEPT, MIB, 0.0), 1)])
def test_its_class_is_loaded_only_for_it(
    java: str,
    launcher: Launcher,
    collector: PlainCollector,
    extra: tuple[int, int, float] | None,
    n_classes: int,
) -> None:
    collector.extra = extra
    Scene(launcher, collector).measured(java, "Ends", "wait", options=["-verbose:class"], until=[is_over])
    loaded = [line for line in launcher.stdout.read_text().splitlines() if "buto.probes.agent.Extra" in line]
    assert len(loaded) == n_classes


def test_a_heap_that_is_too_small_for_it_does_not_end_the_program(
    one_java: str, launcher: Launcher, tmp_path: Path
) -> None:
    heard = run(one_java, launcher, tmp_path, (KEPT, 500 * MIB, 0.0))
    assert heard.ended
    assert last(heard, "jvm.memory.heap.live") < 8 * MIB, "nothing is kept then"
    assert launcher.stderr.read_bytes() == b""


def test_an_unknown_use_leaves_the_program_unmeasured(
    one_java: str, launcher: Launcher, collector: PlainCollector
) -> None:
    collector.extra = (9, 1, 0.0)
    process = launcher.start(one_java, collector, ["Ends"])
    collector.greet()
    collector.accept()
    assert collector.read() == 0
    assert process.wait(PATIENCE_S) == 0
    assert launcher.stderr.read_bytes() == b""
