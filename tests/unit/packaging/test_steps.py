"""The drawing of a check is that of its rule."""

from __future__ import annotations

from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import Procedure
from scripts import steps


def test_the_drawing_in_the_documentation_is_up_to_date() -> None:
    drawn = steps.drawing(Procedure(CALIBRATED.alpha))
    assert steps.DRAWING.read_text(encoding="utf-8") == drawn, "type: make steps"


def test_the_numbers_follow_from_the_rule() -> None:
    with_turns, _ = steps.ways(Procedure(alpha=0.1))
    limits = ("t ≥ 2.5", "p ≤ 0.1", "W ≥ 25", "p ≤ 0.04")
    for limit, stage in zip(limits, with_turns.stages[:-1], strict=True):
        assert limit in " ".join(stage.question)


def test_each_way_to_the_end_has_one_outcome_and_only_turns_or_counters_fail() -> None:
    with_turns, without = steps.ways(Procedure(CALIBRATED.alpha))
    assert [stage.outcome for stage in with_turns.stages if stage.answer == "no"] == ["pass", "pass"]
    assert {stage.outcome for stage in with_turns.stages if stage.answer == "yes"} == {"fail"}
    assert (with_turns.outcome, without.outcome) == ("pass", "inconclusive")
