"""Contended locks, against programs whose threads wait for a monitor a known number of times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.jvm.agents import PATIENCE_S, Launcher
from tests.support.jvm.plain_collector import PlainCollector

OF_THE_JVM = 4
"""``main`` waits for the agent once, and a young JVM may have a few of its own."""


def contended(
    launcher: Launcher, collector: PlainCollector, java: Path, deeds: list[str], interval_ms: float = 20
) -> float:
    process = launcher.start(java, collector, ["Contends", *deeds])
    collector.start(interval_ms=interval_ms)
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    assert heard.ended
    values = heard.series("jvm.lock.contended")
    assert values == sorted(values)
    return values[-1]


def test_every_wait_counts_of_threads_that_live_and_of_threads_that_died_after_a_sample(
    java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    count = contended(launcher, collector, java, ["dead=300", "live=200"])
    assert 500 <= count <= 500 + OF_THE_JVM


def test_neither_free_locks_nor_collections_count(
    java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    assert contended(launcher, collector, java, ["free=100000", "gc=5"]) <= OF_THE_JVM


def test_a_thread_that_ends_between_two_samples_is_missed(
    one_java: Path, launcher: Launcher, collector: PlainCollector
) -> None:
    count = contended(launcher, collector, one_java, ["gone=300", "live=200"], interval_ms=60_000)
    assert 200 <= count <= 200 + OF_THE_JVM


@pytest.mark.parametrize("interval_ms", [20, 60_000])
def test_the_last_sample_counts_to_the_exit_however_many_threads_there_are(
    java: Path, launcher: Launcher, collector: PlainCollector, interval_ms: float
) -> None:
    """With 2,000 threads there is a reading in two seconds, and one at the exit."""
    count = contended(launcher, collector, java, ["idle=2000", "live=200"], interval_ms)
    assert 200 <= count <= 200 + OF_THE_JVM
