"""Allocated bytes and what collections leave, against programs that allocate and keep a known amount."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.jvm.agents import JDKS, PATIENCE_S, Launcher, without_opening
from tests.support.jvm.plain_collector import Heard, PlainCollector

MIB = 1 << 20
ALLOCATED = "jvm.memory.allocated"
AFTER = "jvm.memory.heap.used_after_last_gc"
N_WAITING = 40
"""Samples of a program that only waits."""


def run(
    launcher: Launcher,
    collector: PlainCollector,
    java: Path,
    deeds: list[str],
    options: list[str],
    wait_for: Callable[[Heard], object] = bool,
) -> Heard:
    """Run the program to its end; where it waits it goes on when what was heard so far is as wanted."""
    process = launcher.start(java, collector, ["Allocates", *deeds], options)
    collector.start(interval_ms=20)
    collector.read_until(wait_for)
    launcher.go_on()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    assert heard.ended
    return heard


def grown(heard: Heard) -> float:
    values = heard.series(ALLOCATED)
    assert values == sorted(values)
    return values[-1] - values[0]


def test_allocated_bytes_are_exact_for_every_thread_that_lives_at_a_sample(
    java: Path, launcher: Launcher, collector: PlainCollector, tmp_path: Path
) -> None:
    """17 MiB in main, four times 3 MiB in threads that live on, four times 5 MiB in threads that die."""
    options = ["-XX:+UseParallelGC", "-Xmx32m"]
    deeds = [f"main={17 * MIB}", f"live={3 * MIB}", f"dead={5 * MIB}"]
    with PlainCollector(tmp_path) as idle:
        nothing = grown(run(launcher, idle, java, ["main=0", "live=0", "dead=0"], options))
    assert nothing < MIB
    assert grown(run(launcher, collector, java, deeds, options)) - nothing == pytest.approx(
        49 * MIB, abs=MIB / 8
    )


def test_a_jvm_without_a_sum_misses_what_threads_allocate_between_two_samples(
    one_java: Path, launcher: Launcher, tmp_path: Path
) -> None:
    """The JVM has the sum from Java 21 on, and in updates of 17; without it, threads are added one by one."""
    deeds, options = (
        [f"live={3 * MIB}", f"dead={5 * MIB}", f"gone={4 * MIB}"],
        ["-XX:+UseSerialGC", "-Xmx32m"],
    )
    with PlainCollector(tmp_path) as whole:
        assert grown(run(launcher, whole, one_java, deeds, options)) == pytest.approx(48 * MIB, abs=MIB / 2)
    launcher.agent = without_opening(tmp_path)
    with PlainCollector(tmp_path) as single:
        heard = run(launcher, single, one_java, deeds, options, lambda so_far: grown(so_far) > 31.9 * MIB)
    assert grown(heard) < 48 * MIB


def test_the_agent_itself_does_not_count(
    one_java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    """While the program waits, only the agent allocates."""
    deeds = [f"main={MIB}", "wait=0"]

    def waiting(so_far: Heard) -> list[int]:
        values = so_far.series(ALLOCATED)
        return [row for row, value in enumerate(values) if value - values[0] >= MIB]

    heard = run(
        launcher,
        collector,
        one_java,
        deeds,
        ["-XX:+UseSerialGC"],
        lambda so_far: len(waiting(so_far)) >= 2 * N_WAITING,
    )
    at = waiting(heard)[N_WAITING]
    own, all_ = (heard.series(name)[at : at + N_WAITING] for name in ("buto.snapshot.allocated", ALLOCATED))
    assert own[-1] - own[0] > 10_000
    # What the program does on its way into the wait may come late.
    *others, _ = sorted(after - before for before, after in pairwise(all_))
    assert sum(others) < 2_000


@pytest.mark.parametrize("option", ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"])
def test_what_is_kept_shows_after_a_collection(
    one_java: Path, launcher: Launcher, collector: PlainCollector, option: str
) -> None:
    """8 MiB more are kept, and nothing else."""
    deeds = ["gc=0", f"keep={8 * MIB}", f"main={4 * MIB}", "gc=0"]
    heard = run(launcher, collector, one_java, deeds, [option, "-Xmx64m", "-Xms64m"])
    after = heard.series(AFTER)
    assert math.isnan(after[0])
    assert heard.reasons[AFTER] == "there was no collection yet"
    known = [value for value in after if not math.isnan(value)]
    assert 8.1 * MIB < known[-1] - known[0] < 8.5 * MIB
    heap = heard.metadata["jvm.memory.pools"].split(", ")
    pools = [name for name in heard.names if name.startswith("jvm.memory.used_after_last_gc[")]
    assert len(pools) == len(heap)
    last = {name: heard.series(name)[-1] for name in pools}
    assert sum(value for value in last.values() if not math.isnan(value)) == known[-1]
    for name in pools:
        if math.isnan(last[name]):
            assert heard.reasons[name] == "no collection empties this pool"


def test_a_collection_of_young_objects_shows_what_is_kept_in_the_whole_heap(
    one_java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    """Collections of the young leave the old generation alone, and it still counts."""
    deeds = [f"keep={8 * MIB}", f"main={64 * MIB}"]
    heard = run(launcher, collector, one_java, deeds, ["-XX:+UseSerialGC", "-Xmn16m", "-Xmx64m", "-Xms64m"])
    assert heard.series("jvm.gc.count[MarkSweepCompact]")[-1] == 0
    assert heard.series("jvm.gc.count[Copy]")[-1] >= 3
    assert math.isnan(heard.series("jvm.memory.used_after_last_gc[Tenured Gen]")[-1])
    assert 8.1 * MIB < heard.series(AFTER)[-1] < 10.5 * MIB


EXTREME = {"-XX:+UseZGC": 8 * MIB, "-XX:+UseEpsilonGC": math.nan}
"""Collectors with one pool, and what they leave at least; Epsilon never collects."""


@pytest.mark.parametrize("option", EXTREME)
def test_other_collectors(launcher: Launcher, collector: PlainCollector, option: str) -> None:
    options = ["-XX:+UnlockExperimentalVMOptions", option, "-Xmx96m"]
    deeds = [f"keep={8 * MIB}", "gc=0"]
    heard = run(launcher, collector, JDKS[max(JDKS)], deeds, options)
    least = EXTREME[option]
    value = heard.series(AFTER)[-1]
    assert math.isnan(value) if math.isnan(least) else least < value < 3 * least
    assert grown(heard) >= 8 * MIB
