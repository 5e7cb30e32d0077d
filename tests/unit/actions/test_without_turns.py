"""What a verdict says that had no turns, and what it never proposes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from buto import oracle
from buto.actions.old_program import NAME_BUILD
from buto.actions.without_turns import mark_without_turns, steps_without_turns, turns_for_stored
from buto.judging.verdict import Status
from buto.oracle import CheckedRuns
from buto.programs.named import UNKNOWN, Kept, Unkept
from buto.report import phrases
from buto.run.model import run_set
from buto.steps import Action, Step
from tests.support.runs.stored import leaking_run

WHY = Step(Action.WHY, "leaker")


def checked(leak: float, release: str = "17") -> CheckedRuns:
    known = oracle.train(run_set([leaking_run(number) for number in range(10)]))
    runs = [leaking_run(number, leak=leak, **{"jvm.spec.version": release}) for number in range(20, 23)]
    return oracle.judge(known, runs)


@pytest.mark.parametrize(
    ("leak", "release", "status", "actions"),
    [
        (1.0, "17", Status.PASS, []),
        (9.0, "17", Status.REGRESSION, [Action.SHOW_RUN, Action.PLOT, "get turns", Action.ACCEPT]),
        (1.0, "25", Status.INCONCLUSIVE, [Action.SHOW_RUN, Action.TRAIN, "get turns"]),
    ],
)
def test_how_to_get_turns_is_among_the_last_steps_and_training_hides_no_regression(
    leak: float, release: str, status: Status, actions: list[Action | str]
) -> None:
    found = mark_without_turns(checked(leak, release), "it was not kept")
    assert found.verdict.status is status
    steps = steps_without_turns(found, found.oracle, None, "get turns")
    assert [step.action if isinstance(step, Step) else step for step in steps] == actions


def test_of_stored_runs_another_check_has_turns_if_there_can_be_any() -> None:
    known = checked(9.0).oracle
    again = Step(Action.CHECK, "leaker", why="launches old and new in turns")
    assert turns_for_stored(replace(known, program=Kept("0" * 64, 1, 1)), ()) == again
    assert turns_for_stored(replace(known, program=Unkept("mvn builds and starts it")), ()) == NAME_BUILD
    assert turns_for_stored(replace(known, program=UNKNOWN), ()) is None


def test_steps_of_features_stay_and_none_is_made_up() -> None:
    found = mark_without_turns(checked(9.0), "they were named", warns=False)
    steps = steps_without_turns(found, found.oracle, "all", None, more=(WHY,))
    actions = [step.action for step in steps if isinstance(step, Step)]
    assert actions == [Action.SHOW_RUN, Action.PLOT, Action.WHY, Action.ACCEPT]


@pytest.mark.parametrize("leak", [1.0, 9.0])
def test_the_first_line_says_it(leak: float) -> None:
    before = checked(leak)
    after = mark_without_turns(before, "it was not kept")
    assert phrases.headline(after.verdict) == f"without turns, {phrases.headline(before.verdict)}"
    assert after.verdict.warnings[1:] == before.verdict.warnings
    assert replace(after.verdict, without_turns="", warnings=before.verdict.warnings) == before.verdict
