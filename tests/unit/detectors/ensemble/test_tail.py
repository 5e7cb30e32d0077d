"""Scores of contrasts and the tail of Student's t, which compare prior tests of several environments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

from buto.detectors.ensemble.whole.tail import scores, students_t


def plain(rows: list[list[float]]) -> list[float]:
    """The score of each choice, from the largest contrast of each of its quantities."""
    one = [math.log(0.1 + max(row)) for row in rows]
    squares = [sum(min(value, 8.0) ** 2 for value in row) / len(row) for row in rows]
    many = [math.log(0.1 + math.sqrt(square)) for square in squares]
    middle, middle_of_many = sum(one) / len(one), sum(many) / len(many)
    return [
        max((largest - middle) / 0.34, (square - middle_of_many) / 0.22)
        for largest, square in zip(one, many, strict=True)
    ]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(st.floats(0, 30), min_size=3, max_size=3), min_size=2, max_size=12))
def test_scores_are_those_of_the_plain_reference(rows: list[list[float]]) -> None:
    assert scores(np.array(rows)) == pytest.approx(plain(rows), rel=1e-9, abs=1e-9)


def test_the_tail_is_students_t() -> None:
    t = np.array([*np.linspace(-60, 60, 10_001), 1e200, -1e200, np.inf, -np.inf, np.nan])
    for freedom in (2, 4, 6, 20):
        np.testing.assert_allclose(students_t(freedom, t), stdtr(freedom, t), rtol=0, atol=1e-15)
