"""The live objects on purpose, their classes, and native memory, in JVMs of every kind."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tests.support.jvm.agents import PATIENCE_S, Launcher, Scene, without_opening
from tests.support.jvm.javas import JAVAS
from tests.support.jvm.plain_collector import AT_EXIT, DURING, GO, Heard, PlainCollector

pytestmark = pytest.mark.all

MIB = 1 << 20
KEPT = ["keep=" + str(8 * MIB), "main=" + str(4 * MIB)]
LIVE, OBJECTS, TIME = "jvm.memory.heap.live", "jvm.object.live", "buto.live_set.time"
SESSION = "Allocates$Session"
NATIVE = "jvm.memory.native.committed"
NOT_COLLECTED = ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"]


def run(
    scene: Scene, java: str, options: list[str], program: list[str] = KEPT, live_set: int = AT_EXIT
) -> Heard:
    scene.collector.live_set = live_set
    return scene.measured(java, "Allocates", *program, options=options)


def counts(printed: str) -> dict[str, tuple[int, int]]:
    lines = [line.split() for line in printed.splitlines()[2:]]
    return {words[3]: (int(words[1]), int(words[2])) for words in lines}


@pytest.mark.parametrize("option", ["-XX:+UseSerialGC", "-XX:+UseG1GC", "-XX:+DisableExplicitGC"])
def test_the_objects_that_a_program_keeps_are_counted_at_its_end(
    java: str, scene: Scene, option: str
) -> None:
    heard = run(scene, java, [option, "-Xmx64m"])
    ((point, time, objects, size, printed),) = heard.histograms
    assert (point, time) == ("end", heard.times[-1])
    found = counts(printed)
    assert found[SESSION] == (8192, 8192 * 16)
    assert 8192 * 1024 <= found["[B"][1] < 9.5 * MIB
    assert len(found) <= 500
    assert 8 * MIB < size < 11 * MIB
    assert (heard.series(LIVE)[-1], heard.series(OBJECTS)[-1]) == (size, objects)
    assert 0 < heard.series(TIME)[-1] < 5
    # The last row comes twice, the second time with these columns; all others are of before the collection.
    assert heard.times[-1] == heard.times[-2]
    assert heard.names[-3:] == [LIVE, OBJECTS, TIME]
    before, after = heard.rows[-2:]
    np.testing.assert_array_equal(after[:-3], before)


FULL = {"Serial": "jvm.gc.count[MarkSweepCompact]", "Parallel": "jvm.gc.count[PS MarkSweep]"}


@pytest.mark.parametrize("n_before", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", FULL)
def test_garbage_that_collections_leave_between_objects_is_not_counted(
    java: str, scene: Scene, kind: str, n_before: int
) -> None:
    """A mebibyte between objects that are kept, too little for most collections to move those."""
    held = [f"keep={4 * MIB}", f"hold={MIB}", f"keep={8 * MIB}", f"gc={n_before}", "drop=0"]
    options = [f"-XX:+Use{kind}GC", "-Xms64m", "-Xmx64m"]
    heard = run(scene, java, options, held)
    ((*_, objects, size, printed),) = heard.histograms
    found = counts(printed)
    assert not any("Filler" in name for name in found)
    assert found["[I"][1] < MIB / 8
    assert found["[B"][1] < 12.9 * MIB
    assert (heard.series(LIVE)[-1], heard.series(OBJECTS)[-1]) == (size, objects)
    assert size == sum(of_class for _, of_class in found.values()) or len(found) == 500
    # However often the agent collected, that came after all that was measured.
    before, after = heard.rows[-2:]
    np.testing.assert_array_equal(after[:-3], before)
    assert heard.series(FULL[kind])[-1] == n_before


def test_an_explicit_collection_that_is_disabled_leaves_the_count_exact(java: str, scene: Scene) -> None:
    options = ["-XX:+UseSerialGC", "-Xmn2m", "-Xms64m", "-Xmx64m", "-XX:+DisableExplicitGC"]
    heard = run(scene, java, options, ["keep=65536", f"hold={MIB}", f"keep={8 * MIB}", "drop=0"])
    ((*_, printed),) = heard.histograms
    found = counts(printed)
    assert not any("Filler" in name for name in found)
    assert found["[I"][1] < MIB / 4


def test_a_heap_that_is_too_large_is_not_counted(one_java: str, scene: Scene) -> None:
    """Of a collector that never collects, so that the heap is as large as what the program has allocated."""
    heard = run(scene, one_java, [*NOT_COLLECTED, "-Xmx2300m"], [f"main={2100 * MIB}"])
    assert heard.histograms == []
    assert math.isnan(heard.series(LIVE)[-1])
    expected = r"the heap was 2\.[12] GiB \(limit 2 GiB\)"
    assert all(re.fullmatch(expected, heard.reasons[name]) for name in (LIVE, OBJECTS, TIME))


def test_a_collector_may_decline_the_count(one_java: str, scene: Scene) -> None:
    scene.collector.at_end = lambda it: it.send(GO)
    heard = run(scene, one_java, ["-Xmx64m"])
    assert heard.histograms == []
    assert LIVE not in heard.names


def test_a_collector_that_does_not_answer_the_last_sample_delays_the_exit_no_longer_than_else(
    one_java: str, launcher: Launcher, tmp_path: Path
) -> None:
    with PlainCollector(tmp_path, exit_ms=300) as collector:
        collector.live_set, collector.at_end = AT_EXIT, None
        process = launcher.start(one_java, collector, ["Allocates", *KEPT], ["-Xmx64m"])
        collector.start(interval_ms=20)
        heard = collector.finish()
        assert process.wait(PATIENCE_S) == 0
        assert "exit" in heard.marks
        assert not heard.ended
        assert LIVE not in heard.names


def test_a_collector_that_cannot_collect_in_a_pause_is_told_to_before(scene: Scene) -> None:
    heard = run(scene, JAVAS[max(JAVAS)], ["-XX:+UseZGC", "-Xmx96m"])
    ((*_, size, printed),) = heard.histograms
    assert counts(printed)[SESSION][0] == 8192
    assert 8 * MIB < size < 12 * MIB


NO_COMMANDS = ["--limit-modules", "java.base,java.instrument,java.management"]


@pytest.mark.parametrize(
    ("options", "why"), [(NOT_COLLECTED, "the JVM did not collect"), (NO_COMMANDS, "DiagnosticCommand")]
)
def test_a_jvm_that_cannot_count_says_why(one_java: str, scene: Scene, options: list[str], why: str) -> None:
    heard = run(scene, one_java, [*options, "-Xmx96m"])
    assert heard.histograms == []
    assert math.isnan(heard.series(LIVE)[-1])
    assert why in heard.reasons[LIVE]
    assert heard.series("jvm.memory.heap.used")[-1] > 8 * MIB


def test_a_jdk_that_opens_nothing_is_asked_through_its_mbean(
    one_java: str, scene: Scene, tmp_path: Path
) -> None:
    scene.launcher.agent = without_opening(tmp_path)
    heard = run(scene, one_java, ["-XX:NativeMemoryTracking=summary", "-Xmx64m"])
    assert counts(heard.histograms[0][-1])[SESSION][0] == 8192
    assert heard.series(NATIVE)[-1] > 8 * MIB


def test_during_the_run_at_a_rate_and_when_the_collector_asks(
    one_java: str, launcher: Launcher, collector: PlainCollector
) -> None:
    """First without anything, then with 8 MiB."""
    collector.live_set, collector.live_set_ms = DURING, 100
    process = launcher.start(one_java, collector, ["Allocates", "wait=0", *KEPT, "wait=0"], ["-Xmx64m"])
    collector.start(interval_ms=20)
    collector.read_until(lambda heard: heard.histograms)
    loaded = len(collector.heard.rows)
    launcher.go_on()
    collector.ask_for_live_set("warm")
    collector.read_until(lambda heard: any(point == "warm" for point, *_ in heard.histograms))
    launcher.go_on()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    points = [point for point, *_ in heard.histograms]
    assert (points[0], points[-1], points.count("end"), points.count("warm")) == ("period", "end", 1, 1)
    sizes = [size for *_, size, _ in heard.histograms]
    assert sizes[0] < 2 * MIB
    assert 8 * MIB < sizes[-1] < 11 * MIB
    # What a measurement needs was loaded before main, and a value holds until the next.
    classes = heard.series("jvm.class.loaded")
    assert classes[loaded] - classes[1] < 30
    assert not any(map(math.isnan, heard.series(LIVE)[loaded:]))


def test_native_memory_by_category(java: str, scene: Scene) -> None:
    options = ["-XX:NativeMemoryTracking=summary", "-Xms64m", "-Xmx64m", "-XX:+UseSerialGC"]
    heard = run(scene, java, options, ["main=0"], live_set=0)
    parts = [name for name in heard.names if name.startswith("jvm.memory.native.category[")]
    first, last = ({name: heard.series(name)[at] for name in [NATIVE, *parts]} for at in (0, -1))
    for values in (first, last):
        assert values["jvm.memory.native.category[Java Heap]"] == 64 * MIB
        assert values["jvm.memory.native.category[Thread]"] > 0
        # Each is rounded to KiB; no category is left out.
        assert sum(values[name] for name in parts) == pytest.approx(values[NATIVE], abs=len(parts) * 1024)
    assert all(map(math.isnan, heard.series(NATIVE)[1:-1]))
    assert LIVE not in heard.names


def test_native_memory_that_is_not_tracked_has_a_reason(one_java: str, scene: Scene) -> None:
    heard = run(scene, one_java, ["-XX:NativeMemoryTracking=off"], ["main=0"], live_set=0)
    assert heard.reasons[NATIVE] == "the JVM was started without -XX:NativeMemoryTracking=summary"
    assert not any("native.category" in name for name in heard.names)
