"""EM of the similarity model: it climbs, ends where a general optimiser ends, refuses the saddle."""

import numpy as np
import pytest
from scipy.optimize import minimize

from buto.errors import UsageError
from buto_replications.detectors.history.engine import (
    CONCATENATED,
    SUBTRACTED,
    Balance,
    Examples,
    Scheme,
    cross_validated_errors,
)
from buto_replications.detectors.history.learners import LOGISTIC, SIMILARITY
from buto_replications.detectors.history.similarity import (
    expectation_maximisation,
    learn_similarity,
    objective,
    pair_odds,
)

TRUE = np.array([2.0, -1.5, 1.0, 0.0, 0.5])


def pairs(seed, n_pairs=2000):
    """Pairs of the model itself: each vector has a class of its own; pairs of two classes are abnormal."""
    random = np.random.default_rng(seed)
    target, baseline = random.normal(size=(2, n_pairs, len(TRUE)))
    abnormal = random.random(n_pairs) < 1 / (1 + np.exp(-pair_odds(target @ TRUE - 1, baseline @ TRUE - 1)))
    return np.hstack([target, baseline]), abnormal


def columns_of(rows):
    both = np.vstack(np.hsplit(rows, 2))
    return np.column_stack([both, np.ones(len(both))])


def test_the_odds_of_a_pair_are_those_of_its_hidden_classes():
    p, q = 0.8, 0.3
    odds = pair_odds(np.log(p / (1 - p)), np.log(q / (1 - q)))
    assert np.exp(odds) == pytest.approx((p * (1 - q) + (1 - p) * q) / (p * q + (1 - p) * (1 - q)))


def test_em_never_falls_and_ends_where_a_general_optimiser_ends():
    rows, abnormal = pairs(1)
    weights, start = np.ones(len(rows)), np.random.default_rng(2).normal(size=len(TRUE) + 1)
    learned = expectation_maximisation(rows, abnormal, weights, start)
    assert (np.diff(learned.objectives) >= 0).all()
    columns = columns_of(rows)
    other = minimize(lambda one: -objective(one, columns, abnormal, weights), start, method="L-BFGS-B")
    assert learned.objectives[-1] == pytest.approx(-other.fun, rel=1e-3)


def test_the_true_weights_are_found():
    rows, abnormal = pairs(3)
    found = learn_similarity(rows, abnormal, np.ones(len(rows)), 1).weights
    # Both signs of the weights say the same.
    assert abs(found @ TRUE) / np.linalg.norm(found) / np.linalg.norm(TRUE) >= 0.95


def test_a_start_at_zero_is_refused():
    rows, abnormal = pairs(4, 50)
    with pytest.raises(UsageError, match="would never leave"):
        expectation_maximisation(rows, abnormal, np.ones(50), np.zeros(len(TRUE) + 1))


def test_similarity_beats_both_vectors_side_by_side_and_these_their_difference():
    """A baseline that is mostly normal, and a target that is abnormal where its class differs."""
    random = np.random.default_rng(5)
    n_pairs = 3000
    baseline = random.normal(size=(n_pairs, len(TRUE)))
    target = baseline + 0.8 * random.normal(size=baseline.shape)
    differs = (target @ TRUE > 3.0) != (baseline @ TRUE > 3.0)
    examples = Examples(target, baseline, differs, np.zeros(n_pairs, dtype=np.int64), np.arange(n_pairs))
    balances = (Balance(cost=float((~differs).sum() / differs.sum())),)
    accuracy = {
        name: cross_validated_errors(examples, scheme, 1, n_folds=3).balanced_accuracy
        for name, scheme in {
            "similarity": Scheme(SIMILARITY, balances=balances),
            "concatenated": Scheme(LOGISTIC, CONCATENATED, balances=balances),
            "subtracted": Scheme(LOGISTIC, SUBTRACTED, balances=balances),
        }.items()
    }
    assert accuracy["similarity"] > accuracy["concatenated"] > accuracy["subtracted"]
