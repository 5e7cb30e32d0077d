"""Which launches count live objects at the end, and what a user reads if they were not counted."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from buto.actions.advice import remarks
from buto.actions.case import accepted, checked, learned
from buto.actions.stored import Known
from buto.measure.target import NOT_IN_TRAINING, LiveSet
from buto.oracle import Oracle
from buto.project.model import TestConfig, build_test
from buto.run.model import Run, run_set
from buto.run.properties import LIVE_OBJECTS, property_for
from tests.support.runs.examples import full_run

PATH = Path("oracle.json")
TOO_LARGE = "the heap was 3.1 GiB (limit 2 GiB)"


def leaker(live_set: str = "end") -> TestConfig:
    return build_test("leaker", {"command": ["java", "A"], "live-set": live_set}, None, {})


def oracle(**left_out: str) -> Known:
    return Known(cast(Oracle, SimpleNamespace(fitted=SimpleNamespace(left_out=left_out))), PATH)


def test_a_training_gives_up_and_a_check_does_as_its_training_did() -> None:
    left_out = oracle(**{LIVE_OBJECTS: "not read in 1 of 10 of the training runs"})
    assert learned(leaker(), PATH).test.target.live_set == LiveSet(gives_up=True)
    assert checked(leaker(), oracle()).test.target.live_set == LiveSet()
    unasked = checked(leaker(), left_out).test
    assert unasked.target.live_set == LiveSet(why_not=NOT_IN_TRAINING)
    assert accepted(unasked, left_out).test.target.live_set == LiveSet(gives_up=True)


@pytest.mark.parametrize("written", ["off", "marks", "2s"])
def test_what_was_asked_for_is_done(written: str) -> None:
    left_out = oracle(**{LIVE_OBJECTS: "no value"})
    asked = leaker(written).target.live_set
    assert learned(leaker(written), PATH).test.target.live_set == asked
    assert checked(leaker(written), left_out).test.target.live_set == asked


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
    one = run_set([full_run(properties=both.properties, values=np.ones((3, 1))), uncounted(TOO_LARGE, 2)])
    assert tuple(remarks(one)) == (f"live objects were not counted at the end in 1 of 2 runs: {TOO_LARGE}",)


def test_a_check_does_not_repeat_what_its_training_said() -> None:
    assert tuple(remarks(run_set([uncounted(NOT_IN_TRAINING)]))) == ()
