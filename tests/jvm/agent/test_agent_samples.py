"""What a row holds, when it is taken, and what it costs."""

from __future__ import annotations

import itertools
import math
import signal
import statistics
import time

import pytest

from buto.run.properties import METRICS, Kind, PropertyReader, split_name
from tests.support.jvm.agents import PATIENCE_S, Launcher, Scene
from tests.support.jvm.javas import JAVAS
from tests.support.jvm.plain_collector import PlainCollector, Rule

LISTED = 3
"""The kind on the channel of a property whose unit and kind stand in the table."""


def test_every_default_metric_has_its_columns_and_leaves_unit_and_kind_to_the_table(
    java: str, scene: Scene
) -> None:
    heard = scene.measured(java, "Ends")
    probed = {name for name, metric in METRICS.items() if metric.reader is PropertyReader.PROBE}
    assert {split_name(name)[0] for name in heard.names} == probed
    assert len(set(heard.names)) == len(heard.names)
    for name, unit, kind in heard.columns:
        metric = METRICS[split_name(name)[0]]
        assert (unit, kind) == ("", LISTED), name
        assert (split_name(name)[1] is not None) == (metric.per != ""), name


@pytest.mark.parametrize("collector_option", ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"])
def test_pools_and_collectors_are_those_of_the_jvm(
    one_java: str, scene: Scene, collector_option: str
) -> None:
    heard = scene.measured(one_java, "Ends", options=[collector_option])
    pools = heard.metadata["jvm.memory.pools"].split(", ")
    assert {name for name in heard.names if name.startswith("jvm.memory.threshold[")} == {
        f"jvm.memory.threshold[{pool}]" for pool in pools
    }
    collectors = heard.metadata["jvm.gc.collectors"].split(", ")
    assert {name for name in heard.names if name.startswith("jvm.gc.count[")} == {
        f"jvm.gc.count[{each}]" for each in collectors
    }
    assert any(name == "jvm.buffer.count[direct]" for name in heard.names)


def test_only_what_the_jvm_cannot_tell_is_nan_and_has_a_reason(java: str, scene: Scene) -> None:
    heard = scene.measured(java, "Ends", options=["-XX:+UseG1GC"])
    unreadable = {name for name in heard.names if all(map(math.isnan, heard.series(name)))}
    assert unreadable == set(heard.reasons)
    pools = heard.metadata["jvm.memory.pools"].split(", ")
    assert unreadable == {
        *(
            f"jvm.memory.threshold{suffix}[G1 {pool} Space]"
            for suffix in ("", ".crossings")
            for pool in ("Eden", "Survivor")
        ),
        *(f"jvm.memory.used_after_last_gc[{pool}]" for pool in pools),
        "jvm.memory.heap.used_after_last_gc",
        "jvm.memory.native.committed",
    }


def test_a_jvm_without_a_compiler_keeps_the_column(one_java: str, scene: Scene) -> None:
    heard = scene.measured(one_java, "Ends", options=["-Xint"])
    assert all(map(math.isnan, heard.series("jvm.compilation.time")))
    assert "compiler" in heard.reasons["jvm.compilation.time"]
    assert "jvm.jit.name" not in heard.metadata


def test_beans_are_named_as_the_platform_names_them(java: str, scene: Scene) -> None:
    rules = [Rule("java.lang:*", ["ObjectName"]), Rule("java.nio:*", ["ObjectName"])]
    heard = scene.measured(java, "Ends", rules=rules)
    registered = {
        name.removeprefix("mbean[").removesuffix("]/ObjectName") for name in heard.names if "/" in name
    }
    timed = {split_name(name)[1] for name in heard.names if name.startswith("buto.bean.time[")}
    assert "java.lang:type=Memory" in timed
    assert timed == registered


def test_values_are_true(java: str, scene: Scene) -> None:
    heard = scene.measured(java, "Ends", "sleep=100", options=["-Xms32m", "-Xmx32m", "-XX:+UseSerialGC"])

    def last(name: str) -> float:
        return heard.series(name)[-1]

    heap = ("Eden Space", "Survivor Space", "Tenured Gen")
    assert last("jvm.memory.heap.used") > 100_000
    committed = sum(last(f"jvm.memory.committed[{pool}]") for pool in heap)
    assert last("jvm.memory.heap.committed") == committed <= 32 << 20
    assert 400 < last("jvm.class.count") <= last("jvm.class.loaded") < 5000
    assert 0 < last("jvm.thread.daemon.count") < last("jvm.thread.count") <= last("jvm.thread.started")
    assert 0.01 < last("jvm.cpu.time") < 20
    assert 0 < last("buto.sampler.cpu.time") < last("jvm.cpu.time") + 0.02
    assert last("jvm.buffer.memory.used[direct]") == last("jvm.buffer.count[mapped]") == 0
    for name in heard.names:
        values = heard.series(name)
        if METRICS[split_name(name)[0]].kind is Kind.COUNTER and name not in heard.reasons:
            assert values == sorted(values), name


def test_samples_are_taken_at_multiples_of_the_interval_from_main(java: str, scene: Scene) -> None:
    """Each tick has its sample or is counted as missed, and none is taken before its time."""
    heard = scene.measured(java, "Ends", "sleep=400", interval_ms=10)
    missed = heard.series("buto.missed.ticks")
    assert len(heard.times) + missed[-1] >= 40
    lateness = []
    for number, (taken, skipped) in enumerate(zip(heard.times[1:-1], missed[1:-1], strict=True), start=1):
        lateness.append(taken - heard.marks["main"] - (number + int(skipped)) * 10_000_000)
    assert min(lateness) >= 0
    assert statistics.median(lateness) < 100_000_000


def test_a_jvm_that_was_stopped_makes_up_for_nothing(
    one_java: str, launcher: Launcher, collector: PlainCollector
) -> None:
    process = launcher.start(one_java, collector, ["Ends", "wait"])
    collector.start(interval_ms=10)
    collector.read_until(lambda heard: len(heard.rows) > 5)
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    process.send_signal(signal.SIGCONT)
    seen = len(collector.heard.rows)
    collector.read_until(lambda heard: len(heard.rows) > seen + 20)
    launcher.go_on()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    assert heard.series("buto.missed.ticks")[-1] >= 25
    gaps = [after - before for before, after in itertools.pairwise(heard.times)]
    assert max(gaps) > 250_000_000
    resumed = heard.times[gaps.index(max(gaps)) + 1]
    assert sum(resumed <= taken < resumed + 50_000_000 for taken in heard.times) <= 7


def test_a_sample_costs_next_to_nothing(java: str, scene: Scene) -> None:
    """Bytes exactly (a MemoryUsage for the heap, the rest, and each pool); time by its median."""
    heard = scene.measured(java, "Ends", "sleep=1000", interval_ms=5)
    allocated = heard.series("buto.snapshot.allocated")[1:-1]
    grown = [after - before for before, after in itertools.pairwise(allocated)]
    assert 0 < statistics.median(grown) <= 1024
    assert statistics.median(heard.series("buto.snapshot.time")) < 0.05
    beans = [name for name in heard.names if name.startswith("buto.bean.time[")]
    for row in range(len(heard.rows)):
        parts = sum(heard.series(name)[row] for name in beans)
        assert parts < heard.series("buto.snapshot.time")[row]


def test_metadata_says_what_the_jvm_is(java: str, scene: Scene) -> None:
    options = ["-Xms16m", "-Xmx48m", "-XX:+UseSerialGC", "-Dtest.key=a value, with = and more"]
    heard = scene.measured(java, "Ends", options=options)
    sent = heard.metadata
    version = next(str(number) for number, path in JAVAS.items() if path == java)
    assert sent["jvm.spec.version"] == version
    assert sent["jvm.input.arguments"] == " ".join(options)
    assert sent["jvm.class.path"] == str(scene.launcher.classes)
    assert sent["process.pid"] == str(scene.launcher.started[-1].pid)
    assert sent["jvm.memory.heap.initial"] == str(16 << 20)
    assert int(sent["jvm.memory.heap.max"]) <= 48 << 20
    assert sent["jvm.gc.collectors"] == "Copy, MarkSweepCompact"
    assert sent["jvm.memory.pool[Tenured Gen].type"] == "Heap memory"
    assert sent["jvm.memory.pool[Tenured Gen].managers"] == "MarkSweepCompact"
    assert sent["system.property[test.key]"] == "a value, with = and more"
    assert sent["system.property[java.version]"] == heard.hello["java"]
    assert int(sent["system.processors"]) >= 1
    assert float(sent["system.load.average"]) >= 0
    assert int(sent["jvm.start.time"]) == heard.hello["start_ms"]
    for key in ("jvm.vm.name", "jvm.vm.vendor", "jvm.vm.version", "jvm.spec.name", "jvm.spec.vendor"):
        assert sent[key], key
    for key in ("jvm.jit.name", "jvm.library.path", "jvm.uptime", "jvm.management.spec.version"):
        assert sent[key], key
    assert not [key for key, value in sent.items() if str(scene.collector.session_file) in value]
