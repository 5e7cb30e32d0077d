"""Forty counters, prior tests in environments A, A, B and C, and a new test in A."""

from functools import cache

import numpy as np
import pytest

from buto_replications.detectors.ensemble.rules import Judging, judge, learn
from buto_replications.detectors.ensemble.settings import FOO, judging_of, learning_of
from replications.tests.support.heterogeneous import ENVIRONMENTS, N_COUNTERS, values_of

SEEDS = range(10)


@cache
def ensemble(seed):
    tests = [
        (f"T{number}", ENVIRONMENTS[name], values_of(seed, number, name))
        for number, name in enumerate("AABC")
    ]
    return learn(tests, learning_of(FOO))


def flagged(seed, how, faulty=()):
    return judge(ensemble(seed), ENVIRONMENTS["A"], values_of(seed, 9, "A", faulty), how).flagged


def precision_and_recall(how):
    results = []
    for seed in SEEDS:
        faulty = np.random.default_rng(seed + 100).choice(N_COUNTERS, 6, replace=False)
        found = flagged(seed, how, faulty)
        right = found[faulty].sum()
        results.append((right / found.sum() if found.any() else 1.0, right / len(faulty)))
    return np.mean(results, axis=0)


STACKING = judging_of(FOO)
BAGGING = Judging(STACKING.change, stacking=False, ranges=STACKING.ranges)


def test_stacking_flags_nothing_where_nothing_changed():
    assert sum(flagged(seed, STACKING).sum() for seed in SEEDS) == 0


def test_bagging_flags_what_unlike_environments_differ_in():
    assert sum(flagged(seed, BAGGING).sum() for seed in SEEDS) >= 4


def test_stacking_finds_the_faulty_counters():
    precision, recall = precision_and_recall(STACKING)
    assert precision >= 0.8
    assert recall >= 0.5
    assert precision_and_recall(BAGGING)[0] < precision


@pytest.mark.parametrize("seed", [1, 2])
def test_a_rule_that_another_test_of_the_environment_violates_is_dropped(seed):
    tests = ensemble(seed).tests
    new = values_of(seed, 1, "A")
    votes = judge(ensemble(seed), ENVIRONMENTS["A"], new, STACKING).votes
    assert not votes[:2].any()
    assert tests[0].lowest.tolist() == tests[1].lowest.tolist()


def two_tests_of_one_environment(seed):
    tests = [(f"T{number}", ENVIRONMENTS["A"], values_of(seed, number, "A")) for number in range(2)]
    return learn(tests, learning_of(FOO))


def test_severity_is_the_share_of_intervals_in_which_a_violated_rule_is_broken():
    values = values_of(1, 9, "A")
    values[:500, 3] *= 10
    judgement = judge(two_tests_of_one_environment(1), ENVIRONMENTS["A"], values, STACKING)
    assert judgement.flagged[3]
    assert judgement.severity[3] == pytest.approx(500 / 720)
    assert not judgement.broken[500:, 3].any()
