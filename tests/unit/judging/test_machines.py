"""The judge on runs of several machines: each is judged among the training runs of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from buto.errors import BadFileError, JudgeError
from buto.judging.detector import CalibratedDetector
from buto.judging.judge_settings import CALIBRATED
from buto.judging.machines import FittedMachines
from buto.judging.procedure import Do, Procedure
from buto.judging.protocol import FittedDetector
from buto.judging.verdict import Status
from buto.run.model import Run, run_set
from buto.steps import Action, Advice, Step
from tests.support.runs.signals import Program, program_run

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
