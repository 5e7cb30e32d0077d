from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.pipeline import PipelineSettings, compare, fit, numbers_fit
from buto.run.properties import Property, property_for
from perf.judging import loops
from tests.support.runs.signals import INTERVAL_S, made, make_run

PLAIN = PipelineSettings(smoothing="none")
NAN = float("nan")


def learned(runs, settings=PLAIN):
    return fit(runs.runs, runs.properties, settings)


def test_bounds_by_hand():
    # At each time 10, 12, 14: mean 12, deviation 2; twenty of them to each side.
    model = learned(made(3, lambda number: np.full(4, 10.0 + 2 * number))).model
    assert model.bounds.lower[:, 0].tolist() == [0, 0, 0, 0]  # 12 - 40 is clipped: no class count is negative
    assert model.bounds.upper[:, 0].tolist() == [52] * 4
    assert model.bounds.expected[:, 0].tolist() == [12] * 4
    assert model.interval_s == pytest.approx(INTERVAL_S)


def test_every_intermediate_is_returned():
    learned_fit = learned(made(5, lambda number: np.arange(20.0) + number), PipelineSettings())
    assert [len(run_series) for run_series in learned_fit.smoothed] == [12] * 5
    assert learned_fit.points.mean[0, 0] == 6  # the mean of 0..8 is 4, and of 0..4 it is 2
    assert len(learned_fit.model.bounds) == 12


@pytest.mark.parametrize("count", [1, 2])
def test_one_run_or_two_give_bounds_too(count):
    model = learned(made(count, lambda number: np.full(5, 3.0 * number))).model
    assert model.bounds.expected[:, 0].tolist() == [1.5 * (count - 1)] * 5
    assert np.isfinite(model.bounds.upper).all()


def test_an_unreadable_column_has_no_band():
    runs = made(3, lambda number: np.full(6, NAN))
    model = learned(runs).model
    assert np.isnan(model.bounds.upper).all()
    comparison = compare(runs.runs[0], model, PLAIN)
    assert np.isnan(comparison.beyond).all()


def test_a_run_without_samples_compares_nothing():
    model = learned(made(3, lambda number: np.ones(6))).model
    comparison = compare(make_run(9, [], {"jvm.class.count": []}), model, PLAIN)
    assert comparison.beyond.shape == (0, 1)


def test_columns_are_matched_by_name():
    training = [
        make_run(number, [0, 1, 2], {"jvm.class.count": [1, 1, 1], "jvm.thread.count": [5, 5, 5]})
        for number in range(3)
    ]
    model = fit(training, training[0].properties, PLAIN).model
    swapped = make_run(9, [0, 1, 2], {"jvm.thread.count": [5, 5, 5], "jvm.class.count": [1, 1, 1]})
    assert not compare(swapped, model, PLAIN).beyond.any()


def test_numbers_are_bounded_as_points_are():
    duration = Property("run.duration", "s", lower=0.0)
    bounds = numbers_fit(np.array([[1.0], [3.0], [2.0]]), [duration], replace(PLAIN, deviations=1.5))
    assert (bounds.lower[0, 0], bounds.expected[0, 0], bounds.upper[0, 0]) == (0.5, 2, 3.5)


RUNS = st.lists(st.lists(st.floats(0, 1000), min_size=3, max_size=14), min_size=2, max_size=6)


@given(
    training=RUNS, test=st.lists(st.floats(-500, 1500), max_size=16), deviations=st.sampled_from([1.0, 4.0])
)
def test_the_pipeline_equals_the_thesis_written_plainly(training, test, deviations):
    anything = property_for("mbean[a]/Value")
    window = 3
    chosen = PipelineSettings(window=window, deviations=deviations)

    def run(number, values):
        return make_run(number, np.arange(len(values)) * INTERVAL_S, {anything.name: values})

    runs = [run(number, values) for number, values in enumerate(training)]
    model = fit(runs, [anything], chosen).model
    comparison = compare(run(99, test), model, chosen)
    outside = np.nan_to_num(comparison.beyond[:, 0]).astype(bool) | ~comparison.in_model
    timed = [
        [(index * INTERVAL_S, value) for index, value in enumerate(values)] for values in (*training, test)
    ]
    expected = loops.classify(timed[:-1], timed[-1], window, deviations, model.interval_s)
    found = comparison.smoothed.times_s[outside]
    # The fast version tolerates rounding at the very limit, so it may find less there.
    assert {round(time, 6) for time in found} <= {round(time, 6) for time in expected}
    strictly = loops.classify(timed[:-1], timed[-1], window, deviations * 1.000001, model.interval_s)
    missed = {round(time, 6) for time in strictly} - {round(time, 6) for time in found}
    for time in missed:
        row = int(np.argmin(np.abs(comparison.smoothed.times_s - time)))
        width = comparison.bounds.upper[row, 0] - comparison.bounds.lower[row, 0]
        assert width < 1e-6, f"at {time}"
