"""Bets and permutation test of launches in turns, on values of known truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.orders import balanced_orders
from buto.judging.procedure import Do, Procedure, TurnsLook, Why
from buto.judging.profile import TrainingProfile
from buto.judging.turns import (
    Launched,
    Prior,
    Turns,
    look_at_turns,
    prepare_turns,
    without_local_level,
)
from buto.run.model import BoolArray, FloatArray
from buto.run.properties import Property
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

ORDERS = balanced_orders(10)
PROCEDURE = Procedure(0.01)
N_ORDERS = PROCEDURE.n_orders(20)
"""Among how many orders the test ranks the drawn one after the last launch."""

EVERY_SIZE = replace(CALIBRATED, minimum_effect={"*": "0"})
"""All differences count, so that chance has its way."""

PROPERTIES = (HEAP, THREADS, CPU)


def profile_of_machine(seed: int, n_runs: int = 10) -> TrainingProfile:
    return a_profile(n_runs, seed, PROPERTIES)


def launches(seed: int, n: int = 20, *, drift: float = 0.0) -> FloatArray:
    """Rows of an unchanged program, on a machine that moves all of it by a share from first to last."""
    rows = profile_of_machine((1_000_003 + seed), n).values
    return rows * (1 + drift * np.linspace(0, 1, n))[:, None]


def order(seed: int) -> BoolArray:
    return np.array(ORDERS.draw(seed))


def prepared(
    seed: int = 0, *, with_prior: bool = True, judge: JudgeSettings = CALIBRATED, checked: float = 1.0
) -> Turns:
    """How ten known runs and three of a check compare what follows.

    Args:
        checked: factor of the processor time in the three.
    """
    profile = profile_of_machine(seed)
    three = profile_of_machine(seed + 500_000, 3).values
    three[:, columns(profile, CPU)] *= checked
    prior = Prior(profile.values, three) if with_prior else None
    return prepare_turns(profile, judge, ORDERS, profile.values, prior)


def columns(profile: TrainingProfile, prop: Property) -> Sequence[int]:
    number = profile.properties.index(prop)
    return [place for place, feature in enumerate(profile.catalogue) if feature.column == number]


def changed(rows: FloatArray, is_new: BoolArray, factor: float, prop: Property = CPU) -> Launched:
    """Launches in which the new program has so many times as much of a property."""
    rows = rows.copy()
    for place in columns(profile_of_machine(0), prop):
        rows[is_new, place] *= factor
    return Launched(rows, is_new)


def unlabelled(seed: int, drift: float) -> Launched:
    return Launched(launches(seed, drift=drift), order(seed))


@pytest.mark.slow
@pytest.mark.parametrize("with_prior", [True, False])
@pytest.mark.parametrize("drift", [0.0, 0.3])
@pytest.mark.parametrize("checked", [1.0, 1.3])
def test_w_seldom_reaches_what_an_unchanged_program_would_have_to_win(
    with_prior: bool, drift: float, checked: float
):
    """Ville: c with a chance of at most 1/c. Of 200 orders, so many and three deviations more.

    Three odd runs before the turns, and a machine that drifts, change nothing of that.
    """
    turns = [prepared(group, with_prior=with_prior, judge=EVERY_SIZE, checked=checked) for group in range(4)]
    most = []
    for seed in range(200):
        path = turns[seed % 4].wealth(unlabelled(seed, drift)).path
        assert path[0] == pytest.approx(1.0, abs=1e-9) if not with_prior else path[0] > 0
        most.append(path.max())
    for c in (2.0, 5.0, 20.0):
        n_expected = 200 / c
        assert np.sum(np.array(most) >= c) <= n_expected + 3 * (n_expected * (1 - 1 / c)) ** 0.5
    assert max(most) < PROCEDURE.winning


@pytest.mark.slow
def test_w_has_the_expectation_one_over_all_orders_of_the_same_values():
    """All orders of four and four on one set of values, however odd: an identity, no estimate."""
    few = balanced_orders(4)
    profile = profile_of_machine(3)
    rows = launches(8, 8, drift=0.4)
    rows[5] *= 3
    for prior in (None, Prior(profile.values, rows[:3])):
        turns = prepare_turns(profile, EVERY_SIZE, few, profile.values, prior)
        paths = np.array([turns.wealth(Launched(rows, labels)).path for labels in few.is_new])
        assert paths.mean(axis=0) == pytest.approx(np.ones(8))
        assert paths.std() > 0


@pytest.mark.slow
@pytest.mark.parametrize("with_prior", [True, False])
@pytest.mark.parametrize("drift", [0.0, 0.3])
def test_the_p_value_of_unchanged_programs_is_as_small_as_often_as_it_says(with_prior: bool, drift: float):
    """Of 100 orders; a deviation of the count below .1 is 3, of that below .5 it is 5."""
    turns = prepared(with_prior=with_prior, judge=EVERY_SIZE)
    found = np.array([turns.p_value(unlabelled(seed, drift), N_ORDERS) for seed in range(100)])
    assert (found <= 0.1).sum() <= 10 + 3 * 3
    assert (found <= 0.5).sum() <= 50 + 3 * 5
    assert (found <= 0.004).sum() <= 3
    # A test that never finds anything would keep its level, too. With five features, few orders have any.
    assert (found <= 0.1).sum() >= 1


def test_the_p_value_is_exact_over_all_orders_of_the_same_values():
    few = balanced_orders(4)
    profile = profile_of_machine(3)
    rows = launches(8, 8, drift=0.4)
    turns = prepare_turns(profile, EVERY_SIZE, few, rows, None)
    found = np.array([turns.p_value(Launched(rows, labels), N_ORDERS) for labels in few.is_new])
    for level in np.unique(found):
        assert (found <= level).mean() <= level + 1e-9


def decided(turns: Turns, launched: Launched) -> tuple[Do, Why, int]:
    """What turns decide, and after how many launches."""
    wealth = turns.wealth(launched)
    for n in range(1, len(launched) + 1):
        step = PROCEDURE.after_launch(look_at_turns(PROCEDURE, launched.first(n), wealth, turns))
        if step.do is not Do.LAUNCH:
            return step.do, step.why, n
    raise AssertionError("turns have no end")


def test_a_change_that_three_runs_showed_is_found_in_about_ten_launches():
    needed = []
    for seed in range(12):
        do, why, n = decided(prepared(seed, checked=1.3), changed(launches(seed), order(seed), factor=1.3))
        assert (do, why) == (Do.FAIL, Why.BETS)
        needed.append(n)
    assert np.mean(needed) < 12


def test_a_change_of_which_nothing_was_known_is_found_in_twenty_launches():
    found = [
        decided(prepared(seed, with_prior=False), changed(launches(seed), order(seed), factor=1.3))[0]
        for seed in range(8)
    ]
    assert found == [Do.FAIL] * 8


@pytest.mark.parametrize("checked", [1.0, 1.3])
def test_an_unchanged_program_passes_soon(checked: float):
    needed = []
    for seed in range(6):
        do, _, n = decided(prepared(seed, checked=checked), Launched(launches(seed), order(seed)))
        assert do is Do.PASS
        needed.append(n)
    assert np.mean(needed) <= 13


def test_a_thread_more_in_each_run_is_found():
    rows = launches(1)
    is_new = order(1)
    rows[:, columns(profile_of_machine(0), THREADS)] = np.rint(
        rows[:, columns(profile_of_machine(0), THREADS)]
    )
    more = rows.copy()
    more[np.ix_(is_new, columns(profile_of_machine(0), THREADS)[:1])] += 1
    turns = prepared(with_prior=False)
    assert turns.p_value(Launched(more, is_new), N_ORDERS) <= 0.004


def test_the_other_direction_than_before_the_turns_wins_nothing():
    turns = prepared(checked=1.3)
    less = changed(launches(0), order(0), factor=0.7)
    assert turns.wealth(less).path.max() < PROCEDURE.winning
    assert turns.p_value(less, N_ORDERS) > 0.004


@given(st.integers(0, 50), st.integers(1, 20), st.booleans(), st.sampled_from([0.0, 0.5]))
def test_a_bet_that_was_made_is_not_made_again(seed: int, n: int, with_prior: bool, drift: float):
    turns = prepared(3, with_prior=with_prior, checked=1.2)
    whole = changed(launches(seed, drift=drift), order(seed), factor=1.2)
    all_won, first_won = turns.wealth(whole), turns.wealth(whole.first(n))
    # The sum over all features may be rounded in another way where the matrix has other rows.
    np.testing.assert_allclose(first_won.path, all_won.path[:n], rtol=1e-12)
    np.testing.assert_array_equal(first_won.reaches_size, all_won.reaches_size[:n])


def test_what_cannot_be_read_once_bets_no_more_and_is_in_no_test():
    turns = prepared(with_prior=False)
    whole = changed(launches(2), order(2), factor=1.5)
    lost = whole.values.copy()
    lost[6, columns(profile_of_machine(0), CPU)] = np.nan
    wealth = turns.wealth(Launched(lost, whole.is_new))
    assert np.isfinite(wealth.path).all()
    np.testing.assert_array_equal(wealth.path[:6], turns.wealth(whole).path[:6])
    assert turns.p_value(whole, N_ORDERS) <= 0.004
    assert turns.p_value(Launched(lost, whole.is_new), N_ORDERS) > 0.004
    # What it had won before stays, but differs by no size that can be told.
    assert not wealth.reaches_size[6:].any()


def test_launches_of_which_nothing_can_be_read_say_nothing():
    turns = prepared()
    rows = np.full_like(launches(0), np.nan)
    assert turns.p_value(Launched(rows, order(0)), N_ORDERS) == 1.0
    assert not turns.wealth(Launched(rows, order(0))).reaches_size.any()


def test_a_feature_that_training_could_not_read_is_not_compared():
    profile = profile_of_machine(0)
    known = profile.values.copy()
    known[4, columns(profile, CPU)] = np.nan
    turns = prepare_turns(profile, CALIBRATED, ORDERS, known, Prior(known, launches(1, 3)))
    assert not set(columns(profile, CPU)) & set(turns.columns)
    assert turns.weights.sum() == pytest.approx(1.0)


def test_where_only_worse_fails_less_is_no_difference():
    worse = replace(CALIBRATED, fail_on="worse")
    turns = prepared(with_prior=False, judge=worse)
    more, less = (changed(launches(4), order(4), factor) for factor in (1.4, 0.6))
    assert turns.p_value(more, N_ORDERS) <= 0.004
    assert turns.p_value(less, N_ORDERS) > 0.004
    assert turns.wealth(less).path.max() < 2.0
    assert prepared(with_prior=False).p_value(less, N_ORDERS) <= 0.004


def test_too_few_launches_of_one_program_say_nothing():
    turns = prepared(with_prior=False)
    rows = launches(0, 4)
    assert turns.p_value(Launched(rows, np.array([True, False, True, True])), N_ORDERS) == 1.0
    assert turns.p_value(Launched(rows[:3], np.array([True, False, True])), N_ORDERS) == 1.0


def test_orders_whose_chances_are_not_known_allow_no_bets():
    many = balanced_orders(14)
    profile = profile_of_machine(0)
    rows = launches(0, 28)
    is_new = np.array(many.draw(1))
    turns = prepare_turns(profile, CALIBRATED, many, profile.values, None)
    launched = changed(rows, is_new, factor=1.5)
    assert (turns.wealth(launched).path == 1.0).all()
    assert turns.p_value(launched, N_ORDERS) <= 0.004


def test_only_what_was_won_where_the_winners_differ_by_their_size_counts():
    launched = changed(launches(0), order(0), factor=1.3)
    turns = prepared(checked=1.3)
    wealth = turns.wealth(launched)
    for n in (5, 9, 20):
        look = look_at_turns(PROCEDURE, launched.first(n), wealth, None)
        reached = [1.0, *wealth.path[:n][wealth.reaches_size[:n]]]
        n_new = int(launched.is_new[:n].sum())
        assert look == TurnsLook(n - n_new, n_new, max(reached), None)


def test_the_permutation_test_is_made_where_the_rule_looks():
    launched, turns = unlabelled(1, 0.0), prepared()
    wealth = turns.wealth(launched)
    tested = [
        n
        for n in range(1, 21)
        if look_at_turns(PROCEDURE, launched.first(n), wealth, turns).p_value is not None
    ]
    assert tuple(tested) == PROCEDURE.looks


def test_a_machine_that_drifts_hides_less_without_the_local_level():
    """A processor that becomes slower by more than the change that is looked for."""
    rows = np.repeat(np.linspace(1.0, 3.0, 20)[:, None], 2, axis=1)
    rows += 0.02 * np.random.default_rng(1).normal(size=rows.shape)
    left = without_local_level(rows)
    assert left.shape == rows.shape
    assert left.std(axis=0).max() < 0.2 * rows.std(axis=0).min()


def test_a_steady_machine_pays_nothing_for_it():
    kept = []
    for seed in range(20):
        rows = np.random.default_rng(seed).normal(size=(20, 3))
        kept.append(np.corrcoef(rows.T.ravel(), without_local_level(rows).T.ravel())[0, 1])
    assert np.mean(kept) > 0.9


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20), st.floats(-100, 100), st.floats(0.1, 10))
def test_the_local_level_follows_shift_and_scale(values: list[float], shift: float, scale: float):
    rows = np.array(values)[:, None]
    left, moved = without_local_level(rows), without_local_level(scale * rows + shift)
    steps = np.ptp(left), np.ptp(moved)
    assert steps[1] == pytest.approx(scale * steps[0], rel=1e-4, abs=1e-4 * (1 + np.ptp(rows)))
