import numpy as np
import pytest
from scipy import stats

from buto.analysis.spread import floors, grains, small_sample_factor, widen
from buto.analysis.timepoints import time_points
from buto.properties import Property, property_for


def points(*runs):
    return time_points(np.zeros(1), np.array(runs, dtype=float).reshape(len(runs), 1, -1))


@pytest.mark.parametrize(
    ("name", "grain"),
    [
        ("jvm.memory.heap.used", 65536),
        ("jvm.class.count", 0.5),
        ("jvm.gc.time[Copy]", 0.004),
        ("jvm.cpu.time", 0.015),
    ],
)
def test_grains_of_the_default_properties(name, grain):
    assert grains([property_for(name)], [np.array([[1.5]])]) == [grain]


def test_unknown_units_have_a_grain_only_for_whole_numbers():
    mine = [Property("mbean[a]/Jobs"), Property("mbean[a]/Ratio"), Property("mbean[a]/Gone")]
    values = [np.array([[3, 0.25, np.nan], [4, 0.5, np.nan]])]
    assert grains(mine, values).tolist() == [0.5, 0, 0.5]


def test_the_floor_joins_grain_and_a_share_of_the_level():
    floor = floors(np.array([3.0]), points([400.0], [400.0]), 0.01)
    assert floor == pytest.approx([5.0])


@pytest.mark.parametrize(("count", "tolerance"), [(4, 0.2), (5, 0.09), (6, 0.05), (10, 0.01), (20, 0.005)])
def test_the_small_sample_factor_is_students(count, tolerance):
    exact = stats.t.isf(stats.norm.sf(4), count - 1) * (1 + 1 / count) ** 0.5 / 4
    factor = small_sample_factor(np.array([count]))[0]
    assert exact <= factor <= exact * (1 + tolerance)


def test_the_factor_vanishes_with_many_runs_and_has_no_bound_for_one():
    assert small_sample_factor(np.array([10_000]))[0] == pytest.approx(1, abs=1e-3)
    assert small_sample_factor(np.array([1]))[0] == np.inf


def test_equal_values_get_the_floor_and_nothing_else():
    equal = points([7.0], [7.0], [7.0])
    assert widen(equal, np.array([0.5]), small_sample_factor(equal.counts)).std.tolist() == [[0.5]]


def test_the_factor_applies_to_what_was_estimated_only():
    scattered = points([1.0], [3.0], [8.0])
    widened = widen(scattered, np.array([2.0]), 3.0)
    assert widened.std[0, 0] == pytest.approx((9 * 13 + 4) ** 0.5)
    assert widened.mean[0, 0] == 4


def test_without_floor_and_factor_nothing_changes():
    scattered = points([1.0, 2.0], [3.0, 2.0])
    assert widen(scattered, np.zeros(2)).std.tolist() == scattered.std.tolist()
