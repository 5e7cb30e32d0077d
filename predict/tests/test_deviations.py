"""Cliff's delta and the rank sum test, with direction and smallest sizes."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from buto_predict.deviations import Size, can_be_significant, cliffs_delta, deviation, fewest, size_of

SAMPLES = st.lists(st.integers(0, 20), min_size=1, max_size=30)


def brute_force(old, new):
    signs = [(n > o) - (n < o) for o, n in product(old, new)]
    return sum(signs) / len(signs)


@given(SAMPLES, SAMPLES)
def test_delta_is_what_brute_force_gives(old, new):
    delta = cliffs_delta(np.array(old, dtype=float), np.array(new, dtype=float))
    assert delta == pytest.approx(brute_force(old, new), abs=1e-12)


@given(SAMPLES, SAMPLES)
def test_delta_is_that_of_mann_and_whitneys_u(old, new):
    u = mannwhitneyu(new, old).statistic
    delta = cliffs_delta(np.array(old, dtype=float), np.array(new, dtype=float))
    assert delta == pytest.approx(2 * u / (len(old) * len(new)) - 1, abs=1e-12)


@given(SAMPLES, SAMPLES)
def test_the_direction_turns_with_the_sides(old, new):
    a, b = np.array(old, dtype=float), np.array(new, dtype=float)
    assert cliffs_delta(a, b) == pytest.approx(-cliffs_delta(b, a), abs=1e-12)


@pytest.mark.parametrize(
    ("delta", "size"),
    [(0.146, Size.NEGLIGIBLE), (-0.147, Size.SMALL), (0.33, Size.MEDIUM), (-0.474, Size.LARGE)],
)
def test_sizes_have_the_usual_limits(delta, size):
    assert size_of(delta) is size


def test_a_slower_component_has_a_positive_delta():
    old, new = np.linspace(1, 1.1, 5), np.linspace(2, 2.1, 5)
    found = deviation(old, new)
    assert (found.delta, found.significant, found.size) == (1.0, True, Size.LARGE)
    assert found.change == pytest.approx(1 / 1.05)


@pytest.mark.parametrize(
    ("old", "new", "p_value"),
    [
        ([1, 1, 1, 2, 2], [2, 2, 2, 3, 3], 20 / 252),
        ([1, 1, 1, 1, 2], [2, 2, 2, 2, 2], 12 / 252),
        ([1, 1, 2], [3], 1 / 4),
        ([1], [1], 1),
    ],
)
def test_of_few_values_p_is_exact_also_if_some_are_tied(old, new, p_value):
    values = np.array([*old, *new], dtype=float)
    deltas = [
        cliffs_delta(np.delete(values, list(chosen)), values[list(chosen)])
        for chosen in combinations(range(len(values)), len(new))
    ]
    found = deviation(np.array(old, dtype=float), np.array(new, dtype=float))
    assert np.mean(np.abs(deltas) >= found.delta - 1e-12) == pytest.approx(p_value)
    assert found.p_value == pytest.approx(p_value)


def test_p_alone_is_useless():
    """Of very many values a change of 2 % is significant, and yet negligible."""
    old = -np.log((np.arange(40_000) + 0.5) / 40_000)
    found = deviation(old, 1.02 * old)
    assert found.p_value < 0.05
    assert not found.significant


def test_groups_that_are_too_small_are_never_significant():
    assert fewest(0.05) == 4
    assert not can_be_significant(3, 3)
    assert can_be_significant(3, 5)
    assert not can_be_significant(1, 1000)
    found = deviation(np.array([1.0, 1.1, 1.2]), np.array([5.0, 5.1, 5.2]))
    assert (found.enough, found.significant) == (False, False)


def test_an_empty_side_has_no_delta():
    found = deviation(np.zeros(0), np.array([1.0]))
    assert np.isnan([found.delta, found.p_value, found.old_s]).all()
    assert not found.enough
