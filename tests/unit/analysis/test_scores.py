"""Candidates for the score: equal to plain references, exact by rank, and where each of them is strong."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from buto.analysis.scores.candidates import CANDIDATES, Candidate, Groups
from buto.analysis.scores.differences import differences
from buto.analysis.scores.likelihood import factors
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.analysis.contrasts import Stable, choices
from buto.analysis.evidence import significance
from tests.support.references import naive_scores

FLOOR = 0.05
NAMES = sorted(CANDIDATES)


def stable(values, floor=FLOOR):
    values = np.array(values, dtype=float)
    return Stable(values, np.full(values.shape[1], floor), np.ones(values.shape[1]))


def groups(n_quantities, features=1):
    """Two families that alternate."""
    return Groups(np.repeat(np.arange(n_quantities), features), np.arange(n_quantities) % 2)


@st.composite
def some_runs(draw):
    """Few runs of three quantities with two features each, ties and extreme values among them."""
    n_runs = draw(st.integers(5, 8))
    number = st.integers(-3, 3) | st.floats(-4, 4, allow_subnormal=False) | st.sampled_from([40.0, -40.0])
    rows = draw(st.lists(st.lists(number, min_size=6, max_size=6), min_size=n_runs, max_size=n_runs))
    return rows, draw(st.integers(1, 3)), draw(st.sampled_from(NAMES))


@settings(deadline=None, max_examples=60)
@given(some_runs())
def test_scores_are_those_of_the_plain_reference(drawn):
    rows, size, name = drawn
    candidate, of = CANDIDATES[name], groups(3, 2)
    chosen = choices(len(rows), size, 2000)
    found = candidate.scores(stable(rows), chosen, of)
    expected = [
        naive_scores.score(
            rows,
            one.tolist(),
            [FLOOR] * 6,
            of.quantity.tolist(),
            of.family.tolist(),
            candidate.combination,
            candidate.huber,
            candidate.prior_freedom,
        )
        for one in chosen
    ]
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(some_runs())
def test_by_rank_no_share_is_reached_more_often_than_it_says(drawn):
    """Whichever of equally likely choices is under test: the p-values are super-uniform, for any values."""
    rows, size, name = drawn
    values, n_runs = np.array(rows, dtype=float), len(rows)
    found = []
    for under_test in itertools.combinations(range(n_runs), size):
        training = [run for run in range(n_runs) if run not in under_test]
        pooled = stable(values[[*training, *under_test]])
        score = CANDIDATES[name].scores(pooled, choices(n_runs, size, 2000), groups(3, 2))
        found.append(significance(score, size, 0.01, by_rank=True).p_value)
    ranked = np.sort(found)
    assert (ranked >= np.arange(1, len(ranked) + 1) / len(ranked) - 1e-12).all()


@settings(deadline=None, max_examples=30)
@given(some_runs(), st.randoms())
def test_a_score_does_not_depend_on_the_order_of_runs(drawn, order):
    rows, size, name = drawn
    places = list(range(len(rows)))
    order.shuffle(places)
    chosen = choices(len(rows), size, 2000)
    there = np.array([[places.index(run) for run in one] for one in chosen])
    shuffled = [rows[place] for place in places]
    candidate = CANDIDATES[name]
    assert candidate.scores(stable(shuffled), there, groups(3, 2)) == pytest.approx(
        candidate.scores(stable(rows), chosen, groups(3, 2)), rel=1e-6, abs=1e-6
    )


def test_a_larger_difference_never_counts_less():
    chosen = np.array([[10, 11, 12]])
    noise = np.random.default_rng(1).normal(size=(13, 1)) * 0.02
    found = []
    for shift in (0.0, 0.05, 0.2, 1.0, 5.0, 25.0):
        values = noise.copy()
        values[10:] += shift
        found.append(CANDIDATES["likelihood"].scores(stable(values, 0.005), chosen, groups(1))[0])
    assert (np.diff(found) > 0).all()


def test_a_noisy_feature_says_nothing_whatever_its_values_are():
    noise = np.random.default_rng(1).normal(size=(13, 40)) * 50
    factor = factors(differences(stable(noise), choices(13, 3, 2000)))
    assert factor == pytest.approx(1.0, abs=0.1)


def test_huber_s_weights_tame_an_odd_training_run():
    """One training run is far off in the changed quantity."""
    random = np.random.default_rng(3)
    values = random.normal(size=(13, 5)) * 0.02
    values[-3:, 2] += 0.2
    values[0, 2] += 1.5
    chosen = choices(13, 3, 2000)
    plain, robust = (
        CANDIDATES[name].scores(stable(values, 0.005), chosen, groups(5))[0]
        for name in ("likelihood", "likelihood-robust")
    )
    assert robust > plain


def test_what_does_not_count_is_left_out_of_every_choice():
    values = np.random.default_rng(5).normal(size=(9, 4))
    chosen = choices(9, 2, 2000)
    counts = np.ones((len(chosen), 4), np.bool_)
    counts[:, 1] = False
    for name in ("largest", "likelihood-each"):
        candidate: Candidate = CANDIDATES[name]
        without = candidate.scores(stable(values[:, [0, 2, 3]]), chosen, groups(3))
        assert candidate.scores(stable(values), chosen, groups(4), counts) == pytest.approx(without)
