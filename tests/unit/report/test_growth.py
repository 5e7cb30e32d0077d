"""What grows, in lines and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

import jsonschema
import pytest

from buto import schemas
from buto.judging.rounds import LIVE_HEAP, Grown, RoundsBy, RunGrowth, SeriesSubject
from buto.report.formats.json_result import growth_json
from buto.report.growth import GrowthReport, growth_lines, headline, path_text, simple
from buto.run.holding import HoldingPath, Reference

HEAP = Grown(
    LIVE_HEAP, SeriesSubject.HEAP, 1258291.0, "By", 15000.0, 0.001, tuple(float(n) for n in range(12))
)
ORDER = Grown("com.acme.Shop$Order", SeriesSubject.CLASS, 160000.0, "By", 5000.0, 0.001, HEAP.values)
BYTES = Grown("byte[]", SeriesSubject.CLASS, 400000.0, "By", 5000.0, 0.001, HEAP.values)
THREADS = Grown("jvm.thread.count", SeriesSubject.COUNTER, 2.0, "{thread}", None, 0.001, HEAP.values)
DIRECT = Grown(
    "jvm.buffer.memory.used[direct]", SeriesSubject.COUNTER, 65536.0, "By", None, 0.001, HEAP.values
)


def judged(*grown: Grown, levelling: tuple[str, ...] = ()) -> RunGrowth:
    return RunGrowth(12, 4, 5, grown, (), levelling)


@pytest.mark.parametrize(
    ("grown", "said"),
    [
        ((HEAP, ORDER, BYTES), "grows in every round: 1.2 MiB and 5,000 Order objects a round"),
        ((HEAP, BYTES), "grows in every round: 1.2 MiB and 5,000 byte[] objects a round"),
        ((BYTES,), "grows in every round: 391 KiB of byte[] a round"),
        ((THREADS,), "grows in every round: 2 threads a round"),
        ((HEAP, ORDER, THREADS), "grows in every round: 1.2 MiB, 5,000 Order objects and 2 threads a round"),
        ((), "nothing grows in every round"),
    ],
)
def test_the_headline_names_the_heap_the_class_and_the_counters(grown: tuple[Grown, ...], said: str) -> None:
    assert headline(judged(*grown)) == said


@dataclass(frozen=True)
class Printed:
    lines: list[str]

    def has(self, text: str) -> bool:
        return any(text in line for line in self.lines)


def printed(of: RunGrowth, *paths: HoldingPath, why_no_path: str = "", full: bool = False) -> Printed:
    growth = GrowthReport(of, RoundsBy.PROGRAM, 0, "id", paths, why_no_path)
    lines = growth_lines("shop", growth, ["mvn"], full=full)
    return Printed([line.plain for line in lines])


MANY = tuple(
    Grown(f"com.acme.Part{n}", SeriesSubject.CLASS, 1e5, "By", 10.0, 0.001, HEAP.values) for n in range(7)
)


def test_only_five_classes_are_listed_unless_all_are_wanted() -> None:
    few, all_of_them = printed(judged(HEAP, *MANY)), printed(judged(HEAP, *MANY), full=True)
    assert few.has("com.acme.Part4")
    assert not few.has("com.acme.Part5")
    assert few.has("2 classes more")
    assert all_of_them.has("com.acme.Part6")


def test_counters_have_no_column_of_objects() -> None:
    assert not printed(judged(THREADS)).has("objects")
    assert printed(judged(HEAP)).has("objects")


def test_native_memory_that_was_not_counted_is_no_silent_pass() -> None:
    growth = GrowthReport(judged(), RoundsBy.PROGRAM, 0, "id", why_no_native="another C library")
    *_, last = growth_lines("shop", growth)
    assert "not counted" in last.plain
    assert "another C library" in last.plain


def test_what_levels_off_is_named_where_nothing_grows() -> None:
    assert printed(judged(levelling=("com.acme.Memo",))).has("com.acme.Memo")
    assert not printed(judged(THREADS, levelling=("com.acme.Memo",))).has("com.acme.Memo")


PATH = HoldingPath(
    "com.acme.Shop$Order",
    0.97,
    "JNI_GLOBAL",
    (
        Reference("STATIC_FIELD", "com.acme.Shop", "ORDERS"),
        Reference("ARRAY_ENTRY", "java.util.HashMap", ""),
        Reference("INSTANCE_FIELD", "com.acme.Shop$Session", "last"),
    ),
)
OF_THREAD = HoldingPath("byte[]", 0.03, "THREAD_OBJECT", (Reference("LOCAL", "java.lang.Thread", ""),))


def test_a_path_reads_from_its_root_to_the_object() -> None:
    assert path_text(PATH) == "static Shop.ORDERS → HashMap → Session.last → Order"
    assert path_text(OF_THREAD) == "a thread → a local variable → byte[]"


def test_the_most_frequent_path_is_shown_and_all_on_demand() -> None:
    assert not printed(judged(HEAP), PATH, OF_THREAD).has("a thread")
    assert printed(judged(HEAP), PATH, OF_THREAD, full=True).has("a thread")


def test_why_there_is_no_path_is_said() -> None:
    assert printed(judged(HEAP), why_no_path="the disk is full").has("the disk is full")


def test_an_escape_sequence_in_a_name_moves_no_cursor() -> None:
    nasty = Grown("com.acme.\x1b[2J", SeriesSubject.CLASS, 1e5, "By", 10.0, 0.001, HEAP.values)
    assert not printed(judged(HEAP, nasty)).has("\x1b")


def test_the_document_follows_its_schema() -> None:
    growth = GrowthReport(judged(HEAP, ORDER, DIRECT), RoundsBy.WORK, 4096, "id", (PATH,))
    text = growth_json("shop", growth)
    document = json.loads(text)
    jsonschema.validate(document, schemas.load("growth"))
    assert document["grows"][2]["objects"] is None
    assert document["held_by"][0]["steps"][0] == {
        "kind": "STATIC_FIELD",
        "class": "com.acme.Shop",
        "field": "ORDERS",
    }


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("com.acme.Order", "Order"),
        ("com.acme.Shop$Order", "Order"),
        ("com.acme.Shop$1", "Shop$1"),
        ("byte[]", "byte[]"),
        ("com.acme.Shop$$Lambda$48", "a lambda of Shop"),
    ],
)
def test_a_short_name_tells_whose_it_is(name: str, short: str) -> None:
    assert simple(name) == short
