"""Plain rivals on numbers of known truth, and beside the published methods on recorded runs."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from buto.run.properties import Kind, Property
from buto_predict.results.model import ComponentResult
from buto_replications.detectors.history.examples import Examples, clustered_error, errors_of
from buto_replications.history.rivals import as_ratios, predicted
from buto_replications.rivals import RIVALS, away, levels, outside, p_values
from buto_replications.store.rivals import fails
from buto_replications.thesis.rivals import rivals
from tests.support.runs.signals import make_run

T_TEST, ENVELOPE, PERCENTAGE = RIVALS


def test_the_t_test_is_students_with_the_error_of_a_new_run():
    prior = np.random.default_rng(1).normal(100, 20, (8, 1))
    found = p_values(prior, np.array([[150.0], [100.0]]))
    deviation = np.hypot(prior.std(ddof=1), prior.mean() * 0.01)
    # A sample of the same mean and error as one new run against eight.
    error = deviation * np.sqrt(1 + 1 / 8) * np.sqrt(8)
    scaled = prior.mean() + error * (prior[:, 0] - prior.mean()) / prior.std(ddof=1)
    assert found[:, 0] == pytest.approx(
        [ttest_1samp(scaled, 150.0).pvalue, ttest_1samp(scaled, 100.0).pvalue]
    )


def test_a_mean_of_many_runs_is_stronger_evidence():
    prior = np.random.default_rng(2).normal(100, 5, (6, 3))
    of_single, five = (p_values(prior, np.full((1, 3), 110.0), mean_of) for mean_of in (1, 5))
    assert (five < of_single).all()


def test_the_envelope_and_the_percentage_count_shares():
    prior = np.array([[80.0, 0.0], [120.0, 0.0]])
    new = np.array([[120.0, 0.0], [150.0, 0.0], [40.0, 1.0]])
    assert outside(prior, new).tolist() == [[0, 0], [0.25, 0], [0.5, np.inf]]
    assert away(prior, new).tolist() == [[0.2, 0], [0.5, 0], [0.6, np.inf]]


def test_a_counter_that_was_not_read_is_ignored():
    prior = np.array([[100.0, np.nan], [101.0, np.nan], [102.0, np.nan]])
    for rival in RIVALS:
        usual, doubled = rival.worst(prior, np.array([[101.0, 5.0], [202.0, 5.0]]), 1)
        assert usual <= rival.limit < doubled, rival.title


def test_a_level_is_growth_or_a_mean():
    counted = Property("a", "1", Kind.COUNTER)
    columns = {"a": np.array([5.0, 9.0, 25.0]), "jvm.memory.heap.used": np.array([1.0, 3.0, np.nan])}
    run = make_run(1, [0.0, 1.0, 2.0], columns, properties={"a": counted})
    assert levels([run], run.properties).tolist() == [[20.0, 2.0]]


def history(seed, shift):
    """Rows of two groups, a quarter of them abnormal; baselines are another level for each configuration."""
    random = np.random.default_rng(seed)
    configuration = np.arange(40).repeat(3)
    abnormal = (configuration % 4) == 0
    baseline = random.uniform(50, 150, (40, 6))[configuration]
    target = baseline * random.normal(1, 0.01, baseline.shape)
    target[abnormal, 2] *= 1 + shift
    return Examples(target, baseline, abnormal, configuration % 2, configuration)


@pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: rival.title)
def test_the_limit_is_learned_from_labels_of_other_folds(rival):
    clear = history(1, 0.2)  # below all typed limits but that of the t-test
    found = predicted(as_ratios(clear), rival, 1, 5)
    assert errors_of(found, clear.abnormal).balanced_accuracy > 0.95
    none = history(1, 0.0)
    guessed = predicted(as_ratios(none), rival, 1, 5)
    assert 0.3 < errors_of(guessed, none.abnormal).balanced_accuracy < 0.7


def test_the_error_of_a_balanced_accuracy_counts_groups_and_not_rows():
    random = np.random.default_rng(3)
    group = np.arange(400).repeat(5)
    abnormal = random.random(400)[group] < 0.3
    wrong = random.random(400) < 0.2
    rows = np.zeros((2000, 1))
    examples = Examples(rows, rows, abnormal, group, group)
    found = clustered_error(abnormal ^ wrong[group], examples)
    n_abnormal = abnormal.sum() / 5
    expected = 0.5 * np.sqrt(0.16 / n_abnormal + 0.16 / (400 - n_abnormal))
    assert found == pytest.approx(expected, rel=0.15)


def results(**times_s):
    return [ComponentResult(name, np.array(of), "fork") for name, of in times_s.items()]


def test_a_slower_component_test_is_an_alarm_and_a_faster_one_is_not():
    old = results(a=[1.0, 1.01, 0.99, 1.0, 1.0], b=[5.0, 5.1, 4.9, 5.0, 5.0])
    slower = results(a=[1.6, 1.6, 1.61], b=[5.0, 5.0, 5.0])
    faster = results(a=[0.4, 0.4, 0.41], b=[5.0, 5.0, 5.0])
    assert [fails(rival, old, slower) for rival in RIVALS] == [True, True, True]
    assert [fails(rival, old, faster) for rival in RIVALS] == [False, False, False]


@pytest.mark.slow
@pytest.mark.all
def test_a_t_test_is_as_good_as_the_best_bounds_of_the_thesis():
    from buto_replications.dataset.archive import RECORDED, load

    found = {rival.rival: rival for rival in rivals(load(RECORDED, "parallel"))}
    assert found[T_TEST.title].mcc[0] == pytest.approx(0.959, abs=0.001)
    assert found[ENVELOPE.title].mcc[0] == pytest.approx(0.945, abs=0.001)
    assert found[PERCENTAGE.title].mcc[0] == pytest.approx(0.676, abs=0.001)
    assert found[T_TEST.title].runs == 850


@pytest.mark.slow
@pytest.mark.all
def test_only_the_prediction_tells_which_slower_component_matters():
    from buto_replications.store import recorded
    from buto_replications.store.evaluation import evaluate
    from buto_replications.store.rivals import right_by_prediction
    from buto_replications.store.rivals import rivals as of_store

    with recorded.unpacked(recorded.RECORDED / recorded.NAME) as (directory, index):
        measured = evaluate(directory, index, "jmh")
        plain = list(of_store(directory, index, "jmh", measured))
    predicted_right = right_by_prediction(measured)
    counts = [(right.regressions, right.quiet, right.unchanged) for right in (predicted_right, *plain)]
    assert counts == [
        ((16, 16), (20, 20), (80, 80)),
        ((16, 16), (0, 20), (40, 80)),
        ((16, 16), (0, 20), (56, 80)),
        ((16, 16), (0, 20), (56, 80)),
    ]
