from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.judging.calibrated.load_models import cut, merges
from buto_replications.detectors.regression_clusters import clustered, distances, pseudo_f


def slowly(apart, clusters):
    """The statistic from all pairs of counters."""

    def spread(members):
        return sum(apart[pair] for pair in combinations(members, 2)) / len(members)

    n_counters = len(apart)
    inside = sum(map(spread, clusters))
    between = spread(range(n_counters)) - inside
    return (between / (len(clusters) - 1)) / (inside / (n_counters - len(clusters)))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n_counters=st.integers(3, 12))
def test_the_statistic_from_merges_is_that_from_all_pairs(seed, n_counters):
    values = np.random.default_rng(seed).normal(size=(20, n_counters))
    apart = distances(values, "correlation")
    dendrogram = merges(apart)
    expected = [slowly(apart, cut(dendrogram, number)) for number in range(2, n_counters)]
    assert pseudo_f(dendrogram) == pytest.approx(expected)


def test_groups_of_counters_are_found_though_some_fall_as_others_rise():
    random = np.random.default_rng(3)
    causes = random.normal(size=(200, 3))
    signs = np.array([1, -1, 1, -1])
    values = np.hstack([causes[:, [one]] * signs + 0.3 * random.normal(size=(200, 4)) for one in range(3)])
    assert clustered(values, "correlation") == ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))
    assert clustered(values, "eq1") != clustered(values, "correlation")


def test_few_counters_are_one_cluster():
    values = np.random.default_rng(4).normal(size=(9, 2))
    assert clustered(values[:, :0], "eq1") == ()
    assert clustered(values[:, :1], "eq1") == ((0,),)
    assert clustered(values, "eq1") == ((0, 1),)


def test_counters_without_distance_inside_their_clusters():
    cause, other = np.random.default_rng(5).normal(size=(2, 30))
    values = np.column_stack([cause, other, 2 * cause, -other])
    assert clustered(values, "correlation") == ((0, 2), (1, 3))
