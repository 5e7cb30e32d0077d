"""Orders of launches in turns: balanced in time, alike for both programs, with chances that are counted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.orders import MOST_IN_A_ROW, N_DRAWN, Orders, balanced_orders

SIZES = (3, 5, 10, 14)
"""Of each program; of 14 there are too many orders to have them all."""


@pytest.mark.parametrize("n_each", SIZES)
def test_each_program_is_launched_as_often(n_each: int):
    orders = balanced_orders(n_each)
    assert orders.n_launches == 2 * n_each
    assert (orders.is_new.sum(axis=1) == n_each).all()
    assert len(orders.is_new) > 1


@pytest.mark.parametrize("n_each", SIZES)
def test_neither_program_has_the_better_places(n_each: int):
    """With each order its mirror image is in the set, so that each place has each program as often."""
    is_new = balanced_orders(n_each).is_new
    every = sorted(map(bytes, is_new))
    assert sorted(map(bytes, ~is_new)) == every
    assert (is_new.mean(axis=0) == 0.5).all()


@pytest.mark.parametrize("n_each", [5, 10, 14])
def test_a_machine_that_grows_slower_meets_both_alike(n_each: int):
    """By a plain count of each order: rows of one program, shares of prefixes, and places in time."""
    n = 2 * n_each
    orders = balanced_orders(n_each).is_new
    for order in orders[:: max(1, len(orders) // 500)].tolist():
        longest = row = 1
        for before, label in pairwise(order):
            row = row + 1 if label == before else 1
            longest = max(longest, row)
        assert longest <= MOST_IN_A_ROW
        for length in (length for length in (8, 13) if length < n):
            n_new = sum(order[:length])
            assert 3 * length <= 8 * n_new <= 5 * length
        places = [place - (n - 1) / 2 for place in range(n)]
        of_new = [place for place, label in zip(places, order, strict=True) if label]
        assert abs(sum(of_new)) <= 15 * (n / 20) ** 1.5 + 1e-6
        mean_square = sum(place**2 for place in places) / n
        assert abs(sum(place**2 - mean_square for place in of_new)) <= 120 * (n / 20) ** 2.5 + 1e-6


def test_small_sets_have_every_balanced_order_and_large_ones_as_many_as_are_enough():
    for n_each in (3, 5, 10):
        orders = balanced_orders(n_each)
        assert orders.complete
        assert len(np.unique(orders.is_new, axis=0)) == len(orders.is_new)
    assert len(balanced_orders(10).is_new) == 100_280
    many = balanced_orders(14)
    assert not many.complete
    assert len(many.is_new) == N_DRAWN


def test_the_orders_of_three_and_three_are_those_that_hardly_grow_either_way():
    """Of the twenty; by the limits for three, places may sum up to 2.4 and their squares to 5.9."""
    names = {
        "".join("n" if label else "o" for label in order) for order in balanced_orders(3).is_new.tolist()
    }
    of_new_first = {"nonono", "noonno", "noonon", "nonoon"}
    assert names == of_new_first | {name.translate(str.maketrans("no", "on")) for name in of_new_first}


@pytest.mark.parametrize("n_each", [3, 10, 14])
def test_what_is_drawn_is_of_the_set_and_each_order_is_drawn(n_each: int):
    orders = balanced_orders(n_each)
    ours = set(map(tuple, orders.is_new.tolist()))
    drawn = {orders.draw(seed) for seed in range(300)}
    assert drawn <= ours
    assert len(drawn) == len(ours) if len(ours) < 20 else len(drawn) > 250
    assert orders.draw(7) == orders.draw(7)


@given(st.sampled_from([3, 4, 5]), st.integers(0, 1000), st.data())
def test_the_chance_of_a_label_is_that_of_a_plain_count(n_each: int, seed: int, data: st.DataObject):
    orders = balanced_orders(n_each)
    order = orders.draw(seed)
    n = data.draw(st.integers(1, 2 * n_each))
    chances = orders.chances(np.array(order[:n]))
    for place in range(n):
        alike = [
            drawn_order
            for drawn_order in orders.is_new.tolist()
            if drawn_order[:place] == list(order[:place])
        ]
        assert chances[place] == sum(drawn_order[place] for drawn_order in alike) / len(alike)


def test_the_chances_of_all_labels_give_the_chance_of_an_order():
    orders = balanced_orders(4)
    for order in orders.is_new:
        chances = orders.chances(order)
        assert np.prod(np.where(order, chances, 1 - chances)) == pytest.approx(1 / len(orders.is_new))


def test_the_last_label_is_known_before_it_is_seen():
    orders = balanced_orders(10)
    for seed in range(20):
        order = np.array(orders.draw(seed))
        assert orders.chances(order)[-1] == order[-1]


def test_an_order_of_another_set_is_not_allowed():
    orders = balanced_orders(10)
    assert orders.allows(np.array(orders.draw(3)))
    assert orders.allows(np.array(orders.draw(3)[:9]))
    assert not orders.allows(np.repeat([False, True], 10))
    assert not orders.allows(np.zeros(5, np.bool_))


def test_only_the_beginning_of_the_drawn_order_is_allowed_where_its_seed_is_known():
    orders = balanced_orders(10)
    order = np.array(orders.draw(3))
    assert all(orders.allows(order[:n], 3) for n in range(1, 21))
    tails = [order[first:] for first in range(1, 13)]
    assert any(orders.allows(tail) for tail in tails)
    assert not any(orders.allows(tail, 3) for tail in tails)
    assert not orders.allows(order, 4)


@pytest.mark.parametrize("n_each", [4, 10, 14])
@pytest.mark.parametrize("n", [6, 8])
def test_alternatives_begin_with_the_drawn_order_and_have_the_others_as_often_as_the_set(n_each: int, n: int):
    orders = balanced_orders(n_each)
    labels = np.array(orders.draw(11)[:n])
    found = orders.alternatives(labels, most=4000)
    assert found.shape == (min(4000, len(orders.is_new)), n)
    assert (found[0] == labels).all()
    beginnings = {bytes(order) for order in orders.is_new[:, :n]}
    assert {bytes(order) for order in found} <= beginnings
    if len(orders.is_new) <= 4000:
        assert sorted(map(bytes, found)) == sorted(map(bytes, orders.is_new[:, :n]))
    else:
        share = (found[1:] == labels).all(axis=1).mean()
        expected = (orders.is_new[:, :n] == labels).all(axis=1).mean()
        assert abs(share - expected) < 5 * (expected / 4000) ** 0.5


def test_the_rank_of_a_drawn_order_among_alternatives_is_uniform():
    """A score that prefers some orders: whichever is drawn, a tenth of them is among the highest tenth."""
    orders: Orders = balanced_orders(5)
    weights = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0])
    ranks = []
    for labels in orders.is_new:
        scores = orders.alternatives(labels, most=4000) @ weights
        ranks.append((scores >= scores[0]).mean())
    for level in (0.05, 0.1, 0.3, 0.5):
        assert np.mean(np.array(ranks) <= level) <= level
    assert np.mean(np.array(ranks) <= 0.5) > 0.3
