import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.analysis.bounds import Bounds
from buto.analysis.matching import beyond, nearest
from tests import naive

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


def test_a_model_without_points_reaches_nowhere():
    matched = nearest(numbered([]), np.array([0.0, 1.0]), 1.0)
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
        index = naive.nearest_bound(times, moment, interval)
        assert matched.in_model[row] == (index is not None)
        if index is not None:
            found = int(matched.bounds.expected[row, 0])
            assert abs(times[found] - moment) == abs(times[index] - moment)


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
