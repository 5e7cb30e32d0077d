"""What every bounds algorithm must hold to; the list grows with the registry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.analysis.bounds import ALGORITHMS, AVERAGES, BoundsSettings, clip
from buto.analysis.timepoints import time_points
from buto.properties import Property

NAN = float("nan")
SETTINGS = [BoundsSettings(average, deviations) for average in AVERAGES for deviations in (2.0, 20.0)]

pytestmark = [
    pytest.mark.parametrize("name", ALGORITHMS),
    pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: f"{one.average}-{one.deviations:g}"),
]

VALUES = st.lists(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=4, max_size=4), min_size=1, max_size=8
)


def points(rows):
    """Time points of one property from runs (n_runs, n_points)."""
    values = np.array(rows, dtype=float)[:, :, np.newaxis]
    return time_points(np.arange(values.shape[1]) * 0.1, values)


@given(rows=VALUES)
def test_lower_expected_and_upper_are_in_order(name, settings, rows):
    bounds = ALGORITHMS[name](points(rows), settings)
    assert (bounds.lower <= bounds.expected).all()
    assert (bounds.expected <= bounds.upper).all()


@given(rows=VALUES, factor=st.sampled_from([0.001, 1024.0, 1e9]))
def test_another_unit_scales_the_bounds(name, settings, rows, factor):
    one = ALGORITHMS[name](points(rows), settings)
    scaled = ALGORITHMS[name](points(np.array(rows) * factor), settings)
    for side in ("lower", "upper", "expected"):
        assert getattr(scaled, side) == pytest.approx(
            getattr(one, side) * factor, rel=1e-6, abs=1e-6 * factor
        )


@given(rows=VALUES, order=st.randoms())
def test_the_order_of_the_runs_does_not_matter(name, settings, rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    one, other = (ALGORITHMS[name](points(some), settings) for some in (rows, shuffled))
    assert np.array_equal(one.lower, other.lower)
    assert np.array_equal(one.upper, other.upper)


def test_a_constant_has_a_band_without_width(name, settings):
    bounds = ALGORITHMS[name](points([[0.1] * 4] * 7), settings)
    assert (bounds.lower == 0.1).all()
    assert (bounds.upper == 0.1).all()


def test_one_run_is_its_own_band(name, settings):
    bounds = ALGORITHMS[name](points([[1, 5, 2, 8]]), settings)
    assert bounds.lower[:, 0].tolist() == [1, 5, 2, 8]
    assert bounds.upper[:, 0].tolist() == [1, 5, 2, 8]


def test_the_bounds_are_at_the_times_of_the_points(name, settings):
    given_points = points([[1, 2, 3]] * 3)
    assert np.array_equal(ALGORITHMS[name](given_points, settings).times_s, given_points.times_s)


def test_a_point_without_values_has_no_band_and_disturbs_no_other(name, settings):
    bounds = ALGORITHMS[name](points([[1, NAN, 3], [2, NAN, 4]]), settings)
    assert np.isnan(bounds.lower[:, 0]).tolist() == [False, True, False]
    assert np.isnan(bounds.upper[:, 0]).tolist() == [False, True, False]


def test_properties_do_not_see_each_other(name, settings):
    rows = np.array([[[1, 50], [2, 70]], [[3, 10], [2, 90]], [[4, 20], [9, 80]]], dtype=float)
    both = ALGORITHMS[name](time_points(np.arange(2.0), rows), settings)
    for column in range(2):
        alone = ALGORITHMS[name](time_points(np.arange(2.0), rows[:, :, [column]]), settings)
        assert both.lower[:, column].tolist() == alone.lower[:, 0].tolist()
        assert both.upper[:, column].tolist() == alone.upper[:, 0].tolist()


def test_no_points_give_no_bounds(name, settings):
    assert len(ALGORITHMS[name](time_points(np.empty(0), np.empty((3, 0, 2))), settings)) == 0


def test_bounds_stay_within_what_is_possible(name, settings):
    share = Property("ratio", lower=0.0, upper=1.0)
    bounds = clip(ALGORITHMS[name](points([[0.1, 0.9], [0.4, 0.6]]), settings), [share])
    assert (bounds.lower >= 0).all()
    assert (bounds.upper <= 1).all()
    assert (bounds.lower <= bounds.upper).all()
