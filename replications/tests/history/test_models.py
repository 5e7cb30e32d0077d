"""Classifiers kept as arrays classify as scikit-learn's own, before and after they were stored."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from buto_replications.detectors.history import similarity
from buto_replications.detectors.history.examples import errors_of
from buto_replications.detectors.history.learners import (
    FEWEST_IN_LEAF,
    LEARNERS,
    READERS,
    SIMILARITY,
    DecisionTree,
    learn_tree,
)
from buto_replications.detectors.history.similarity import information, spanning_tree

N_COLUMNS = 10


def binned_rows():
    """400 rows of 10 columns in 5 bins, each column following an earlier one, and a class."""
    random = np.random.default_rng(7)
    abnormal = random.random(400) < 0.3
    columns = [random.integers(5, size=400)]
    for number in range(1, N_COLUMNS):
        parent = columns[int(random.integers(number))]
        kept = random.random(400) < 0.6
        columns.append(np.where(kept, (parent + number + abnormal) % 5, random.integers(5, size=400)))
    return np.column_stack(columns), abnormal


PGMPY_PARENTS = [-1, 0, 1, 1, 2, 4, 2, 3, 0, 6]
"""From pgmpy 0.1.19: TreeSearch(rows, root_node="0").estimate(estimator_type="tan")."""


def rows_of_two_classes(seed, n_rows=300):
    random = np.random.default_rng(seed)
    abnormal = random.random(n_rows) < 0.3
    rows = random.normal(size=(n_rows, 6))
    rows[abnormal, :2] += 1.5
    return rows, abnormal


def test_a_tree_scores_as_the_one_it_was_learned_by():
    rows, abnormal = rows_of_two_classes(1)
    weights = np.where(abnormal, 3.0, 1.0)
    theirs = DecisionTreeClassifier(min_samples_leaf=FEWEST_IN_LEAF, random_state=1)
    theirs.fit(rows, abnormal, sample_weight=weights)
    new, _ = rows_of_two_classes(2)
    share = theirs.predict_proba(new)[:, 1]
    scores = learn_tree(rows, abnormal, weights, 1).scores(new)
    decided = np.abs(share - 0.5) > 1e-9
    assert ((scores > 0) == (share > 0.5))[decided].all()


def test_logistic_regression_scores_as_the_one_it_was_learned_by():
    rows, abnormal = rows_of_two_classes(3)
    theirs = LogisticRegression(max_iter=1000).fit(rows, abnormal)
    scores = LEARNERS["logistic"](rows, abnormal, np.ones(len(rows)), 1).scores(rows)
    np.testing.assert_allclose(scores, theirs.decision_function(rows), atol=1e-9)


def test_naive_bayes_scores_as_the_one_it_was_learned_by():
    rows, abnormal = rows_of_two_classes(4)
    theirs = GaussianNB(var_smoothing=1e-6).fit(rows, abnormal)
    log = theirs.predict_log_proba(rows)
    scores = LEARNERS["naive-bayes"](rows, abnormal, np.ones(len(rows)), 1).scores(rows)
    np.testing.assert_allclose(scores, log[:, 1] - log[:, 0], atol=1e-6)


def test_the_tree_of_tan_is_that_of_pgmpy():
    rows, abnormal = binned_rows()
    assert spanning_tree(information(rows, abnormal, np.ones(len(rows)))).tolist() == PGMPY_PARENTS


def test_columns_are_compared_in_blocks_so_that_thousands_fit_into_memory(monkeypatch):
    rows, abnormal = binned_rows()
    whole = information(rows, abnormal, np.ones(len(rows)))
    monkeypatch.setattr(similarity, "BLOCK", 3)
    np.testing.assert_allclose(information(rows, abnormal, np.ones(len(rows))), whole, atol=1e-12)


def test_a_forest_finds_rare_rows_that_a_single_tree_misses():
    """Abnormal rows, 4 %, differ a little in each of 30 columns."""

    def rows(seed):
        random = np.random.default_rng(seed)
        abnormal = np.arange(1500) % 25 == 0
        return random.normal(size=(1500, 30)) + 1.0 * abnormal[:, None], abnormal

    (known, labels), (new, expected) = rows(1), rows(2)
    errors = {
        name: errors_of(LEARNERS[name](known, labels, np.ones(1500), 1).scores(new) > 0, expected)
        for name in ("tree", "forest")
    }
    assert errors["forest"].balanced_accuracy > errors["tree"].balanced_accuracy + 0.1
    assert errors["forest"].alarms < 0.02


def test_tan_uses_what_naive_bayes_cannot_see():
    """Two columns that are alike in normal rows and independent in abnormal ones."""
    random = np.random.default_rng(5)
    abnormal = np.arange(2000) % 2 == 0
    first = random.normal(size=2000)
    second = np.where(abnormal, random.normal(size=2000), first)
    rows = np.column_stack([first, second])
    right = {
        name: np.mean((LEARNERS[name](rows, abnormal, np.ones(2000), 1).scores(rows) > 0) == abnormal)
        for name in ("tan", "naive-bayes")
    }
    assert right["tan"] > 0.85
    assert right["naive-bayes"] < 0.6


@pytest.mark.parametrize("name", LEARNERS)
def test_a_stored_model_scores_alike(name):
    rows, abnormal = rows_of_two_classes(6, 80)
    model = LEARNERS[name](rows, abnormal, np.ones(len(rows)), 1)
    stored = json.loads(json.dumps(model.to_data()))
    again = READERS[name](stored, rows.shape[1])
    np.testing.assert_array_equal(again.scores(rows), model.scores(rows))
    for key in stored:
        for damaged in (
            {**stored, key: "x"},
            {test_values: stored[test_values] for test_values in stored if test_values != key},
        ):
            with pytest.raises((KeyError, TypeError, ValueError)):
                READERS[name](damaged, rows.shape[1])
    with pytest.raises(ValueError, match="must"):
        READERS[name](stored, rows.shape[1] + (2 if name == SIMILARITY else -5))


def test_a_stored_tree_with_a_circle_is_refused():
    circle = {
        "left": [0, -1],
        "right": [1, -1],
        "column": [0, 0],
        "threshold": [0.0, 0.0],
        "odds": [0.0, 1.0],
    }
    with pytest.raises(ValueError, match="a child must come after its parent"):
        DecisionTree.from_data(circle, 1)
