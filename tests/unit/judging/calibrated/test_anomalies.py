"""Outliers, drift and two behaviours are found where they were put, and seldom elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.judging.calibrated.anomalies import Anomaly, AnomalyKind, find_anomalies
from buto.judging.calibrated.profile import Profile
from buto.run.model import FloatArray
from tests.support.training.profiles import HEAP, THREADS, a_profile
from tests.support.training.simulated import KINDS, N_COUNTERS, N_GAUGES, training

N = N_GAUGES + N_COUNTERS


def _of(profile: Profile, kind: AnomalyKind) -> Anomaly | None:
    return next((one for one in find_anomalies(profile) if one.kind is kind), None)


def _shift(n_runs: int, runs: list[int], deviations: float, n_quantities: int = N) -> FloatArray:
    shift = np.zeros((n_runs, N))
    shift[np.ix_(runs, range(n_quantities))] = deviations
    return shift


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_good_trainings_are_seldom_warned_of(kind: str) -> None:
    n = 40
    found = Counter(one.kind for seed in range(n) for one in find_anomalies(training(10, kind, seed)))
    # Two in a hundred would show more than three of forty once in a hundred trials.
    assert max(found.values(), default=0) <= 3


@pytest.mark.parametrize("n_runs", [10, 20])
def test_a_run_that_is_unlike_all_others_is_named(n_runs: int) -> None:
    found = _of(training(n_runs, "normal", 1, _shift(n_runs, [6], 4.0)), AnomalyKind.OUTLIER)
    assert found is not None
    assert found.runs == (6,)
    assert len({one.quantity.name for one in found.symptoms}) == 3
    assert all(one.there > one.elsewhere for one in found.symptoms)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_drift_of_everything_is_named_with_its_direction(sign: int) -> None:
    steps = sign * np.linspace(0, 2.5, 10)[:, None] * np.ones(N)
    found = _of(training(10, "normal", 2, steps), AnomalyKind.DRIFT)
    assert found is not None
    assert found.runs == ()
    assert all((one.there > one.elsewhere) == (sign > 0) for one in found.symptoms)


def test_the_same_runs_in_another_order_do_not_drift() -> None:
    profile = training(12, "normal", 2, np.linspace(0, 3, 12)[:, None] * np.ones(N))
    assert _of(profile, AnomalyKind.DRIFT) is not None
    mixed = replace(profile, values=profile.values[[5, 0, 9, 2, 11, 7, 1, 10, 3, 8, 4, 6]])
    assert _of(mixed, AnomalyKind.DRIFT) is None


def test_two_behaviours_are_distinguished() -> None:
    levels = np.array([10, 10, 30, 10, 30, 10, 10, 30, 10, 10, 10, 10], float)
    found = _of(a_profile(12, 1, levels={THREADS: levels}), AnomalyKind.TWO_GROUPS)
    assert found is not None
    assert found.runs == (2, 4, 7)
    assert (found.symptoms[0].quantity, found.symptoms[0].there) == (THREADS, 30.0)
    assert found.symptoms[0].elsewhere == 10.0


def test_a_count_that_is_now_and_then_one_more_is_not_second_behaviour() -> None:
    levels = np.array([10, 11, 10, 10, 11, 10, 11, 10, 11, 10, 10, 11], float)
    assert _of(a_profile(12, 1, levels={THREADS: levels}), AnomalyKind.TWO_GROUPS) is None


def test_runs_that_are_equal_in_everything_have_no_ailment() -> None:
    profile = a_profile(8)
    assert find_anomalies(replace(profile, values=np.tile(profile.values[0], (8, 1)))) == ()


def test_a_drift_below_what_means_something_is_none() -> None:
    profile = a_profile(12, 4)
    values = np.tile(profile.values[0], (12, 1))
    values[:, :12] += np.arange(12)[:, None] * 100.0
    assert find_anomalies(replace(profile, values=values)) == ()


@settings(max_examples=15, deadline=None)
@given(st.integers(4, 12), st.integers(0, 10_000))
def test_what_is_named_is_there(n_runs: int, seed: int) -> None:
    for one in find_anomalies(a_profile(n_runs, seed)):
        assert one.p_value <= 0.1
        assert 1 <= len(one.symptoms) <= 3
        assert all(0 <= run < n_runs for run in one.runs)
        assert 2 * len(one.runs) <= n_runs


def test_what_could_not_be_read_in_every_run_is_left_out() -> None:
    profile = a_profile(12, levels={HEAP: np.repeat([3e7, 9e7], 6)})
    assert _of(profile, AnomalyKind.TWO_GROUPS) is not None
    values = profile.values.copy()
    values[4, :12] = np.nan
    assert _of(replace(profile, values=values), AnomalyKind.TWO_GROUPS) is None
