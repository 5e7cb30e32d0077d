import numpy as np
import pytest
from scipy.stats import ks_2samp

from buto.judging.calibrated.load_findings import Errors, errors_of, ks_statistics
from buto_replications.detectors.regression_fits import fitted, target_of


def test_the_statistic_is_kolmogorovs_and_smirnovs():
    random = np.random.default_rng(1)
    old, new = random.integers(0, 9, (30, 4)).astype(float), random.integers(0, 12, (17, 4)).astype(float)
    expected = [ks_2samp(old[:, one], new[:, one], method="asymp").statistic for one in range(4)]
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
    one = random.normal(size=30)
    model = fitted(np.column_stack([one, one, np.full(30, 7.0)]), 4 * one + 1)
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
