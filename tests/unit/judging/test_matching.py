import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.bounds import Bounds
from buto.judging.thesis.pipeline import MATCHERS, beyond, interpolate, nearest
from perf.judging import loops
from tests.support.references import naive

NAN = float("nan")


def numbered(times):
    """Bounds whose expected value is their own index."""
    index = np.arange(float(len(times))).reshape(-1, 1)
    return Bounds(np.array(times, dtype=float), index - 1, index + 1, index)


def band(lower, upper):
    return Bounds(np.zeros(1), np.array([[lower]]), np.array([[upper]]), np.array([[(lower + upper) / 2]]))


def test_the_nearest_bound_holds():
    matched = nearest(numbered([0, 1, 2]), np.array([0.4, 0.6, 1.9]), 1.0)
    assert matched.bounds.expected[:, 0].tolist() == [0, 1, 2]


def test_listing_c8_as_printed_takes_the_last_within_reach_instead():
    times, moment = [0.0, 1.0, 2.0], 0.6
    assert naive.last_bound_within_reach(times, moment, 1.5) == 2
    assert nearest(numbered(times), np.array([moment]), 1.5).bounds.expected[0, 0] == 1


def test_of_two_equally_near_the_earlier_holds():
    assert nearest(numbered([0, 1]), np.array([0.5]), 1.0).bounds.expected[0, 0] == 0


def test_beyond_a_whole_interval_there_is_no_model():
    matched = nearest(numbered([0, 1]), np.array([-1.0, -0.9, 1.9, 2.0]), 1.0)
    assert matched.in_model.tolist() == [False, True, True, False]
    assert np.isnan(matched.bounds.expected[[0, 3]]).all()


@pytest.mark.parametrize("match", MATCHERS.values(), ids=MATCHERS)
def test_a_model_without_points_reaches_nowhere(match):
    matched = match(numbered([]), np.array([0.0, 1.0]), 1.0)
    assert not matched.in_model.any()
    assert np.isnan(matched.bounds.lower).all()


@given(
    times=st.lists(st.floats(0, 10), min_size=1, max_size=12, unique=True),
    moments=st.lists(st.floats(-2, 12), max_size=12),
    interval=st.floats(0.01, 3),
)
def test_fast_matching_equals_the_plain_one(times, moments, interval):
    matched = nearest(numbered(times), np.array(moments, dtype=float), interval)
    for row, moment in enumerate(moments):
        index = loops.nearest_bound(times, moment, interval)
        assert matched.in_model[row] == (index is not None)
        if index is not None:
            found = int(matched.bounds.expected[row, 0])
            assert abs(times[found] - moment) == abs(times[index] - moment)


def lines(times, *expected):
    centre = np.array(expected, dtype=float).reshape(-1, 1)
    return Bounds(np.array(times, dtype=float), centre - 1, centre + 1, centre)


def test_between_two_points_limits_are_on_a_straight_line():
    matched = interpolate(lines([0, 1, 3], 0, 10, 50), np.array([0.25, 1.0, 1.5, 2.5]), 1.0)
    assert matched.bounds.expected[:, 0].tolist() == [2.5, 10, 20, 40]
    assert matched.bounds.lower[:, 0].tolist() == [1.5, 9, 19, 39]
    assert matched.bounds.upper[:, 0].tolist() == [3.5, 11, 21, 41]


def test_the_first_bounds_hold_for_all_time_before_and_the_last_for_an_interval():
    matched = interpolate(lines([5, 6], 0, 10), np.array([-100.0, 4, 6, 6.4, 6.5]), 0.5)
    assert matched.in_model.tolist() == [True, True, True, True, False]
    assert matched.bounds.expected[:4, 0].tolist() == [0, 0, 10, 10]
    assert np.isnan(matched.bounds.expected[4, 0])


def test_listing_c9_as_printed_lets_the_last_bound_hold_for_as_long_as_the_first_is_late():
    times, values = [5.0, 6.0], [0.0, 10.0]
    assert naive.interpolated_as_printed(times, values, 10.9) == 10
    assert naive.interpolated_bound(times, values, 10.9, 0.5) is None
    assert not interpolate(lines(times, *values), np.array([10.9]), 0.5).in_model[0]
    assert naive.interpolated_as_printed([0.0, 1.0], values, 1.0) is None


def test_beside_a_point_without_band_there_is_none_but_at_a_points_own_time():
    matched = interpolate(lines([0, 1, 2, 3], 0, NAN, 20, 30), np.array([0, 0.5, 1, 1.5, 2, 2.5]), 1.0)
    assert np.isnan(matched.bounds.upper[:, 0]).tolist() == [False, True, True, True, False, False]
    assert matched.in_model.all()


def test_equal_limits_stay_exactly_equal_in_between():
    assert interpolate(lines([0, 1], 0.1, 0.1), np.array([1 / 3]), 1.0).bounds.expected[0, 0] == 0.1


def test_a_side_without_limit_has_none_in_between():
    open_ended = Bounds(np.arange(2.0), np.zeros((2, 1)), np.array([[5.0], [np.inf]]), np.ones((2, 1)))
    matched = interpolate(open_ended, np.array([0.0, 0.5, 1.0]), 1.0)
    assert matched.bounds.upper[:, 0].tolist() == [5, np.inf, np.inf]


@given(
    curve=st.lists(st.tuples(st.integers(0, 50), st.floats(-1e6, 1e6)), min_size=1, max_size=10),
    moments=st.lists(st.floats(-2, 8), max_size=12),
    interval=st.floats(0.01, 3),
)
def test_fast_interpolation_equals_the_plain_one(curve, moments, interval):
    known = dict(curve)
    times = sorted(number / 10 for number in known)
    values = [known[round(time * 10)] for time in times]
    matched = interpolate(lines(times, *values), np.array(moments, dtype=float), interval)
    for row, moment in enumerate(moments):
        expected = naive.interpolated_bound(times, values, moment, interval)
        assert matched.in_model[row] == (expected is not None)
        if expected is not None:
            assert matched.bounds.expected[row, 0] == pytest.approx(expected, rel=1e-6, abs=1e-3)


def test_the_order_in_which_points_are_listed_does_not_matter():
    times, moments = [0, 2, 1], np.linspace(-0.5, 2.5, 13)
    for match in MATCHERS.values():
        first = match(lines(times, 0, 7, 3), moments, 0.4).bounds.expected
        other = match(lines(sorted(times), 0, 3, 7), moments, 0.4).bounds.expected
        assert np.array_equal(first, other, equal_nan=True)


@pytest.mark.parametrize(
    ("value", "distance"), [(0.9, -0.1), (1, 0), (1.5, 0), (2, 0), (2.5, 0.5), (2 + 1e-12, 0)]
)
def test_distance_beyond_a_band(value, distance):
    assert beyond(np.array([[value]]), band(1.0, 2.0))[0, 0] == pytest.approx(distance)


def test_the_limits_belong_to_the_band_even_without_width():
    assert beyond(np.array([[812.0]]), band(812.0, 812.0))[0, 0] == 0
    assert beyond(np.array([[813.0]]), band(812.0, 812.0))[0, 0] == 1


@pytest.mark.parametrize(("value", "limits"), [(NAN, (1.0, 2.0)), (1.0, (NAN, NAN))])
def test_what_is_not_there_cannot_be_compared(value, limits):
    assert np.isnan(beyond(np.array([[value]]), band(*limits))[0, 0])


def test_a_side_without_limit_is_never_crossed():
    assert beyond(np.array([[1e300]]), band(0.0, np.inf))[0, 0] == 0
