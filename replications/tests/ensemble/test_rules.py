"""Bins, rules, intervals, and votes of prior tests from unlike environments."""

import tracemalloc
from functools import cache
from itertools import product
from time import process_time

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import association_rules, fpgrowth

from buto.judging.features import significant
from buto.judging.settings import judges
from buto.run.model import run_set
from buto_replications.dataset import archive
from buto_replications.detectors.ensemble.mining import (
    NONE,
    STRIDE,
    UNREAD,
    Rules,
    Thresholds,
    discretise,
    interval_for,
    intervals_of,
    learn_bins,
    mine,
    number_of_bins,
)
from buto_replications.detectors.ensemble.rules import (
    Judging,
    broken,
    changes,
    confidence_change,
    judge,
    learn,
)
from buto_replications.detectors.ensemble.settings import FOO, judging_of, learning_of
from tests.support.runs.signals import make_run


def bin_of(value, low, high, count):
    """The number of the equal-width bin of a value; 0 below all, count + 1 above all."""
    if value < low:
        return 0
    if value > high:
        return count + 1
    for number in range(1, count):
        if value < low + number * (high - low) / count:
            return number
    return count


def rules(rows, wanted):
    """The minimal rules of rows of bins as mlxtend finds them: {(premise, consequent): confidence}."""
    items = {
        column * STRIDE + number: rows[:, column] == number
        for column in range(rows.shape[1])
        for number in set(rows[:, column].tolist()) - {UNREAD}
    }
    frequent = fpgrowth(pd.DataFrame(items), wanted.support - 1e-9, use_colnames=True, max_len=3)
    found = zip(frequent.itemsets, frequent.support, strict=True)
    share = {min(rule): held for rule, held in found if len(rule) == 1}
    found = {((), item): held for item, held in share.items() if held >= wanted.confidence - 1e-9}
    table = association_rules(frequent, metric="confidence", min_threshold=wanted.confidence - 1e-9)
    table = table[(table.consequents.map(len) == 1) & (table.antecedents.map(len) <= 2)]
    for premise, (consequent,), confidence in sorted(
        zip(table.antecedents, table.consequents, table.confidence, strict=True),
        key=lambda pair: len(pair[0]),
    ):
        parts = [(), *((item,) for item in premise)] if len(premise) == 2 else [()]
        rare = all(share[item] < wanted.constant for item in premise)
        if rare and not any((part, consequent) in found for part in parts):
            found[tuple(sorted(premise)), consequent] = confidence
    return found


ALL = Thresholds(most=10**6)


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
        assert discretise(new, bins)[row, column] == bin_of(new[row, column], low, high, count)


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


def mined(rows):
    found = mine(rows, ALL)
    premises = [tuple(item for item in premise if item != NONE) for premise in found.premises.tolist()]
    return dict(zip(zip(premises, found.consequents.tolist(), strict=True), found.confidences, strict=True))


@pytest.fixture(scope="module")
def recorded():
    return archive.load(archive.RECORDED, "parallel")


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("seed", range(20))
def test_rules_are_those_of_mlxtend(seed):
    random = np.random.default_rng(seed)
    load = random.choice([1, 2, 3], 60, p=[0.2, 0.45, 0.35])
    other = random.choice([1, 2], 60)
    columns = [load, other, np.where(random.random(60) < 0.9, load, 2), np.full(60, 1)]
    columns += [(load == 2) & (other == 1), np.where(random.random(60) < 0.93, 1, 2), load * other]
    rows = np.array(columns, dtype=np.int64).T + 1
    found = mined(rows)
    assert found == pytest.approx(rules(rows, ALL), abs=1e-5)
    assert {len(premise) for premise, _ in found} >= {0, 1}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("variant", ["consumerproducer-v0", "references-weak"])
def test_rules_of_recorded_runs_are_those_of_mlxtend(recorded, variant):
    runs = recorded[variant].runs[:3]
    judged = [prop for prop in runs[0].properties if judges(FOO, prop)]
    values = [intervals_of(run, judged, interval_for(run_set(runs))) for run in runs]
    read = ~np.isnan(np.vstack(values)).all(axis=0)
    values = [value[:, read] for value in values]
    rows = discretise(values[0], learn_bins(values, 0.1))
    assert mined(rows) == pytest.approx(rules(rows, ALL), abs=1e-5)


def test_a_counter_has_few_rules():
    load = np.random.default_rng(1).integers(1, 3, 100)
    found = mine(np.column_stack([load] * 20), Thresholds(most=4))
    _, counts = np.unique(found.consequents, return_counts=True)
    assert counts.tolist() == [4] * 40


@pytest.mark.all
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


NAN = float("nan")
THREADS, TIME = "jvm.thread.count", "jvm.gc.time[G1]"


def test_gauges_have_their_median_and_counters_their_growth():
    run = make_run(
        1,
        [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        {THREADS: np.array([1, 2, 9, 3, 4, 5, 6.0]), TIME: np.array([0, 1, 2, 3, 5, 7, 9.0])},
    )
    assert intervals_of(run, run.properties, 0.3).tolist() == [[2.0, 3.0], [4.5, 6.0]]


def test_what_could_not_be_read_stays_unread():
    run = make_run(1, [0.0, 0.1, 0.2], {THREADS: np.array([NAN, NAN, 3.0]), TIME: np.full(3, NAN)})
    values = intervals_of(run, run.properties, 0.1)
    assert values == pytest.approx(np.array([[NAN, NAN], [3.0, NAN]]), nan_ok=True)


def test_a_run_without_samples_has_no_intervals():
    run = make_run(1, [], {THREADS: np.array([])})
    assert intervals_of(run, run.properties, 0.1).shape == (0, 1)


def test_an_hour_has_720_intervals_and_seconds_one_for_each_sample():
    def of(times):
        return interval_for(run_set([make_run(1, times, {THREADS: np.zeros(len(times))})]))

    assert of(np.arange(3601.0)) == 5.0
    assert of(np.arange(40) / 10) == 0.1
    assert of([0.0]) == 1.0


def test_values_have_six_digits():
    values = np.array([[134217728.0, 0.123456789, 0.0, -12345.678, NAN]])
    assert significant(values) == pytest.approx(
        np.array([[134218000.0, 0.123457, 0.0, -12345.7, NAN]]), nan_ok=True, rel=1e-15
    )


N_COUNTERS, N_INTERVALS = 40, 720
COMPONENTS = ("cpu", "memory", "database", "architecture")
ENVIRONMENTS = {
    name: dict(zip(COMPONENTS, values, strict=True))
    for name, values in {"A": "aaaa", "B": "abbb", "C": "cacc"}.items()
}


def values_of(seed, number, environment, faulty=()):
    """The counters of one test, shape (N_INTERVALS, N_COUNTERS); faulty ones are half as large again."""
    system = np.random.default_rng(seed)
    load = system.integers(0, 4, N_COUNTERS)
    level = system.uniform(10, 1000, N_COUNTERS)
    constant = system.random(N_COUNTERS) < 0.15
    noise = system.choice([0.01, 0.03, 0.1], N_COUNTERS)
    random = np.random.default_rng((seed, number))
    phases = np.repeat(random.permutation([0.5, 1.0, 1.0, 1.0, 1.5, 1.0] * 2), N_INTERVALS // 12)
    loads = 1 + 0.02 * random.standard_normal((N_INTERVALS, 4))
    loads[:, :2] *= phases[:, None]
    values = level * loads[:, load] * (1 + noise * random.standard_normal((N_INTERVALS, N_COUNTERS)))
    values[:, constant] = level[constant]
    values *= _factors(environment)
    values[:, list(faulty)] *= 1.5
    return values


def _factors(environment):
    factors = np.ones(N_COUNTERS)
    if environment != "A":
        random = np.random.default_rng(ord(environment))
        factors[random.choice(N_COUNTERS, 8, replace=False)] = random.choice([0.6, 1.6], 8)
    return factors


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
