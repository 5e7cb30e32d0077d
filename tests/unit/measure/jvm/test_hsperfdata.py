"""The counter file's parser, on files written here after the layout in HotSpot's perfMemory.hpp."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.measure.hsperfdata import (
    COUNTER_SOURCES,
    CounterPlan,
    HeldCounters,
    NoPerfData,
    parse,
    places,
    values_of,
)
from buto.run.properties import METRICS, READ_OUTSIDE


def counter_file(counters: Mapping[str, int | str], order: str = "<") -> bytes:
    entries = b""
    for name, value in counters.items():
        encoded = name.encode() + b"\0"
        name_end = 20 + len(encoded)
        value_at = -(-name_end // 8) * 8
        if isinstance(value, int):
            data, n_items, kind = struct.pack(order + "q", value), 0, b"J"
        else:
            data, n_items, kind = value.encode() + b"\0", len(value.encode()) + 1, b"B"
        data += bytes(-len(data) % 8)
        length = value_at + len(data)
        head = struct.pack(order + "iiicbbbi", length, 20, n_items, kind, 0, 1, 1, value_at)
        entries += (head + encoded).ljust(value_at, b"\0") + data
    prologue = b"\xca\xfe\xc0\xc0" + bytes([1 if order == "<" else 0, 2, 0, 1])
    prologue += struct.pack(order + "iiqii", 32 + len(entries), 0, 0, 32, len(counters))
    return (prologue + entries).ljust(32768, b"\0")


names = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)
values = st.integers(-(2**63), 2**63 - 1) | st.text(
    st.characters(min_codepoint=1, exclude_categories=["Cs"]), max_size=40
)


@given(st.dictionaries(names, values, max_size=20), st.sampled_from("<>"))
def test_every_counter_is_read_in_both_byte_orders(counters: dict[str, int | str], order: str) -> None:
    assert parse(counter_file(counters, order)) == counters


@given(st.binary(max_size=400))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises(NoPerfData):
        parse(b"\0" + noise)


@given(st.data())
def test_damage_gives_counters_or_the_one_error(data: st.DataObject) -> None:
    damaged = bytearray(counter_file({"java.threads.live": 3, "sun.rt.javaCommand": "Main"})[:400])
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, 150))] = data.draw(st.integers(0, 255))
    with suppress(NoPerfData):
        parse(bytes(damaged))


def test_properties_are_in_their_units() -> None:
    values = values_of(
        {
            "sun.os.hrt.frequency": 1_000_000,
            "java.cls.loadedClasses": 100,
            "java.cls.sharedLoadedClasses": 400,
            "java.cls.unloadedClasses": 10,
            "java.cls.sharedUnloadedClasses": 5,
            "java.threads.live": 8,
            "java.threads.daemon": 6,
            "java.threads.started": 12,
            "java.ci.totalTime": 250_000,
            "sun.gc.collector.0.name": "G1 young collection pauses",
            "sun.gc.collector.0.invocations": 7,
            "sun.gc.collector.0.time": 1_500_000,
            "sun.gc.collector.1.name": "Shenandoah full",
            "sun.gc.collector.1.invocations": 2,
        }
    )
    assert values == {
        "jvm.class.loaded": 500,
        "jvm.class.unloaded": 15,
        "jvm.class.count": 485,
        "jvm.thread.count": 8,
        "jvm.thread.daemon.count": 6,
        "jvm.thread.started": 12,
        "jvm.compilation.time": 0.25,
        "jvm.gc.count[G1 Young Generation]": 7,
        "jvm.gc.time[G1 Young Generation]": 1.5,
    }


def test_what_the_counters_lack_is_missing_not_zero() -> None:
    assert values_of({"java.threads.live": 3}) == {"jvm.thread.count": 3}
    assert not any(math.isnan(value) for value in values_of({"java.ci.totalTime": 3}).values())


def test_a_process_without_counters_is_refused_by_path() -> None:
    with pytest.raises(NoPerfData, match=f"/tmp/hsperfdata_.*/{os.getpid()} cannot be opened"):
        HeldCounters(os.getpid(), 0)


RUNNING = {
    "sun.rt.javaCommand": "Main",
    "sun.rt._sync_Parks": 13,
    "sun.rt.safepoints": 3,
    "sun.rt.safepointTime": 500_000,
    "sun.rt.safepointSyncTime": 250_000,
    "sun.ci.totalCompiles": 900,
    "sun.ci.totalInvalidates": 2,
    "sun.ci.nmethodCodeSize": 4096,
    "sun.cls.initializedClasses": 40,
    "sun.cls.classInitTime": 2_000_000,
    "sun.cls.verifiedClasses": 16,
    "sun.cls.classVerifyTime": 1_000_000,
    "sun.gc.tlab.gcWaste": 100,
    "sun.gc.tlab.refillWaste": 28,
}


@pytest.mark.parametrize("order", ["<", ">"])
def test_the_counters_of_a_running_jvm_are_in_their_properties_units(order: str) -> None:
    data = counter_file(RUNNING, order)
    plan = CounterPlan(places(data), order, ticks_per_s=1_000_000)
    assert plan.missing == {}
    assert plan.values(data) == {
        "jvm.lock.parked": 13,
        "jvm.safepoint.count": 3,
        "jvm.safepoint.time": 0.5,
        "jvm.safepoint.sync.time": 0.25,
        "jvm.compilation.count": 900,
        "jvm.compilation.invalidated": 2,
        "jvm.compilation.code.size": 4096,
        "jvm.class.initialized": 40,
        "jvm.class.initialization.time": 2.0,
        "jvm.class.verified": 16,
        "jvm.class.verification.time": 1.0,
        "jvm.memory.tlab.waste": 128 * 8,
    }


def test_an_older_jvm_divides_the_waste_otherwise() -> None:
    old = {name: value for name, value in RUNNING.items() if name != "sun.gc.tlab.refillWaste"}
    data = counter_file({**old, "sun.gc.tlab.slowWaste": 7, "sun.gc.tlab.fastWaste": 3})
    assert CounterPlan(places(data), "<", 1e9).values(data)["jvm.memory.tlab.waste"] == 110 * 8


def test_a_counter_that_a_jvm_lacks_is_left_out_with_its_reason() -> None:
    data = counter_file({name: 1 for name in RUNNING if name != "sun.rt.safepoints"})
    plan = CounterPlan(places(data), "<", 1e9)
    assert plan.missing == {"jvm.safepoint.count": "this JVM has no performance counter sun.rt.safepoints"}
    assert set(plan.values(data)) == set(COUNTER_SOURCES) - {"jvm.safepoint.count"}


def test_what_the_counters_give_is_in_the_table_as_read_from_outside() -> None:
    assert set(COUNTER_SOURCES) <= set(METRICS)
    assert set(COUNTER_SOURCES) <= {prop.name for prop in READ_OUTSIDE}
