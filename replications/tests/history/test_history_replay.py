"""Histories replayed from recorded runs, and the tables that are measured on them."""

import numpy as np
import pytest

from buto_replications.detectors.history.engine import ALONE, Scheme, cross_validated_errors
from buto_replications.detectors.history.known import N_SIZES
from buto_replications.detectors.history.learners import LOGISTIC
from buto_replications.history.replay import GOOD, Plan, columns_of, group_of, replayed
from buto_replications.history.synthetic import SUMMARY, summarised
from buto_replications.history.tables import (
    UNSEEN_KIND,
    UNSEEN_PROGRAM,
    Trial,
    measured,
    paper_trials,
    replay_trials,
)
from buto_replications.history.unseen import unseen_errors
from tests.support.runs.signals import Program, program_run, program_runs

PLAN = Plan(versions=60, abnormal=0.1, drift=0.002)


@pytest.fixture(scope="module")
def groups():
    unchanged = program_runs(1, 20).runs
    leaking = [program_run(1, 100 + number, Program(leak=1e8)) for number in range(6)]
    busy = [program_run(1, 200 + number, Program(work=3.0)) for number in range(6)]
    columns = columns_of([*unchanged, *leaking, *busy])
    return [
        group_of("first", "one", columns, unchanged, {"leak": leaking}),
        group_of("second", "two", columns, unchanged, {"work": busy, "nothing": []}),
    ]


def test_a_replay_has_the_share_of_abnormal_versions_and_the_same_rows_for_the_same_seed(groups):
    history, again = (replayed(groups, PLAN, 1) for _ in range(2))
    n_rows = len(groups) * PLAN.versions * PLAN.repeats
    assert history.examples.target.shape == (n_rows, groups[0].good.shape[1])
    assert history.examples.abnormal.mean() == pytest.approx(PLAN.abnormal)
    np.testing.assert_array_equal(history.examples.target, again.examples.target)
    assert [PLAN.pools_of(group.good, group.changed) for group in groups] == [3, 3]
    assert len(np.unique(history.examples.configuration)) == 3 * len(groups)


def test_deviations_have_two_columns_of_their_sizes(groups):
    rows = replayed(groups, PLAN, 1).deviating.target
    size = np.abs(rows[:, :-N_SIZES])
    assert size.shape[1] == groups[0].good.shape[1]
    np.testing.assert_allclose(rows[:, -N_SIZES:], np.column_stack([size.max(axis=1), size.mean(axis=1)]))


def test_rows_tell_their_program_and_the_kind_of_their_regression(groups):
    history = replayed(groups, PLAN, 1)
    assert ((history.kinds != GOOD) == history.examples.abnormal).all()
    kinds = {number: set(history.kinds[history.examples.group == number]) for number in (0, 1)}
    assert kinds == {0: {GOOD, "leak"}, 1: {GOOD, "work"}}
    assert set(history.programs[history.examples.group == 1]) == {"two"}


def test_no_recorded_run_is_in_two_pools(groups):
    """Without drift, and with checks of one run, each row of a good version is a recorded run."""
    still = Plan(versions=60, runs=1, abnormal=0.1, drift=0.0)
    examples = replayed(groups[:1], still, 1).examples
    good = examples.at(~examples.abnormal)
    pools = [good.target[good.configuration == pool] for pool in np.unique(good.configuration)]
    seen = [{row.tobytes() for row in rows} for rows in pools]
    assert len(seen) == 3
    assert not set.intersection(*seen)


def test_baselines_lag_one_step_of_the_drift_behind(groups):
    levels = groups[0].good
    spread = levels.std(axis=0) / np.maximum(levels.max(axis=0), 1e-9)
    steady = int(np.where((levels > 0).all(axis=0), spread, np.inf).argmin())
    wide = Plan(versions=40, abnormal=0.0, drift=0.2)
    examples = replayed(groups[:1], wide, 1).examples
    share = examples.target[:, steady] / examples.baseline[:, steady]
    assert np.log(share).std() == pytest.approx(0.2, rel=0.5)
    assert (examples.target[:, steady] / levels[:, steady].mean()).max() > 1.5


@pytest.mark.parametrize(
    ("n_good", "n_changed", "n_pools"),
    [(8, 8, 0), (14, 4, 2), (16, 6, 3), (50, 50, 4), (50, 3, 0), (50, 0, 0)],
)
def test_runs_are_divided_into_two_to_four_pools_if_they_are_enough(n_good, n_changed, n_pools):
    assert PLAN.pools_of(range(n_good), {"leak": range(n_changed), "nothing": ()}) == n_pools


def test_a_regression_is_learned_from_other_runs_of_it(groups):
    examples = replayed(groups, Plan(versions=60, abnormal=0.3, drift=0.002), 1).deviating
    found = measured(examples, Trial("5", "Logistic", Scheme(LOGISTIC, ALONE)), 1, 4)
    assert found.errors.balanced_accuracy > 0.95


def test_a_regression_of_a_kind_that_was_not_learned_from_is_judged_without_it(groups):
    """Leaks are found by what leaks teach, but not by what busy programs teach; false alarms stay rare."""
    history = replayed(groups, Plan(versions=60, abnormal=0.3, drift=0.002), 1)
    scheme = Scheme(LOGISTIC, ALONE, grouped=False)
    known = cross_validated_errors(history.deviating, scheme, 1, 4)
    unseen = unseen_errors(history.deviating, history.kinds, scheme, 1, 4)
    assert (unseen.normal, unseen.abnormal) == (known.normal, known.abnormal)
    assert unseen.missed > known.missed + 0.2
    assert unseen.alarms < 0.05
    with pytest.raises(ValueError, match="at least two kinds"):
        unseen_errors(history.deviating, np.full(len(history.kinds), "leak"), scheme, 1, 4)


def test_the_rows_of_the_paper_are_measured(groups):
    tables = [trial.table for trial in paper_trials()]
    assert [tables.count(table) for table in "45678"] == [3, 4, 3, 3, 7]
    several, alone = (replayed(groups[:number], PLAN, 1) for number in (2, 1))
    assert {trial.table for trial in replay_trials(several)} == {"5", "6", "7", UNSEEN_KIND, UNSEEN_PROGRAM}
    assert {trial.table for trial in replay_trials(alone)} == {"6", UNSEEN_KIND}


def test_summary_metrics_are_means_of_neighbours():
    rows = np.arange(64.0).reshape(2, 32)
    assert summarised(rows).shape == (2, SUMMARY)
    assert summarised(rows)[0, :2].tolist() == [0.5, 2.5]
