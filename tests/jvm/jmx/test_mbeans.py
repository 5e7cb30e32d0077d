"""The program's own MBeans through JMX: members, late ones, notifications, metadata, operations."""

from __future__ import annotations

import time

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure.jmx.connection import JmxConnection
from buto.measure.recording import Recording
from buto.measure.target import MBeanSpec
from buto.run.model import Outcome, Quality, Run
from tests.support.jvm.driven import DRIVER, QUEUE, drain_until

BELL = "buto.tests:type=Bell"
LATE = "buto.tests:type=Queue,name=late"
CANONICAL_LATE = "buto.tests:name=late,type=Queue"


def record(connection: JmxConnection, *mbeans: MBeanSpec) -> Recording:
    """Begin to record every 20 ms, with the first samples there."""
    recording = Recording("test")
    times = connection.start(recording, 0.02, mbeans, same_machine=True)
    recording.zero_ns = times.read_ns
    drain_until(connection, recording, 2)
    return recording


def finish(connection: JmxConnection, recording: Recording) -> Run:
    connection.finish()
    return recording.finish(Outcome(0), Quality())


def test_numbers_of_simple_composite_and_tabular_attributes(connection: JmxConnection) -> None:
    run = finish(connection, record(connection, MBeanSpec("buto.tests:type=Queue,name=first")))
    last = {
        prop.name.removeprefix(f"mbean[{QUEUE}]/"): run.series(prop.name)[-1]
        for prop in run.properties
        if prop.name.startswith(f"mbean[{QUEUE}]")
    }
    assert np.isnan(last.pop("Broken"))
    assert last == {
        "Depth": 3,
        "Open": 1,
        "Slots": 64,
        "State.used": 3,
        "State.ratio": 3 / 64,
        "Shards[left].value": 3,
        "Shards[right].value": 6,
    }
    assert "not on this machine" in run.nan_reasons[f"mbean[{QUEUE}]/Broken"]


def test_only_what_was_asked_for_with_a_reason_for_what_is_not_a_number(connection: JmxConnection) -> None:
    spec = MBeanSpec("buto.tests:type=Queue,name=first", attributes=("Depth", "Label", "Absent"))
    run = finish(connection, record(connection, spec))
    names = [prop.name for prop in run.properties if prop.name.startswith("mbean[")]
    assert names == [f"mbean[{QUEUE}]/{name}" for name in ("Depth", "Label", "Absent")]
    assert "java.lang.String" in run.nan_reasons[names[1]]
    assert "AttributeNotFound" in run.nan_reasons[names[2]]


def test_what_collections_leave(connection: JmxConnection) -> None:
    recording = record(connection)
    connection.invoke("java.lang:type=Memory", "gc")
    drain_until(connection, recording, recording.n_samples + 2)
    run = finish(connection, recording)
    prefix = "jvm.memory.used_after_last_gc["
    pools = {prop.name: run.series(prop.name)[-1] for prop in run.properties if prop.name.startswith(prefix)}
    assert run.nan_reasons[prefix + "Metaspace]"] == "no collection empties this pool"
    collected = [used for used in pools.values() if not np.isnan(used)]
    assert len(collected) == 3
    # The program keeps a few objects, and next to nothing comes from the connection.
    assert 5e5 < sum(collected) < 2e7
    assert run.series("jvm.memory.heap.used_after_last_gc")[-1] == sum(collected)


def test_metadata_of_an_mbean_is_read_once_as_text(connection: JmxConnection) -> None:
    wanted = ("Slots", "Label", "State", "Broken")
    spec = MBeanSpec("buto.tests:type=Queue,name=first", ("Depth",), metadata=wanted)
    recording = record(connection, spec)
    assert recording.metadata[f"mbean[{QUEUE}]/Slots"] == "64"
    assert recording.metadata[f"mbean[{QUEUE}]/Label"] == "a queue"
    assert recording.metadata[f"mbean[{QUEUE}]/State.text"] == "state"
    broken = str(recording.metadata[f"mbean[{QUEUE}]/Broken"])
    assert broken.startswith("unreadable: ")
    assert "not on this machine" in broken


def test_an_mbean_that_is_registered_later_gets_columns_then(connection: JmxConnection) -> None:
    recording = record(connection, MBeanSpec("buto.tests:type=Queue,*", ("Depth",)))
    name = f"mbean[{CANONICAL_LATE}]/Depth"
    assert name not in [prop.name for prop in recording.columns]
    connection.invoke(DRIVER, "register", LATE, 7)
    drain_until(connection, recording, happened=lambda: name in [prop.name for prop in recording.columns])
    connection.invoke(DRIVER, "unregister", LATE)
    drain_until(connection, recording, recording.n_samples + 15)
    run = finish(connection, recording)
    depth = run.series(name)
    assert np.isnan(depth[0])
    assert set(depth[~np.isnan(depth)]) == {7}
    assert np.isnan(depth[-1])
    assert run.nan_reasons[name] == "the MBean was unregistered"


def test_notifications_come_once_in_order_with_the_time_of_their_emission(connection: JmxConnection) -> None:
    recording = record(connection, MBeanSpec(BELL))
    before_ns = time.monotonic_ns()
    connection.invoke(BELL, "ring", 50)
    after_ns = time.monotonic_ns()
    drain_until(connection, recording, happened=lambda: len(recording._notifications) >= 50)
    run = finish(connection, recording)
    sequence = [each.sequence for each in run.notifications]
    assert sequence == list(range(sequence[0], sequence[0] + 50))
    assert {(each.type, each.source) for each in run.notifications} == {("ring", BELL)}
    assert run.notifications[0].message == f"ring {sequence[0]}"
    assert recording.zero_ns is not None
    for each in run.notifications:
        # A time stamp counts whole milliseconds.
        assert before_ns - 2e6 <= recording.zero_ns + each.time_s * 1e9 <= after_ns + 2e6


def test_a_time_stamp_that_is_not_time_of_day_gives_way_to_the_time_of_receipt(
    connection: JmxConnection,
) -> None:
    recording = record(connection, MBeanSpec(BELL))
    connection.invoke(BELL, "ringWithOddStamps")
    drain_until(connection, recording, happened=lambda: len(recording._notifications) >= 2)
    run = finish(connection, recording)
    assert [each.message for each in run.notifications] == ["stamp 0", ""]
    assert all(0 <= each.time_s <= run.times_s[-1] + 1 for each in run.notifications)


def test_without_a_subscription_there_are_no_notifications(connection: JmxConnection) -> None:
    recording = record(connection, MBeanSpec(BELL, notifications=False))
    connection.invoke(BELL, "ring", 5)
    drain_until(connection, recording, recording.n_samples + 20)
    assert finish(connection, recording).notifications == ()


def test_operations_take_and_give_plain_values(connection: JmxConnection) -> None:
    assert connection.invoke(DRIVER, "add", 2, 40) == 42
    assert connection.invoke(DRIVER, "greet", "world") == "hello world"
    assert connection.invoke(DRIVER, "greet", None) == "nobody"
    assert connection.invoke(DRIVER, "state") == {"ratio": 1 / 64, "text": "one", "used": 1}
    assert connection.invoke("java.lang:type=Memory", "gc") is None


@pytest.mark.parametrize(
    ("bean", "operation", "arguments", "words"),
    [
        (DRIVER, "fail", [], "as asked"),
        (DRIVER, "absent", [], "no operation absent with 0 arguments"),
        (DRIVER, "add", [1], "no operation add with 1 arguments"),
        ("buto.tests:type=Absent", "add", [], "buto.tests:type=Absent"),
        ("not a name", "add", [], "not a name"),
    ],
)
def test_a_failing_operation_says_why_and_harms_nothing(
    connection: JmxConnection, bean: str, operation: str, arguments: list[int], words: str
) -> None:
    with pytest.raises(MeasureError, match=words):
        connection.invoke(bean, operation, *arguments)
    assert connection.invoke(DRIVER, "add", 1, 1) == 2
