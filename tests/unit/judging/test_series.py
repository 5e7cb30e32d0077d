import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.features import Series, sampling_interval, series_of, summaries
from buto.run.properties import property_for
from tests.support.runs.signals import make_run

NAN = float("nan")


def test_columns_come_in_the_asked_order_and_missing_ones_are_unreadable():
    run = make_run(0, [0, 1], {"jvm.class.count": [1, 2], "jvm.thread.count": [3, 4]})
    names = ("jvm.thread.count", "jvm.cpu.time", "jvm.class.count")
    values = series_of(run, [property_for(name) for name in names]).values
    assert values[:, 0].tolist() == [3, 4]
    assert np.isnan(values[:, 1]).all()
    assert values[:, 2].tolist() == [1, 2]


def test_infinite_and_endless_readings_are_unreadable():
    run = make_run(0, [0, 1, 2, 3], {"ratio": [1, math.inf, -math.inf, sys.float_info.max]})
    assert np.isnan(series_of(run, run.properties).values[:, 0]).tolist() == [False, True, True, True]


COUNTER, GAUGE = property_for("jvm.class.loaded"), property_for("jvm.class.count")


def test_summaries_by_hand():
    values = np.array([[1, NAN, NAN], [4, 6, NAN], [4, NAN, NAN]])
    mean, last = summaries(Series(np.arange(3.0), values), [COUNTER] * 3)
    assert mean[:2].tolist() == [3, 6]
    assert last[:2].tolist() == [4, 6]
    assert np.isnan([mean[2], last[2]]).all()


def test_the_last_value_of_a_gauge_stands_for_nothing():
    mean, last = summaries(Series(np.arange(2.0), np.array([[1.0, 1], [3, 3]])), [COUNTER, GAUGE])
    assert mean.tolist() == [2, 2]
    assert last[0] == 3
    assert np.isnan(last[1])


def test_nothing_readable_has_no_summary():
    assert np.isnan(summaries(Series(np.empty(0), np.empty((0, 2))), [COUNTER] * 2)).all()


@given(value=st.floats(-1e18, 1e18), count=st.integers(1, 50))
def test_the_mean_of_equal_values_is_that_value(value, count):
    constant = Series(np.arange(float(count)), np.full((count, 1), value))
    assert summaries(constant, [COUNTER]).tolist() == [[value], [value]]


def test_the_interval_is_the_median_step():
    regular = Series(np.arange(10) * 0.1, np.zeros((10, 1)))
    late_end = Series(np.array([0, 0.1, 0.2, 0.9]), np.zeros((4, 1)))
    assert sampling_interval([regular, late_end]) == pytest.approx(0.1)


def test_single_samples_have_no_interval():
    assert sampling_interval([Series(np.zeros(1), np.zeros((1, 1)))]) == math.inf
