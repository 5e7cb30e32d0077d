"""Clusters of counters, redundant ones, least squares, and their errors, against plain definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn.metrics import calinski_harabasz_score
from statsmodels.stats.outliers_influence import variance_inflation_factor

from buto.judging.load.findings import Errors, change_text, errors_of, ks_statistics
from buto.judging.load.models import cut, merges
from buto_replications.detectors.regression_fits import (
    POINTS,
    clustered,
    distances,
    fitted,
    pseudo_f,
    pseudo_f_of_points,
    reduced,
    target_of,
)
from tests.support.examples import examples


def slowly(apart, clusters):
    """The statistic from all pairs of counters."""

    def spread(members):
        return sum(apart[pair] for pair in combinations(members, 2)) / len(members)

    n_counters = len(apart)
    inside = sum(map(spread, clusters))
    between = spread(range(n_counters)) - inside
    return (between / (len(clusters) - 1)) / (inside / (n_counters - len(clusters)))


@given(seed=st.integers(0, 10_000), n_counters=st.integers(3, 12))
def test_the_statistic_from_merges_is_that_from_all_pairs(seed, n_counters):
    values = np.random.default_rng(seed).normal(size=(20, n_counters))
    apart = distances(values, "correlation")
    dendrogram = merges(apart)
    expected = [slowly(apart, cut(dendrogram, number)) for number in range(2, n_counters)]
    assert pseudo_f(dendrogram) == pytest.approx(expected)


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 10_000), n_counters=st.integers(3, 25))
def test_the_statistic_of_points_is_the_textbooks(seed, n_counters):
    values = np.random.default_rng(seed).normal(7, 3, size=(20, n_counters))
    dendrogram = merges(distances(values, "correlation"))
    points = ((values - values.mean(axis=0)) / values.std(axis=0)).T
    expected = []
    for number in range(2, min(15, n_counters - 1) + 1):
        labels = np.zeros(n_counters, dtype=int)
        for place, members in enumerate(cut(dendrogram, number)):
            labels[list(members)] = place
        expected.append(calinski_harabasz_score(points, labels))
    assert pseudo_f_of_points(values, dendrogram) == pytest.approx(expected)


def test_counters_that_copy_each_other_are_cut_where_nothing_is_left_inside():
    causes = np.random.default_rng(6).normal(size=(30, 3))
    values = np.hstack([causes, 2 * causes, causes - 5])
    expected = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
    assert clustered(values, "correlation", POINTS) == expected


def test_groups_of_counters_are_found_though_some_fall_as_others_rise():
    random = np.random.default_rng(3)
    causes = random.normal(size=(200, 3))
    signs = np.array([1, -1, 1, -1])
    values = np.hstack(
        [causes[:, [group]] * signs + 0.3 * random.normal(size=(200, 4)) for group in range(3)]
    )
    assert clustered(values, "correlation") == ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))
    assert clustered(values, "eq1") != clustered(values, "correlation")


def test_few_counters_are_one_cluster():
    values = np.random.default_rng(4).normal(size=(9, 2))
    assert clustered(values[:, :0], "eq1") == ()
    assert clustered(values[:, :1], "eq1") == ((0,),)
    assert clustered(values, "eq1") == ((0, 1),)


def test_counters_without_distance_inside_their_clusters():
    cause, other = np.random.default_rng(5).normal(size=(2, 30))
    values = np.column_stack([cause, other, 2 * cause, -other])
    assert clustered(values, "correlation") == ((0, 2), (1, 3))


def test_the_statistic_is_kolmogorovs_and_smirnovs():
    random = np.random.default_rng(1)
    old, new = random.integers(0, 9, (30, 4)).astype(float), random.integers(0, 12, (17, 4)).astype(float)
    expected = [ks_2samp(old[:, number], new[:, number], method="asymp").statistic for number in range(4)]
    assert ks_statistics(old, new) == pytest.approx(expected)


def test_of_equal_statistics_the_first_name_is_the_target():
    statistics = np.array([0.375, 0.5, 0.5, 0.1 + 0.4])
    assert target_of([0, 1, 2, 3], statistics, ["a", "d", "c", "b"]) == 3
    assert target_of([0, 1], statistics, ["a", "d", "c", "b"]) == 1


def test_the_model_is_that_of_least_squares():
    random = np.random.default_rng(2)
    predictors = random.normal(size=(40, 3)) * [1, 1e9, 1e-6] + [0, 1e10, 0]
    target = predictors @ [2, 1e-9, 1e6] + random.normal(size=40)
    design = np.column_stack([np.ones(40), (predictors - predictors.mean(axis=0)) / predictors.std(axis=0)])
    expected = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    model = fitted(predictors, target)
    assert model.predict(predictors) == pytest.approx(expected)


def test_predictors_that_repeat_each_other_or_never_vary_do_no_harm():
    random = np.random.default_rng(3)
    noise = random.normal(size=30)
    model = fitted(np.column_stack([noise, noise, np.full(30, 7.0)]), 4 * noise + 1)
    assert model.slopes == pytest.approx([2, 2, 0])
    assert model.predict(np.array([[2.0, 2.0, 9.0]])) == pytest.approx([9.0])


def test_without_predictors_the_mean_is_predicted():
    model = fitted(np.empty((3, 0)), np.array([1.0, 2.0, 6.0]))
    assert model.predict(np.empty((2, 0))).tolist() == [3.0, 3.0]
    assert model.extrapolates(np.empty((2, 0))) == 0


def test_observations_beyond_those_learned_from_extrapolate():
    random = np.random.default_rng(4)
    load = random.normal(size=(50, 1))
    predictors = np.hstack([load, load + 0.1 * random.normal(size=(50, 1))])
    model = fitted(predictors, load[:, 0])
    assert model.extrapolates(predictors) == 0
    far = np.array([[0.0, 0.0], [1.0, -1.0], [9.0, 9.0]])  # the second has usual values in an unusual pair
    assert model.extrapolates(far) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("predicted", "measured", "expected"),
    [
        ([0.0, 0.0], [0.0, 0.0], Errors(0.0, 0.0, 0.0)),
        ([0.0, 0.0], [5.0, 9.0], Errors(-1.0, 1.0, 0.0)),
        ([1.0, 3.0], [2.0, 2.0], Errors(0.0, 0.5, 0.0)),
        ([1.0, 3.0], [0.0, 2.0], Errors(0.5, 0.5, 0.5)),
        ([1.0, 1.0], [0.0, 0.0], Errors(np.inf, np.inf, 1.0)),
        ([-1.0, -1.0], [-2.0, -2.0], Errors(-0.5, 0.5, 0.0)),
    ],
)
def test_errors(predicted, measured, expected):
    assert errors_of(np.array(predicted), np.array(measured)) == expected


def reduced_slowly(values, threshold):
    kept, removed = list(range(values.shape[1])), []
    while len(kept) > 1:
        design = np.column_stack([np.ones(len(values)), values[:, kept]])
        shares = [1 - 1 / variance_inflation_factor(design, place) for place in range(1, len(kept) + 1)]
        if max(shares) <= threshold:
            break
        worst = kept[max(place for place, share in enumerate(shares) if share > max(shares) - 1e-9)]
        removed.append((worst, max(shares)))
        kept.remove(worst)
    return kept, removed


@given(seed=st.integers(0, 10_000), n_counters=st.integers(1, 9), n_causes=st.integers(1, 4))
def test_the_downdates_agree_with_statsmodels(seed, n_counters, n_causes):
    random = np.random.default_rng(seed)
    causes = random.normal(size=(40, n_causes))
    values = causes @ random.normal(size=(n_causes, n_counters)) + 0.2 * random.normal(size=(40, n_counters))
    kept, removed = reduced_slowly(values, 0.9)
    found = reduced(values * 10.0 ** random.integers(-6, 9, n_counters) + 5, 0.9)
    assert list(found.kept) == kept
    assert [column for column, _ in found.redundant] == [column for column, _ in removed]
    assert [share for _, share in found.redundant] == pytest.approx([share for _, share in removed], abs=1e-6)


def test_constants_duplicates_and_sums_are_left_out():
    random = np.random.default_rng(1)
    first, second = random.normal(size=(2, 50))
    values = np.column_stack([np.full(50, 0.1), first, second, 3 * first + 7, first + second])
    found = reduced(values, 0.9)
    assert found.constant == (0,)
    assert len(found.kept) == 2
    assert {column for column, _ in found.redundant} | set(found.kept) == {1, 2, 3, 4}
    assert not {1, 3} <= set(found.kept)


def test_more_counters_than_observations():
    found = reduced(np.random.default_rng(2).normal(size=(6, 20)), 0.9)
    assert 0 < len(found.kept) <= 5
    assert len(found.kept) + len(found.redundant) == 20


@pytest.mark.parametrize("values", [np.empty((0, 3)), np.ones((5, 3)), np.empty((5, 0))])
def test_nothing_varies(values):
    found = reduced(values, 0.9)
    assert found.kept == found.redundant == ()
    assert found.constant == tuple(range(values.shape[1]))


@pytest.mark.parametrize(
    ("measured", "expected", "text"),
    [
        (0.0, 0.0, "as much as expected"),
        (7.0, 7.0, "as much as expected"),
        (0.0, -5.0, "more, where about none was expected"),
        (3.0, -5.0, "more, where about none was expected"),
        (3.0, 0.0, "more, where about none was expected"),
        (-3.0, 0.0, "below zero"),
        (-3.0, 5.0, "below zero"),
        (0.0, 5.0, "none, where some was expected"),
        (6.0, 5.0, "20 % more"),
        (4.0, 5.0, "20 % less"),
        (60.0, 5.0, "12 times as much"),
        (-4.0, -5.0, "20 % more"),
        (-60.0, -5.0, "1,100 % less"),
    ],
)
def test_a_change_is_told_in_its_direction(measured, expected, text):
    assert change_text(measured, expected) == text
