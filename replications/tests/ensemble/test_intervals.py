import numpy as np
import pytest

from buto.judging.features import significant
from buto.run.model import run_set
from buto_replications.detectors.ensemble.intervals import interval_for, intervals_of
from tests.support.runs.signals import make_run

NAN = float("nan")
THREADS, TIME = "jvm.thread.count", "jvm.gc.time[G1]"


def test_gauges_have_their_median_and_counters_their_growth():
    run = make_run(
        1,
        [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        {THREADS: np.array([1, 2, 9, 3, 4, 5, 6.0]), TIME: np.array([0, 1, 2, 3, 5, 7, 9.0])},
    )
    assert intervals_of(run, run.properties, 0.3).tolist() == [[2.0, 3.0], [4.5, 6.0]]


def test_what_could_not_be_read_stays_unread():
    run = make_run(1, [0.0, 0.1, 0.2], {THREADS: np.array([NAN, NAN, 3.0]), TIME: np.full(3, NAN)})
    values = intervals_of(run, run.properties, 0.1)
    assert values == pytest.approx(np.array([[NAN, NAN], [3.0, NAN]]), nan_ok=True)


def test_a_run_without_samples_has_no_intervals():
    run = make_run(1, [], {THREADS: np.array([])})
    assert intervals_of(run, run.properties, 0.1).shape == (0, 1)


def test_an_hour_has_720_intervals_and_seconds_one_for_each_sample():
    def of(times):
        return interval_for(run_set([make_run(1, times, {THREADS: np.zeros(len(times))})]))

    assert of(np.arange(3601.0)) == 5.0
    assert of(np.arange(40) / 10) == 0.1
    assert of([0.0]) == 1.0


def test_values_have_six_digits():
    values = np.array([[134217728.0, 0.123456789, 0.0, -12345.678, NAN]])
    assert significant(values) == pytest.approx(
        np.array([[134218000.0, 0.123457, 0.0, -12345.7, NAN]]), nan_ok=True, rel=1e-15
    )
