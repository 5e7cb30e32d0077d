"""Numbers of a verdict in words: units on both sides of an arrow, and phrases of what changed."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from buto.judging.procedure import Do, Next, Why
from buto.judging.story import Headline
from buto.judging.verdict import OUTSIDE, Amount, Difference, Direction, Effect, Status, Verdict
from buto.report import phrases, words
from buto.run.properties import LIVE_CLASSES


def difference(subject: str, unit: str, old: float, new: float, part: str = "") -> Difference:
    return Difference(
        "calibrated",
        subject,
        "run",
        direction=Direction.MORE,
        effect=Effect.WORSE,
        unit=unit,
        observed=new,
        expected=old,
        measure="total",
        is_level=True,
        part=part,
        amount=Amount("total", old, new),
    )


@pytest.mark.parametrize(
    ("old", "new", "unit", "text"),
    [
        (1021 * 2**10, 2.12 * 2**20, "By", "total 0.997 → 2.12 MiB"),
        (2.12 * 2**20, 1021 * 2**10, "By", "total 2.12 → 0.997 MiB"),
        (3 * 2**10, 2 * 2**30, "By", "total 3 KiB → 2 GiB"),
        (0.0, 2.0**20, "By", "total 0 B → 1 MiB"),
        (12.0, 150.0, "s", "total 12 s → 2.5 min"),
        (7.0, 9.0, "{thread}", "total 7 → 9 threads"),
        (5.0 * 2**20, nan, "By", "total 5 MiB → unreadable"),
    ],
)
def test_both_sides_of_an_arrow_have_one_unit_where_that_reads_well(
    old: float, new: float, unit: str, text: str
) -> None:
    assert words.old_to_new(difference("jvm.memory.allocated", unit, old, new)) == text


@pytest.mark.parametrize(
    ("name", "old", "new", "text"),
    [
        ("jvm.thread.count", 7.0, 9.0, "2 more threads (7 → 9)"),
        ("jvm.thread.count", 9.0, 8.0, "1 fewer thread (9 → 8)"),
        ("process.thread.count", 7.0, 9.0, "2 more process threads (7 → 9)"),
        ("process.unix.file_descriptor.count", 8.0, 68.0, "60 more open files (8 → 68)"),
        ("jvm.class.loaded", 10.0, 12.0, "loads 2 more classes (10 → 12)"),
    ],
)
def test_what_is_counted_is_told_by_its_number(name: str, old: float, new: float, text: str) -> None:
    assert phrases.phrase(Headline(difference(name, "{thread}", old, new))) == text


@pytest.mark.parametrize(("change", "is_named"), [(0.9, True), (0.4, False), (-0.9, False)])
def test_a_class_is_named_beside_what_is_kept_if_it_is_most_of_it(change: float, is_named: bool) -> None:
    kept = difference("jvm.memory.heap.live", "By", 4.0 * 2**20, 5.0 * 2**20)
    part = difference(LIVE_CLASSES.name, "By", 2.0 * 2**20, (2.0 + change) * 2**20, part="byte[]")
    sentence = phrases.phrase(Headline(kept, (part,)))
    assert ("mostly byte[]" in sentence) is is_named


def test_what_is_kept_may_be_the_same_by_its_means() -> None:
    kept = difference("jvm.memory.heap.live", "By", 4.0 * 2**20, 4.0 * 2**20)
    part = difference(LIVE_CLASSES.name, "By", 2.0 * 2**20, 3.0 * 2**20, part="byte[]")
    assert "mostly" not in phrases.phrase(Headline(kept, (part,)))


def test_what_both_programs_do_elsewhere_is_told_against_training() -> None:
    """As a difference of the two it would read as if the program had changed, where only the JDK has."""
    both = replace(difference("jvm.class.loaded", "{class}", 839.0, 1011.0), source=OUTSIDE)
    between = difference("jvm.thread.count", "{thread}", 7.0, 8.0)
    verdict = Verdict(
        Status.PASS,
        "calibrated",
        noted=(both, between),
        reasons=("old and new program do the same",),
        steps=(Next(Do.PASS, Why.KNOWN_OUTSIDE),),
    )
    told = phrases.headline(verdict).split("; ")
    assert [part.partition(": ")[0] for part in told[1:]] == ["both, against training", "noted"]
    assert ["classes" in part for part in told[1:]] == [True, False]
