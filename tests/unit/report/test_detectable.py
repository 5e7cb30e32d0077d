"""After training, one line on what a check would detect, and a warning where that is little."""

from __future__ import annotations

from math import inf

import pytest

from buto.judging.alarms import Strength
from buto.report.strength import INTRODUCTION, detectable, discouraging
from buto.run.properties import DURATION, property_for

MIB = 2.0**20
HEAP, THREADS, ALLOCATED, CPU = map(
    property_for, ("jvm.memory.heap.used", "jvm.thread.count", "jvm.memory.allocated", "jvm.cpu.time")
)
LIVE, CLASSES = map(property_for, ("jvm.memory.heap.live", "jvm.class.loaded"))
POOL = property_for("jvm.memory.used[G1 Old Gen]")


def test_one_line_has_what_matters_in_a_fixed_order_and_no_times() -> None:
    found = [
        Strength(POOL, MIB, MIB, MIB),
        Strength(HEAP, 10 * MIB, MIB, 0.5 * MIB),
        Strength(THREADS, 20.0, inf, inf),
        Strength(CPU, 2.0, 0.5, inf),
        Strength(DURATION, 4.0, 0.4, 0.2),
    ]
    assert detectable(found) == f"{INTRODUCTION}used heap ±1 MiB (10 %); none of threads"
    nothing = (
        "these training runs are too few, or too unlike, to promise a size that a check detects of "
        "used heap, threads"
    )
    assert detectable([Strength(HEAP, 1.0, inf, inf), Strength(THREADS, 1.0, inf, inf)]) == nothing


def test_the_live_heap_which_decides_stands_for_the_used_heap() -> None:
    found = [
        Strength(CLASSES, 2.0, 167.0, 167.0),
        Strength(HEAP, 10 * MIB, 2 * MIB, 2 * MIB),
        Strength(ALLOCATED, 100 * MIB, 5 * MIB, 5 * MIB),
        Strength(LIVE, 10 * MIB, MIB, MIB),
    ]
    assert detectable(found) == f"{INTRODUCTION}live heap ±1 MiB (10 %), allocated bytes ±5 MiB (5 %)"


def test_of_nothing_that_matters_there_is_no_line() -> None:
    assert detectable([]) == ""
    assert detectable([Strength(POOL, MIB, MIB, MIB)]) == ""
    assert discouraging([], 10) is None


@pytest.mark.parametrize(
    ("heap", "threads", "classes", "blind"),
    [
        (9.9, 1.0, 1.0, None),
        (10.1, 1.0, 1.0, None),
        (10.1, 30.0, 1.0, "used heap, threads"),
        (inf, inf, inf, "used heap, threads, loaded classes"),
    ],
)
def test_an_oracle_that_misses_doublings_of_most_is_warned_of(
    heap: float, threads: float, classes: float, blind: str | None
) -> None:
    found = [
        Strength(HEAP, 10 * MIB, heap * MIB, MIB),
        Strength(THREADS, 20.0, threads, inf),
        Strength(CLASSES, 2.0, classes, inf),
    ]
    line = discouraging(found, 10)
    if blind is None:
        assert line is None
    else:
        assert line is not None
        assert line.startswith(
            f"a check may miss that a quantity doubles ({blind}). What helps: more runs (--runs 20)"
        )
