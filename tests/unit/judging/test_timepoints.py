import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.features import Series
from buto.judging.thesis.time_points import distribution, linear, rounding
from perf.judging import loops
from tests.support.references import naive

NAN = float("nan")


def run(*values, start=0.0):
    column = np.array(values, dtype=float).reshape(-1, 1)
    return Series(start + np.arange(len(column)) * 0.1, column)


def test_values_are_grouped_by_their_index():
    points = linear([run(1, 10), run(3, 20), run(8, 60)])
    assert points.mean[:, 0].tolist() == [4, 30]
    assert points.median[:, 0].tolist() == [3, 20]
    assert points.counts[:, 0].tolist() == [3, 3]


def test_the_deviation_divides_by_one_less_than_the_count():
    # Distances 3, 1, 4 from the mean 4: 26 / 2 = 13.
    assert linear([run(1), run(3), run(8)]).std[0, 0] == pytest.approx(13**0.5)


def test_the_time_of_a_point_is_the_mean_of_its_samples():
    points = linear([run(1, 2), run(1, 2, start=0.02), run(1, start=0.04)])
    assert points.times_s == pytest.approx([0.02, 0.11])


def test_runs_of_unequal_length_give_as_many_points_as_the_longest():
    points = linear([run(1, 2, 3), run(3), run(5, 6)])
    assert points.counts[:, 0].tolist() == [3, 2, 1]
    assert points.mean[:, 0].tolist() == [3, 4, 3]


def test_a_point_of_one_run_has_no_deviation():
    points = linear([run(4, 5)])
    assert points.std[:, 0].tolist() == [0, 0]
    assert points.mean[:, 0].tolist() == [4, 5]


def test_unreadable_values_do_not_count():
    points = linear([run(1, NAN), run(3, NAN), run(NAN, NAN)])
    assert points.counts[:, 0].tolist() == [2, 0]
    assert points.mean[0, 0] == 2
    assert np.isnan([points.mean[1, 0], points.median[1, 0], points.std[1, 0]]).all()


def test_no_runs_and_empty_runs_give_no_points():
    assert len(linear([])) == 0
    assert len(linear([run(), run()])) == 0


def timed(*samples):
    times, values = zip(*samples, strict=True)
    return Series(np.array(times, dtype=float), np.array(values, dtype=float).reshape(-1, 1))


def test_rounding_groups_by_time_and_not_by_index():
    late = timed((1.1, 20), (1.9, 30))
    points = rounding([timed((0, 1), (1, 10), (2.2, 40)), late], 1.0)
    assert points.mean[:, 0].tolist() == [1, 15, 35]
    assert points.counts[:, 0].tolist() == [1, 2, 2]
    assert points.times_s == pytest.approx([0, 1.05, 2.05])


def test_half_an_interval_rounds_up_and_before_zero_is_before():
    points = rounding([timed((-0.6, 1), (-0.5, 2), (0.49, 3), (0.5, 4), (1.5, 5), (2.5, 6))], 1.0)
    assert points.counts[:, 0].tolist() == [1, 2, 1, 1, 1]


def test_samples_of_one_run_that_round_alike_both_count():
    points = rounding([timed((0.6, 1), (1.4, 3)), timed((1.0, 8))], 1.0)
    assert (points.counts[0, 0], points.mean[0, 0]) == (3, 4)


def test_rounding_makes_no_point_of_a_time_without_samples():
    assert rounding([timed((0, 1), (5, 2))], 1.0).times_s.tolist() == [0, 5]


def test_without_an_interval_everything_is_one_group():
    assert rounding([timed((0.0, 1)), timed((7.0, 3))], np.inf).mean.tolist() == [[2]]


def test_rounding_nothing_gives_nothing():
    assert len(rounding([], 1.0)) == 0
    assert rounding([run(), run()], 1.0).mean.shape == (0, 1)


@pytest.mark.parametrize("value", [0.1, 1e16 + 2, -1 / 3])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 10])
def test_equal_values_have_exactly_no_deviation(value, count):
    spread = distribution(np.full((count, 1), value))
    assert spread.std[0] == 0
    assert spread.mean[0] == value
    assert spread.median[0] == value


VALUES = st.lists(st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), max_size=8), max_size=8)


@given(rows=VALUES)
def test_fast_time_points_equal_the_plain_ones(rows):
    runs = [run(*[NAN if times is None else times for times in row]) for row in rows]
    points = linear(runs)
    plain = loops.linear_points(rows)
    assert len(points) == len(plain)
    for index, values in enumerate(plain):
        bounds = loops.simple_bounds(values, 2)
        if bounds is None:
            assert np.isnan(points.mean[index, 0])
            continue
        lower, upper = bounds
        assert points.mean[index, 0] == pytest.approx((lower + upper) / 2, rel=1e-9, abs=1e-5)
        assert points.std[index, 0] == pytest.approx((upper - lower) / 4, rel=1e-6, abs=1e-5)


TIMED = st.lists(
    st.lists(st.tuples(st.integers(-5, 200), st.floats(-1e6, 1e6)), max_size=8), min_size=1, max_size=6
)


@given(runs=TIMED, interval=st.sampled_from([0.05, 0.1, 0.32]))
def test_fast_rounding_equals_the_plain_one(runs, interval):
    plain = [[(ticks / 100, value) for ticks, value in samples] for samples in runs]
    points = rounding([timed(*samples) if samples else run() for samples in plain], interval)
    expected = naive.rounding_points(plain, interval)
    assert points.counts[:, 0].tolist() == [len(group) for group in expected]
    for index, group in enumerate(expected):
        lower, upper = loops.simple_bounds([value for _, value in group], 1)
        assert points.times_s[index] == pytest.approx(np.mean([time for time, _ in group]))
        assert points.mean[index, 0] == pytest.approx((lower + upper) / 2, rel=1e-9, abs=1e-6)
        assert points.std[index, 0] == pytest.approx((upper - lower) / 2, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("generate", [linear, lambda runs: rounding(runs, 0.25)])
@given(rows=VALUES.filter(bool), order=st.randoms())
def test_the_order_of_the_runs_changes_no_bit(generate, rows, order):
    runs = [run(*[NAN if times is None else times for times in row]) for row in rows]
    shuffled = runs.copy()
    order.shuffle(shuffled)
    first, other = generate(runs), generate(shuffled)
    for name in ("times_s", "counts", "mean", "median", "std"):
        assert np.array_equal(getattr(first, name), getattr(other, name), equal_nan=True)
