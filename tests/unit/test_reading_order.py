"""The order in which people read findings, and what belongs together."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from buto.judging.verdict import Direction, Effect, Finding, Order, grouped, in_line
from buto.run.properties import DURATION, LIVE_CLASSES, METRICS, Topic, title_of, topic_of
from tests.support.report import golden

SURVIVORS = "jvm.memory.committed[G1 Survivor Space]"
OLD = "jvm.memory.used[G1 Old Gen]"


def finding(subject: str, effect: Effect = Effect.WORSE, observed: float = 2.0) -> Finding:
    return Finding("calibrated", subject, "run", effect=effect, observed=observed, expected=1.0)


def leaders(*findings: Finding) -> list[str]:
    return [group.leading.subject for group in grouped(findings)]


def test_twice_the_processor_time_comes_before_a_pool_with_stronger_evidence() -> None:
    pool = finding(SURVIVORS, Effect.UNKNOWN)
    others = [finding(f"jvm.gc.{what}[G1 Young Generation]") for what in ("time", "count")]
    cpu = finding("jvm.cpu.time", observed=2.2)
    assert leaders(pool, *others, cpu) == ["jvm.cpu.time", "jvm.gc.count[G1 Young Generation]", SURVIVORS]


def test_the_heap_and_its_pools_are_one_finding_headed_by_the_heap() -> None:
    pools = [finding("jvm.memory.committed[G1 Old Gen]"), finding(OLD), finding(SURVIVORS, Effect.UNKNOWN)]
    [group] = grouped([*pools, finding("jvm.memory.heap.committed"), finding("jvm.memory.heap.used")])
    assert [one.subject for one in group.findings] == [
        "jvm.memory.heap.used",
        OLD,
        "jvm.memory.heap.committed",
        "jvm.memory.committed[G1 Old Gen]",
        SURVIVORS,
    ]


def test_worse_comes_before_better_and_better_before_nothing() -> None:
    better = finding("run.duration", Effect.BETTER, observed=0.5)
    unknown = finding("jvm.cpu.time", Effect.UNKNOWN)
    worse = finding("jvm.thread.count")
    assert leaders(better, unknown, worse) == ["jvm.thread.count", "jvm.cpu.time", "run.duration"]


@pytest.mark.parametrize("aside", [SURVIVORS, "jvm.memory.heap.committed", "jvm.memory.used[G1 Eden Space]"])
@pytest.mark.parametrize("other", ["run.duration", "mbean[com.acme:type=Cache]/Size", OLD])
def test_what_the_jvm_sets_aside_never_leads_while_there_is_anything_else(aside: str, other: str) -> None:
    better = finding(other, Effect.BETTER, observed=0.99)
    assert leaders(finding(aside, observed=9.0), better)[0] == other


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("jvm.memory.allocated", "allocated bytes"),
        ("jvm.gc.count[G1 Young Generation]", "collections (G1 Young Generation)"),
        ("run.duration", "duration"),
        ("mbean[com.acme:type=Cache]/Size", "mbean[com.acme:type=Cache]/Size"),
    ],
)
def test_a_property_has_the_name_that_people_use(name: str, title: str) -> None:
    assert title_of(name) == title


def test_no_two_properties_have_the_same_title() -> None:
    titles = [title_of(name) for name in (*METRICS, DURATION.name, LIVE_CLASSES.name)]
    assert len(set(titles)) == len(titles)


def test_people_ask_for_the_duration_first_unless_it_hardly_changed() -> None:
    order = ["run.duration", "jvm.cpu.time", "jvm.memory.heap.used", "jvm.thread.count", "jvm.class.count"]
    findings = [finding(subject) for subject in order]
    assert leaders(*reversed(findings)) == order
    shorter = replace(findings[0], observed=1.008)
    assert leaders(shorter, *findings[1:])[0] == "jvm.cpu.time"


@pytest.mark.parametrize(
    ("subject", "topic"),
    [
        ("run.duration", Topic.DURATION),
        ("jvm.memory.used[G1 Eden Space]", Topic.HEAP),
        ("jvm.memory.used[Metaspace]", Topic.NON_HEAP),
        ("jvm.memory.used[CodeHeap 'profiled nmethods']", Topic.NON_HEAP),
        ("mbean[java.lang:type=OperatingSystem]/OpenFileDescriptorCount", Topic.DESCRIPTORS),
        ("mbean[com.acme:type=Cache]/Size", Topic.PROGRAM),
        ("com.acme.full from a:type=Job", Topic.PROGRAM),
        ("buto.missed.ticks", Topic.MEASURING),
    ],
)
def test_what_a_property_is_about(subject: str, topic: Topic) -> None:
    assert topic_of(subject) is topic


def test_each_metric_has_a_topic_that_is_not_that_of_unknown_ones() -> None:
    assert Topic.PROGRAM not in {metric.topic for metric in METRICS.values()}


def test_what_a_program_counts_itself_has_causes_of_its_own() -> None:
    names = [f"mbean[com.acme:type=Cache]/{name}" for name in ("Size", "Misses")]
    assert leaders(*map(finding, names)) == names


def test_the_order_of_the_evidence_changes_nothing() -> None:
    findings = [finding(subject) for subject in (SURVIVORS, OLD, "jvm.cpu.time")]
    groups = grouped(findings, Order.EVIDENCE)
    assert [group.findings for group in groups] == [(one,) for one in findings]


def test_no_finding_is_lost_or_named_twice() -> None:
    findings = [finding(subject) for subject in (SURVIVORS, OLD, "jvm.cpu.time", "x", "x")]
    listed = in_line(grouped(findings))
    assert sorted(one.subject for one in listed) == sorted(one.subject for one in findings)
    assert grouped([]) == ()


def test_doubled_live_memory_is_headed_by_the_heap_in_use() -> None:
    """Findings of a real program that kept twice as much: a committed pool has the strongest evidence."""
    stored = json.loads((golden.PLACE / "findings-doubled-memory.json").read_text())
    findings = [
        Finding(**{**one, "direction": Direction(one["direction"]), "effect": Effect(one["effect"])})
        for one in stored
    ]
    assert findings[0].subject == "jvm.memory.committed[G1 Eden Space]"
    heap, collections = grouped(findings)
    assert (heap.leading.subject, len(heap.parts)) == ("jvm.memory.heap.used", 6)
    assert collections.leading.subject == "jvm.gc.count[G1 Young Generation]"
