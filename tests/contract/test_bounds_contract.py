"""What every bounds algorithm must hold to; the list grows with the registry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.bounds import (
    AVERAGES,
    PROCESS_NOISES,
    PROPAGATIONS,
    WEIGHTINGS,
    BoundsSettings,
    clip,
)
from buto.judging.thesis.filters import ALGORITHMS
from buto.judging.thesis.time_points import time_points
from buto.run.properties import Property

NAN = float("nan")
DEVIATIONS = (2.0, 4.5, 20.0)
FEW = {"particles": 40, "iterations": 2}
SETTINGS = [
    *(("simple", {"average": average}) for average in AVERAGES),
    *(
        (name, {"process_noise": noise, "average": average})
        for name in ("kalman", "kalman-listing")
        for noise in PROCESS_NOISES
        for average in AVERAGES
    ),
    *(
        ("particle", {**FEW, "propagate": propagate, "weighting": weighting, "resample": resample})
        for propagate in PROPAGATIONS
        for weighting in WEIGHTINGS
        for resample in (0.3, 1.0)
    ),
]

pytestmark = pytest.mark.parametrize(
    ("name", "chosen"),
    SETTINGS,
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)

MEASURED = st.floats(-1e6, 1e6).map(lambda value: round(value, 9))
"""No measured number is so small that its square is 0."""

VALUES = st.lists(st.lists(MEASURED, min_size=4, max_size=4), min_size=1, max_size=8)


def made(name, chosen, given, deviations=20.0):
    return ALGORITHMS[name].make(given, BoundsSettings(**chosen), (deviations,))[0]


def points(rows):
    """Time points of one property from runs (n_runs, n_points)."""
    values = np.array(rows, dtype=float)[:, :, np.newaxis]
    return time_points(np.arange(values.shape[1]) * 0.1, values)


@given(rows=VALUES)
def test_lower_expected_and_upper_are_in_order(name, chosen, rows):
    bounds = made(name, chosen, points(rows))
    assert (bounds.lower <= bounds.expected).all()
    assert (bounds.expected <= bounds.upper).all()


@given(rows=VALUES, factor=st.sampled_from([0.001, 1024.0, 1e9]))
def test_another_unit_scales_the_bounds(name, chosen, rows, factor):
    bounds = made(name, chosen, points(rows))
    scaled = made(name, chosen, points(np.array(rows) * factor))
    for side in ("lower", "upper", "expected"):
        assert getattr(scaled, side) == pytest.approx(
            getattr(bounds, side) * factor, rel=1e-6, abs=1e-6 * factor
        )


@given(rows=VALUES, order=st.randoms())
def test_the_order_of_the_runs_does_not_matter(name, chosen, rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    first, other = (made(name, chosen, points(some)) for some in (rows, shuffled))
    assert np.array_equal(first.lower, other.lower)
    assert np.array_equal(first.upper, other.upper)


def test_a_constant_has_a_band_without_width(name, chosen):
    bounds = made(name, chosen, points([[0.1] * 4] * 7))
    assert (bounds.lower == 0.1).all()
    assert (bounds.upper == 0.1).all()


def test_one_run_is_its_own_band(name, chosen):
    bounds = made(name, chosen, points([[1, 5, 2, 8]]))
    assert bounds.lower[:, 0].tolist() == [1, 5, 2, 8]
    assert bounds.upper[:, 0].tolist() == [1, 5, 2, 8]


def test_the_bounds_are_at_the_times_of_the_points(name, chosen):
    given_points = points([[1, 2, 3]] * 3)
    assert np.array_equal(made(name, chosen, given_points).times_s, given_points.times_s)


def test_a_point_without_values_has_no_band_and_disturbs_no_other(name, chosen):
    bounds = made(name, chosen, points([[1, NAN, 3], [2, NAN, 4]]))
    assert np.isnan(bounds.lower[:, 0]).tolist() == [False, True, False]
    assert np.isnan(bounds.upper[:, 0]).tolist() == [False, True, False]


def test_properties_do_not_see_each_other(name, chosen):
    rows = np.array([[[1, 50], [2, 70]], [[3, 10], [2, 90]], [[4, 20], [9, 80]]], dtype=float)
    both = made(name, chosen, time_points(np.arange(2.0), rows))
    for column in range(2):
        alone = made(name, chosen, time_points(np.arange(2.0), rows[:, :, [column]]))
        assert both.lower[:, column].tolist() == alone.lower[:, 0].tolist()
        assert both.upper[:, column].tolist() == alone.upper[:, 0].tolist()


def test_several_deviations_at_once_are_those_of_each_alone(name, chosen):
    given_points = points([[1, 5, NAN, 2], [3, 6, NAN, 1], [3, 9, NAN, 1]])
    together = ALGORITHMS[name].make(given_points, BoundsSettings(**chosen), DEVIATIONS)
    for deviations, bounds in zip(DEVIATIONS, together, strict=True):
        alone = made(name, chosen, given_points, deviations)
        assert np.array_equal(bounds.lower, alone.lower, equal_nan=True)
        assert np.array_equal(bounds.upper, alone.upper, equal_nan=True)


def test_a_property_without_values_or_deviation_leaves_the_others_alone(name, chosen):
    rows = np.array([[[1, NAN, 7], [2, NAN, 7]], [[3, NAN, 7], [5, NAN, 7]]], dtype=float)
    bounds = made(name, chosen, time_points(np.arange(2.0), rows))
    assert np.isnan(bounds.upper[:, 1]).all()
    assert bounds.upper[:, 2].tolist() == [7, 7]
    alone = made(name, chosen, time_points(np.arange(2.0), rows[:, :, :1]))
    assert bounds.upper[:, 0].tolist() == alone.upper[:, 0].tolist()


def test_no_points_give_no_bounds(name, chosen):
    assert len(made(name, chosen, time_points(np.empty(0), np.empty((3, 0, 2))))) == 0


def test_bounds_stay_within_what_is_possible(name, chosen):
    share = Property("ratio", lower=0.0, upper=1.0)
    bounds = clip(made(name, chosen, points([[0.1, 0.9], [0.4, 0.6]])), [share])
    assert (bounds.lower >= 0).all()
    assert (bounds.upper <= 1).all()
    assert (bounds.lower <= bounds.upper).all()
