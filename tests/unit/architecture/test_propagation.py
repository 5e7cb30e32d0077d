"""Deviations go up once, and only once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.architecture.graph import call_matrix, inclusive
from buto.architecture.model import Measures
from buto.architecture.propagation import Measured, reaches, self_changes
from tests.support.systems import running_example

EXAMPLE = running_example()
CALLS = call_matrix(EXAMPLE)
SELF = EXAMPLE.self_s


def test_what_leaves_became_slower_by_is_theirs() -> None:
    tested = [Measured(3, Measures.INCLUSIVE), Measured(4, Measures.INCLUSIVE)]
    found = self_changes(CALLS, SELF, tested, np.array([0.5, 0.5]))
    assert found == pytest.approx([0, 0, 0, 0.001, 0.001])


def test_a_caller_is_not_blamed_for_what_it_calls() -> None:
    """B1 takes 13 ms in place of 10, all of it because of B3 and B4."""
    tested = [Measured(position, Measures.INCLUSIVE) for position in (1, 3, 4)]
    found = self_changes(CALLS, SELF, tested, np.array([0.3, 0.5, 0.5]))
    assert found == pytest.approx([0, 0, 0, 0.001, 0.001], abs=1e-12)


def test_what_tests_of_callees_do_not_explain_is_the_callers_own() -> None:
    tested = [Measured(1, Measures.INCLUSIVE), Measured(3, Measures.INCLUSIVE)]
    found = self_changes(CALLS, SELF, tested, np.array([0.5, 0.5]))
    assert found == pytest.approx([0, 0.003, 0, 0.001, 0], abs=1e-12)


def test_a_mocked_test_speaks_of_the_component_alone() -> None:
    found = self_changes(CALLS, SELF, [Measured(1, Measures.SELF)], np.array([0.5]))
    assert found == pytest.approx([0, 0.002, 0, 0, 0])


def test_no_self_time_becomes_negative() -> None:
    """B1 as a whole becomes 9 ms faster, more than it does itself."""
    found = self_changes(CALLS, SELF, [Measured(1, Measures.INCLUSIVE)], np.array([-0.9]))
    assert found[1] == pytest.approx(-0.004)


@given(st.lists(st.floats(0, 2), min_size=5, max_size=5))
def test_true_inclusive_changes_give_back_the_self_times(changed: list[float]) -> None:
    new = SELF * (1 + np.array(changed))
    shares = inclusive(CALLS, new) / inclusive(CALLS, SELF) - 1
    tested = [Measured(position, Measures.INCLUSIVE) for position in range(5)]
    assert SELF + self_changes(CALLS, SELF, tested, shares) == pytest.approx(new)


def test_many_replicates_are_as_one_by_one() -> None:
    tested = [Measured(1, Measures.INCLUSIVE), Measured(4, Measures.SELF)]
    shares = np.array([[0.1, 0.2], [-0.1, 0.3]])
    together = self_changes(CALLS, SELF, tested, shares)
    assert together == pytest.approx(np.array([self_changes(CALLS, SELF, tested, one) for one in shares]))


def test_reaches_follows_calls_to_the_end() -> None:
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=float)
    assert reaches(chain).tolist() == [[False, True, True], [False, False, True], [False, False, False]]
