"""The limit beyond which a quantity is named keeps the promise in ranks, with known truth."""

import numpy as np
import pytest

from buto.detectors.ensemble.whole.ranking import fewest_for, limit_here


@pytest.mark.parametrize(("n_prior", "place"), [(19, -1), (25, -1), (38, -1), (39, -2), (60, -3)])
def test_the_limit_is_the_lowest_that_keeps_the_share(n_prior, place):
    assert limit_here(np.arange(n_prior, dtype=float), 0.05) == n_prior + place


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_of_equal_chances_at_most_a_share_alpha_is_beyond_the_limit(alpha):
    for n_prior in range(fewest_for(alpha), 150):
        ranks = np.arange(n_prior + 1, dtype=float)
        beyond = [rank > limit_here(np.delete(ranks, int(rank)), alpha) for rank in ranks]
        assert 0 < np.mean(beyond) <= alpha + 1e-9


def test_too_few_prior_tests_are_all_exceeded():
    assert limit_here(np.array([3.0, 1.0, 2.0]), 0.05) == 3.0
