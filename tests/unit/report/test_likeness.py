"""Which labelled runs a report names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from buto.judging.readable import Level
from buto.report.likeness import MOST, LabelledRuns, kind_of, likes
from buto.run.labels import Label, Labelling
from buto.run.properties import property_for

HEAP, THREADS = "jvm.memory.heap.used", "jvm.thread.count"
NOON = datetime(2026, 10, 2, 12, tzinfo=UTC)
EXPECTED = [
    Level(property_for(HEAP), "mean", 100.0, 92.0, 108.0, 2.0),
    Level(property_for(THREADS), "mean", 10.0, 10.0, 10.0, 0.0),
]
USUAL = {HEAP: 100.0, THREADS: 10.0}
MORE_HEAP = {HEAP: 200.0, THREADS: 10.0}
MORE_THREADS = {HEAP: 100.0, THREADS: 18.0}


def said(
    label: Label = Label.GOOD, command: str = "label", reason: str = "", *, meant: bool = False
) -> Labelling:
    return Labelling("shop", ("a",), label, NOON, command, "Ada", reason, meant)


def past(levels: dict[str, float], labelling: Labelling, day: int = 0, **before: float) -> LabelledRuns:
    named = {HEAP: before["heap"], THREADS: before["threads"]} if before else None
    return LabelledRuns((f"run{day}",), NOON + timedelta(days=day), labelling, levels, named)


def test_a_like_change_is_named_with_its_reason() -> None:
    accepted = past(MORE_HEAP, said(command="accept", reason="new cache", meant=True))
    found = likes({HEAP: 210.0, THREADS: 10.0}, EXPECTED, [past(MORE_THREADS, said()), accepted])
    assert list(map(str, found)) == ["2026-10-02, accepted: new cache"]
    assert found[0].run_ids == ("run0",)
    assert 0 < found[0].distance < 0.1


@pytest.mark.parametrize(
    ("labelling", "kind"),
    [
        (said(), "false alarm"),
        (said(meant=True), "meant"),
        (said(command="accept", meant=True), "accepted"),
        (said(Label.BAD, "check"), "regression"),
    ],
)
def test_a_label_says_what_a_change_was(labelling: Labelling, kind: str) -> None:
    assert kind_of(labelling) == kind


def test_a_change_is_taken_from_what_was_normal_at_its_time() -> None:
    # The heap of today was the larger one of then.
    then = past({HEAP: 100.0, THREADS: 10.0}, said(), heap=50.0, threads=10.0)
    assert len(likes({HEAP: 150.0, THREADS: 10.0}, EXPECTED, [then])) == 1
    assert likes(USUAL, EXPECTED, [then]) == ()


def test_a_largest_value_is_no_mean_of_a_run() -> None:
    largest = [Level(property_for(HEAP), "largest", 140.0, 132.0, 148.0, 2.0), EXPECTED[1]]
    less = past({HEAP: 60.0, THREADS: 10.0}, said(), heap=100.0, threads=10.0)
    assert likes(USUAL, largest, [less]) == ()
    assert len(likes(MORE_THREADS, largest, [past(MORE_THREADS, said())])) == 1


def test_levels_of_the_training_say_what_changed() -> None:
    largest = [Level(property_for(HEAP), "largest", 140.0, 132.0, 148.0, 2.0), EXPECTED[1]]
    then = past(MORE_HEAP, said(), heap=100.0, threads=10.0)
    assert len(likes(MORE_HEAP, largest, [then], USUAL)) == 1
    assert likes(USUAL, largest, [then], USUAL) == ()


def test_a_deviation_is_at_least_a_thousandth_of_the_level() -> None:
    # Threads never scatter, so that one more is a thousand deviations and no more.
    assert len(likes(MORE_THREADS, EXPECTED, [past({HEAP: 100.0, THREADS: 19.0}, said())])) == 1


def test_what_is_not_known_of_one_side_does_not_count() -> None:
    assert len(likes({HEAP: 200.0}, EXPECTED, [past(MORE_HEAP, said())])) == 1
    assert likes({}, EXPECTED, [past(MORE_HEAP, said())]) == ()
    assert likes(MORE_HEAP, [], [past(MORE_HEAP, said())]) == ()
    assert likes(MORE_HEAP, EXPECTED, []) == ()


def test_few_are_named_and_none_twice() -> None:
    days = [past(MORE_HEAP, said(), day) for day in range(MOST + 2)]
    assert len(likes(MORE_HEAP, EXPECTED, days)) == MOST
    assert len(likes(MORE_HEAP, EXPECTED, [days[0], days[0]])) == 1
