"""Whether a launch depends on the program before it: found where it does, and at its error rate where not."""

from __future__ import annotations

import numpy as np
import pytest

from buto.judging.carryover import carry_over
from buto.judging.orders import balanced_orders
from buto.run.model import BoolArray, FloatArray

NONE = np.zeros(1)


def order(seed: int, n_each: int = 10) -> BoolArray:
    return np.array(balanced_orders(n_each).draw(seed), np.bool_)


def shared_cache(is_new: BoolArray, random: np.random.Generator) -> FloatArray:
    """What a launch costs if it finds the cache of the other program and builds it anew."""
    other = np.concatenate([[False], is_new[1:] != is_new[:-1]])
    return (100.0 + 30.0 * is_new + 50.0 * other + random.normal(0, 1, len(is_new)))[:, None]


@pytest.mark.parametrize("seed", range(5))
def test_a_shared_cache_is_found(seed: int) -> None:
    is_new = order(seed)
    noise = np.random.default_rng(seed).normal(0, 1, (20, 8))
    values = np.hstack([noise, shared_cache(is_new, np.random.default_rng(seed))])
    found = carry_over(values, is_new, np.zeros(9))
    assert found.p_value <= 0.001
    assert found.column == 8


def test_the_error_rate_is_that_of_the_p_value_whatever_the_programs_use() -> None:
    random = np.random.default_rng(7)
    p_values = np.array(
        [
            carry_over(
                100.0 * is_new[:, None] + random.standard_cauchy((len(is_new), 12)), is_new, np.zeros(12)
            ).p_value
            for is_new in (order(seed, 6) for seed in range(200))
        ]
    )
    for alpha in (0.02, 0.05, 0.2):
        # Three standard deviations of a share of 200.
        assert (p_values <= alpha).mean() <= alpha + 3 * np.sqrt(alpha * (1 - alpha) / 200)


def test_what_does_not_matter_is_not_carried_over() -> None:
    is_new = order(1)
    values = shared_cache(is_new, np.random.default_rng(1))
    assert carry_over(values, is_new, np.array([49.0])).p_value <= 0.001
    assert carry_over(values, is_new, np.array([60.0])).column is None


def test_equal_values_and_few_launches_say_nothing() -> None:
    is_new = order(2)
    assert carry_over(np.ones((20, 1)), is_new, NONE).p_value == 1.0
    assert carry_over(np.zeros((20, 0)), is_new, np.zeros(0)).p_value == 1.0
    few = np.array([True, False, True])
    assert carry_over(np.array([[1.0], [2.0], [3.0]]), few, NONE).p_value == 1.0


def test_all_permutations_of_few_launches_are_ranked() -> None:
    """By hand: of three old launches, one came after an old one; the same of the new ones."""
    is_new = np.array([True, False, False, True, True, False, True])
    before_other = np.array([False, True, False, True, False, True, True])
    found = carry_over(before_other[:, None] * 10.0, is_new, NONE)
    assert found.p_value == pytest.approx(1 / 9)
