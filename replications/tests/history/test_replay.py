"""Histories replayed from recorded runs, series of releases, and ``buto experiments run history``."""

import csv
from itertools import chain

import numpy as np
import pytest

from benchmark.series import read_series
from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto.run.labels import Label
from buto.run.model import run_set
from buto_replications.commands import run_history as command
from buto_replications.detectors.history.engine import Scheme, cross_validated_errors
from buto_replications.detectors.history.examples import ALONE, errors_of
from buto_replications.detectors.history.known import N_SIZES
from buto_replications.detectors.history.learners import LOGISTIC
from buto_replications.history import histories as module
from buto_replications.history import series
from buto_replications.history.histories import BED_PLAN, LabelledHistory, bed_faults, groups_of, releases
from buto_replications.history.replay import (
    GOOD,
    SUMMARY,
    HistoryPlan,
    HistorySize,
    columns_of,
    group_of,
    replayed,
    summarised,
    synthetic_history,
)
from buto_replications.history.series import (
    KNOWN,
    NEW,
    UNCHANGED,
    LabelledRelease,
    ReleaseSeries,
    in_order,
    recorded_series,
    walk,
)
from buto_replications.history.tables import (
    ROWS,
    TOLERANCE,
    UNSEEN_KIND,
    UNSEEN_PROGRAM,
    TableTrial,
    measured,
    paper_trials,
    replay_trials,
)
from buto_replications.history.tables import (
    unseen as kinds_apart,
)
from tests.support.processes.command import called
from tests.support.runs.signals import Program, program_run, program_runs

PLAN = HistoryPlan(versions=60, abnormal=0.1, drift=0.002)


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
    still = HistoryPlan(versions=60, runs=1, abnormal=0.1, drift=0.0)
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
    wide = HistoryPlan(versions=40, abnormal=0.0, drift=0.2)
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
    examples = replayed(groups, HistoryPlan(versions=60, abnormal=0.3, drift=0.002), 1).deviating
    found = measured(examples, TableTrial("5", "Logistic", Scheme(LOGISTIC, ALONE)), 1, 4)
    assert found.errors.balanced_accuracy > 0.95


def test_a_regression_of_a_kind_that_was_not_learned_from_is_judged_without_it(groups):
    """Leaks are found by what leaks teach, but not by what busy programs teach; false alarms stay rare."""
    history = replayed(groups, HistoryPlan(versions=60, abnormal=0.3, drift=0.002), 1)
    scheme = Scheme(LOGISTIC, ALONE, grouped=False)
    known = cross_validated_errors(history.deviating, scheme, 1, 4)
    unseen = errors_of(
        kinds_apart(history.deviating, history.kinds, scheme, 1, 4), history.deviating.abnormal
    )
    assert (unseen.normal, unseen.abnormal) == (known.normal, known.abnormal)
    assert unseen.missed > known.missed + 0.2
    assert unseen.alarms < 0.05
    with pytest.raises(ValueError, match="at least two kinds"):
        kinds_apart(history.deviating, np.full(len(history.kinds), "leak"), scheme, 1, 4)


def test_the_rows_of_the_paper_are_measured(groups):
    tables = [trial.table for trial in paper_trials()]
    assert [tables.count(table) for table in "45678"] == [3, 7, 3, 3, 7]
    several, alone = (replayed(groups[:number], PLAN, 1) for number in (2, 1))
    assert {trial.table for trial in replay_trials(several)} == {"5", "6", "7", UNSEEN_KIND, UNSEEN_PROGRAM}
    assert {trial.table for trial in replay_trials(alone)} == {"6", UNSEEN_KIND}


def test_summary_metrics_are_means_of_neighbours():
    rows = np.arange(64.0).reshape(2, 32)
    assert summarised(rows).shape == (2, SUMMARY)
    assert summarised(rows)[0, :2].tolist() == [0.5, 2.5]


def test_all_twenty_rows_are_there():
    assert [sum(row.table == table for row in ROWS) for table in (4, 5, 6, 7, 8)] == [3, 4, 3, 3, 7]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"table-{row.table}-{row.classifier}")
def test_a_printed_accuracy_follows_from_the_errors(row):
    assert row.errors.balanced_accuracy == pytest.approx(row.printed, abs=TOLERANCE)


USUAL, LEAK = Program(), Program(threads=6)
N_GOOD = 6
REGRESSIONS = (N_GOOD, N_GOOD + 1)


@pytest.fixture(scope="module")
def library():
    """Six good releases, two with a regression, and one that mends it."""
    releases = []
    for place in range(N_GOOD + 3):
        is_bad = place in REGRESSIONS
        runs = [program_run(1, 10 * place + number, LEAK if is_bad else USUAL) for number in range(6)]
        releases.append(LabelledRelease(f"1.{place}", Label.BAD if is_bad else Label.GOOD, runs))
    return ReleaseSeries("library", tuple(releases))


def test_each_release_but_the_first_is_compared_with_the_good_one_before(library):
    history = in_order([library])
    examples = history.examples
    assert examples.target.shape[0] == 2 * (len(library.releases) - 1)
    assert len(np.unique(examples.configuration)) == len(library.releases) - 1
    assert history.kinds.tolist() == [GOOD] * 10 + ["library"] * 4 + [GOOD] * 2
    expected = examples.baseline[::2]
    assert (expected[N_GOOD - 1] == expected[N_GOOD]).all()
    assert (expected[N_GOOD - 1] == expected[N_GOOD + 1]).all()
    assert (expected[0] != expected[1]).any()
    largest = history.deviating.target[:, -2]
    assert largest[history.examples.abnormal].min() > largest[~history.examples.abnormal].max()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("name,release,label\na,1.0,good\n", "must have the columns test, release, label; missing: test"),
        ("", "missing: test, release, label"),
        ("test,release,label\na,1.0,good\nb,1.0,bad\n", "b must begin with a good release, got bad 1.0"),
        ("test,release,label\na,1.0\n", "labels.csv cannot be read"),
        ("test,release,label\nc,1.0,good\n", "must have runs of c-1.0"),
    ],
    ids=["no column", "empty", "begins with a regression", "no label", "not recorded"],
)
def test_labels_that_cannot_be_used_are_a_bad_file(tmp_path, monkeypatch, labels, message):
    recorded = {name: run_set([program_run(1, number)]) for number, name in enumerate(("a-1.0", "b-1.0"))}
    monkeypatch.setattr(series.archive, "load", lambda directory, host: recorded)
    place = tmp_path / series.SERIES
    place.mkdir(parents=True)
    (place / series.LABELS).write_text(labels)
    with pytest.raises(BadFileError, match=message):
        series.recorded_series(tmp_path)


@pytest.mark.slow
def test_a_regression_fails_once_one_like_it_was_labelled(library):
    steps = list(walk(library, []))
    assert [step.kind for step in steps] == [UNCHANGED] * (N_GOOD - 1) + [NEW, KNOWN, UNCHANGED]
    status = {step.kind: step.status for step in steps}
    assert status == {UNCHANGED: Status.PASS, NEW: Status.INCONCLUSIVE, KNOWN: Status.REGRESSION}


FAULTS = {"busy": 2, "column-index": 2, "log": 2, "memory": 2, "text-index": 2}


def test_each_pair_of_releases_is_a_program_with_one_regression():
    found = releases()
    recorded = {f"{name}@parallel (pairs)": f"{name}-new" for name in (*read_series(), "hikari-cycle")}
    assert {program.name: list(program.changed) for program in found}.items() <= {
        name: [kind] for name, kind in recorded.items()
    }.items()
    assert len(found) >= 6
    for group in groups_of(found):
        assert len(group.good) == 16
        assert HistoryPlan().pools_of(group.good, group.changed) == 3


def test_the_recorded_series_have_the_releases_and_labels_of_the_bed():
    found = recorded_series()
    recorded = {(one.name, release.version): release for one in found for release in one.releases}
    assert {key: release.label.value for key, release in recorded.items()} == {
        (name, number): release.label
        for name, series_runs in read_series().items()
        for number, release in series_runs.releases.items()
    }
    assert {len(release.runs) for release in recorded.values()} == {6}


def test_the_bed_is_one_program_with_faults_at_two_intensities():
    (keycloak,) = bed_faults()
    assert {kind: len(runs) for kind, runs in keycloak.changed.items()} == FAULTS
    assert len(keycloak.good) == 14
    every = (*keycloak.good, *chain.from_iterable(keycloak.changed.values()))
    assert {run.metadata["environment.name"] for run in every} == {"base"}
    (group,) = groups_of([keycloak])
    assert BED_PLAN.pools_of(group.good, group.changed) == 2


SMALL = HistorySize(groups=2, cases=2, configurations=120, repeats=2, abnormal=24, metrics=32, factors=4)


def test_tables_are_printed_and_written(tmp_path, monkeypatch):
    trials = tuple(trial for trial in paper_trials() if trial.classifier == "Logistic")
    small = LabelledHistory("small", synthetic_history(SMALL, 1), trials)
    monkeypatch.setattr(command, "histories", lambda data, seed: [small])
    monkeypatch.setattr(command, "recorded_series", lambda data: [])
    done = called(tmp_path, "experiments", "run", "history", "--out", "results", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "The paper: tables 4 to 8" in done.stdout
    assert "small: 240 rows of 2 groups, 32 numbers each, 20.0% abnormal" in done.stdout
    assert "Series of releases in their order" in done.stdout
    assert (tmp_path / "results" / "series.csv").read_text() == "test,release,is,status\n"
    rows = list(csv.DictReader((tmp_path / "results" / "history.csv").read_text().splitlines()))
    assert [row["table"] for row in rows] == ["4", "5", "6", "7"]
    assert {(row["normal"], row["abnormal"]) for row in rows} == {("192", "48")}


def test_data_that_is_missing_is_reported_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "programs", lambda data: [])
    monkeypatch.setattr(module, "releases", lambda data: [])
    monkeypatch.setattr(module, "recorded_series", lambda data: [])
    with pytest.raises(BadFileError, match="runs.parquet cannot be read"):
        next(module.histories(tmp_path, 1))
    done = called(tmp_path, "experiments", "run", "history", "--data", ".")
    assert (done.returncode, done.stdout) == (4, "")
    assert "next/series/runs.parquet" in done.stderr
