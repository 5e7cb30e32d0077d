"""What a user is told beside results."""

from __future__ import annotations

from math import nan

import pytest

from buto.actions.advice import busy_training
from buto.run.model import Quality, run_set
from buto.steps import Action, Step
from tests.support.runs.stored import leaking_run


@pytest.mark.parametrize(
    ("shares", "is_busy"),
    [((0.3, 0.4, 0.5), True), ((0.9, 0.1, 0.1), False), ((nan, nan, nan), False)],
)
def test_a_training_on_a_busy_machine_is_to_be_repeated(shares: tuple[float, ...], is_busy: bool) -> None:
    made = [leaking_run(number, quality=Quality(foreign_load=share)) for number, share in enumerate(shares)]
    runs = run_set(made)
    warning = busy_training(runs)
    assert (warning is not None) is is_busy
    assert warning is None or warning.parts[-1] == Step(Action.TRAIN, runs.runs[0].test)
