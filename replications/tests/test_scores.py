"""Scores against the thesis's own rows and plain definitions; standard errors against known truth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto_replications.design import splits
from buto_replications.scores import ACCURACY, MCC, PRECISION, SCORES, area, difference, standard_error, tally

counts = st.tuples(*[st.integers(0, 2000)] * 4)


def percent(score, row):
    return round(100 * float(score.value(row)))


@pytest.mark.parametrize(
    ("row", "accuracy", "precision", "mcc"),
    [
        # Tables 5.2, 5.14 and 5.12: the counts give what is printed beside them.
        ((1358, 242, 1594, 6), 92, 100, 85),
        ((1408, 192, 1600, 0), 94, 100, 89),
        ((1554, 46, 1550, 50), 97, 97, 94),
        ((757, 843, 1550, 50), 72, 94, 51),
        ((115, 1485, 1600, 0), 54, 100, 19),
        # Table 5.3, rounding: printed are .65 and .33.
        ((1038, 562, 1595, 5), 82, 100, 69),
        # Table 5.1, 10 runs: printed is .50, and 540 positive runs where there should be 640.
        ((159, 381, 600, 0), 67, 100, 42),
    ],
)
def test_rows_of_the_thesis(row, accuracy, precision, mcc):
    assert (percent(ACCURACY, row), percent(PRECISION, row), percent(MCC, row)) == (accuracy, precision, mcc)


def test_by_hand():
    # 6 of 10 right; 3 of 5 accepted ones positive; (3·3 - 2·2) / sqrt(5·5·5·5).
    row = (3, 2, 3, 2)
    assert [float(score.value(row)) for score in SCORES] == [0.6, 0.6, 0.2]
    assert [float(score.value((5, 0, 7, 0))) for score in SCORES] == [1.0, 1.0, 1.0]
    assert [float(score.value((0, 5, 0, 7))) for score in SCORES] == [0.0, 0.0, -1.0]


@pytest.mark.parametrize(
    ("row", "undefined"),
    [
        ((0, 0, 0, 0), {"accuracy", "precision", "MCC"}),
        ((0, 5, 5, 0), {"precision", "MCC"}),
        ((5, 0, 0, 5), {"MCC"}),
        ((3, 2, 0, 0), {"MCC"}),
        ((0, 0, 3, 2), {"MCC"}),
    ],
)
def test_nothing_over_nothing_is_undefined(row, undefined):
    assert {score.name for score in SCORES if math.isnan(score.value(row))} == undefined
    by_run = np.array([row, row])
    assert {score.name for score in SCORES if math.isnan(standard_error(score, by_run, [0, 0]))} == undefined


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_mcc_is_the_correlation_of_truth_and_verdict(judgements):
    positive, accepted = np.array(judgements).T
    row = tally(np.zeros(len(positive), int), positive, accepted, 1)[0]
    if positive.all() or accepted.all() or not positive.any() or not accepted.any():
        assert math.isnan(MCC.value(row))
    else:
        assert float(MCC.value(row)) == pytest.approx(np.corrcoef(positive, accepted)[0, 1], abs=1e-12)


def test_judgements_are_counted_for_each_run():
    runs = np.array([0, 0, 2, 2, 2])
    positive = np.array([True, True, False, False, True])
    accepted = np.array([True, False, False, True, True])
    assert tally(runs, positive, accepted, 4).tolist() == [[1, 1, 0, 0], [0] * 4, [1, 0, 1, 1], [0] * 4]


def test_many_rows_at_once_are_each_as_alone():
    rows = np.array([[[3, 2, 3, 2], [5, 0, 7, 0]], [[0, 5, 5, 0], [1038, 562, 1595, 5]]])
    for score in SCORES:
        alone = [[float(score.value(row)) for row in block] for block in rows]
        np.testing.assert_array_equal(score.value(rows), alone)


@given(counts.filter(lambda row: min(row) > 0))
def test_gradients_are_those_of_the_scores(row):
    at = np.array(row, np.float64)
    for score in SCORES:
        for kind in range(4):
            step = np.eye(4)[kind] * at[kind] * 1e-5
            slope = (score.value(at + step) - score.value(at - step)) / (2 * step[kind])
            assert score.gradient(at)[kind] == pytest.approx(slope, rel=1e-4, abs=1e-12)


def test_of_independent_judgements_the_error_of_a_share_is_the_textbooks():
    right = np.arange(20) < 15
    by_run = tally(np.arange(20), np.ones(20, bool), right, 20)
    assert standard_error(ACCURACY, by_run, np.zeros(20)) == pytest.approx(math.sqrt(0.75 * 0.25 / 19))


def test_repeating_every_judgement_adds_no_information():
    by_run = np.random.default_rng(1).integers(0, 4, (30, 4))
    strata = np.arange(30) % 3
    for score in SCORES:
        assert standard_error(score, 7 * by_run, strata) == pytest.approx(
            standard_error(score, by_run, strata)
        )


def test_runs_that_were_never_judged_do_not_matter():
    by_run = np.random.default_rng(2).integers(0, 4, (10, 4))
    more = np.vstack([by_run, np.zeros((5, 4), int)])
    assert standard_error(MCC, more, np.zeros(15)) == standard_error(MCC, by_run, np.zeros(10))


def test_one_run_of_a_variant_says_nothing_of_its_spread():
    assert math.isnan(standard_error(ACCURACY, [[1, 1, 0, 0], [2, 0, 0, 0], [0, 0, 1, 1]], ["a", "a", "b"]))


N_RUNS, N_SPLITS, N_STUDIES = 30, 10, 600


def studies(seed):
    """Counts (study, run, 4) of two rules that judge the same runs in ten splits.

    Runs of one variant are positive, of the other negative. Each run has its own chance to be
    accepted, which both rules know, the second one a little better; in each split six of ten runs of a
    variant are judged.
    """
    source = np.random.default_rng(seed)
    shape = (N_STUDIES, 2 * N_RUNS)
    positive = np.arange(2 * N_RUNS) < N_RUNS
    chance = np.where(positive, source.beta(1.2, 0.4, shape), source.beta(0.3, 1.5, shape))
    better = np.where(positive, chance**0.8, chance**1.3)
    judged = source.random((N_SPLITS, *shape)).argsort(axis=2).argsort(axis=2) < 1.2 * N_RUNS
    luck = source.random((N_SPLITS, *shape))
    rules = []
    for probability in (chance, better):
        accepted = luck < probability
        kinds = (
            judged & positive & accepted,
            judged & positive & ~accepted,
            judged & ~positive & ~accepted,
            judged & ~positive & accepted,
        )
        rules.append(np.stack([kind.sum(axis=0) for kind in kinds], axis=-1))
    return rules[0], rules[1]


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
def test_errors_are_those_of_repeated_studies(score):
    first, _ = studies(seed=4)
    strata = np.arange(2 * N_RUNS) < N_RUNS
    values = score.value(first.sum(axis=1))
    errors = np.array([standard_error(score, study, strata) for study in first])
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(values.std(ddof=1), rel=0.1)
    covered = np.abs(values - score.value(first.sum(axis=(0, 1)))) < 1.96 * errors
    assert 0.9 < covered.mean() < 0.98

    # As if every judgement were of a run of its own.
    singles = [np.repeat(np.eye(4, dtype=int), study.sum(axis=0), axis=0) for study in first[:50]]
    naive = [standard_error(score, each, np.zeros(len(each))) for each in singles]
    assert np.mean(naive) < 0.75 * values.std(ddof=1)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
def test_errors_of_differences_are_those_of_repeated_studies(score):
    first, two = studies(seed=5)
    strata = np.arange(2 * N_RUNS) < N_RUNS
    found = np.array([difference(score, a, b, strata) for a, b in zip(first, two, strict=True)])
    apart, errors = found.T
    assert (apart < 0).mean() > 0.9
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(apart.std(ddof=1), rel=0.1)
    separate = np.array([standard_error(score, study, strata) for study in first])
    assert np.mean(errors) < 0.6 * np.mean(separate)


def test_of_a_rule_that_learns_errors_are_a_part_of_the_truth_and_of_differences_most_of_it():
    # What the module's text says: new training runs move a score, and no clustering of judgements sees it.
    n_runs, source = 50, np.random.default_rng(6)
    strata = np.repeat([0, 1], n_runs)
    scores, errors, apart, errors_apart = [], [], [], []
    for number in range(120):
        values = {"a": source.normal(0, 1, (n_runs, 6)), "b": source.normal(2, 1, (n_runs, 6))}
        narrow, wide = (learned(values, deviations, number) for deviations in (3, 4))
        scores.append(float(MCC.value(wide.sum(axis=0))))
        errors.append(standard_error(MCC, wide, strata))
        found = difference(MCC, narrow, wide, strata)
        apart.append(found[0])
        errors_apart.append(found[1])
    assert 0.5 < np.sqrt(np.mean(np.square(errors))) / np.std(scores, ddof=1) < 0.9
    assert 0.7 < np.sqrt(np.mean(np.square(errors_apart))) / np.std(apart, ddof=1) < 1.2


def learned(values, deviations, seed):
    """Counts by run of bounds learned from twenty of fifty runs, ten times, of either variant."""
    n_runs = len(values["a"])
    total = np.zeros((2 * n_runs, 4), int)
    for split in splits({"a": range(n_runs), "b": range(n_runs)}, 20, 10, seed):
        for training in "ab":
            model = values[training][split.training[training]]
            mean, half = model.mean(axis=0), deviations * model.std(axis=0, ddof=1)
            runs = np.concatenate([split.test["a"], n_runs + split.test["b"]])
            judged = np.concatenate([values["a"], values["b"]])[runs]
            accepted = (np.abs(judged - mean) <= half).all(axis=1)
            total += tally(runs, (runs < n_runs) == (training == "a"), accepted, 2 * n_runs)
    return total


def test_the_area_is_the_share_of_pairs_in_order_and_a_tie_is_a_half():
    unchanged, changed = np.array([1.0, 2.0, np.inf]), np.array([2.0, 3.0, np.inf])
    found, _ = area(unchanged, changed, list("abcdef"))
    assert found == pytest.approx((1 + 0.5 + 2 + 2.5) / 9)


def test_the_error_of_the_area_is_that_between_clusters():
    random = np.random.default_rng(4)

    def drawn():
        """Ten unchanged runs, and six kinds of faults of which each has two equal runs."""
        fine, faults = random.normal(0, 1, 10), random.normal(1, 1, 6).repeat(2)
        return area(fine, faults, [*map(str, range(10)), *(kind for kind in "abcdef" for _ in range(2))])

    found = np.array([drawn() for _ in range(400)])
    known = found[~np.isnan(found[:, 1])]
    assert known[:, 1].mean() == pytest.approx(found[:, 0].std(), rel=0.15)


def test_without_a_pair_in_the_wrong_order_the_error_is_not_known():
    found, error = area(np.array([1.0, 2.0]), np.array([3.0, 4.0]), list("abcd"))
    assert found == 1.0
    assert math.isnan(error)
    assert all(map(math.isnan, area(np.array([]), np.array([3.0]), ["a"])))
