"""Which runs train and which are judged, at random and in the order of time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.divisions import at_random, in_order, sessions


@given(st.integers(8, 40), st.integers(5, 20), st.integers(0, 39), st.integers(0, 99))
def test_a_run_is_judged_with_the_next_ones_by_others(n_runs, n_training, run, seed):
    n_training, run = min(n_training, n_runs - 3), run % n_runs
    division = at_random(run, n_runs, n_training, 3, np.random.default_rng(seed))
    assert division.checked[0] == run
    assert sorted(division.checked) == list(range(min(division.checked), min(division.checked) + 3))
    assert len(set(division.training)) == n_training
    assert not set(division.training) & set(division.checked)


@given(st.integers(8, 60), st.integers(5, 20), st.integers(1, 6))
def test_in_order_training_runs_in_a_row_come_before_those_under_test(n_runs, n_training, most):
    divisions = in_order(n_runs, n_training, 3, most)
    assert len(divisions) >= max(0, n_runs - n_training - 2)
    by_first: dict[int, list[int]] = {}
    for division in divisions:
        first = int(division.checked[0])
        assert division.checked.tolist() == [first, first + 1, first + 2]
        assert np.diff(division.training).tolist() == [1] * (n_training - 1)
        assert division.training[-1] < first
        assert division.checked[-1] < n_runs
        by_first.setdefault(first, []).append(int(division.training[0]))
    for first, starts in by_first.items():
        assert starts[0] == first - n_training
        assert len(starts) == len(set(starts)) <= most


def test_runs_under_test_may_be_apart_as_if_each_had_waited():
    divisions = in_order(30, 10, 3, 1, apart=5)
    assert [division.checked.tolist() for division in divisions] == [
        [n, n + 5, n + 10] for n in range(10, 20)
    ]
    assert all(division.training[-1] == division.checked[0] - 1 for division in divisions)


@pytest.mark.parametrize(
    ("starts", "expected"),
    [([0.0], [0]), ([0, 10, 20], [0, 0, 0]), ([0, 10, 400, 410, 5000], [0, 0, 1, 1, 2])],
)
def test_a_longer_pause_begins_a_session(starts, expected):
    assert sessions(np.array(starts, dtype=float)).tolist() == expected
