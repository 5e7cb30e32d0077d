"""Upper limits, against published values and against counting."""

import numpy as np
import pytest
from scipy.stats import binom

from buto_replications.live.limits import clustered_upper_limit, effective_number, upper_limit


@pytest.mark.parametrize(("fails", "n"), [(0, 20), (1, 40), (3, 200), (7, 9)])
def test_at_the_limit_so_few_fails_have_a_chance_of_one_in_twenty(fails, n):
    assert binom.cdf(fails, n, upper_limit(fails, n)) == pytest.approx(0.05)


def test_none_of_300_is_at_most_one_in_a_hundred():
    assert upper_limit(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert upper_limit(0, 300) < 0.01 < upper_limit(0, 290)


def test_without_a_check_nothing_is_known():
    assert upper_limit(0, 0) == clustered_upper_limit([], []) == upper_limit(5, 5) == 1.0


def test_fails_of_one_program_count_less_than_those_of_many():
    together = clustered_upper_limit([10, 0, 0, 0, 0, 0, 0, 0, 0, 0], [10] * 10)
    spread = clustered_upper_limit([1] * 10, [10] * 10)
    assert spread == pytest.approx(upper_limit(10, 100))
    assert together > 1.5 * spread
    assert effective_number([10, *[0] * 9], [10] * 10) < 15


def test_clusters_without_a_fail_know_no_more_than_their_checks():
    assert clustered_upper_limit([0, 0], [50, 50]) == pytest.approx(upper_limit(0, 100))


def test_the_limit_holds_where_programs_differ():
    source = np.random.default_rng(7)
    chances = source.beta(0.6, 5.4, (400, 20))
    above = [
        clustered_upper_limit(source.binomial(10, chance).tolist(), [10] * 20) >= 0.1 for chance in chances
    ]
    assert np.mean(above) > 0.9
