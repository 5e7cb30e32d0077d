import tracemalloc
from itertools import product
from time import process_time

import numpy as np
import pytest

from buto_replications.detectors.ensemble.mining import (
    NONE,
    STRIDE,
    UNREAD,
    Rules,
    Thresholds,
    discretise,
    learn_bins,
    mine,
    number_of_bins,
)
from buto_replications.detectors.ensemble.rules import broken, changes, confidence_change
from replications.tests.support import rules as reference

ALL = Thresholds(most=1000)


def test_the_number_of_bins_grows_with_the_logarithm_of_different_values():
    assert [number_of_bins(n) for n in (0, 1, 2, 3, 100, 720)] == [1, 1, 1, 2, 9, 13]


@pytest.mark.parametrize("seed", range(5))
def test_bins_are_those_of_the_plain_version(seed):
    random = np.random.default_rng(seed)
    tests = [random.normal(0, 10, (50, 3)).round(random.integers(0, 3)) for _ in range(3)]
    bins = learn_bins(tests, 0.0)
    new = random.normal(0, 20, (80, 3))
    for row, column in product(range(80), range(3)):
        low, high, count = bins.low[column], bins.high[column], bins.counts[column]
        assert discretise(new, bins)[row, column] == reference.bin_of(new[row, column], low, high, count)


def test_values_that_no_prior_test_had_are_in_open_outer_bins():
    bins = learn_bins([np.array([[5.0, 5.0], [5.0, 6.0]])], 0.0)
    new = np.array([[4.9, np.nan], [5.1, 6.0]])
    assert discretise(new, bins).tolist() == [[0, UNREAD], [2, int(bins.counts[1])]]
    assert bins.limits(0, 0) == (-np.inf, 5.0)
    assert bins.limits(0, 2) == (5.0, np.inf)
    assert bins.limits(0, 1) == (5.0, 5.0)


def test_no_bin_is_narrower_than_the_resolution():
    values = np.linspace(90, 100, 300)[:, None]
    assert learn_bins([values], 0.0).counts.tolist() == [11]
    bins = learn_bins([values], 0.05)
    assert bins.counts.tolist() == [2]
    assert (bins.low.tolist(), bins.high.tolist()) == ([85.0], [105.0])


@pytest.mark.parametrize("seed", range(20))
def test_rules_are_those_of_trying_everything(seed):
    random = np.random.default_rng(seed)
    load = random.choice([1, 2, 3], 60, p=[0.2, 0.45, 0.35])
    other = random.choice([1, 2], 60)
    columns = [load, other, np.where(random.random(60) < 0.9, load, 2), np.full(60, 1)]
    columns += [(load == 2) & (other == 1), np.where(random.random(60) < 0.93, 1, 2), load * other]
    rows = np.array(columns, dtype=np.int64).T + 1
    found = mine(rows, ALL)
    items = [
        [divmod(item, STRIDE) for item in premise if item != NONE] for premise in found.premises.tolist()
    ]
    consequents = [divmod(item, STRIDE) for item in found.consequents.tolist()]
    ours = {
        (tuple(premise), consequent): confidence
        for premise, consequent, confidence in zip(items, consequents, found.confidences, strict=True)
    }
    wanted = reference.rules(rows.tolist(), 0.3, 0.9, 0.95)
    assert ours == pytest.approx(wanted, abs=1e-5)
    assert {len(premise) for premise, _ in ours} >= {0, 1}


def test_only_two_counters_together_tell_the_third():
    first, second = np.repeat([1, 2], 50), np.tile(np.repeat([1, 2], 10), 5)
    first[:40] = 1
    rows = np.column_stack([first, second, np.where((first == 1) & (second == 1), 2, 1)])
    found = mine(rows, Thresholds(support=0.2))
    pairs = found.premises[(found.premises[:, 1] != NONE) & (found.consequents // STRIDE == 2)]
    assert pairs.tolist() == [[0 * STRIDE + 1, 1 * STRIDE + 1]]


def test_a_counter_has_few_rules():
    load = np.random.default_rng(1).integers(1, 3, 100)
    found = mine(np.column_stack([load] * 20), Thresholds(most=4))
    _, counts = np.unique(found.consequents, return_counts=True)
    assert counts.tolist() == [4] * 40


def test_two_thousand_counters_take_seconds_and_little_memory():
    random = np.random.default_rng(1)
    load = np.repeat(random.choice([1, 2], 20), 36)[:, None]
    follow = random.random((720, 2000)) < random.choice([0.02, 0.1, 0.6], 2000)
    bins = np.where(follow, random.integers(1, 4, (720, 2000)), load).astype(np.int64)
    tracemalloc.start()
    started = process_time()
    found = mine(bins, Thresholds())
    used = process_time() - started
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) > 2000
    assert used < 60
    assert most < 300e6


def test_the_change_of_a_confidence_is_the_papers():
    before, after = np.array([0.9, 0.9, 0.9, 1.0]), np.array([0.2, 0.5, 0.9, np.nan])
    assert confidence_change(before, after) == pytest.approx([0.652, 0.219, 0.0, 0.0], abs=5e-4)
    assert confidence_change(np.array([1.0]), np.array([0.0])).tolist() == [1.0]


def one_rule(premise, consequent, confidence):
    return Rules(np.array([premise]), np.array([consequent]), np.array([confidence]))


def test_a_rule_is_broken_where_its_premise_holds_and_its_consequent_does_not():
    rule = one_rule([STRIDE + 1, 2 * STRIDE + 1], 3, 0.9)
    bins = np.array([[3, 1, 1], [2, 1, 1], [2, 2, 1], [2, 1, 2], [UNREAD, 1, 1], [2, UNREAD, 1]])
    applies, fails = broken(bins, rule)
    assert applies[:, 0].tolist() == [True, True, False, False, False, False]
    assert fails[:, 0].tolist() == [False, True, False, False, False, False]
    assert changes(bins, rule) == pytest.approx([0.219], abs=5e-4)


def test_a_premise_that_never_holds_and_a_confidence_that_rises_are_no_violation():
    rule = one_rule([STRIDE + 1, NONE], 3, 0.9)
    assert changes(np.array([[2, 2], [2, 2]]), rule).tolist() == [0.0]
    assert changes(np.array([[3, 1], [3, 1]]), rule).tolist() == [0.0]
