"""The statistic of causes, against plain loops and on noise."""

from __future__ import annotations

import numpy as np
import pytest

from buto.causes import explain
from tests.support.references import naive_causes


def table(seed: int, n_launches: int, n_units: int = 12) -> tuple[np.ndarray, ...]:
    source = np.random.default_rng(seed)
    levels = source.lognormal(8, 2, n_units)
    old, new = (source.poisson(levels, (n_launches, n_units)).astype(float) for _ in range(2))
    new[:, 0] *= 3
    new[:, 2] *= 0.5 if seed % 2 else 1
    old[:, 1] = new[:, 1] = 0
    return old, new, old.copy(), new.copy()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_launches", [1, 2, 3, 5])
def test_it_is_the_same_in_plain_loops(seed: int, n_launches: int) -> None:
    old, new, old_squares, new_squares = table(seed, n_launches)
    variance = explain.variances(old, new, old_squares, new_squares, 1.0)
    z = explain.deviations(old, new, variance)
    rise = new.mean(axis=0) - old.mean(axis=0)
    columns = range(old.shape[1])
    slow = [
        naive_causes.deviations(
            *(array[:, at].tolist() for array in (old, new, old_squares, new_squares)), 1.0
        )
        for at in columns
    ]
    assert z == pytest.approx(slow)
    share = explain.shares(old, new)
    assert explain.rank(z, rise, share).tolist() == naive_causes.order(slow, rise.tolist())
    by_unit = ([array[:, at].tolist() for at in columns] for array in (old, new))
    assert explain.find_named(z, share, old, new).tolist() == naive_causes.named(
        slow, rise.tolist(), *by_unit
    )
    assert explain.exceeds_falls(z, rise).tolist() == naive_causes.exceeds_falls(slow, rise.tolist())


@pytest.mark.parametrize("n_launches", [1, 2])
def test_with_fewer_than_three_launches_nothing_is_named_however_large_it_is(n_launches: int) -> None:
    old, new = np.full((n_launches, 1), 1.0), np.full((n_launches, 1), 1e9)
    assert not explain.find_named(np.array([1e6]), np.array([1.0]), old, new).any()


def test_a_threefold_rise_is_named_and_a_share_below_a_tenth_is_not() -> None:
    old = np.array([[100.0, 1e5]] * 3)
    new = np.array([[300.0, 3e5]] * 3)
    z = explain.deviations(old, new, explain.variances(old, new, old * 0, new * 0, 1.0))
    assert (z > 5).all()
    assert explain.find_named(z, explain.shares(old, new), old, new).tolist() == [False, True]


@pytest.mark.parametrize(("fallen", "is_named"), [(0.0, True), (8e5, True), (1.2e6, False)])
def test_what_moved_from_one_method_to_others_is_not_named(fallen: float, is_named: bool) -> None:
    """Two methods rise by a million each; one falls by so much."""
    old = np.array([[2e5, 2e5, 4e6]] * 3)
    new = np.array([[1.2e6, 1.2e6, 4e6 - fallen]] * 3)
    z = explain.deviations(old, new, explain.variances(old, new, old * 0, new * 0, 1.0))
    assert explain.exceeds_falls(z, (new - old)[0]).tolist() == [is_named, is_named, False]


@pytest.mark.parametrize(("to", "is_named"), [(0.985e6, True), (0.96e6, False)])
def test_falls_within_the_noise_do_not_hide_a_cause_unless_the_sum_of_all_falls(
    to: float, is_named: bool
) -> None:
    """Fifty methods fall within the noise: together by less or by more than the cause rises."""
    old = np.array([[1e5, *[1e6] * 50]] * 3)
    new = np.array([[1e6, *[to] * 50]] * 3)
    z = explain.deviations(old, new, explain.variances(old, new, old * 0, new * 0, 1.0))
    assert (z[1:] > -explain.FELL).all()
    assert explain.exceeds_falls(z, (new - old)[0])[0] == is_named


@pytest.mark.parametrize("n_launches", [3, 5])
def test_noise_of_one_launch_in_ten_is_seldom_named(n_launches: int) -> None:
    """Levels of all sizes, launches that scatter by a tenth, and the noise of sampling, in 200 tables."""
    n_named = 0
    for seed in range(200):
        source = np.random.default_rng(seed)
        levels = source.lognormal(8, 2, 40)
        old, new = (
            source.poisson(levels * source.normal(1, 0.1, (n_launches, 40)).clip(0.3)).astype(float)
            for _ in range(2)
        )
        variance = explain.variances(old, new, old, new, 1.0)
        z = explain.deviations(old, new, variance)
        n_named += explain.find_named(z, explain.shares(old, new), old, new).any()
    assert n_named <= 10


def test_what_did_not_rise_has_no_share_and_no_rank() -> None:
    old, new = np.array([[5.0, 1.0]] * 3), np.array([[1.0, 1.0]] * 3)
    assert explain.shares(old, new).tolist() == [0.0, 0.0]
    assert explain.rank(np.array([-9.0, 0.0]), np.array([-4.0, 0.0]), np.zeros(2)).tolist() == []


def test_evidence_comes_before_size_from_a_tenth_of_all_that_rose_on() -> None:
    z, rise = np.array([9.0, 1.0, 9.0]), np.array([2.0, 80.0, 18.0])
    assert explain.rank(z, rise, rise / rise.sum()).tolist() == [2, 1, 0]
