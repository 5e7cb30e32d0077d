"""From scores to a p-value by rank, which holds for any distribution."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.rank import largest_of_each, ranks, significance

SCORES = st.lists(st.integers(-3, 3) | st.floats(-700, 700), min_size=1, max_size=40)


def test_of_each_quantity_the_largest_contrast_counts_whichever_its_sign():
    contrast = np.array([[1.0, -5.0, 2.0, 0.5], [-1.0, 0.0, -3.0, 4.0]])
    assert largest_of_each(contrast, np.array([0, 0, 3, 7])).tolist() == [[5, 2, 0.5], [1, 3, 4]]


@given(SCORES)
def test_whichever_choice_is_under_test_no_share_is_reached_more_often_than_it_says(scores):
    """The proof that the rank is exact: each choice is equally likely to be the one under test."""
    p_values = np.sort(
        [
            significance(np.array([score, *scores[:place], *scores[place + 1 :]])).p_value
            for place, score in enumerate(scores)
        ]
    )
    expected = np.arange(1, len(scores) + 1) / len(scores)
    assert (p_values >= expected - 1e-12).all()
    if min(np.diff(np.sort(scores)), default=1.0) > 1e-6:
        assert p_values == pytest.approx(expected)


def test_a_run_that_another_surpasses_is_not_the_highest():
    score = np.array([5.0, 5.1, *np.zeros(9)])
    assert significance(score).p_value == pytest.approx(2 / 11)
    assert not significance(score).highest
    higher = significance(np.array([5.2, *score[1:]]))
    assert (higher.p_value, higher.highest, higher.n_choices) == (pytest.approx(1 / 11), True, 11)


def test_equal_scores_are_not_evidence():
    found = significance(np.zeros(11))
    assert (found.p_value, found.highest) == (1.0, False)


def test_scores_that_differ_by_rounding_are_equal():
    assert significance(np.array([0.1 + 0.2, 0.3, 0.0])).p_value == pytest.approx(2 / 3)


def test_the_smallest_p_value_is_that_of_one_choice_or_of_two_that_are_mirror_images():
    scores = np.random.default_rng(0).normal(size=286)
    assert significance(scores).smallest == 1 / 286
    assert significance(scores, mirrored=True).smallest == 2 / 286


@given(SCORES, st.floats(0, 3))
def test_standing_out_further_is_never_less_significant(scores, more):
    higher = np.array([scores[0] + more, *scores[1:]])
    assert significance(higher).p_value <= significance(np.array(scores)).p_value


def test_many_checks_at_once_are_those_of_each_alone():
    score = np.random.default_rng(1).normal(size=(4, 5, 11))
    together = ranks(score)
    assert together.shape == (4, 5)
    for place in itertools.product(range(4), range(5)):
        assert together[place] == significance(score[place]).p_value
