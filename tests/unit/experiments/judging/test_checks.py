"""Checks of runs with a known answer, and the decisions that follow from their p-values."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest

from buto.experiments.judging.checks import (
    METHODS,
    N_TRAINING,
    NEXT,
    NOW,
    Check,
    Trained,
    Way,
    checked,
    with_two_more,
)
from buto.runs import RunSet
from tests.support.runs.variants import variant_run
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile


def test_a_confirmed_check_needs_both_the_gate_and_three_runs() -> None:
    behind = Check(alone=0.5, followed=True, three=0.01)
    assert behind.fails(Way.CONFIRMED, 0.01) and behind.fails(Way.THREE, 0.01)
    assert not behind.fails(Way.ONE, 0.05)
    before = Check(alone=0.001, followed=False, three=0.01)
    assert not before.fails(Way.CONFIRMED, 0.01)
    assert before.fails(Way.ONE, 0.01) and before.fails(Way.THREE, 0.01)
    assert not Check(alone=0.5, followed=False, three=nan).fails(Way.CONFIRMED, 0.05)


@pytest.mark.parametrize("method", METHODS)
def test_a_change_of_many_deviations_passes_every_gate_and_has_the_smallest_rank(method: str) -> None:
    profile = a_profile(N_TRAINING + 3, 3, (HEAP, CPU, THREADS))
    training, rows = profile.values[:N_TRAINING], profile.values[N_TRAINING:]
    found = checked(profile, training, 3.0 * rows, METHODS[method])
    assert found.followed and found.three == pytest.approx(1 / 286)


def test_two_more_runs_are_judged_only_if_they_would_follow_or_somebody_asks() -> None:
    profile = a_profile(N_TRAINING + 3, 3, (HEAP, CPU, THREADS))
    training = profile.values[:N_TRAINING]
    usual = np.tile(training.mean(axis=0), (3, 1))
    brief = checked(profile, training, usual, METHODS[NOW], always=False)
    assert not brief.followed and isnan(brief.three)
    assert checked(profile, training, usual, METHODS[NOW]).three > 0.05


def test_an_obvious_difference_of_one_property_follows_behind_the_gate_of_the_next_method_only() -> None:
    profile = a_profile(N_TRAINING, 5, (HEAP, CPU, THREADS))
    odd = profile.values.copy()
    odd[0, :12] *= 30.0
    row = profile.values.mean(axis=0)
    row[12:17] *= 4.0
    found = {
        name: checked(profile, odd, np.tile(row, (3, 1)), settings, always=False)
        for name, settings in METHODS.items()
    }
    assert found[NEXT].followed
    assert not found[NOW].followed


def test_a_trained_method_judges_runs_as_the_detector_does() -> None:
    runs = [variant_run("leaker-string", number) for number in range(13)]
    for settings in METHODS.values():
        trained = Trained.by(runs[:N_TRAINING], settings)
        found = trained.check(runs[N_TRAINING:], always=True)
        fitted = trained.fitted
        assert found.alone == fitted.evidence(RunSet((runs[N_TRAINING],))).significance.p_value
        assert found.three == fitted.evidence(RunSet(tuple(runs[N_TRAINING:]))).significance.p_value
        assert trained.check(runs[N_TRAINING:], always=True) == found


def test_a_first_run_does_not_confirm_itself() -> None:
    assert with_two_more(2, [4, 2, 0, 1]) == [2, 4, 0]
