"""Series as SAP publishes them, of known truth; what is varied in learning; ``outside`` without its data."""

import numpy as np
import pytest

from buto.errors import BadFileError
from buto_replications.detectors.history.engine import Scheme, cross_validated
from buto_replications.detectors.history.examples import ALONE, errors_of
from buto_replications.detectors.history.learners import LEARNERS, LOGISTIC, SVM
from buto_replications.history.outside import (
    BEFORE,
    LARGE,
    OTHER_DAY,
    SAME_DAY,
    SMALL,
    alarm,
    checks,
    examples_of,
    labelled,
    learned_alarms,
    same_builds,
)
from buto_replications.history.replay import HistorySize, synthetic_history
from buto_replications.history.sweeps import over_sampled, sweeps, with_invalid
from buto_replications.rivals import RIVALS
from tests.support.processes.command import called

N_BUILDS, CHANGE = 60, 30
"""A regression begins with the build of this number."""


def write_series(path, level, per_build=3, seed=0):
    random = np.random.default_rng(seed)
    values = np.repeat(level, per_build) * random.normal(1, 0.02, len(level) * per_build)
    builds = 500 + np.arange(len(level)).repeat(per_build)
    rows = zip(range(1, len(values) + 1), builds, values, strict=True)
    path.write_text("Index,GHC,Measurement\n" + "".join(f"{a},{b},{c:.6f}\n" for a, b, c in rows))


@pytest.fixture
def checkout(tmp_path):
    """Six series of which three have a regression, and two without labels."""
    place = tmp_path / SMALL
    (place / "data").mkdir(parents=True)
    (place / "metadata").mkdir()
    lines = ["Type;Dataset;Change Point"]
    for number in range(6):
        level = np.full(N_BUILDS, 10.0 * (number + 1))
        if number < 3:
            level[CHANGE:] *= 1.3
        write_series(place / "data" / f"{number:04}.csv", level, seed=number)
        kind, last = ("regression", 3 * CHANGE) if number < 3 else ("Stable ", 0)
        lines.append(f"{kind};{number:04}.csv;{last}")
    (place / "metadata" / "dataset_details.csv").write_text("\n".join(lines) + "\n")
    large = tmp_path / LARGE / "data"
    large.mkdir(parents=True)
    random = np.random.default_rng(9)
    for name in ("00001__cpu-time__s.csv", "00002__cpu-time__s.csv", "00021__cpu-time__s.csv"):
        rows = [
            f"{number},2021-09-0{1 + number // 6} 01:00:0{number % 6},{build},{random.normal(5, 0.1):.4f}"
            for build in range(100, 140)
            for number in range(12)
        ]
        (large / name).write_text("index_1based,timestamp,sut_version,value\n" + "\n".join(rows) + "\n")
    return tmp_path


def test_the_builds_after_a_regression_are_compared_with_those_before_it(checkout):
    first, *_, last = labelled(checkout)
    assert (first.kind, first.change, len(first.builds)) == ("regression", CHANGE, N_BUILDS)
    assert (last.kind, last.change) == ("stable", 0)
    found = list(checks(first))
    assert len(found) == N_BUILDS - BEFORE
    assert [check.abnormal for check in found] == [
        CHANGE <= number < CHANGE + BEFORE for number in range(BEFORE, N_BUILDS)
    ]
    shows = [check for check in found if check.abnormal]
    assert max(check.prior.max() for check in shows) < 12 < min(check.new.min() for check in shows)
    assert not any(check.abnormal for check in checks(last))
    # Later builds are compared with those that have the regression, too.
    assert found[-1].prior.min() > 12


def test_a_classifier_learns_a_regression_from_other_series(checkout):
    found = [check for series in labelled(checkout) for check in checks(series)]
    examples = examples_of(found)
    called_bad = cross_validated(examples, Scheme(LOGISTIC, ALONE, grouped=False), 1, 3)
    errors = errors_of(called_bad, examples.abnormal)
    assert (errors.abnormal, errors.missed) == (3 * BEFORE, 0.0)
    assert errors.alarms < 0.02


def test_a_limit_learned_from_other_series_saves_false_alarms(checkout):
    found = [check for series in labelled(checkout) for check in checks(series)]
    abnormal = np.array([check.abnormal for check in found])
    t_test = RIVALS[0]
    typed = np.array([alarm(t_test, check.prior, check.new) for check in found])
    learned = learned_alarms(found, t_test, 1, 3)
    assert learned[abnormal].all()
    assert typed[abnormal].all()
    assert learned[~abnormal].sum() <= 2 < typed[~abnormal].sum()


def test_one_build_is_compared_with_itself_on_one_day_and_on_two(checkout):
    found = {(build.place, build.rival): build for build in same_builds(checkout)}
    for place in (SAME_DAY, OTHER_DAY):
        t_test = found[place, "t-test, Bonferroni"]
        assert (t_test.series, t_test.comparisons) == (2, 80)  # every twentieth series: 1 and 21
        assert t_test.share < 0.15


def test_a_directory_that_is_no_checkout_is_refused(tmp_path):
    with pytest.raises(BadFileError, match="dataset_details"):
        labelled(tmp_path)
    with pytest.raises(BadFileError, match="has no hana/large_2022/data"):
        list(same_builds(tmp_path))
    done = called(tmp_path, "experiments", "run", "outside", exits=2)
    assert "git clone https://github.com/SAP/performance-regression-data-set" in done.stderr


def test_the_experiment_prints_rivals_and_classifiers(checkout):
    done = called(checkout, "experiments", "run", "outside", "--data", ".", "--workers", "1", exits=0)
    assert "300 builds of 6 series; 30 have a regression" in done.stdout
    for name in ("t-test, Bonferroni", "t-test, Bonferroni, limit learned", "decision tree", "forest"):
        assert f"\n  {name}" in done.stdout


SMALL_SIZE = HistorySize(groups=2, cases=3, configurations=80, repeats=2, abnormal=16, metrics=12, factors=4)


def test_made_up_rows_lie_between_abnormal_ones_of_their_group():
    examples = synthetic_history(SMALL_SIZE, 1)
    found = over_sampled(examples, 4, 1)
    n_new = 4 * int(examples.abnormal.sum())
    assert len(found) == len(examples) + n_new
    assert found.abnormal[-n_new:].all()
    for group in (0, 1):
        known = examples.target[examples.abnormal & (examples.group == group)]
        new = found.target[-n_new:][found.group[-n_new:] == group]
        assert (new >= known.min(axis=0) - 1e-9).all()
        assert (new <= known.max(axis=0) + 1e-9).all()
    assert np.array_equal(found.target[: len(examples)], examples.target)


def test_invalid_rows_keep_their_labels():
    examples = synthetic_history(SMALL_SIZE, 1)
    found = with_invalid(examples, 0.25, 1)
    changed = (found.target != examples.target).any(axis=1)
    assert changed.sum() == round(0.25 * len(examples))
    assert np.array_equal(found.abnormal, examples.abnormal)


def test_a_support_vector_machine_finds_a_border():
    random = np.random.default_rng(5)
    rows = random.normal(size=(300, 4))
    abnormal = rows @ [1, -1, 0, 0] > 0.8
    scores = LEARNERS[SVM](rows, abnormal, np.ones(300), 1).scores(rows)
    assert errors_of(scores > 0, abnormal).balanced_accuracy > 0.95


def test_every_figure_of_the_paper_is_varied():
    shown = {sweep.shows for sweep in sweeps(1)}
    assert shown == {"table 2", "figure 4", "figure 5", "figures 6 and 7", "oversampling", "invalid data"}
    prepared = {
        sweep.setting: sweep.prepare for sweep in sweeps(1) if sweep.shows in ("oversampling", "invalid data")
    }
    examples = synthetic_history(SMALL_SIZE, 1)
    assert len(prepared["9 for each"](examples)) > len(examples)
    assert len(prepared["9% invalid"](examples)) == len(examples)
