"""Features of a run, against plain ones and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.features import (
    COUNTER_FEATURES,
    GAUGE_FEATURES,
    N_GRID,
    Series,
    catalogue,
    features,
    on_grid,
    quantiles,
)
from buto.run.properties import Kind, Property
from tests.support.references import naive_calibrated

NAN = float("nan")
GAUGE = Property("mbean[a]/Level", kind=Kind.GAUGE)
COUNTER = Property("mbean[a]/Total", kind=Kind.COUNTER)
CONSTANT = Property("mbean[a]/Version", kind=Kind.CONSTANT)
PLAIN = {GAUGE: naive_calibrated.gauge, COUNTER: naive_calibrated.counter}

VALUES = st.floats(-1e9, 1e9, allow_subnormal=False)


def series(times, *columns):
    written = [[NAN if value is None else value for value in column] for column in columns]
    return Series(np.array(times, dtype=float), np.array(written, dtype=float).T.reshape(len(times), -1))


def by_name(of, properties, end):
    """The features of each property, by its name and theirs."""
    found = features(of, properties, end)
    assert len(found) == len(catalogue(properties))
    result = [{} for _ in properties]
    for feature, value in zip(catalogue(properties), found, strict=True):
        result[feature.column][feature.name] = value
    return result


@st.composite
def sampled(draw):
    """Times, and two columns in which something was read."""
    steps = draw(st.lists(st.floats(0.001, 2.0), min_size=1, max_size=25))
    times = (np.cumsum(steps) - steps[0] + draw(st.floats(-0.2, 0.2))).tolist()
    columns = [
        draw(
            st.lists(st.none() | VALUES, min_size=len(times), max_size=len(times)).filter(
                lambda column: any(value is not None for value in column)
            )
        )
        for _ in range(2)
    ]
    return times, columns


@given(sampled(), st.floats(0.001, 40.0))
def test_features_are_those_of_the_plain_reference(drawn, end):
    times, columns = drawn
    properties = (GAUGE, CONSTANT, COUNTER, GAUGE)
    of = series(times, columns[0], [1.0] * len(times), columns[1], columns[1])
    found = by_name(of, properties, end)
    size = max(abs(value) for column in columns for value in column if value is not None)
    for prop, column, ours in zip((GAUGE, COUNTER, GAUGE), (0, 1, 1), (found[0], *found[2:]), strict=True):
        plain = PLAIN[prop](times, columns[column], end)
        assert list(ours) == list(plain)
        for name, value in plain.items():
            assert ours[name] == pytest.approx(value, rel=1e-9, abs=1e-8 * size), name
    assert found[1] == {}


def test_the_names_are_those_that_files_have():
    assert tuple(naive_calibrated.gauge([0], [1], 1)) == GAUGE_FEATURES
    assert tuple(naive_calibrated.counter([0], [1], 1)) == COUNTER_FEATURES


def test_a_straight_line_by_hand():
    found, counted = by_name(series([0, 59], [0, 59], [0, 59]), (GAUGE, COUNTER), 59.0)
    assert (found["mean"], found["median"], found["last"], found["largest"]) == (29.5, 29.5, 59, 59)
    thirds = [found[f"mean-{part}"] for part in ("early", "middle", "late")]
    assert thirds == pytest.approx([59 / 6, 29.5, 59 * 5 / 6])
    assert (found["slope"], found["roughness"]) == pytest.approx((59 * 2 / 3, 1))
    assert (found["low"], found["high"]) == pytest.approx((5.9, 53.1))
    assert list(counted.values()) == [59, 29.5, 20, 20, 19]


def test_the_mean_is_of_all_samples_of_a_long_run():
    """Of 720 noisy samples, a mean of some 60 would vary three times as much."""
    noise = np.random.default_rng(5).normal(size=(40, 720))
    means = [by_name(series(range(720), values), (GAUGE,), 719.0)[0]["mean"] for values in noise]
    assert means == pytest.approx(noise.mean(axis=1), abs=0.005)


def test_a_counter_s_total_is_its_last_value_wherever_that_lies():
    longer = by_name(series([0, 1, 5], [0, 10, 50]), (COUNTER,), 1.0)[0]
    assert (longer["total"], longer["mean"], longer["increase-late"]) == (
        50,
        pytest.approx(5),
        pytest.approx(10 * 19 / 59),
    )
    unread = by_name(series([0, 1, 5], [0, 10, None]), (COUNTER,), 1.0)[0]
    assert unread["total"] == 10


def test_a_run_that_ended_early_stays_level_and_a_late_first_sample_holds_from_the_start():
    grid = on_grid(series([1.0, 2.0], [5, 7]), 4.0)[:, 0]
    assert grid[0] == grid[14] == 5
    assert grid[30] == grid[-1] == 7
    assert len(grid) == N_GRID


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.1, 3.0]])
@pytest.mark.parametrize("value", [0.0, 812.0, 0.1, 1e15, -3.7])
def test_a_constant_has_exactly_its_value_and_no_movement(times, value):
    found = by_name(series(times, [value] * len(times)), (GAUGE,), 2.5)[0]
    moving = {"slope", "deviation", "roughness"}
    assert {name: found[name] for name in moving} == pytest.approx(
        dict.fromkeys(moving, 0.0), abs=abs(value) * 1e-15
    )
    for name in set(found) - moving:
        assert found[name] == pytest.approx(value, rel=1e-15)
    counted = by_name(series(times, [value] * len(times)), (COUNTER,), 2.5)[0]
    assert [counted[name] for name in COUNTER_FEATURES[2:]] == [0, 0, 0]


def test_what_was_never_read_has_no_features_and_disturbs_no_other():
    found = by_name(series([0, 1], [None, None], [1, 2], [None, None]), (GAUGE, GAUGE, COUNTER), 1.0)
    assert np.isnan([*found[0].values(), *found[2].values()]).all()
    assert not np.isnan(list(found[1].values())).any()


def test_no_samples_give_no_numbers():
    of = Series(np.empty(0), np.empty((0, 2)))
    assert np.isnan(features(of, (GAUGE, COUNTER), 1.0)).all()


def test_no_properties_and_constants_alone_have_no_features():
    assert len(features(Series(np.arange(2.0), np.empty((2, 0))), (), 1.0)) == 0
    assert len(features(series([0, 1], [7, 7]), (CONSTANT,), 1.0)) == 0


def test_one_unreadable_value_is_as_if_it_had_not_been_sampled():
    whole = by_name(series([0, 1, 3], [4, 6, 1]), (GAUGE,), 3.0)
    holed = by_name(series([0, 1, 2, 3], [4, 6, None, 1]), (GAUGE,), 3.0)
    assert whole[0] == pytest.approx(holed[0])


@given(sampled(), st.floats(0.001, 1000.0))
def test_another_unit_scales_every_feature(drawn, factor):
    times, columns = drawn
    of = series(times, *columns)
    scaled = Series(of.times_s, of.values * factor)
    size = np.nanmax(np.abs(of.values)) * factor
    assert features(scaled, (GAUGE, COUNTER), 3.0) == pytest.approx(
        features(of, (GAUGE, COUNTER), 3.0) * factor, rel=1e-9, abs=1e-9 * size + 1e-12
    )


def test_what_is_left_at_the_exit_counts_though_another_run_was_shorter():
    (found,) = by_name(series([0, 30, 59, 70], [8, 8, 8, 11]), (GAUGE,), 59.0)
    assert (found["last"], found["largest"]) == (11, 8)


@pytest.mark.parametrize("n_rows", [1, 2, 7, 240, 1001])
def test_quantiles_are_those_of_numpy_to_the_bit(n_rows: int) -> None:
    values = np.random.default_rng(1).lognormal(3.0, 2.0, (n_rows, 40))
    values[:, 3] = np.nan
    values[:, 4] = 5.0
    shares = [0.0, 0.1, 0.5, 0.73, 0.9, 1.0]
    assert quantiles(values, shares).tobytes() == np.quantile(values, shares, axis=0).tobytes()
