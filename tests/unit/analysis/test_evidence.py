"""From contrasts to a p-value: exact by rank, cautious by the tail."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

from buto.analysis.contrasts import Stable, choices, contrasts
from buto.analysis.evidence import SMALLEST_TAIL, largest_of_each, p_values, scores, significance, students_t
from tests.support.references import naive_calibrated

N_QUANTITIES = 60


def scored(values, size, limit=2000):
    """Scores of each choice of runs; each column is a quantity of its own."""
    columns = values.shape[1]
    stable = Stable(values, np.full(columns, 0.05), np.ones(columns))
    contrast = contrasts(stable, choices(len(values), size, limit))
    return scores(largest_of_each(contrast, np.arange(columns)))


def drawn(random, n_runs, kind="normal"):
    """Noise of very different distributions, correlated between quantities."""
    shape = (n_runs, N_QUANTITIES)
    own = {
        "normal": random.normal(size=shape),
        "heavy": random.standard_t(2, size=shape),
        "skewed": random.exponential(size=shape) ** 2,
        "rare": (random.random(shape) < 0.05) * 10.0,
    }[kind]
    return own + random.normal(size=(n_runs, 1))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.lists(st.floats(0, 30), min_size=3, max_size=3),
        min_size=2,
        max_size=12,
    )
)
def test_scores_are_those_of_the_plain_reference(rows):
    assert scores(np.array(rows)) == pytest.approx(naive_calibrated.score(rows), rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 1000), st.randoms())
def test_the_order_of_quantities_does_not_matter(seed, order):
    largest = np.abs(np.random.default_rng(seed).normal(size=(30, 8)))
    columns = list(range(8))
    order.shuffle(columns)
    assert scores(largest[:, columns]) == pytest.approx(scores(largest), rel=1e-9)


def test_of_each_quantity_the_largest_contrast_counts_whichever_its_sign():
    contrast = np.array([[1.0, -5.0, 2.0, 0.5], [-1.0, 0.0, -3.0, 4.0]])
    assert largest_of_each(contrast, np.array([0, 0, 3, 7])).tolist() == [[5, 2, 0.5], [1, 3, 4]]


@pytest.mark.parametrize("kind", ["normal", "heavy", "skewed", "rare"])
@pytest.mark.parametrize(("n_training", "size"), [(6, 2), (5, 3), (12, 1)])
def test_by_rank_each_choice_of_the_same_runs_gets_another_p_value(kind, n_training, size):
    """The proof that the rank is exact: whichever of equally likely choices is the one under test, each
    share is reached once (or is larger, if choices tie)."""
    n_runs = n_training + size
    values = drawn(np.random.default_rng(7), n_runs, kind)
    ranks = []
    for under_test in itertools.combinations(range(n_runs), size):
        training = [run for run in range(n_runs) if run not in under_test]
        ranks.append(significance(scored(values[[*training, *under_test]], size), size, 0.5).rank)
    expected = np.arange(1, len(ranks) + 1) / len(ranks)
    if kind == "rare":
        assert (np.sort(ranks) >= expected - 1e-12).all()
    else:
        assert np.sort(ranks) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["normal", "heavy"])
def test_noise_fails_as_often_as_it_was_reported_to_by_rank(kind):
    """Of 300 checks of 10 + 3 unchanged runs, 14.7 are expected below .05; 5 and 27 are 2.6 and 3.3
    deviations away, and 3.0 below .01."""
    found = np.array(
        [
            significance(scored(drawn(np.random.default_rng((11, seed)), 13, kind), 3), 3, 0.01).p_value
            for seed in range(300)
        ]
    )
    assert 5 <= (found <= 0.05).sum() <= 27
    assert (found <= 0.01).sum() <= 9
    assert abs((found <= 0.5).sum() - 150) < 3 * 75**0.5


@pytest.mark.parametrize(
    ("n_training", "kind"), [(5, "normal"), (10, "normal"), (10, "heavy"), (20, "skewed")]
)
def test_noise_fails_at_most_as_often_as_it_was_reported_to_by_the_tail(n_training, kind):
    """300 checks by one run: at most two standard errors more than the level."""
    found = np.array(
        [
            significance(
                scored(drawn(np.random.default_rng((13, seed)), n_training + 1, kind), 1), 1, 0.01
            ).p_value
            for seed in range(300)
        ]
    )
    for alpha in (0.01, 0.05):
        assert (found <= alpha).mean() <= alpha + 2 * (alpha * (1 - alpha) / 300) ** 0.5


def test_a_shift_of_one_quantity_of_sixty_is_an_outlier_in_one_run_and_is_found_by_three():
    """One run alone cannot fail; if it is an outlier, two more runs follow."""

    def shifted(seed, size):
        values = np.random.default_rng((17, seed)).normal(size=(10 + size, N_QUANTITIES))
        values[-size:, 23] += 6.0
        return significance(scored(values, size), size, 0.01)

    assert sum(shifted(seed, 1).highest for seed in range(60)) >= 0.6 * 60
    assert sum(shifted(seed, 3).p_value <= 0.01 for seed in range(60)) >= 0.95 * 60


def test_a_small_shift_of_all_quantities_is_found_though_none_is_an_outlier():
    values = np.random.default_rng(19).normal(size=(13, N_QUANTITIES))
    values[-3:] += 1.2 * np.sign(np.random.default_rng(20).normal(size=N_QUANTITIES))
    assert significance(scored(values, 3), 3, 0.01).p_value <= 0.01


def test_the_rank_decides_where_it_can_and_the_tail_where_it_cannot():
    random = np.random.default_rng(0)
    few, many = random.normal(size=11), random.normal(size=286)
    assert not significance(few, 1, 0.01).exact
    assert significance(few, 1, 0.1).exact
    assert significance(many, 3, 0.01).exact
    assert significance(many, 3, 0.01).smallest == 1 / 286
    assert significance(few, 1, 0.01).smallest == SMALLEST_TAIL


def test_a_run_that_another_surpasses_never_fails():
    score = np.array([5.0, 5.1, *np.zeros(9)])
    found = significance(score, 1, 0.01)
    assert found.rank == pytest.approx(2 / 11)
    assert found.p_value >= found.rank
    assert not found.highest
    assert significance(np.array([5.2, *score[1:]]), 1, 0.01).highest


def test_equal_scores_are_not_evidence():
    found = significance(np.zeros(11), 1, 0.01)
    assert (found.rank, found.p_value, found.highest) == (1.0, 1.0, False)


def test_the_tail_is_students_t():
    t = np.array([*np.linspace(-60, 60, 10_001), 1e200, -1e200, np.inf, -np.inf, np.nan])
    for freedom in (2, 4, 6, 20):
        np.testing.assert_allclose(students_t(freedom, t), stdtr(freedom, t), rtol=0, atol=1e-15)


def test_the_tail_is_never_smaller_than_it_can_be_known():
    assert significance(np.array([1e6, *np.zeros(10)]), 1, 0.01).p_value == SMALLEST_TAIL


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(5, 25), st.floats(-3, 9), st.floats(0, 3))
def test_standing_out_further_is_never_less_significant(seed, n_training, height, more):
    score = np.random.default_rng(seed).normal(size=n_training + 1)
    score[0] = height
    higher = np.array([height + more, *score[1:]])
    assert significance(higher, 1, 0.01).p_value <= significance(score, 1, 0.01).p_value


def test_many_checks_at_once_are_those_of_each_alone():
    score = np.random.default_rng(1).normal(size=(4, 5, 11))
    together = p_values(score, 1, 0.01)
    assert together.shape == (4, 5)
    for place in np.ndindex(4, 5):
        assert together[place] == significance(score[place], 1, 0.01).p_value
