"""Contrasts of some runs, compared with a plain t-test and with results by hand."""

import itertools
from math import comb

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.contrasts import (
    LevelShare,
    Stable,
    choices,
    compare_choices,
    contrasts,
    linear,
    stabilise,
    within,
)
from buto.judging.rank import differences, factors
from tests.support.references import naive_calibrated


def plain_stable(values, floor=0.0):
    """Numbers that are on their scale already."""
    values = np.array(values, dtype=float)
    columns = values.shape[1]
    return Stable(values, np.full(columns, floor), np.ones(columns))


@st.composite
def some_runs(draw):
    """Values of 5 to 9 runs and 1 to 4 features, how many of them are chosen, and a floor."""
    n_runs, n_features = draw(st.integers(5, 9)), draw(st.integers(1, 4))
    number = st.integers(-20, 20) | st.floats(-5, 5, allow_subnormal=False)
    values = [draw(st.lists(number, min_size=n_features, max_size=n_features)) for _ in range(n_runs)]
    return np.array(values, dtype=float), draw(st.integers(1, 3)), draw(st.floats(0.05, 2.0))


@given(some_runs())
def test_contrasts_are_the_plain_student_s_t_as_a_normal_deviate(drawn):
    values, size, floor = drawn
    chosen = choices(len(values), size, 2000)
    found = contrasts(plain_stable(values, floor), chosen)
    for row, ours in zip(found, chosen, strict=True):
        for column, contrast in enumerate(row):
            t = naive_calibrated.student(values[:, column].tolist(), ours.tolist(), floor)
            assert contrast == pytest.approx(naive_calibrated.wallace(t, len(values) - 2), rel=1e-6, abs=1e-6)


def test_without_a_floor_they_are_the_textbook_s():
    """Student's t of scipy, and the normal deviate of its probability to within Wallace's error."""
    random = np.random.default_rng(3)
    values = random.normal(size=(13, 20))
    values[-3:] += np.linspace(-3, 3, 20)
    (found,) = contrasts(plain_stable(values), np.array([[10, 11, 12]]))
    t = scipy.stats.ttest_ind(values[-3:], values[:-3]).statistic
    normal = np.sign(t) * scipy.stats.norm.isf(scipy.stats.t.sf(np.abs(t), 11))
    assert found == pytest.approx(normal, rel=0.02)
    assert np.sign(found) == pytest.approx(np.sign(t))


def test_a_floor_tames_what_never_changed():
    values = np.array([[5.0]] * 10 + [[5.5]])
    strict, lax = (
        abs(contrasts(plain_stable(values, floor), np.array([[10]]))[0, 0]) for floor in (0.01, 1.0)
    )
    assert lax < 0.5 < 5 < strict


@given(some_runs(), st.randoms())
def test_which_runs_train_and_how_columns_are_ordered_does_not_matter(drawn, order):
    values, size, floor = drawn
    rows = list(range(len(values) - size))
    columns = list(range(values.shape[1]))
    order.shuffle(rows)
    order.shuffle(columns)
    under_test = np.arange(len(values) - size, len(values))[np.newaxis]
    shuffled = values[[*rows, *under_test[0]]][:, columns]
    contrast = contrasts(plain_stable(values, floor), under_test)[0, columns]
    other = contrasts(plain_stable(shuffled, floor), under_test)[0]
    assert contrast == pytest.approx(other, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("n_runs", "size"), [(6, 1), (13, 3), (23, 3), (8, 4)])
def test_of_few_choices_each_is_made_once_and_the_one_under_test_comes_first(n_runs, size):
    made = choices(n_runs, size, 2000)
    assert made[0].tolist() == list(range(n_runs - size, n_runs))
    assert len(made) == comb(n_runs, size) <= 2000
    assert {frozenset(row) for row in made.tolist()} == set(
        map(frozenset, itertools.combinations(range(n_runs), size))
    )


@pytest.mark.slow
@pytest.mark.parametrize(("n_runs", "size", "limit"), [(30, 3, 2000), (13, 3, 100), (5000, 1, 2000)])
def test_of_many_choices_some_are_made_by_chance_and_always_the_same(n_runs, size, limit):
    made = choices(n_runs, size, limit)
    assert made.shape == (limit, size)
    assert made[0].tolist() == list(range(n_runs - size, n_runs))
    assert all(len(set(row)) == size for row in made.tolist())
    assert 0 <= made.min() <= made.max() < n_runs
    assert np.array_equal(made, choices(n_runs, size, limit))
    assert not np.array_equal(made[1:], choices(n_runs, size, limit, seed=1)[1:])
    # Evenly: no run is in far more or fewer of them than its share.
    if n_runs < limit:
        counts = np.bincount(made[1:].ravel(), minlength=n_runs)
        expected = size * (limit - 1) / n_runs
        assert np.abs(counts - expected).max() < 5 * expected**0.5


def test_far_from_zero_a_scale_of_shares_and_near_it_one_of_numbers():
    features = np.array([[0.0, 1e6], [1.0, 1.1e6], [2.0, 1.21e6]])
    steps = np.diff(stabilise(features, np.ones(2), np.zeros(2)).values, axis=0)
    assert steps[:, 1] == pytest.approx(np.log(1.1), rel=1e-6)
    assert steps[0, 0] == pytest.approx(np.arcsinh(1.0))


@given(st.floats(-1e12, 1e12), st.floats(0.001, 1e6), st.floats(0, 1e12))
def test_the_floor_is_a_unit_and_a_share_of_the_level(value, grain, level):
    """Moving by the floor on the stable scale is moving by both, added as deviations are."""
    stable = stabilise(np.full((5, 1), value), np.array([grain]), np.array([level]))
    unit = max(grain, level / 1000)
    assert stable.unit[0] == pytest.approx(unit)
    assert stable.floor[0] == pytest.approx(np.hypot(unit, LevelShare.RUNS * level) / np.hypot(value, unit))


def test_what_has_no_unit_and_no_level_can_still_be_compared():
    stable = stabilise(np.zeros((6, 1)), np.zeros(1), np.zeros(1))
    assert contrasts(stable, choices(6, 1, 10)).tolist() == [[0.0]] * 6
    assert stable.unit.tolist() == [1.0]


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("centre", [0.0, 3e7, -40.0])
def test_the_range_ends_where_the_contrast_reaches_the_limit(size, centre):
    """Runs that are moved to an end of the range contrast by exactly the limit."""
    random = np.random.default_rng(5)
    features = centre + random.normal(size=(12 + size, 4)) * 7
    stable = stabilise(features, np.full(4, 0.5), np.full(4, abs(centre)))
    for sign, end in zip((-1, 1), within(stable, size, 3.0), strict=True):
        moved = stable.values.copy()
        moved[-size:] += np.arcsinh(end / stable.unit) - moved[-size:].mean(axis=0)
        under_test = np.arange(12, 12 + size)[np.newaxis]
        assert contrasts(Stable(moved, stable.floor, stable.unit), under_test)[0] == pytest.approx(
            sign * 3.0, rel=1e-5
        )


@pytest.mark.parametrize("n_kinds", [1, 2])
def test_under_a_load_the_difference_is_that_of_least_squares_with_the_load_beside_the_group(n_kinds):
    """Slopes that both groups share: the textbook's analysis of covariance, by its normal equations."""
    random = np.random.default_rng(8)
    load = random.uniform(1, 3, (11, n_kinds))
    values = 5 + 2 * load.sum(axis=1, keepdims=True) + random.normal(size=(11, 3))
    chosen = choices(11, 3, 2000)
    found = compare_choices(values, chosen, load)
    for row in (0, 40, 164):
        group = np.isin(np.arange(11), chosen[row]).astype(float)
        design = np.column_stack([np.ones(11), group, load])
        slopes, squares, *_ = np.linalg.lstsq(design, values)
        assert found.difference[row] == pytest.approx(slopes[1])
        assert found.variance[row] == pytest.approx(squares / (9 - n_kinds))
        assert found.sizes[row] == pytest.approx(np.linalg.inv(design.T @ design)[1, 1])
    assert found.freedom == 9 - n_kinds


def test_what_follows_the_load_exactly_does_not_differ_at_another_load():
    load = np.array([*np.linspace(1, 2, 10), 0.5, 0.5, 0.5])[:, None]
    features = np.hstack([100 * load, 7 + 30 * load])
    last = np.array([[10, 11, 12]])
    grain, level = np.ones(2), features.mean(axis=0)
    stable = linear(features, grain, level, load)
    assert contrasts(stable, last)[0] == pytest.approx(0.0, abs=1e-6)
    lower, upper = within(stable, 3, 3.0)
    assert (lower < features[-1]).all()
    assert (features[-1] < upper).all()
    more = features.copy()
    more[-3:] *= 2
    assert (contrasts(linear(more, grain, level, load), last)[0] > 5).all()


def test_equal_loads_take_nothing_out():
    random = np.random.default_rng(9)
    values, chosen = random.normal(size=(9, 2)), choices(9, 2, 100)
    assert compare_choices(values, chosen, np.full((9, 1), 4.0)).difference == pytest.approx(
        compare_choices(values, chosen).difference
    )


def test_a_difference_of_loads_that_no_run_explains_says_nothing():
    """Each group has one load: whatever differs may be what the load does."""
    random = np.random.default_rng(10)
    load = np.array([1.0] * 8 + [3.0] * 3)[:, None]
    values = 50 * load + random.normal(size=(11, 2))
    last = np.array([[8, 9, 10]])
    stable = linear(values, np.ones(2), values.mean(axis=0), load)
    assert compare_choices(values, last, load).sizes == np.inf
    assert contrasts(stable, last)[0] == pytest.approx(0.0)
    assert factors(differences(stable, last))[0] == pytest.approx(1.0)
    assert all(np.isinf(end).all() for end in within(stable, 3, 3.0))


def test_what_never_changes_and_has_no_grain_does_not_differ_under_a_load():
    load = np.arange(6.0)[:, None]
    stable = linear(np.zeros((6, 1)), np.zeros(1), np.zeros(1), load)
    assert contrasts(stable, choices(6, 1, 10)).tolist() == [[0.0]] * 6


def test_of_too_many_choices_different_ones_are_drawn_so_that_the_largest_difference_has_the_smallest_rank():
    """2024 ways of choosing 3 of 24 runs; each of them is as likely as any other to be drawn."""
    assert comb(24, 3) == 2024
    chosen = choices(24, 3, 2000)
    assert chosen.shape == (2000, 3)
    assert chosen[0].tolist() == [21, 22, 23]
    assert len({tuple(sorted(choice)) for choice in chosen.tolist()}) == 2000
    assert (np.sort(choices(24, 3, 2000), axis=1) == np.sort(chosen, axis=1)).all()
    drawn = choices(40, 3, 2000)[1:]
    assert np.bincount(drawn.ravel(), minlength=40) == pytest.approx(np.full(40, 150), abs=60)
