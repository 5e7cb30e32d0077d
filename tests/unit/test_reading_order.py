"""What people call a property, and what it is about."""

from __future__ import annotations

import pytest

from buto.run.properties import DURATION, LIVE_CLASSES, METRICS, NAMED_WHOLE, Topic, title_of, topic_of


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("jvm.memory.allocated", "allocated bytes"),
        ("jvm.gc.count[G1 Young Generation]", "collections (G1 Young Generation)"),
        ("run.duration", "duration"),
        ("process.io.calls[write]", "write calls"),
        ("jvm.buffer.memory.used[direct]", "direct buffer memory"),
        ("jvm.buffer.count[mapped - 'non-volatile memory']", "buffers (mapped - 'non-volatile memory')"),
        ("mbean[com.acme:type=Cache]/Size", "mbean[com.acme:type=Cache]/Size"),
    ],
)
def test_a_property_has_the_name_that_people_use(name: str, title: str) -> None:
    assert title_of(name) == title


def test_no_default_property_is_called_by_its_identifier() -> None:
    named = [name for name in METRICS if topic_of(name) is not Topic.MEASURING]
    assert [name for name in named if title_of(name) == name] == []


def test_no_two_properties_have_the_same_title() -> None:
    titles = [title_of(name) for name in {*METRICS, *NAMED_WHOLE, DURATION.name, LIVE_CLASSES.name}]
    assert len(set(titles)) == len(titles)


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
