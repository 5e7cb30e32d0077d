"""The p-values of the judge hold for any values: whichever choice of runs is the one under test.

Of an unchanged program each choice is equally likely to be that one. So the p-values of all choices together
are their exact distribution, and no share of them may be smaller than that share.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.effects import GROWTH, PART
from buto.judging.evidence import Evidence, weigh
from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.profile import TrainingProfile, list_sampled_features
from buto.run.model import FloatArray
from tests.support.training.profiles import BALANCE, CPU, HEAP, LEVEL, NEVER, SCATTER, THREADS, a_profile

PROPERTIES = (HEAP, CPU, THREADS, BALANCE)
N_COLUMNS = len(list_sampled_features(PROPERTIES)) + 1

SIZES = ({}, {"*": "0"}, {"*": "1%"}, {"*": "20%"}, {"*": "never", "jvm.cpu.time": "5% and 100ms"})

JUDGES = st.builds(
    lambda fail_on, sizes: replace(CALIBRATED, fail_on=fail_on, minimum_effect=sizes),
    st.sampled_from(["any", "worse"]),
    st.sampled_from(SIZES),
)

FACTORS = st.sampled_from([0.0, 0.9, 1.0, 1.0, 1.01, 1.05, 1.3, 40.0, -3.0]) | st.floats(-2, 5)
"""Of a property's level: ties, small and large differences, and values far off."""


@st.composite
def values_of(draw: st.DrawFn, n_runs: int) -> FloatArray:
    """Features of runs: each quantity of each run has a factor, which single features may have not."""
    blank = a_profile(n_runs, draw(st.integers(0, 5)), PROPERTIES).values
    levels = draw(st.lists(FACTORS, min_size=n_runs * 4, max_size=n_runs * 4))
    factor = np.reshape(levels, (n_runs, 4))
    odd = draw(
        st.lists(st.tuples(st.integers(0, n_runs - 1), st.integers(0, N_COLUMNS - 1), FACTORS), max_size=5)
    )
    columns = [feature.column for feature in list_sampled_features(PROPERTIES)]
    values = np.hstack([blank[:, :-1] * factor[:, columns], blank[:, -1:]])
    for run, column, times in odd:
        values[run, column] *= times
    return values


def learned(n_runs: int) -> TrainingProfile:
    """What the columns are; its own values are not used."""
    return a_profile(n_runs, 0, PROPERTIES)


def assert_super_uniform(found: list[Evidence]) -> None:
    for p_values in (
        [evidence.mattering.significance.p_value for evidence in found],
        [evidence.any.significance.p_value for evidence in found],
    ):
        expected = np.arange(1, len(found) + 1) / len(found)
        assert (np.sort(p_values) >= expected - 1e-12).all()
        assert min(p_values) >= max(evidence.any.significance.smallest for evidence in found) - 1e-12


def each_under_test(values: FloatArray, size: int, judge: JudgeSettings) -> Iterator[Evidence]:
    n_runs = len(values)
    for under_test in itertools.combinations(range(n_runs), size):
        training = [run for run in range(n_runs) if run not in under_test]
        yield weigh(learned(n_runs), values[[*training, *under_test]], size, judge)


@given(values_of(7), st.integers(1, 3), JUDGES)
def test_of_all_choices_no_more_than_a_share_get_a_p_value_of_that_share(
    values: FloatArray, size: int, judge: JudgeSettings
) -> None:
    assert_super_uniform(list(each_under_test(values, size, judge)))


@given(values_of(6), JUDGES)
def test_with_as_many_under_test_as_in_training_each_choice_has_a_mirror_image(
    values: FloatArray, judge: JudgeSettings
) -> None:
    found = list(each_under_test(values, 3, judge))
    assert_super_uniform(found)
    if judge.fail_on == "any":
        assert all(evidence.mattering.significance.smallest == 2 / 20 for evidence in found)


@pytest.mark.parametrize("fail_on", ["any", "worse"])
def test_what_matters_in_no_choice_is_no_evidence(fail_on: str) -> None:
    judge = CALIBRATED.with_value("fail-on", fail_on).with_value("minimum-effect", "never")
    values = a_profile(10, 3, PROPERTIES).values
    values[-3:] *= 5
    found = weigh(learned(10), values, 3, judge)
    assert found.mattering.significance.p_value == 1.0
    assert found.any.significance.p_value <= 2 / 120


def test_where_only_worse_fails_less_of_what_is_better_low_is_no_evidence() -> None:
    judge = CALIBRATED.with_value("fail-on", "worse")
    profile = a_profile(13, 3, (HEAP,))
    values = profile.values.copy()
    values[-3:, :-1] *= 0.2
    for size in (1, 2, 3):
        found = weigh(profile, values[: 10 + size], size, judge)
        assert found.mattering.significance.p_value > 0.3
    assert weigh(profile, values, 3, CALIBRATED).mattering.significance.p_value == pytest.approx(1 / 286)


def test_levels_are_those_that_the_sizes_are_shares_of() -> None:
    assert LEVEL[NEVER] == 0.0
    profile = a_profile(13, 3, (HEAP, NEVER, BALANCE))
    found = weigh(profile, profile.values, 3, CALIBRATED.with_value("minimum-effect", "10% and 0"))
    by_name = {
        (profile.quantities[feature.column].name, feature.name): least
        for feature, least in zip(found.features, found.least, strict=True)
    }
    assert by_name[HEAP.name, "largest"] == pytest.approx(0.1 * (LEVEL[HEAP] + 2 * SCATTER[HEAP]), rel=0.02)
    mean = by_name[BALANCE.name, "mean"]
    assert mean == pytest.approx(0.1 * -LEVEL[BALANCE], rel=0.05)
    assert by_name[BALANCE.name, "slope"] == pytest.approx(GROWTH * mean)
    assert by_name[BALANCE.name, "last"] == pytest.approx(PART * mean)
    assert by_name[NEVER.name, "total"] == pytest.approx(0.0, abs=1e-3)
