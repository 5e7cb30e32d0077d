"""One score from two parts: the largest deviations together, and the largest increase of a cost."""

from __future__ import annotations

import numpy as np
import pytest

from buto.judging.load.evidence import Scored

N = 40
FAMILY = np.arange(N)
COSTS = np.arange(N) < 4


def scores(deviations: np.ndarray, costs: np.ndarray = COSTS) -> np.ndarray:
    scored = Scored(FAMILY, costs)
    both = np.array([scored.both(deviation) for deviation in deviations])
    return scored.together(both)


@pytest.fixture
def deviations() -> np.ndarray:
    return np.random.default_rng(3).normal(0, 1, (9, N))


def test_one_cost_that_is_much_more_than_expected_is_the_highest_score(deviations: np.ndarray) -> None:
    deviations[8, 2] = 8.0
    assert scores(deviations).argmax() == 8


def test_one_cost_that_is_much_less_than_expected_is_no_peak(deviations: np.ndarray) -> None:
    scored = Scored(FAMILY, COSTS)
    (_, usual) = scored.both(deviations[8])
    deviations[8, deviations[8, :4].argmin()] = -30.0
    assert scored.both(deviations[8])[1] == usual


def test_several_quantities_that_are_no_costs_are_the_highest_score(deviations: np.ndarray) -> None:
    deviations[8, 20:25] = [-8.0, 8.0, 7.0, -9.0, 6.0]
    assert scores(deviations).argmax() == 8


def test_a_large_change_stands_out_though_costs_seldom_increase() -> None:
    usual = np.random.default_rng(3).normal(0, 0.5, 30)
    increases = np.where(np.arange(30) < 20, 0.0, 1.0)
    both = np.column_stack((usual, np.log(0.1 + increases)))
    both[4, 0] = np.log(100.0)
    assert Scored(FAMILY, COSTS).together(both).argmax() == 4


def test_without_costs_the_largest_deviations_alone_are_the_score(deviations: np.ndarray) -> None:
    deviations[8, 2] = 8.0
    none = scores(deviations, np.zeros(N, dtype=bool))
    largest = np.sort(np.abs(deviations), axis=1)[:, -4:]
    assert none.argsort().tolist() == np.log(0.1 + largest).mean(axis=1).argsort().tolist()


def test_the_order_of_the_choices_does_not_matter(deviations: np.ndarray) -> None:
    turned = scores(deviations[::-1])[::-1]
    np.testing.assert_allclose(turned, scores(deviations))


def test_instances_of_one_quantity_count_once() -> None:
    scored = Scored(np.zeros(N, dtype=int), COSTS)
    assert scored.both(np.full(N, 2.0)) == pytest.approx((np.log(2.1), np.log(2.1)))


def test_nothing_to_judge_has_no_score() -> None:
    assert Scored(np.zeros(0, dtype=int), np.zeros(0, dtype=bool)).both(np.zeros(0)) == (0.0, 0.0)
