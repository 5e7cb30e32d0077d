"""What lies outside of the measured window decides nothing, and windows are not mixed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from buto import oracle
from buto.judging.verdict import Status, Verdict
from buto.oracle import Oracle
from buto.run.model import Mark, Run, RunSet, run_set
from buto.run.window import Moment, Window, with_window
from tests.support.judging import needs_turns
from tests.support.runs.stored import leaking_run

LOAD = Window(Moment("load.start"), Moment("load.end"))


def loaded(number: int, *, more_from_s: float = 9.0) -> Run:
    """Return a run under load from 1 s to 2.5 s, with more memory in the half second from a time on."""
    run = leaking_run(number, leak=0.0)
    values = np.array(run.values)
    late = (run.times_s >= more_from_s) & (run.times_s < more_from_s + 0.5)
    values[late, 0] += 8 * 2**20
    marks = (Mark(1.0, "load.start"), Mark(2.5, "load.end"))
    return with_window(replace(run, values=values, marks=marks), LOAD)


@cache
def known() -> Oracle:
    return oracle.train(run_set([loaded(number) for number in range(10)]))


def judged(*numbers: int, more_from_s: float = 9.0) -> Verdict:
    return oracle.check(known(), run_set([loaded(number, more_from_s=more_from_s) for number in numbers]))


def test_a_difference_before_or_after_the_window_passes() -> None:
    assert judged(20, 21, 22).status is Status.PASS
    assert judged(20, 21, 22, more_from_s=0.2).status is Status.PASS
    assert judged(20, 21, 22, more_from_s=2.55).status is Status.PASS


def test_a_difference_in_the_window_does_not() -> None:
    assert needs_turns(judged(20, 21, 22, more_from_s=1.5))


def test_another_window_cannot_be_judged() -> None:
    other = with_window(loaded(20), Window(Moment("load.start")))
    verdict = oracle.check(known(), RunSet((other,)))
    assert verdict.status is Status.INCONCLUSIVE
    reason = "buto.window is 'load.start to end'; it was 'load.start to load.end' in training"
    assert verdict.reasons[0] == reason
    whole = oracle.check(known(), RunSet((with_window(loaded(20), None),)))
    assert whole.status is Status.INCONCLUSIVE
