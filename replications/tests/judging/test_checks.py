"""Checks of runs with a known answer, and the decisions that follow from their p-values."""

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest

from buto.judging.calibrated.settings import CALIBRATED
from buto.oracle import check, train, why_confirm
from buto.run.model import RunSet
from buto_replications.judging.checks import (
    FACTORS,
    N_TRAINING,
    N_TURNS,
    SUSPICIOUS,
    Check,
    Trained,
    in_turns,
    with_sizes,
)
from replications.tests.support.variants import MIB, NAMES, variant_run


def recorded(first, n_runs, more=0.0):
    """Runs whose used heap is so many MiB more."""
    runs = [variant_run("leaker-string", first + number) for number in range(n_runs)]
    heap = more * MIB * (np.array(NAMES) == "jvm.memory.heap.used")
    return [replace(run, id=f"{run.id}-{more:g}", values=run.values + heap) for run in runs]


def test_a_check_fails_after_turns_only_if_three_runs_led_to_them():
    confirmed = Check(followed=True, three=0.03, turns=0.004)
    assert confirmed.suspicious() and confirmed.fails(0.01) and not confirmed.fails_alone(0.01)
    cleared = Check(followed=True, three=0.004, turns=0.3)
    assert cleared.fails_alone(0.01) and not cleared.fails(0.01)
    ordinary = Check(followed=True, three=0.4, turns=0.004)
    assert not ordinary.suspicious() and not ordinary.fails(0.01)
    passed = Check(followed=False)
    assert isnan(passed.three) and not passed.fails(0.5) and not passed.fails_alone(0.5)


@pytest.mark.parametrize(
    ("one", "launches"),
    [
        (Check(followed=False), 1),
        (Check(followed=True, three=0.4), 3),
        (Check(followed=True, three=SUSPICIOUS, turns=nan), 3 + 2 * N_TURNS),
    ],
)
def test_a_check_takes_one_launch_three_or_the_turns_beside(one, launches):
    assert one.launches == launches


def test_a_trained_judge_says_what_a_check_says():
    training = recorded(0, N_TRAINING)
    oracle = train(RunSet(tuple(training)))
    trained = Trained.by(training)
    for more in (0.0, 30.0):
        for first in (20, 23, 26):
            three = recorded(first, 3, more)
            found = trained.check(three)
            alone = check(oracle, RunSet((three[0],)))
            assert found.followed == (why_confirm(oracle, alone) is not None)
            if found.followed:
                assert found.three == check(oracle, RunSet(tuple(three))).p_value
            assert trained.check(three) == found
    assert trained.check(recorded(20, 3, 30.0)).three == pytest.approx(1 / 286)


def test_turns_follow_what_is_suspicious_and_compare_the_two_programs():
    trained = Trained.by(recorded(0, N_TRAINING))
    old, same, new = recorded(30, N_TURNS), recorded(40, N_TURNS), recorded(50, N_TURNS, 30.0)
    changed = recorded(20, 3, 30.0)
    assert trained.check(changed, (old, new)).turns == in_turns(old, new) == pytest.approx(2 / 924)
    assert trained.check(changed, (old, same)).turns == in_turns(old, same) > 0.01
    assert isnan(trained.check(changed).turns)
    ordinary = [trained.check(recorded(first, 3), (old, new)) for first in (20, 23, 26)]
    assert all(isnan(one.turns) for one in ordinary if not one.suspicious())


def test_sizes_are_multiplied_and_zero_asks_for_everything():
    assert with_sizes(1.0) == CALIBRATED
    assert with_sizes(0.0).minimum_effect == {"*": "0"}
    twice = with_sizes(2.0).minimum_effect
    assert with_sizes(1.0 + 1e-9).minimum_effect.keys() == twice.keys()
    assert twice["jvm.memory.*Eden*"] == "never"
    change = recorded(20, 3, 1.0)
    trained = Trained.by(recorded(0, N_TRAINING))
    p_values = [trained.with_settings(with_sizes(factor)).check(change) for factor in FACTORS]
    assert p_values[0].three == pytest.approx(1 / 286)
    assert not p_values[-1].fails_alone(0.01)
    assert all(one.noted for one in p_values if one.followed)
