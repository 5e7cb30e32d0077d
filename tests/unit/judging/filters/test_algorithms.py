"""Runs of every kind through each algorithm and each way to put runs together in time."""

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.thesis.filters import ALGORITHMS
from buto.judging.thesis.pipeline import MATCHERS, PipelineSettings, compare, fit, fit_each, numbers_fit
from buto.judging.thesis.time_points import GENERATORS
from buto.run.properties import Property
from tests.support.runs.signals import made, make_run

NAN = float("nan")
FEW = PipelineSettings(smoothing="none", particles=50, iterations=2)
DEVIATIONS = (2.0, 8.0, 20.0)

pytestmark = [
    pytest.mark.parametrize("bounds", ALGORITHMS),
    pytest.mark.parametrize("time_points", GENERATORS),
]


def learned(runs, bounds, time_points, **changes):
    settings = replace(FEW, bounds=bounds, time_points=time_points, **changes)
    return fit(runs.runs, runs.properties, settings).model


def settled(values, bounds):
    """All points, but for the listing not the second, whose band hardly widens with more deviations."""
    return np.delete(values, 1, axis=0) if bounds == "kalman-listing" else values


def test_one_run_is_its_own_model(bounds, time_points):
    model = learned(made(1, lambda _: [3, 1, 4, 1, 5]), bounds, time_points)
    for side in (model.bounds.lower, model.bounds.expected, model.bounds.upper):
        assert side[:, 0].tolist() == [3, 1, 4, 1, 5]


def test_two_runs_give_a_band(bounds, time_points):
    model = learned(made(2, lambda number: 50.0 + 2 * number + np.arange(6)), bounds, time_points)
    assert np.isfinite(model.bounds.lower).all()
    assert (model.bounds.upper[0] - model.bounds.lower[0] > 2).all()


def test_runs_of_unequal_length_give_as_many_points_as_the_longest(bounds, time_points):
    runs = made(4, lambda number: np.arange(4.0 + 2 * number) + number % 2)
    model = learned(runs, bounds, time_points)
    assert len(model.bounds) == 10
    assert np.isfinite(model.bounds.upper).all()


def test_unreadable_values_leave_gaps_and_nothing_else(bounds, time_points):
    runs = made(3, lambda number: [1.0 + number, NAN, 3, NAN, 4 + number, 5])
    model = learned(runs, bounds, time_points)
    assert np.isnan(model.bounds.upper[:, 0]).tolist() == [False, True, False, True, False, False]


def test_a_constant_property_has_no_width(bounds, time_points):
    runs = made(5, lambda _: np.full(6, 812.0))
    bare = learned(runs, bounds, time_points).bounds
    assert (bare.lower == 812).all()
    assert (bare.upper == 812).all()


def test_bands_stay_within_what_is_possible(bounds, time_points):
    runs = made(3, lambda number: [number, 2.0 * number, number, 3.0 * number], "jvm.thread.count")
    model = learned(runs, bounds, time_points)
    assert (model.bounds.lower >= 0).all()
    assert (model.bounds.lower == 0).any()


def test_several_deviations_at_once_are_those_of_each_alone(bounds, time_points):
    runs = made(4, lambda number: np.arange(8.0) * (1 + number / 10), "jvm.class.loaded")
    settings = replace(FEW, bounds=bounds, time_points=time_points)
    together = fit_each(runs.runs, runs.properties, settings, DEVIATIONS)
    for number, fitted in zip(DEVIATIONS, together, strict=True):
        alone = fit(runs.runs, runs.properties, replace(settings, deviations=number)).model
        assert fitted.model.bounds.upper.tolist() == alone.bounds.upper.tolist()


def test_numbers_that_a_run_has_once_are_bounded_simply(bounds, time_points):
    settings = replace(FEW, bounds=bounds, time_points=time_points, deviations=1.0)
    band = numbers_fit(np.array([[1.0], [2], [3]]), [Property("run.duration", "s")], settings)
    assert (band.lower[0, 0], band.upper[0, 0]) == (1, 3)


@pytest.mark.parametrize("matching", MATCHERS)
def test_a_training_run_is_within_a_generous_band(bounds, time_points, matching):
    random = np.random.default_rng(7)
    times = np.arange(20) * 0.1
    curves = [5e6 + 1e6 * times + random.normal(0, 1e5, 20) for _ in range(10)]
    runs = [
        make_run(number, times + random.normal(0, 0.005, 20), {"jvm.memory.heap.used": curve})
        for number, curve in enumerate(curves)
    ]
    settings = replace(
        FEW, bounds=bounds, time_points=time_points, matching=matching, process_noise="average-variance"
    )
    model = fit(runs, runs[0].properties, settings).model
    for run in runs:
        comparison = compare(run, model, settings)
        assert comparison.in_model.all()
        assert not settled(comparison.beyond, bounds).any()
