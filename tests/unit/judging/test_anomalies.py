"""Outliers, drift and two behaviours are found where they were put, and seldom elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.judging.anomalies import Anomaly, AnomalyKind, find_anomalies
from buto.judging.profile import TrainingProfile
from buto.judging.warnings import unlike_runs
from buto.run.model import FloatArray, run_set
from buto.run.properties import Property, property_for
from buto.steps import Action, Advice, Step
from tests.support.examples import examples
from tests.support.runs.stored import leaking_run
from tests.support.training.profiles import HEAP, THREADS, a_profile, places_of
from tests.support.training.simulated import KINDS, N_COUNTERS, N_GAUGES, training

N = N_GAUGES + N_COUNTERS


def _of(profile: TrainingProfile, kind: AnomalyKind) -> Anomaly | None:
    return next((anomaly for anomaly in find_anomalies(profile) if anomaly.kind is kind), None)


def _shift(n_runs: int, runs: list[int], deviations: float, n_quantities: int = N) -> FloatArray:
    shift = np.zeros((n_runs, N))
    shift[np.ix_(runs, range(n_quantities))] = deviations
    return shift


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_good_trainings_are_seldom_warned_of(kind: str) -> None:
    n = 40
    found = Counter(anomaly.kind for seed in range(n) for anomaly in find_anomalies(training(10, kind, seed)))
    # Two in a hundred would show more than three of forty once in a hundred trials.
    assert max(found.values(), default=0) <= 3


@pytest.mark.parametrize("n_runs", [10, 20])
def test_a_run_that_is_unlike_all_others_is_named(n_runs: int) -> None:
    found = _of(training(n_runs, "normal", 1, _shift(n_runs, [6], 4.0)), AnomalyKind.OUTLIER)
    assert found is not None
    assert found.runs == (6,)
    assert len({symptom.quantity.name for symptom in found.symptoms}) == 3
    assert all(symptom.there > symptom.elsewhere for symptom in found.symptoms)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_drift_of_everything_is_named_with_its_direction(sign: int) -> None:
    steps = sign * np.linspace(0, 2.5, 10)[:, None] * np.ones(N)
    found = _of(training(10, "normal", 2, steps), AnomalyKind.DRIFT)
    assert found is not None
    assert found.runs == ()
    assert all((symptom.there > symptom.elsewhere) == (sign > 0) for symptom in found.symptoms)


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


@pytest.mark.parametrize(
    ("quantity", "initial", "step"),
    [(HEAP, 2**24, Action.TRAIN), (HEAP, 2**28, Action.SHOW_RUN), (THREADS, 2**24, Action.SHOW_RUN)],
)
def test_two_ways_in_which_a_collector_sizes_the_heap_are_mended_by_one_size(
    quantity: Property, initial: int, step: Action
) -> None:
    profile = a_profile(12, 1, levels={quantity: np.array([3, 3, 9, 3, 9, 3, 3, 9, 3, 3, 3, 3]) * 1e7})
    sizes = {"jvm.memory.heap.initial": initial, "jvm.memory.heap.max": 2**28}
    runs = run_set([leaking_run(number, **sizes) for number in range(12)])
    advice = [text for text in unlike_runs(runs, profile) if isinstance(text, Advice)]
    assert [part.action for text in advice for part in text.parts if isinstance(part, Step)] == [step]


def test_what_never_fails_a_check_has_no_ailment() -> None:
    """A survivor space that the collector sizes in two ways is no second behaviour of the program."""
    levels = np.array([10, 10, 30, 10, 30, 10, 10, 30, 10, 10, 10, 10], float)
    profile = a_profile(12, 1, levels={THREADS: levels})
    for name in ("jvm.memory.committed[G1 Survivor Space]", "jvm.memory.heap.committed"):
        named = tuple(property_for(name) if prop == THREADS else prop for prop in profile.properties)
        # It has fewer features that accuse than threads have.
        first = places_of(profile, THREADS)[0]
        n_left_out = len(profile.catalogue) - len(replace(profile, properties=named).catalogue)
        values = np.delete(profile.values, range(first, first + n_left_out), axis=1)
        assert _of(replace(profile, properties=named, values=values), AnomalyKind.TWO_GROUPS) is None


def test_a_count_that_is_now_and_then_one_more_is_not_second_behaviour() -> None:
    levels = np.array([10, 11, 10, 10, 11, 10, 11, 10, 11, 10, 10, 11], float)
    assert _of(a_profile(12, 1, levels={THREADS: levels}), AnomalyKind.TWO_GROUPS) is None


def test_runs_that_are_equal_in_everything_have_no_ailment() -> None:
    profile = a_profile(8)
    assert find_anomalies(replace(profile, values=np.tile(profile.values[0], (8, 1)))) == ()


def test_a_drift_below_what_means_something_is_none() -> None:
    profile = a_profile(12, 4)
    values = np.tile(profile.values[0], (12, 1))
    values[:, places_of(profile, HEAP)] += np.arange(12)[:, None] * 100.0
    assert find_anomalies(replace(profile, values=values)) == ()


@settings(max_examples=examples(15))
@given(st.integers(4, 12), st.integers(0, 10_000))
def test_what_is_named_is_there(n_runs: int, seed: int) -> None:
    for anomaly in find_anomalies(a_profile(n_runs, seed)):
        assert anomaly.p_value <= 0.1
        assert 1 <= len(anomaly.symptoms) <= 3
        assert all(0 <= run < n_runs for run in anomaly.runs)
        assert 2 * len(anomaly.runs) <= n_runs


def test_what_could_not_be_read_in_every_run_is_left_out() -> None:
    profile = a_profile(12, levels={HEAP: np.repeat([3e7, 9e7], 6)})
    assert _of(profile, AnomalyKind.TWO_GROUPS) is not None
    values = profile.values.copy()
    values[4, places_of(profile, HEAP)] = np.nan
    assert _of(replace(profile, values=values), AnomalyKind.TWO_GROUPS) is None
