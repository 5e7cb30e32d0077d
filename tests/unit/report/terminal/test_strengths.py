"""How strong an oracle is, in words."""

from __future__ import annotations

from math import inf

import pytest

from buto.judging.alarms import Strength
from buto.report.strength import HEADING, HEADING_OF_TIMES, strength_lines
from buto.run.properties import property_for

HEAP = property_for("jvm.memory.heap.used")


@pytest.mark.parametrize(
    ("level", "more", "less", "line"),
    [
        (30 * 2.0**20, 1.2 * 2**20, 2**20, "±1.2 MiB (4 %)"),
        (2.0**20, 2.0**19, inf, "+512 KiB (50 %)"),
        (2.0**20, inf, 2.0**18, "-256 KiB (25 %)"),
        (0.0, 2.0**20, inf, "+1 MiB"),
    ],
)
def test_a_line_says_the_change_in_both_directions(level: float, more: float, less: float, line: str) -> None:
    assert strength_lines([Strength(HEAP, level, more, less)]) == [
        f"{HEADING}:",
        f"  jvm.memory.heap.used  {line}",
    ]


def test_what_is_not_promised_stands_in_one_line_that_says_what_helps() -> None:
    others = [
        Strength(property_for(name), 2.0**20, inf, inf) for name in ("jvm.cpu.time", "jvm.class.loaded")
    ]
    (line,) = strength_lines(others)
    assert "up to 10 times as much: jvm.cpu.time, jvm.class.loaded; more training runs help" in line
    known = strength_lines([*others, Strength(HEAP, 2.0**20, 2.0**19, inf)])
    assert known == [f"{HEADING}:", "  jvm.memory.heap.used  +512 KiB (50 %)", line]


def test_times_stand_apart_because_no_size_of_them_holds_for_another_hour() -> None:
    cpu = Strength(property_for("jvm.cpu.time"), 2.0, 0.5, inf)
    lines = strength_lines([cpu, Strength(HEAP, 2.0**20, 2.0**19, inf)])
    assert [lines[0], lines[2]] == [f"{HEADING}:", f"{HEADING_OF_TIMES}:"]
    assert "jvm.memory.heap.used" in lines[1] and "jvm.cpu.time" in lines[3]


def test_without_strengths_there_are_no_lines() -> None:
    assert strength_lines([]) == []
