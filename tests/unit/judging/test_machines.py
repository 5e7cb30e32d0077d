"""The judge on runs of several machines: each is judged among the training runs of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from buto.errors import BadFileError, JudgeError
from buto.judging.detector import CalibratedDetector, FittedCalibrated
from buto.judging.judge_settings import CALIBRATED
from buto.judging.machines import FittedMachines
from buto.judging.procedure import Do, Procedure
from buto.judging.protocol import FittedDetector
from buto.judging.turns import Before
from buto.judging.verdict import Status
from buto.run.model import Run, run_set
from buto.steps import Action, Advice, Step
from tests.support.runs.signals import Program, program_run
from tests.support.runs.trained import waited

SETTINGS = replace(CALIBRATED, alpha=0.05)
UNCHANGED = Program()
CHANGED = Program(heap=4.0, threads=60, classes=900)


def run_on(machine: str, number: int, program: Program = UNCHANGED) -> Run:
    run = program_run(1, number, program)
    return replace(run, metadata={**run.metadata, "environment.label.machine": machine})


def learned(machines: Sequence[str]) -> FittedDetector:
    """What is learned of a run on each of these."""
    runs = [run_on(machine, number) for number, machine in enumerate(machines)]
    return CalibratedDetector(SETTINGS).fit(run_set(runs))


@pytest.fixture(scope="module")
def two() -> FittedDetector:
    return learned(["fast"] * 8 + ["slow"] * 7 + ["old"] * 2)


def test_a_known_machine_is_judged_as_if_training_had_no_others(two: FittedDetector) -> None:
    alone = learned(["fast"] * 8)
    for program in (UNCHANGED, CHANGED):
        runs = run_set([run_on("fast", 50 + number, program) for number in range(3)])
        known = two.check(runs)
        assert known.adjusted == "judged among the 8 training runs of this machine (machine=fast)"
        assert known.n_training == 8
        assert replace(known, adjusted="", n_training=0) == alone.check(runs)


def test_turns_on_a_known_machine_know_what_its_own_training_knows(two: FittedDetector) -> None:
    """What both programs do beyond training, what the machine moves, and what is looked at first."""
    alone = learned(["fast"] * 8)
    runs = run_set([waited(run_on("fast", 50 + number, CHANGED), 9.0) for number in range(3)])
    excesses = two.beyond_training(runs)
    assert "jvm.class.count" in {excess.quantity.name for excess in excesses}
    assert excesses == alone.beyond_training(runs)
    assert two.moved_by_machine(runs) == alone.moved_by_machine(runs)
    known, own = two.before(runs), alone.before(runs)
    assert isinstance(known, Before)
    assert isinstance(own, Before)
    np.testing.assert_array_equal(known.known, own.known)
    np.testing.assert_array_equal(known.checked, own.checked)


def test_turns_elsewhere_know_nothing_of_training(two: FittedDetector) -> None:
    mixed = [run_on(machine, 60 + number, CHANGED) for number, machine in enumerate(("fast", "slow"))]
    for runs in (run_set([run_on("old", 60, CHANGED)]), run_set(mixed)):
        known = (two.beyond_training(runs), two.moved_by_machine(runs), two.before(runs))
        assert known == ((), frozenset(), None)


def test_a_mood_is_that_of_its_own_machine(two: FittedDetector) -> None:
    mood = [run_on("slow", 70 + number) for number in range(2)]
    moody = two.with_mood([*mood, run_on("new", 72)])
    assert isinstance(moody, FittedMachines)
    moods = {
        known.environment["environment.label.machine"]: known.fitted.mood
        for known in moody.known
        if isinstance(known.fitted, FittedCalibrated)
    }
    assert moods == {"fast": (), "slow": tuple(mood)}


@pytest.mark.parametrize(("machine", "fact"), [("new", "no training run is"), ("old", "2 training runs are")])
def test_a_machine_with_few_training_runs_is_inconclusive_and_says_what_to_record(
    two: FittedDetector, machine: str, fact: str
) -> None:
    verdict = two.check(run_set([run_on(machine, 60, CHANGED)]))
    assert (verdict.status, verdict.findings, verdict.p_value) == (Status.INCONCLUSIVE, (), None)
    [reason] = verdict.reasons
    assert isinstance(reason, Advice)
    assert reason.fact.startswith(f"{fact} of this environment (machine={machine})")
    steps = [part for part in reason.parts if isinstance(part, Step)]
    test = run_on(machine, 60).test
    assert steps == [Step(Action.RECORD, test, runs=5), Step(Action.TRAIN, test, from_runs="all")]


def test_turns_follow_where_the_old_program_is_kept(two: FittedDetector) -> None:
    looked = two.check(run_set([run_on("new", 60)])).looked
    assert looked is not None
    assert Procedure(SETTINGS.alpha, has_turns=True).after_runs(looked).do is Do.TURNS
    assert Procedure(SETTINGS.alpha, has_turns=False).after_runs(looked).do is Do.UNDECIDED


def test_training_names_machines_with_few_runs(two: FittedDetector) -> None:
    runs = run_set([run_on("fast", number) for number in range(8)])
    assert two.training_warnings(runs)[0].startswith("fewer than 5 training runs are of machine=old")


def test_training_needs_one_machine_with_five_runs() -> None:
    with pytest.raises(JudgeError, match="no environment has 5 of these 12 runs"):
        learned(["fast", "slow", "old"] * 4)


def test_machines_that_never_repeat_count_as_draws_of_all() -> None:
    draws = learned([str(number) for number in range(9)])
    verdict = draws.check(run_set([run_on("new", 60)]))
    assert verdict.adjusted == "judged among 9 training runs of 9 machines, as one more draw of these"
    assert verdict.status is Status.PASS


def test_a_draw_is_beyond_all_others_unless_something_in_it_is_new() -> None:
    """As a check fails for it, or does not, because training does not show what that changes."""
    draws = learned([str(number) for number in range(9)])
    runs = [run_on("new", 60 + number, CHANGED) for number in range(3)]
    assert "jvm.class.count" in {excess.quantity.name for excess in draws.beyond_training(run_set(runs))}
    new = [replace(run, metadata={**run.metadata, "environment.label.rack": "b"}) for run in runs]
    assert draws.beyond_training(run_set(new)) == ()


def test_runs_of_different_machines_are_not_judged_together(two: FittedDetector) -> None:
    verdict = two.check(run_set([run_on("fast", 60), run_on("slow", 61)]))
    assert verdict.status is Status.INCONCLUSIVE


def test_what_is_stored_is_read_as_it_was(two: FittedDetector) -> None:
    again = CalibratedDetector(SETTINGS).from_data(two.to_data())
    assert isinstance(again, FittedMachines)
    assert again.to_data() == two.to_data()
    for machine in ("slow", "new"):
        run = run_set([run_on(machine, 60)])
        assert again.check(run) == two.check(run)


def test_an_oracle_of_an_earlier_version_is_read(two: FittedDetector) -> None:
    data = two.to_data()
    earlier = {
        "machines": data["machines"],
        "elsewhere": {"environments": data["environments"], "quantities": []},
        "left_out": {},
    }
    assert CalibratedDetector(SETTINGS).from_data(earlier).to_data() == data


def test_a_component_that_is_no_single_value_is_refused(two: FittedDetector) -> None:
    data = two.to_data()
    data["environments"][0]["environment.label.machine"] = ["fast"]
    with pytest.raises(BadFileError, match=r"component environment\.label\.machine"):
        CalibratedDetector(SETTINGS).from_data(data)
