"""The search for minimum effects, on checks whose changes are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from buto.judging.effects import NEVER
from buto.judging.verdict import Direction, Status
from buto.run.units import parse_bytes
from buto_replications.suggestions.rejudge import MOST_HELD_OUT, spread, suggest
from buto_replications.suggestions.suggestion import (
    CheckShare,
    JudgedCheck,
    Key,
    PastCheck,
    PropertyChange,
    Suggestion,
    Truth,
    Unjudged,
    UnjudgedReason,
    effects_that_avoid,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MIB = 2**20
HEAP, THREADS = "jvm.memory.heap.used", "jvm.thread.count"
Changes = Mapping[str, float]


class Plain:
    """Judges checks of known changes: one fails if any of them counts."""

    def __init__(self, changes: Mapping[str, Changes]) -> None:
        self.changes = changes
        self.asked: list[dict[str, str]] = []

    def __call__(self, key: Key, effects: Mapping[str, str]) -> JudgedCheck:
        self.asked.append(dict(effects))
        found = tuple(
            PropertyChange(name, "By" if name == HEAP else "{thread}", size, Direction.MORE)
            for name, size in sorted(self.changes[key[0]].items(), key=lambda pair: -pair[1])
            if size >= _least(name, effects)
        )
        return JudgedCheck(Status.REGRESSION if found else Status.PASS, bool(found), found)


def _least(name: str, effects: Mapping[str, str]) -> float:
    text = effects.get(name, "0")
    if text == NEVER:
        return float("inf")
    return parse_bytes(text) if name == HEAP else float(text)


def effects_for(alarms: Sequence[Changes], regressions: Sequence[Changes] = ()) -> dict[str, str]:
    """What is suggested for false alarms and regressions with these changes."""
    named = {f"a{number}": alarm for number, alarm in enumerate(alarms)}
    bad = {f"r{number}": regression for number, regression in enumerate(regressions)}
    return effects_that_avoid(Plain({**named, **bad}), [(name,) for name in named], [(name,) for name in bad])


def test_an_effect_lies_a_quarter_above_the_largest_false_alarm() -> None:
    assert effects_for([{HEAP: 4 * MIB}, {HEAP: 8 * MIB}], [{HEAP: 900 * MIB}]) == {HEAP: "10MiB"}


def test_an_effect_lies_halfway_to_a_regression_that_is_near() -> None:
    # 10 MiB is the geometric mean of both.
    assert effects_for([{HEAP: 9.5 * MIB}], [{HEAP: 10.5 * MIB}]) == {HEAP: "10MiB"}


def test_no_effect_hides_a_regression() -> None:
    assert effects_for([{HEAP: 8 * MIB}], [{HEAP: 4 * MIB}]) == {}


def test_a_regression_may_show_in_another_property() -> None:
    found = effects_for([{HEAP: 8 * MIB}], [{HEAP: 4 * MIB, THREADS: 6.0}])
    assert found == {HEAP: "10MiB"}


def test_alarms_that_cannot_be_avoided_do_not_keep_others() -> None:
    found = effects_for([{HEAP: 8 * MIB}, {THREADS: 2.0}], [{HEAP: 4 * MIB}])
    assert found == {THREADS: "2.5"}


def test_every_property_of_an_alarm_is_silenced() -> None:
    assert effects_for([{HEAP: 8 * MIB, THREADS: 2.0}]) == {HEAP: "10MiB", THREADS: "2.5"}


def test_an_effect_that_turns_out_to_be_needless_is_left_out() -> None:
    class Either(Plain):
        """Threads alone fail no check; they only stand out if the heap does."""

        def __call__(self, key: Key, effects: Mapping[str, str]) -> JudgedCheck:
            judged = super().__call__(key, effects)
            heap = any(change.subject == HEAP for change in judged.changes)
            return judged if heap else JudgedCheck(Status.PASS, False)

    judge = Either({"a": {THREADS: 2e9, HEAP: 8 * MIB}})
    assert effects_that_avoid(judge, [("a",)], []) == {HEAP: "10MiB"}
    assert any(THREADS in effects for effects in judge.asked)


def test_an_erratic_property_is_left_out_unless_a_regression_shows_in_it() -> None:
    alarms = [{THREADS: 1.0}, {THREADS: 4.0}, {THREADS: 20.0}]
    assert effects_for(alarms) == {THREADS: NEVER}
    assert effects_for(alarms[1:]) == {THREADS: "25"}
    assert effects_for(alarms, [{THREADS: 900.0}]) == {THREADS: "25"}


def past(changes: Mapping[str, tuple[Truth, Changes]]) -> tuple[Plain, list[PastCheck]]:
    checks = [
        PastCheck((name,), NOON + timedelta(hours=number), truth)
        for number, (name, (truth, _)) in enumerate(changes.items())
    ]
    return Plain({name: share for name, (_, share) in changes.items()}), checks


def suggested(
    changes: Mapping[str, tuple[Truth, Changes]], present: Mapping[str, str] | None = None
) -> Suggestion:
    judge, checks = past(changes)
    return suggest("shop", present or {}, checks, judge)


HISTORY: dict[str, tuple[Truth, Changes]] = {
    "a": (Truth.UNCHANGED, {HEAP: 8 * MIB}),
    "b": (Truth.UNCHANGED, {HEAP: 9 * MIB}),
    "c": (Truth.UNCHANGED, {}),
    "d": (Truth.UNKNOWN, {}),
    "e": (Truth.UNKNOWN, {HEAP: 7 * MIB}),
    "f": (Truth.REGRESSION, {HEAP: 90 * MIB}),
    "g": (Truth.REGRESSION, {}),
    "h": (Truth.MEANT, {HEAP: 6 * MIB}),
}


def test_rates_are_of_what_is_known() -> None:
    found = suggested(HISTORY)
    assert found.effects == {HEAP: "12MiB"}
    # The failed check without a label counts nowhere.
    assert (found.now.alarms, found.then.alarms) == (CheckShare(2, 4), CheckShare(0, 4))
    assert (found.now.found, found.then.found) == (CheckShare(1, 2), CheckShare(1, 2))
    assert (found.now.meant, found.then.meant) == (CheckShare(1, 1), CheckShare(0, 1))
    assert [alarm.check.run_ids for alarm in found.unlabelled_alarms] == [("e",)]
    [cause] = found.causes
    assert (cause.n_alarms, cause.largest, cause.n_regressions, cause.smallest) == (2, 9 * MIB, 1, 90 * MIB)


def test_a_regression_that_only_its_check_has_labelled_is_protected_and_in_no_share() -> None:
    judge, checks = past(
        {
            "a": (Truth.UNCHANGED, {HEAP: 8 * MIB}),
            "f": (Truth.REGRESSION, {HEAP: 90 * MIB}),
            "i": (Truth.REGRESSION, {HEAP: 9 * MIB}),
        }
    )
    alarm, by_person, by_check = (
        replace(check, command=command)
        for check, command in zip(checks, ("label", "label", "check"), strict=True)
    )
    found = suggest("shop", {}, [alarm, by_person, by_check], judge)
    # Halfway between 8 and 9 MiB: without the regression of 9 MiB, it would be 10 MiB.
    assert found.effects == {HEAP: "8.5MiB"}
    assert [check.check.run_ids for check in found.unconfirmed] == [("i",)]
    assert [check.then.fails for check in found.unconfirmed] == [True]
    assert (found.now.found, found.then.found) == (CheckShare(1, 1), CheckShare(1, 1))
    assert found.held_out is not None
    assert found.held_out.found == CheckShare(1, 1)
    assert found.n_held_out == 2


def test_held_out_alarms_may_fail_where_the_chosen_ones_pass() -> None:
    history = {**HISTORY, "a": (Truth.UNCHANGED, {HEAP: MIB})}
    found = suggested(history)
    assert found.then.alarms == CheckShare(0, 4)
    assert found.held_out is not None
    # What the smaller one suggests does not reach the larger one.
    assert found.held_out.alarms == CheckShare(1, 4)
    assert found.held_out.found == CheckShare(1, 2)
    assert found.n_held_out == 3


def test_a_regression_that_is_held_out_may_be_missed() -> None:
    found = suggested({"a": (Truth.UNCHANGED, {HEAP: 8 * MIB}), "b": (Truth.REGRESSION, {HEAP: 9 * MIB})})
    assert found.then.found == CheckShare(1, 1)
    assert found.held_out is not None
    assert found.held_out.found == CheckShare(0, 1)


def test_failures_that_are_not_held_out_do_not_count_as_held_out() -> None:
    numbers = range(MOST_HELD_OUT + 5)
    found = suggested(
        {
            **{f"a{number}": (Truth.UNCHANGED, {HEAP: 8 * MIB}) for number in numbers},
            **{f"b{number}": (Truth.REGRESSION, {HEAP: 90 * MIB}) for number in numbers},
            "c": (Truth.UNCHANGED, {}),
            "d": (Truth.REGRESSION, {}),
        }
    )
    n_failed = len(numbers)
    assert (found.then.alarms, found.then.found) == (
        CheckShare(0, n_failed + 1),
        CheckShare(n_failed, n_failed + 1),
    )
    assert found.held_out is not None
    # The checks c and d passed: nothing was chosen from them.
    assert found.held_out.alarms == CheckShare(0, MOST_HELD_OUT + 1)
    assert found.held_out.found == CheckShare(MOST_HELD_OUT, MOST_HELD_OUT + 1)
    assert found.n_held_out == 2 * MOST_HELD_OUT


def test_without_a_false_alarm_nothing_is_suggested() -> None:
    found = suggested({"c": HISTORY["c"], "f": HISTORY["f"], "h": HISTORY["h"]})
    assert (found.effects, found.causes, found.held_out) == ({}, (), None)


def test_what_is_inconclusive_tells_nothing() -> None:
    check = PastCheck(("a",), NOON, Truth.UNCHANGED)
    found = suggest("shop", {}, [check], lambda _key, _effects: JudgedCheck(Status.INCONCLUSIVE, False))
    assert found.unjudged == (Unjudged(check, UnjudgedReason.NOT_JUDGED),)
    assert found.now.alarms == CheckShare(0, 0)


def test_new_effects_come_after_the_present_ones() -> None:
    found = suggested(HISTORY, {HEAP: "1KiB", "jvm.memory.*": "2KiB"})
    assert list(found.minimum_effect.items()) == [("jvm.memory.*", "2KiB"), (HEAP, "12MiB")]


# From tables of exact binomial limits.
@pytest.mark.parametrize(
    ("share", "least", "most"),
    [
        (CheckShare(0, 18), 0.0, 0.1853),
        (CheckShare(3, 18), 0.0358, 0.4142),
        (CheckShare(2, 2), 0.1581, 1.0),
        (CheckShare(5, 10), 0.1871, 0.8129),
    ],
)
def test_a_share_has_its_binomial_limits(share: CheckShare, least: float, most: float) -> None:
    assert share.bounds == pytest.approx((least, most), abs=1e-4)


def test_what_is_held_out_is_spread_over_all() -> None:
    keys = [(str(number),) for number in range(100)]
    assert spread(keys[:3], 5) == keys[:3]
    assert [int(key[0]) for key in spread(keys, 4)] == [0, 25, 50, 75]
