import sys
from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.oracle import DEFAULT, check, save, settings_from, train
from buto.oracle.train import matches
from buto.run.model import Notification, RunSet, run_set
from tests.support.runs.qualities import starved
from tests.support.runs.signals import ENVIRONMENT, made, make_run, program_run, program_runs


def test_an_oracle_knows_what_it_was_made_of():
    runs = program_runs(1, 10)
    oracle = train(runs, target={"command": ["java", "Main"]})
    assert oracle.test == "synthetic"
    assert oracle.settings == DEFAULT
    assert oracle.run_ids == tuple(run.id for run in runs)
    assert oracle.environment.values == ENVIRONMENT
    assert oracle.target == {"command": ["java", "Main"]}
    assert oracle.warnings == ()


@pytest.mark.parametrize(("count", "warning"), [(0, "are none"), (1, "is one"), (2, "are 2")])
def test_fewer_than_three_runs_are_refused(count, warning):
    with pytest.raises(JudgeError, match=f"at least 3 valid runs, and here {warning}") as caught:
        train(RunSet(program_runs(1, count).runs))
    assert "--runs" in caught.value.advice


@pytest.mark.parametrize("count", [3, 4])
def test_the_default_needs_five_runs_and_says_what_to_type(count):
    with pytest.raises(JudgeError, match=f"needs at least 5 runs, and here are {count}") as caught:
        train(program_runs(1, count))
    assert caught.value.advice == "record more: --runs 10"
    assert len(train(program_runs(1, 5)).run_ids) == 5


def test_invalid_runs_are_refused_by_name():
    runs = list(program_runs(1, 5))
    runs[1] = replace(runs[1], quality=starved("starved"))
    with pytest.raises(JudgeError, match=f"{runs[1].id}: starved"):
        train(run_set(runs))


def test_runs_without_samples_are_refused():
    runs = [*made(3, lambda number: [1.0, 2.0]), make_run(9, [], {"jvm.class.count": []})]
    with pytest.raises(JudgeError, match="no samples"):
        train(run_set(runs))


def test_runs_of_different_environments_are_refused_by_a_method_that_does_not_learn_them():
    runs = list(program_runs(1, 6))
    runs[2] = replace(runs[2], metadata=ENVIRONMENT | {"jvm.vm.version": "17.0.1"})
    with pytest.raises(JudgeError, match=r"jvm\.vm\.version is '25\+36' or '17\.0\.1'"):
        train(run_set(runs), settings_from({"method": "thesis"}))
    oracle = train(run_set(runs))
    verdict = check(oracle, run_set([program_run(1, 50)]))
    assert verdict.adjusted == "judged among the 5 training runs of this machine (jvm.vm.version=25+36)"


def test_what_varied_in_training_is_named():
    runs = list(program_runs(1, 10))
    runs[2] = replace(runs[2], metadata=ENVIRONMENT | {"jvm.class.path": "other.jar"})
    oracle = train(run_set(runs))
    assert oracle.warnings == ("not the same in all training runs: jvm.class.path",)


def test_a_run_that_is_used_twice_is_named():
    runs = program_runs(1, 5).runs
    assert "more than once" in train(RunSet((*runs, runs[0]))).warnings[0]


@pytest.mark.parametrize("count", [3, 4])
def test_few_runs_are_reported(count):
    assert train(program_runs(1, count), THESIS).warnings == (
        f"{count} runs are few; 10 are a good number (--runs 10)",
    )
    assert train(program_runs(1, 5), THESIS).warnings == ()


@pytest.mark.parametrize(("alpha", "enough"), [(0.01, 7), (0.001, 17), (0.05, 5)])
def test_of_few_runs_a_calibrated_oracle_says_how_many_more_make_it_free_of_assumptions(alpha, enough):
    settings = replace(CALIBRATED, alpha=alpha)
    assert not any("runs are few" in warning for warning in train(program_runs(1, enough), settings).warnings)
    if enough > 5:
        warnings = train(program_runs(1, enough - 1), settings).warnings
        (warning,) = [text for text in warnings if "runs are few" in text]
        assert warning.startswith(f"{enough - 1} runs are few: ")
        assert f"below {enough} even 3 runs of a check need an assumption" in warning
        good = max(10, enough)
        assert warning.endswith(f"{good} are a good number (--runs {good})")


def test_nothing_readable_cannot_be_learned_from():
    with pytest.raises(JudgeError, match="no property was read"):
        train(made(5, lambda number: [np.nan] * 5))


def test_runs_shorter_than_the_window_are_refused_by_the_thesis():
    runs = made(3, lambda number: [1.0] * 5)
    with pytest.raises(JudgeError, match="fewer samples than the smoothing window of 9"):
        train(runs, THESIS)
    train(runs, settings_from({"method": "thesis", "thesis": {"window": 1}}))


def test_left_out_properties_are_kept_with_their_reason():
    runs = [
        replace(
            make_run(number, range(20), {"jvm.class.count": [1] * 20, "jvm.cpu.time": [np.nan] * 20}),
            nan_reasons={"jvm.cpu.time": "not supported"},
        )
        for number in range(5)
    ]
    for settings in (CALIBRATED, THESIS):
        assert train(run_set(runs), settings).fitted.left_out == {
            "jvm.cpu.time": "not read in any of the training runs: not supported"
        }


@pytest.mark.parametrize("settings", [CALIBRATED, THESIS], ids=lambda settings: settings.method)
def test_the_largest_double_that_stands_for_none_is_left_out(settings, tmp_path):
    runs = [
        make_run(number, range(20), {"jvm.class.count": [5] * 20, "mbean[a]/Min": [sys.float_info.max] * 20})
        for number in range(5)
    ]
    oracle = train(run_set(runs), settings)
    reason = "not read in any of the training runs: its values are too large for statistics"
    assert oracle.fitted.left_out == {"mbean[a]/Min": reason}
    save(tmp_path / "oracle.json", oracle)


READ = "mbean[com.acme:type=Queue]/"


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("com.acme:*", "com.acme:type=Queue", True),
        ("com.amce:*", "com.acme:type=Queue", False),
        ("com.*:type=Queue,*", "com.acme:name=a,type=Queue", True),
        ("com.acme:type=Queue,name=a", "com.acme:name=a,type=Queue", True),
        ("com.acme:type=Queue", "com.acme:name=a,type=Queue", False),
        ("com.acme:type=Qu*", "com.acme:type=Queue", True),
        ("com.acme:type=[Q]", "com.acme:type=[Q]", True),
        ("com.acme:type=[Q]", "com.acme:type=Q", False),
        ('com.acme:name="a,b",*', 'com.acme:name="a,b",type=Queue', True),
    ],
)
def test_patterns_are_those_of_object_names(pattern, name, fits):
    assert matches(pattern, name) is fits


def warned(*rules, notifications=()):
    columns = {
        f"{READ}Size": [1, 2, 3],
        f"{READ}Stats.hits": [5, 5, 5],
        f"{READ}Nope": [np.nan] * 3,
        f"{READ}Name": [np.nan] * 3,
    }
    reasons = {f"{READ}Nope": "no such attribute", f"{READ}Name": "it is a text"}
    runs = [
        replace(make_run(number, [0, 1, 2], columns, notifications=notifications), nan_reasons=reasons)
        for number in range(10)
    ]
    return train(run_set(runs), target={"mbeans": list(rules)}).warnings


def test_a_pattern_that_nothing_matches_is_reported():
    (warning,) = warned({"name": "com.acme:*"}, {"name": "com.amce:*"})
    assert warning.startswith("the pattern 'com.amce:*' gave nothing in any run")


def test_an_mbean_that_only_notifies_is_there():
    notified = [Notification(0.5, "done", "other:type=Bell", 1, "")]
    assert warned({"name": "other:*"}, notifications=notified) == ()


def test_attributes_that_were_never_read_are_reported_with_the_reason():
    asked = ["Size", "Stats", "Nope", "Name", "Other"]
    assert warned({"name": "com.acme:*", "attributes": asked}) == (
        "attribute Nope of com.acme:* was never read: no such attribute",
        "attribute Name of com.acme:* was never read: it is a text",
        "attribute Other of com.acme:* was never read: there is none of that name",
    )
