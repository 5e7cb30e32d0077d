"""Allocated bytes, what collections leave, contended locks: against programs that do a known amount."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.jvm.agents import Launcher, Scene, without_opening
from tests.support.jvm.javas import JAVAS
from tests.support.jvm.plain_collector import Heard, PlainCollector

pytestmark = pytest.mark.all

MIB = 1 << 20
ALLOCATED = "jvm.memory.allocated"
AFTER = "jvm.memory.heap.used_after_last_gc"
N_WAITING = 40
"""Samples of a program that only waits."""


def grown(heard: Heard) -> float:
    values = heard.series(ALLOCATED)
    assert values == sorted(values)
    return values[-1] - values[0]


def test_allocated_bytes_are_exact_for_every_thread_that_lives_at_a_sample(
    java: str, scene: Scene, tmp_path: Path
) -> None:
    """17 MiB in main, four times 3 MiB in threads that live on, four times 5 MiB in threads that die."""
    options = ["-XX:+UseParallelGC", "-Xmx32m"]
    with PlainCollector(tmp_path) as idle:
        deeds = ["main=0", "live=0", "dead=0"]
        alone = Scene(scene.launcher, idle)
        nothing = grown(alone.measured(java, "Allocates", *deeds, options=options, until=[bool]))
    assert nothing < MIB
    deeds = [f"main={17 * MIB}", f"live={3 * MIB}", f"dead={5 * MIB}"]
    allocated = grown(scene.measured(java, "Allocates", *deeds, options=options, until=[bool]))
    assert allocated - nothing == pytest.approx(49 * MIB, abs=MIB / 8)


def test_a_jvm_without_a_sum_misses_what_threads_allocate_between_two_samples(
    one_java: str, launcher: Launcher, tmp_path: Path
) -> None:
    """The JVM has the sum from Java 21 on, and in updates of 17; without it, threads are added one by one."""
    program = ["Allocates", f"live={3 * MIB}", f"dead={5 * MIB}", f"gone={4 * MIB}"]
    options = ["-XX:+UseSerialGC", "-Xmx32m"]
    with PlainCollector(tmp_path) as whole:
        heard = Scene(launcher, whole).measured(one_java, *program, options=options, until=[bool])
        assert grown(heard) == pytest.approx(48 * MIB, abs=MIB / 2)
    launcher.agent = without_opening(tmp_path)
    with PlainCollector(tmp_path) as single:
        counted = [lambda so_far: grown(so_far) > 31.9 * MIB]
        heard = Scene(launcher, single).measured(one_java, *program, options=options, until=counted)
    assert grown(heard) < 48 * MIB


def test_the_agent_itself_does_not_count(one_java: str, scene: Scene) -> None:
    """While the program waits, only the agent allocates."""

    def waiting(so_far: Heard) -> list[int]:
        values = so_far.series(ALLOCATED)
        return [row for row, value in enumerate(values) if value - values[0] >= MIB]

    program = ["Allocates", f"main={MIB}", "wait=0"]
    until = [lambda so_far: len(waiting(so_far)) >= 2 * N_WAITING]
    heard = scene.measured(one_java, *program, options=["-XX:+UseSerialGC"], until=until)
    at = waiting(heard)[N_WAITING]
    own, all_ = (heard.series(name)[at : at + N_WAITING] for name in ("buto.snapshot.allocated", ALLOCATED))
    assert own[-1] - own[0] > 10_000
    # What the program does on its way into the wait may come late.
    *others, _ = sorted(after - before for before, after in pairwise(all_))
    assert sum(others) < 2_000


@pytest.mark.parametrize("option", ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"])
def test_what_is_kept_shows_after_a_collection(one_java: str, scene: Scene, option: str) -> None:
    """8 MiB more are kept, and nothing else."""
    deeds = ["gc=1", f"keep={8 * MIB}", f"main={4 * MIB}", "gc=1"]
    heard = scene.measured(one_java, "Allocates", *deeds, options=[option, "-Xmx64m", "-Xms64m"])
    after = heard.series(AFTER)
    assert math.isnan(after[0])
    assert heard.reasons[AFTER] == "there was no collection yet"
    known = [value for value in after if not math.isnan(value)]
    assert 8.1 * MIB < known[-1] - known[0] < 8.5 * MIB
    pools = [name for name in heard.names if name.startswith("jvm.memory.used_after_last_gc[")]
    assert len(pools) == len(heard.metadata["jvm.memory.pools"].split(", "))
    last = {name: heard.series(name)[-1] for name in pools}
    assert sum(value for value in last.values() if not math.isnan(value)) == known[-1]
    reasons = {heard.reasons[name] for name in pools if math.isnan(last[name])}
    assert reasons <= {"no collection empties this pool"}


def test_a_collection_of_young_objects_shows_what_is_kept_in_the_whole_heap(
    one_java: str, scene: Scene
) -> None:
    """Collections of the young leave the old generation alone, and it still counts."""
    program = ["Allocates", f"keep={8 * MIB}", f"main={64 * MIB}"]
    heard = scene.measured(one_java, *program, options=["-XX:+UseSerialGC", "-Xmn16m", "-Xmx64m", "-Xms64m"])
    assert heard.series("jvm.gc.count[MarkSweepCompact]")[-1] == 0
    assert heard.series("jvm.gc.count[Copy]")[-1] >= 3
    assert math.isnan(heard.series("jvm.memory.used_after_last_gc[Tenured Gen]")[-1])
    assert 8.1 * MIB < heard.series(AFTER)[-1] < 10.5 * MIB


EXTREME = {"-XX:+UseZGC": 8 * MIB, "-XX:+UseEpsilonGC": math.nan}
"""Collectors with one pool, and what they leave at least; Epsilon never collects."""


@pytest.mark.parametrize("option", EXTREME)
def test_other_collectors(scene: Scene, option: str) -> None:
    options = ["-XX:+UnlockExperimentalVMOptions", option, "-Xmx96m"]
    heard = scene.measured(JAVAS[max(JAVAS)], "Allocates", f"keep={8 * MIB}", "gc=1", options=options)
    least = EXTREME[option]
    value = heard.series(AFTER)[-1]
    assert math.isnan(value) if math.isnan(least) else least < value < 3 * least
    assert grown(heard) >= 8 * MIB


OF_THE_JVM = 4
"""``main`` waits for the agent once, and a young JVM may have a few of its own."""


def contended(scene: Scene, java: str, *deeds: str, interval_ms: float = 20) -> float:
    values = scene.measured(java, "Contends", *deeds, interval_ms=interval_ms).series("jvm.lock.contended")
    assert values == sorted(values)
    return values[-1]


def test_every_wait_counts_of_threads_that_live_and_of_threads_that_died_after_a_sample(
    java: str, scene: Scene
) -> None:
    assert 500 <= contended(scene, java, "dead=300", "live=200") <= 500 + OF_THE_JVM


def test_neither_free_locks_nor_collections_count(java: str, scene: Scene) -> None:
    assert contended(scene, java, "free=100000", "gc=5") <= OF_THE_JVM


def test_a_thread_that_ends_between_two_samples_is_missed(one_java: str, scene: Scene) -> None:
    count = contended(scene, one_java, "gone=300", "live=200", interval_ms=60_000)
    assert 200 <= count <= 200 + OF_THE_JVM


@pytest.mark.parametrize("interval_ms", [20, 60_000])
def test_the_last_sample_counts_to_the_exit_however_many_threads_there_are(
    java: str, scene: Scene, interval_ms: float
) -> None:
    """With 2,000 threads there is a reading in two seconds, and one at the exit."""
    count = contended(scene, java, "idle=2000", "live=200", interval_ms=interval_ms)
    assert 200 <= count <= 200 + OF_THE_JVM
