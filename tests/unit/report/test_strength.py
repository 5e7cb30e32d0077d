"""The smallest changes that a check detects, as people read them."""

from __future__ import annotations

import re
from math import inf

import pytest

from buto.judging.alarms import Strength
from buto.report.strength import change, detectable
from buto.run.properties import property_for


def strength(name: str, level: float, more: float, less: float = inf) -> Strength:
    return Strength(property_for(name), level, more, less)


@pytest.mark.parametrize(
    ("more", "less", "shown"),
    [(1.11, 1.11, "±2 threads (25 %)"), (1.0, 1.0, "±1 thread (12.5 %)"), (0.4, inf, "+1 thread (12.5 %)")],
)
def test_what_is_counted_changes_by_whole_numbers(more: float, less: float, shown: str) -> None:
    assert change(strength("jvm.thread.count", 8.0, more, less)) == shown


def test_a_size_in_bytes_is_as_fine_as_it_is() -> None:
    assert change(strength("jvm.memory.heap.live", 1024.0, 51.2, 51.2)) == "±51.2 B (5 %)"


def test_a_line_has_the_unit_of_a_count_once() -> None:
    known = [strength("jvm.memory.allocated", 2**20, 1024.0), strength("jvm.thread.count", 8.0, 1.11, 1.11)]
    line = detectable(known)
    assert len(re.findall("thread", line)) == 1
    assert line.endswith("threads ±2 (25 %)")
    # What is measured and not counted keeps its unit.
    assert "allocated bytes +1 KiB" in line
