"""Training and prediction: groups, projection, imbalance, folds, and EM of the similarity model."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.decomposition import PCA

from buto.errors import UsageError
from buto_replications.detectors.history import engine as engine_module
from buto_replications.detectors.history.engine import (
    ALL_ROWS,
    GLOBAL,
    Balance,
    HistoryEngine,
    Scheme,
    cross_validated,
    cross_validated_errors,
    learn_projection,
    train,
    under_sampled,
    within,
)
from buto_replications.detectors.history.examples import (
    ALONE,
    CONCATENATED,
    MOST,
    SUBTRACTED,
    ClassErrors,
    Examples,
    errors_of,
    grouped_folds,
    has_both,
    paired,
    two_to_one,
)
from buto_replications.detectors.history.learners import LEARNERS, LOGISTIC, NAIVE_BAYES, SIMILARITY, TREE
from buto_replications.detectors.history.similarity import (
    expectation_maximisation,
    learn_similarity,
    objective,
    pair_odds,
)
from buto_replications.history.replay import HistorySize, synthetic_history

SMALL = HistorySize(groups=4, cases=4, configurations=480, repeats=3, abnormal=60, metrics=40, factors=8)


@pytest.fixture(scope="module")
def history():
    return synthetic_history(SMALL, 1)


def test_the_accuracy_of_a_few_rows():
    assert ClassErrors(99, 1, 0, 1).balanced_accuracy == 0.5
    assert ClassErrors(10, 4, 1, 2).balanced_accuracy == pytest.approx(0.7)
    assert np.isnan(ClassErrors(0, 0, 0, 0).balanced_accuracy)


def test_groups_of_their_own_are_better_than_one_classifier(history):
    accuracy = {
        grouped: cross_validated_errors(history, Scheme(LOGISTIC, SUBTRACTED, grouped=grouped), 1, 3)
        for grouped in (True, False)
    }
    assert accuracy[True].balanced_accuracy > 0.91
    assert accuracy[True].balanced_accuracy >= accuracy[False].balanced_accuracy + 0.05


def test_groups_have_classifiers_of_their_own_only_if_that_is_better(history):
    """Alike: all groups have the same fault, so that one classifier knows more than four."""
    random = np.random.default_rng(3)
    configuration = np.repeat(np.arange(320), 2)
    abnormal = (np.arange(320) % 16 == 0)[configuration]
    rows = random.normal(size=(640, 12)) + 1.2 * abnormal[:, None]
    alike = Examples(rows, rows, abnormal, (configuration // 16) % 4, configuration)
    tried = Scheme(LOGISTIC, SUBTRACTED, tries_groups=True)
    assert set(train(history, tried, 1).models) == {GLOBAL, 0, 1, 2, 3}
    assert set(train(alike, replace(tried, pairing=ALONE), 1).models) == {GLOBAL}
    assert set(train(alike, Scheme(LOGISTIC, ALONE), 1).models) == {GLOBAL, 0, 1, 2, 3}


def few_folds():
    """Return rows with two folds, one of which has only abnormal rows to learn from."""
    configuration = np.repeat(np.arange(4), [4, 11, 8, 7])
    abnormal = np.concatenate([np.arange(n) < bad for n, bad in [(4, 4), (11, 11), (8, 0), (7, 6)]])
    rows = np.random.default_rng(1).normal(size=(30, 5))
    return Examples(rows, rows, abnormal, np.arange(30) % 2, configuration)


def test_a_fold_that_knows_one_class_only_calls_all_rows_so():
    few = few_folds()
    (held_out,) = (held_out for learned, held_out in grouped_folds(few, 3, 1) if few.abnormal[learned].all())
    assert not few.abnormal[held_out].all()
    assert cross_validated(few, Scheme(LOGISTIC), 1, 3)[held_out].all()


def test_two_thirds_to_learn_from_have_both_classes():
    few = few_folds()
    for seed in range(4):
        divided = two_to_one(few, seed)
        assert divided is not None
        assert has_both(few.abnormal[divided[0]])


def test_folds_with_one_class_to_learn_from_are_not_tried(monkeypatch):
    few = few_folds()
    both = [
        len(held_out) for learned, held_out in grouped_folds(few, 3, 1) if has_both(few.abnormal[learned])
    ]
    assert both == [11]
    compared = []

    def counted(predicted, labels):
        compared.append(len(labels))
        return errors_of(predicted, labels)

    monkeypatch.setattr(engine_module, "errors_of", counted)
    assert GLOBAL in train(few, Scheme(LOGISTIC, tries_groups=True), 1).models
    assert compared == [11, 11]


def test_labels_that_belong_to_configurations_leak_through_plain_folds():
    """Rows without any relation to their labels but the one that repeats of a configuration are alike."""
    random = np.random.default_rng(1)
    configuration = np.repeat(np.arange(80), 5)
    rows = random.normal(size=(80, 10))[configuration] + 0.01 * random.normal(size=(400, 10))
    abnormal = (random.random(80) < 0.3)[configuration]
    by_configuration = Examples(rows, rows, abnormal, np.zeros(400, dtype=np.int64), configuration)
    by_row = replace(by_configuration, configuration=np.arange(400))
    plain, grouped = (
        cross_validated_errors(groups, Scheme(TREE), 1, 5).balanced_accuracy
        for groups in (by_row, by_configuration)
    )
    assert plain > 0.9
    assert grouped < 0.65


def test_no_configuration_is_on_both_sides(history):
    seen = np.zeros(len(history), dtype=int)
    for learned, held_out in grouped_folds(history, 5, 1):
        assert not set(history.configuration[learned]) & set(history.configuration[held_out])
        assert history.abnormal[learned].any() and history.abnormal[held_out].any()
        seen[held_out] += 1
    assert (seen == 1).all()
    divided = two_to_one(history, 1)
    assert divided is not None
    assert len(divided[0]) == pytest.approx(2 * len(divided[1]), rel=0.2)


def test_abnormal_rows_of_one_configuration_cannot_be_divided(history):
    alone = replace(history, configuration=np.where(history.abnormal, 0, history.configuration + 1))
    assert two_to_one(alone, 1) is None
    with pytest.raises(ValueError, match="two configurations"):
        cross_validated(alone, Scheme(TREE), 1)


def test_a_group_with_few_abnormal_rows_has_the_global_classifier(history):
    few = np.flatnonzero(history.abnormal & (history.group == 2))[3:]
    rest = history.at(np.setdiff1d(np.arange(len(history)), few))
    engine = train(rest, Scheme(NAIVE_BAYES), 1)
    assert set(engine.models) == {GLOBAL, 0, 1, 3}
    unknown = np.full(len(rest), 99)
    everybody = HistoryEngine(engine.scheme, engine.projection, {GLOBAL: engine.models[GLOBAL]})
    of_two = rest.group == 2
    scores = engine.scores(rest.target, rest.baseline, rest.group)
    expected = everybody.scores(rest.target, rest.baseline, unknown)
    np.testing.assert_array_equal(scores[of_two], expected[of_two])
    assert not np.array_equal(scores[~of_two], expected[~of_two])


def test_one_class_alone_cannot_be_learned(history):
    with pytest.raises(ValueError, match="normal and abnormal"):
        train(history.at(~history.abnormal), Scheme(TREE), 1)


def test_the_projection_is_that_of_scikit_learn_on_training_rows(history):
    projection = learn_projection(history.target, 5)
    scaled = (history.target - history.target.mean(axis=0)) / history.target.std(axis=0)
    theirs = PCA(5, svd_solver="full").fit(scaled)
    np.testing.assert_allclose(np.abs(projection.directions @ theirs.components_.T), np.eye(5), atol=1e-5)
    assert projection.cut(3).n_dimensions == 3
    assert learn_projection(history.target, None).n_dimensions == SMALL.metrics


def test_a_column_that_never_varies_is_no_direction():
    rows = np.column_stack([np.full(20, 7.0), np.arange(20.0)])
    projected = learn_projection(rows, None)(np.array([[7.0, 9.5], [8.0, 9.5]]))
    np.testing.assert_allclose(projected, [[0, 0], [1, 0]], atol=1e-12)


def test_the_best_dimension_is_found_under_a_limit():
    """Abnormal rows differ in the direction in which rows vary third most."""
    random = np.random.default_rng(2)
    abnormal = np.arange(600) % 3 == 0
    factors = random.normal(size=(600, 6)) * 0.01
    factors[:, :2] = random.normal(size=(600, 2)) * 3
    factors[:, 2] = np.where(abnormal, 2.0, -1.0)
    rows = factors @ np.linalg.qr(random.normal(size=(6, 6)))[0]
    examples = Examples(rows, rows, abnormal, np.zeros(600, dtype=np.int64), np.arange(600))
    engine = train(examples, Scheme(LOGISTIC, dimensions=(1, 2, 3, 5)), 1)
    assert engine.projection.n_dimensions == 3
    assert within(60) == (10, 25, 50, 60)
    assert within(5) == (5,)


def test_under_sampling_keeps_all_abnormal_rows():
    abnormal = np.arange(100) < 10
    assert len(under_sampled(abnormal, ALL_ROWS, 1)) == 100
    kept = under_sampled(abnormal, 2.0, 1)
    assert (abnormal[kept].sum(), (~abnormal[kept]).sum()) == (10, 20)
    assert not np.array_equal(kept, under_sampled(abnormal, 2.0, 2))


def test_costs_trade_missed_rows_for_false_alarms(history):
    cheap, dear = (
        cross_validated_errors(
            history, Scheme(LOGISTIC, ALONE, grouped=False, balances=(Balance(cost=cost),)), 1, 3
        )
        for cost in (1.0, 30.0)
    )
    assert dear.missed < cheap.missed
    assert dear.alarms > cheap.alarms


def test_the_balance_is_tuned_on_a_third(history):
    """Without costs a regression on two rare, overlapping classes calls everything normal."""
    balances = (Balance(), Balance(cost=8.0))
    tuned, plain = (
        cross_validated_errors(history, Scheme(LOGISTIC, ALONE, (), False, some), 1, 3)
        for some in (balances, balances[:1])
    )
    assert tuned.balanced_accuracy > plain.balanced_accuracy


def test_baselines_of_zero_are_defined():
    target, baseline = np.array([[0.0, 5.0, -2.0, 3.0]]), np.array([[0.0, 0.0, 0.0, 2.0]])
    assert paired(target, baseline, SUBTRACTED).tolist() == [[0.0, MOST, -MOST, 0.5]]
    assert paired(target, baseline, CONCATENATED).shape == (1, 8)
    assert paired(target, baseline, ALONE) is target


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_stored_engine_scores_alike(history, learner):
    some = history.at(np.flatnonzero(history.group < 2)[::3])
    scheme = Scheme(learner, CONCATENATED if learner == SIMILARITY else SUBTRACTED, (5,))
    engine = train(some, scheme, 1)
    again = HistoryEngine.from_data(json.loads(json.dumps(engine.to_data())), scheme)
    arguments = some.target, some.baseline, some.group
    np.testing.assert_array_equal(again.scores(*arguments), engine.scores(*arguments))


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
    other = minimize(lambda point: -objective(point, columns, abnormal, weights), start, method="L-BFGS-B")
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
