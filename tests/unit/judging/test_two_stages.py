"""How often a check without turns fails an unchanged program, and what the p-value of its three runs means.

Of an unchanged program every way of dealing the runs out (one first run, two more, the rest in training) is
equally likely, so all ways together are the exact distribution of what a check says.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.procedure import Do, Procedure, Why
from buto.judging.profile import TrainingProfile
from buto.judging.selfknowledge.simulation import Stored, Trace, simulate
from buto.run.properties import Better, Kind, Property
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

N_TRAINING, N_CHECKED = 7, 3
ALPHA = 0.05
LIVE = Property("jvm.memory.heap.live", "By", Kind.GAUGE, lower=0.0, better=Better.LOWER)
"""A counter that no machine moves, which scatters here as the used heap does."""

SIZES = {"everything": "0", "some": "1%"}
BY_SIZES = pytest.mark.parametrize("sizes", SIZES)


def unchanged(seed: int = 3) -> TrainingProfile:
    profile = a_profile(N_TRAINING + N_CHECKED, seed, (HEAP, CPU, THREADS))
    return replace(profile, properties=(LIVE, CPU, THREADS))


def all_checks(judge: JudgeSettings, asked: int | None = None) -> list[Trace]:
    """What a check does for each way of dealing ten runs out; for each first run, if none is asked for."""
    profile = unchanged()
    procedure = Procedure(judge.alpha, asked, has_turns=False)
    traces = []
    for checked in combinations(range(N_TRAINING + N_CHECKED), N_CHECKED):
        training = np.delete(profile.values, checked, axis=0)
        for first in checked if asked is None else checked[:1]:
            rows = profile.values[[first, *(verdict for verdict in checked if verdict != first)]]
            traces.append(simulate(procedure, judge, Stored(profile, training, rows)))
    return traces


def judge_by(sizes: str) -> JudgeSettings:
    return replace(CALIBRATED, alpha=ALPHA).with_value("minimum-effect", SIZES[sizes])


@pytest.fixture(scope="module")
def checks() -> dict[str, list[Trace]]:
    return {name: all_checks(judge_by(name)) for name in SIZES}


@BY_SIZES
def test_unchanged_programs_fail_at_most_as_often_as_alpha_says(
    checks: dict[str, list[Trace]], sizes: str
) -> None:
    fails = [trace.fails for trace in checks[sizes]]
    assert len(fails) == 360
    assert 0 < np.mean(fails) <= ALPHA


@BY_SIZES
def test_only_what_no_machine_moves_fails(checks: dict[str, list[Trace]], sizes: str) -> None:
    last = {trace.steps[-1].why for trace in checks[sizes] if trace.steps[-1].do is Do.FAIL}
    undecided = {trace.steps[-1].why for trace in checks[sizes] if trace.steps[-1].do is Do.UNDECIDED}
    assert last == {Why.COUNTED}
    assert undecided <= {Why.NEEDS_TURNS}
    assert any(undecided)


@BY_SIZES
def test_a_first_run_that_is_followed_is_judged_with_those_that_follow(
    checks: dict[str, list[Trace]], sizes: str
) -> None:
    for trace in checks[sizes]:
        first = trace.looks[0].first
        assert first is not None
        assert trace.n_checked == (N_CHECKED if first.is_suspicious else 1)
        assert trace.looks[-1].n_runs == trace.n_checked
    assert {trace.n_checked for trace in checks[sizes]} == {1, N_CHECKED}


@BY_SIZES
def test_three_runs_have_an_exact_p_value(sizes: str) -> None:
    together = np.array([trace.looks[0].p_value for trace in all_checks(judge_by(sizes), asked=N_CHECKED)])
    for level in np.unique(together):
        assert (together <= level).mean() == pytest.approx(level)
