"""Which launches count live objects at the end, and what a user reads if they were not counted."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from buto.actions.advice import remarks
from buto.actions.plan import plan_acceptance, plan_check, plan_training
from buto.actions.workspace import KnownOracle
from buto.judging.judge_settings import CALIBRATED
from buto.measure.target import NOT_IN_TRAINING, LiveSet
from buto.oracle import Oracle
from buto.programs.named import UNKNOWN
from buto.project.model import TestConfig, build_test
from buto.run.model import Run, run_set
from buto.run.properties import LIVE_OBJECTS, property_for
from tests.support.runs.examples import full_run

PATH = Path("oracle.json")
TOO_LARGE = "the heap was 3.1 GiB (limit 2 GiB)"


def leaker(live_set: str = "end") -> TestConfig:
    return build_test("leaker", {"command": ["java", "A"], "live-set": live_set}, None, {})


def oracle(**left_out: str) -> KnownOracle:
    fitted = SimpleNamespace(left_out=left_out)
    known = SimpleNamespace(fitted=fitted, program=UNKNOWN, settings=CALIBRATED, run_ids=("a",) * 10)
    return KnownOracle(cast(Oracle, known), PATH)


def test_a_training_gives_up_and_a_check_does_as_its_training_did() -> None:
    left_out = oracle(**{LIVE_OBJECTS: "not read in 1 of 10 of the training runs"})
    assert plan_training(leaker(), PATH).test.target.live_set == LiveSet(gives_up=True)
    assert plan_check(leaker(), oracle()).test.target.live_set == LiveSet()
    unasked = plan_check(leaker(), left_out).test
    assert unasked.target.live_set == LiveSet(why_not=NOT_IN_TRAINING)
    assert plan_acceptance(unasked, left_out).test.target.live_set == LiveSet(gives_up=True)


@pytest.mark.parametrize("written", ["off", "marks", "2s"])
def test_what_was_asked_for_is_done(written: str) -> None:
    left_out = oracle(**{LIVE_OBJECTS: "no value"})
    asked = leaker(written).target.live_set
    assert plan_training(leaker(written), PATH).test.target.live_set == asked
    assert plan_check(leaker(written), left_out).test.target.live_set == asked


def uncounted(reason: str, number: int = 1) -> Run:
    return full_run(
        f"20261120T23404{number}.123Z-1f2e",
        properties=(property_for(LIVE_OBJECTS),),
        values=np.full((3, 1), np.nan),
        nan_reasons={LIVE_OBJECTS: reason},
        histograms=(),
        stderr=b"",
    )


def test_a_user_reads_why_live_objects_were_not_counted() -> None:
    both = run_set([uncounted(TOO_LARGE, 1), uncounted(TOO_LARGE, 2)])
    assert tuple(remarks(both)) == (f"live objects were not counted at the end: {TOO_LARGE}",)
    runs = run_set([full_run(properties=both.properties, values=np.ones((3, 1))), uncounted(TOO_LARGE, 2)])
    assert tuple(remarks(runs)) == (f"live objects were not counted at the end in 1 of 2 runs: {TOO_LARGE}",)


def test_a_check_does_not_repeat_what_its_training_said() -> None:
    assert tuple(remarks(run_set([uncounted(NOT_IN_TRAINING)]))) == ()
