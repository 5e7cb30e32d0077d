"""The program's own MBeans and what they emit."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.jvm.agents import PATIENCE_S, Launcher, Scene
from tests.support.jvm.plain_collector import SAMPLES, Heard, PlainCollector, Rule

pytestmark = pytest.mark.all

KINDS = "mbean[test:name=first,type=Kinds]"
EMITTED = "mbean[test:type=Emitter]/Emitted"


Run = Callable[..., Heard]


def present(heard: Heard, name: str) -> list[float]:
    """The values of a column that may not be there yet, without NaN."""
    values = heard.series(name) if name in heard.names else []
    return [value for value in values if not math.isnan(value)]


def seen(name: str, times: int = 3) -> Callable[[Heard], bool]:
    return lambda heard: len(present(heard, name)) >= times


@pytest.fixture
def run(scene: Scene) -> Run:
    """Runs the program Beans to its end; each of its waits lasts until the next condition holds."""

    def beans(java: str, deeds: list[str], rules: list[Rule], *until: Callable[[Heard], object]) -> Heard:
        heard = scene.measured(java, "Beans", *deeds, rules=rules, until=until)
        assert scene.launcher.stderr.read_bytes() == b""
        return heard

    return beans


def test_every_number_of_a_bean_is_a_column(java: str, run: Run) -> None:
    rule = Rule("test:type=Kinds,*")
    heard = run(java, ["kinds", "wait"], [rule], seen(f"{KINDS}/Whole"))
    values = {"Broken": 2.5, "On": 1.0, "Point.x": 1.0, "Point.inner.deep": 7.0}
    values |= {"Table[left].value": 3.0, "Table[right].value": 4.0}
    own = {name for name in heard.names if name.startswith("mbean[")}
    assert own == {f"{KINDS}/{member}" for member in (*values, "Whole", "Nothing", "Throwing")}
    for member, value in values.items():
        assert set(present(heard, f"{KINDS}/{member}")) == {value}
    reads = present(heard, f"{KINDS}/Whole")
    assert reads == [float(n) for n in range(1, len(reads) + 1)], "a bean is read once a sample"


def test_what_cannot_be_read_is_nan_with_a_reason(java: str, run: Run) -> None:
    rule = Rule("test:type=Kinds,*", ["Whole", "Throwing", "Nothing", "Text", "Absent"])
    heard = run(java, ["kinds", "wait"], [rule], seen(f"{KINDS}/Whole"))
    for attribute, reason in {
        "Throwing": "java.lang.IllegalStateException: thrown on purpose",
        "Nothing": "is null",
        "Text": "is no number: java.lang.String",
        "Absent": "javax.management.AttributeNotFoundException: No such attribute: Absent",
    }.items():
        name = f"{KINDS}/{attribute}"
        assert name in heard.names
        assert present(heard, name) == []
        assert heard.reasons[name] == reason


def test_a_bean_that_comes_late_and_goes_early_stops_nothing(java: str, run: Run) -> None:
    name = f"{KINDS}/Broken"

    def gone(heard: Heard) -> bool:
        return name in heard.reasons and all(math.isnan(value) for value in heard.series(name)[-3:])

    def back(heard: Heard) -> bool:
        return not math.isnan(heard.series(name)[-1])

    deeds = ["wait", "kinds", "wait", "vanish", "wait", "kinds", "wait"]
    heard = run(java, deeds, [Rule("test:*")], lambda heard: len(heard.rows) > 2, seen(name), gone, back)
    assert heard.dropped == (0, 0)
    known = [not math.isnan(value) for value in heard.series(name)]
    turns = [now for before, now in zip([None, *known], known, strict=False) if before != now]
    assert turns == [False, True, False, True]
    assert heard.reasons[name] == "the MBean was unregistered"
    assert not any(math.isnan(value) for value in heard.series("jvm.memory.heap.used"))


def test_metadata_is_read_as_soon_as_the_bean_appears(java: str, scene: Scene) -> None:
    """And not at the next tick, which is far away here: the bean is gone when its last attribute was read."""
    rule = Rule("test:type=Kinds,*", ["Whole"], ["Text", "Point", "Names", "Throwing"])
    heard = scene.measured(java, "Beans", "kinds", "thrown", "vanish", interval_ms=100_000, rules=[rule])
    known = {"Text": "wörter", "Point.x": "1", "Point.inner.deep": "7", "Names": "one, two"}
    assert {member: heard.metadata[f"{KINDS}/{member}"] for member in known} == known
    assert heard.metadata[f"{KINDS}/Throwing"].startswith("unreadable: java.lang.IllegalStateException")


def test_columns_are_bounded(one_java: str, run: Run) -> None:
    rule = Rule("test:*", notifications=False)
    heard = run(one_java, ["many=8300", "wait"], [rule], lambda heard: len(heard.columns) == 16384)
    assert "16384" in heard.metadata["buto.columns.refused"]
    assert heard.dropped == (0, 0)


def test_two_thousand_beans_are_in_every_sample_each_of_which_is_one_message(one_java: str, run: Run) -> None:
    rule = Rule("test:*", notifications=False)
    columns = [f"mbean[test:id={place},type=Many]/Emitted" for place in range(2000)]

    def all_there_in_three(heard: Heard) -> bool:
        return set(columns) <= set(heard.names) and seen(columns[-1])(heard)

    heard = run(one_java, ["many=2000", "wait"], [rule], all_there_in_three)
    assert heard.types.count(SAMPLES) == len(heard.rows)
    place_of = {name: place for place, name in enumerate(heard.names)}
    places = [place_of[name] for name in columns]
    whole = [all(place < len(row) and row[place] == 0.0 for place in places) for row in heard.rows]
    first = whole.index(True)
    assert len(whole[first:]) >= 3
    assert all(whole[first:])
    assert heard.dropped == (0, 0)


def test_an_attribute_with_two_names_is_read_once(one_java: str, run: Run) -> None:
    """Each reading of a processor load begins anew: of two in a row, the second means nothing."""
    bean = "mbean[java.lang:type=OperatingSystem]"
    heard = run(one_java, ["wait"], [Rule("java.lang:type=OperatingSystem")], seen(f"{bean}/CpuLoad"))
    assert f"{bean}/SystemCpuLoad" not in heard.names
    assert f"{bean}/TotalMemorySize" in heard.names


def test_a_malformed_pattern_is_reported_and_the_others_hold(one_java: str, run: Run) -> None:
    rules = [Rule("no pattern"), Rule("test:type=Kinds,*", ["Broken"])]
    heard = run(one_java, ["kinds", "wait"], rules, seen(f"{KINDS}/Broken"))
    assert "buto.malformed[no pattern]" in heard.metadata


def test_a_getter_that_never_returns_does_not_hold_the_program(
    one_java: str, launcher: Launcher, tmp_path: Path
) -> None:
    with PlainCollector(tmp_path, exit_ms=300) as collector:
        process = launcher.start(one_java, collector, ["Beans", "stuck", "sleep=200"])
        collector.start(rules=[Rule("test:*")])
        heard = collector.finish()
        assert process.wait(PATIENCE_S) == 0
    assert heard.rows
    assert not heard.ended


def test_no_notification_is_lost_after_registration(java: str, run: Run) -> None:
    """Emitted by the very thread that registers, at once, and followed by the end of the bean."""
    heard = run(java, ["emitter", "emit=50", "forget-emitter"], [Rule("test:*")])
    assert [each.sequence for each in heard.notifications] == list(range(1, 51))
    first = heard.notifications[0]
    assert (first.type, first.source, first.message) == ("test.count", "test:type=Emitter", "number 1")
    assert first.stamp == 1001
    times = [each.time for each in heard.notifications]
    assert times == sorted(times)
    assert heard.marks["main"] < times[0] <= times[-1] < heard.marks["exit"]


def test_no_notification_is_lost_if_the_server_comes_late(java: str, run: Run) -> None:
    """After a server that is not the platform's, which the agent does not take for it."""
    deeds = ["sleep=400", "own-server", "sleep=400", "emitter", "emit=50", "forget-emitter"]
    heard = run(java, deeds, [Rule("test:*")])
    assert [each.sequence for each in heard.notifications] == list(range(1, 51))
    assert int(heard.metadata["process.mbeans.since"]) >= 800


def test_notifications_are_not_taken_unasked(one_java: str, run: Run) -> None:
    rule = Rule("test:*", notifications=False)
    heard = run(one_java, ["emitter", "emit=5", "wait"], [rule], seen(EMITTED))
    assert heard.notifications == []
    assert present(heard, EMITTED)[-1] == 5


def test_a_flood_of_notifications_is_counted_where_it_is_not_kept(java: str, run: Run) -> None:
    heard = run(java, ["emitter", "emit=30000"], [Rule("test:*")])
    assert heard.dropped is not None
    assert len(heard.notifications) + heard.dropped[1] == 30000
    sequences = [each.sequence for each in heard.notifications]
    assert sequences == sorted(set(sequences))
    assert len(sequences) >= 1024
