"""Average linkage, compared with scipy, which the core does without: the same dendrogram to the bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from buto.judging.load.models import distances, merges


@given(st.integers(2, 25), st.integers(0, 2**32 - 1), st.booleans())
def test_any_counters_are_merged_as_by_scipy(n_counters: int, seed: int, tied: bool) -> None:
    random = np.random.default_rng(seed)
    if tied:
        apart = random.integers(0, 4, (n_counters, n_counters)) / 2.0
        apart = np.triu(apart, 1) + np.triu(apart, 1).T
    else:
        apart = distances(random.normal(size=(30, n_counters)))
    expected = linkage(squareform(apart, checks=False), "average")
    assert merges(apart).tobytes() == expected.tobytes()


def test_a_single_counter_is_merged_with_nothing() -> None:
    assert merges(np.zeros((1, 1))).shape == (0, 4)
