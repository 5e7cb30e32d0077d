import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.features import Series
from buto.judging.thesis.time_points import SMOOTHERS, smooth
from perf.judging import loops
from tests.support.references import naive

NAN = float("nan")
READINGS = st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), max_size=30)


def series(*columns):
    values = np.array(columns, dtype=float).T.reshape(-1, len(columns))
    return Series(np.arange(len(values)) * 0.1, values)


def test_mean_of_three_by_hand():
    smoothed = smooth(series([1, 2, 6, 7, 2]), "mean", 3)
    assert smoothed.values[:, 0].tolist() == [3, 5, 5]
    assert smoothed.times_s == pytest.approx([0.1, 0.2, 0.3])


def test_median_of_three_by_hand():
    assert smooth(series([1, 9, 2, 8, 3]), "median", 3).values[:, 0].tolist() == [2, 8, 3]


def test_half_a_window_is_lost_at_both_ends():
    smoothed = smooth(series(range(50)), "mean", 9)
    assert len(smoothed) == 42
    assert smoothed.times_s[0] == pytest.approx(0.4)
    assert smoothed.times_s[-1] == pytest.approx(4.5)


def test_no_smoothing_loses_nothing():
    series_of_three = series([3, 1, 2])
    assert smooth(series_of_three, "none", 9) is series_of_three
    assert smooth(series_of_three, "mean", 1) is series_of_three


@pytest.mark.parametrize("length", range(4))
@pytest.mark.parametrize("method", ["mean", "median"])
def test_a_run_shorter_than_the_window_gives_no_point(method, length):
    smoothed = smooth(series(range(length)), method, 5)
    assert smoothed.values.shape == (0, 1)
    assert smoothed.times_s.shape == (0,)


@pytest.mark.parametrize("method", ["mean", "median"])
@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e17 + 2, -7.3e-12])
def test_constants_keep_every_bit(method, value):
    assert (smooth(series([value] * 20), method, 9).values == value).all()


def test_unreadable_values_are_left_out_of_their_windows():
    assert smooth(series([1, NAN, 5, 7]), "mean", 3).values[:, 0].tolist() == [3, 6]
    assert smooth(series([1, NAN, 5, 7]), "median", 3).values[:, 0].tolist() == [3, 6]


def test_a_window_of_nothing_readable_is_unreadable():
    for method in ("mean", "median"):
        smoothed = smooth(series([1, NAN, NAN, NAN, 5]), method, 3).values[:, 0]
        assert np.isnan(smoothed).tolist() == [False, True, False]


@pytest.mark.parametrize("window", [0, -1, 2, 8])
def test_windows_are_odd(window):
    with pytest.raises(ValueError, match="odd"):
        smooth(series([1, 2, 3]), "mean", window)


@given(readings=READINGS, window=st.sampled_from([1, 3, 5, 9]))
def test_fast_smoothing_equals_the_plain_one(readings, window):
    columns = [NAN if reading is None else reading for reading in readings]
    for method, plain in (("mean", loops.smooth_mean), ("median", naive.smooth_median)):
        fast = smooth(series(columns), method, window).values[:, 0]
        expected = [NAN if value is None else value for value in plain(readings, window)]
        assert fast == pytest.approx(expected, rel=1e-9, abs=1e-6, nan_ok=True)


@given(readings=st.lists(st.floats(-1e9, 1e9), min_size=5, max_size=30))
def test_smoothing_stays_within_the_values(readings):
    for method in SMOOTHERS:
        smoothed = smooth(series(readings), method, 5).values
        assert smoothed.min() >= min(readings) - 1e-6
        assert smoothed.max() <= max(readings) + 1e-6


def test_properties_are_smoothed_apart():
    both = smooth(series([1, 2, 6], [10, NAN, 30]), "mean", 3).values
    assert both.tolist() == [[3, 20]]
