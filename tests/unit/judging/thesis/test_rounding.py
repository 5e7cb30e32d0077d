import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.bounds import Bounds
from buto.judging.thesis.data import round_bounds

FINITE = st.floats(-1e15, 1e15)


def band(lower, expected, upper):
    return Bounds(np.array([0.123456]), np.array([[lower]]), np.array([[upper]]), np.array([[expected]]))


def test_limits_keep_three_digits_of_the_width():
    result = round_bounds(band(33_554_001.7, 33_554_432.0, 33_555_678.3))
    assert result.lower[0, 0] == 33_554_000
    assert result.upper[0, 0] == 33_555_680
    assert result.expected[0, 0] == 33_554_430
    assert result.times_s[0] == 0.1235


def test_a_band_without_width_stays_exact():
    result = round_bounds(band(33_554_432.1, 33_554_432.1, 33_554_432.1))
    assert result.lower[0, 0] == result.upper[0, 0] == 33_554_432.1


def test_nothing_stays_nothing():
    result = round_bounds(band(np.nan, np.nan, np.nan))
    assert np.isnan([result.lower[0, 0], result.upper[0, 0]]).all()


@given(sides=st.tuples(FINITE, FINITE, FINITE).map(sorted))
def test_rounding_only_widens_and_by_little(sides):
    lower, expected, upper = sides
    result = round_bounds(band(lower, expected, upper))
    width = upper - lower
    slack = width / 90 + 1e-9 * max(abs(lower), abs(upper)) + 1e-200
    assert lower - slack <= result.lower[0, 0] <= lower + slack
    assert upper - slack <= result.upper[0, 0] <= upper + slack
    assert result.expected[0, 0] == pytest.approx(expected, abs=slack)


@given(sides=st.tuples(FINITE, FINITE, FINITE).map(sorted))
def test_limits_stay_in_order(sides):
    result = round_bounds(band(*sides))
    assert result.lower[0, 0] <= result.expected[0, 0] <= result.upper[0, 0]
