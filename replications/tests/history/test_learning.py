"""What labels teach the detector: alarms at a stated rate, what is missing, disturbed runs, other tests."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import numpy as np
import pytest
from msgspec import structs

from buto import oracle
from buto.actions import labelled
from buto.actions.events import Warned
from buto.actions.labelled import load_labelled_past
from buto.errors import BadFileError, JudgeError, UsageError
from buto.judging.procedure import N_CONFIRMING, Do, Next, Procedure, Why
from buto.judging.verdict import Status
from buto.oracle import check, settings_from
from buto.run.labels import Label, Labelling, LabelStore, Past
from buto.run.model import SESSION, Quality, run_set
from buto_replications.detectors.history import learners, learning
from buto_replications.detectors.history.known import LabelledColumns, known_rows
from tests.support.projects import project_in
from tests.support.runs.labelled import START, past_of
from tests.support.runs.signals import INTERVAL_S, Program, make_run, program_run, program_runs
from tests.support.runs.stored import leaking_run, store

SETTINGS = settings_from({"method": "history"})
LEAK, THREADS = Program(leak=2e7), Program(threads=8)


def runs_of(program, first, number):
    return [program_run(1, first + place, program) for place in range(number)]


def trained(*pasts, **judge):
    settings = settings_from({"method": "history", "history": judge})
    return oracle.train(program_runs(1, 10), settings, pasts=pasts)


def verdict_of(known, program, number=900):
    return check(known, run_set([program_run(1, number, program)]))


def usual_past(**more):
    given = {"good": runs_of(Program(), 100, 20), "bad": runs_of(LEAK, 200, 4), **more}
    return past_of(runs_of(Program(), 0, 10), **given)


def test_a_labelled_regression_is_found_again_and_named():
    verdict = verdict_of(trained(usual_past()), LEAK)
    assert verdict.status is Status.REGRESSION
    assert verdict.findings[0].subject == "jvm.memory.heap.used"
    assert verdict.p_value == pytest.approx(1 / 31)


def test_the_p_value_is_the_rank_among_good_checks_that_were_not_seen():
    held_out = np.array([-3.0, -2.0, -1.0, 0.0])
    assert [learning.p_value(score, held_out) for score in (1.0, 0.0, -2.5)] == [0.2, 0.4, 0.8]


def test_the_runs_of_one_check_count_once_by_their_median():
    """Twelve checks of three runs and ten training runs have 22 scores, not 46."""
    good = [
        replace(run, metadata={**run.metadata, SESSION: f"check {number // 3}"})
        for number, run in enumerate(runs_of(Program(), 100, 36))
    ]
    verdict = verdict_of(trained(usual_past(good=good)), LEAK)
    assert verdict.status is Status.REGRESSION
    assert verdict.p_value == pytest.approx(1 / 23)


@pytest.mark.slow
def test_the_share_of_false_alarms_is_at_most_alpha():
    """Columns of noise, of which two are shifted in bad runs: the alarms of new good runs."""
    random, numbers = np.random.default_rng(1), count()

    def some(number, shift=0.0):
        return [_noisy(next(numbers), random, shift) for _ in range(number)]

    alarms = n_checks = 0
    for _ in range(8):
        taught = some(10)
        past = past_of(taught, some(29), some(4, 4.0))
        known = oracle.train(run_set(taught), SETTINGS, pasts=[past])
        found = [check(known, run_set([run])).status for run in some(50)]
        alarms += sum(status is Status.REGRESSION for status in found)
        n_checks += len(found)
    # Two standard errors, by histories, above alpha.
    assert alarms / n_checks <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / n_checks * 2)


def _noisy(number, random, shift):
    levels = 100 + random.normal(size=8) * 3
    levels[:2] += 3 * shift
    columns = {f"jvm.buffer.count[{repeat}]": np.full(12, level) for repeat, level in enumerate(levels)}
    return make_run(number, np.arange(12) * INTERVAL_S, columns)


def test_without_a_bad_label_a_change_is_inconclusive():
    known = trained(past_of(runs_of(Program(), 0, 10)))
    verdict = verdict_of(known, LEAK)
    assert verdict.status is Status.INCONCLUSIVE
    assert "one label decides" in verdict.reasons[0]
    assert verdict_of(known, Program()).status is Status.PASS
    assert any("no run is labelled bad" in warning for warning in known.warnings)


def test_too_few_good_runs_cannot_say_how_rare_a_score_is():
    """At alpha .01 a hundred scores are needed: 99 of good checks and that of this one."""
    known = trained(usual_past(), alpha=0.01)
    verdict = verdict_of(known, LEAK)
    assert verdict.status is Status.INCONCLUSIVE
    assert "69 more checks labelled good" in verdict.reasons[0]
    assert "could make this a regression" in verdict.reasons[0]
    assert verdict.guarantee == "new good runs differ from their baseline as the labelled good ones did"
    assert any("69 more checks must be labelled good" in warning for warning in known.warnings)


@pytest.mark.parametrize(
    ("has_bad", "program", "n_runs", "asked", "step"),
    [
        (True, LEAK, 1, None, Next(Do.LAUNCH, Why.METHOD, N_CONFIRMING)),
        (True, LEAK, 1, 1, Next(Do.FAIL, Why.METHOD)),
        (True, LEAK, 3, None, Next(Do.FAIL, Why.METHOD)),
        (True, Program(), 1, None, Next(Do.PASS, Why.METHOD)),
        (False, LEAK, 1, None, Next(Do.UNDECIDED, Why.METHOD)),
    ],
)
def test_two_more_runs_follow_only_one_that_has_a_p_value_and_does_not_pass(
    has_bad, program, n_runs, asked, step
):
    known = trained(usual_past() if has_bad else past_of(runs_of(Program(), 0, 10)))
    checked = oracle.judge(known, runs_of(program, 900, n_runs))
    assert checked.next_step(Procedure(0.05, asked=asked)) == step
    assert bool(checked.verdict.needs_more) is (n_runs == 1 and step.do in (Do.LAUNCH, Do.FAIL))


def test_a_change_unlike_all_labelled_runs_is_not_passed():
    past = past_of(runs_of(Program(), 0, 10), runs_of(Program(), 100, 20), runs_of(Program(work=3.0), 200, 4))
    verdict = verdict_of(trained(past), Program(heap=0.2))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.findings[0].subject == "jvm.memory.heap.used"


def test_an_accepted_change_passes_and_a_regression_beside_it_does_not():
    past = usual_past(good=[*runs_of(Program(), 100, 20), *runs_of(THREADS, 150, 6)])
    known = trained(past)
    assert verdict_of(known, THREADS).status is Status.PASS
    assert verdict_of(known, Program(leak=2e7, threads=8)).status is Status.REGRESSION


def test_runs_that_look_disturbed_are_no_regression():
    disturbed = [
        replace(run, quality=Quality(foreign_load=0.6 + number / 100))
        for number, run in enumerate(runs_of(Program(), 300, 5))
    ]
    known = trained(usual_past(invalid=disturbed))
    run = replace(program_run(1, 900, LEAK), quality=Quality(foreign_load=0.7))
    verdict = check(known, run_set([run]))
    assert verdict.status is Status.INCONCLUSIVE
    assert "labelled invalid" in verdict.reasons[0]
    assert verdict_of(known, LEAK).status is Status.REGRESSION


def test_another_test_teaches_one_that_has_no_regression_yet():
    other = _renamed(usual_past(), "other")
    own = past_of(runs_of(Program(), 0, 10), runs_of(Program(), 100, 20))
    assert verdict_of(trained(own), LEAK).status is Status.INCONCLUSIVE
    assert verdict_of(trained(own, other), LEAK).status is Status.REGRESSION


def _renamed(past, test):
    runs = tuple(replace(run, test=test) for run in past.runs)
    return Past(test, runs, tuple(structs.replace(labelling, test=test) for labelling in past.labellings))


def test_runs_of_another_environment_are_not_compared():
    elsewhere = [
        replace(run, metadata={**run.metadata, "host.cores": 64}) for run in runs_of(THREADS, 400, 5)
    ]
    known = trained(usual_past(good=[*runs_of(Program(), 100, 20), *elsewhere]))
    assert any("5 runs with a label cannot be learned from" in warning for warning in known.warnings)
    assert verdict_of(known, THREADS).status is not Status.PASS


@pytest.mark.parametrize("label", ["bad", "invalid"])
def test_a_run_that_a_person_labelled_bad_or_invalid_is_not_trained_on(label):
    taught = runs_of(Program(), 0, 10)
    with pytest.raises(JudgeError, match="training runs must not be labelled bad or invalid") as caught:
        trained(past_of(taught, **{label: taught[3:4]}))
    assert f"got {taught[3].id} ({label})" in caught.value.message
    assert caught.value.advice == "name other runs, or label them good"


def test_a_run_that_a_check_labelled_bad_is_good_once_it_is_trained_on():
    taught = runs_of(Program(), 0, 10)
    observed = Labelling(taught[3].test, (taught[3].id,), Label.BAD, START, "check")
    known = trained(Past(taught[3].test, tuple(taught), (observed,)))
    assert any("no run is labelled bad" in warning for warning in known.warnings)


def test_a_run_is_compared_with_the_newest_training_of_its_own_environment():
    """Between the training and the labelled runs, the program was trained on a larger machine, too."""
    larger = [
        replace(run, metadata={**run.metadata, "host.cores": 64})
        for run in runs_of(Program(heap=3.0), 50, 10)
    ]
    between = past_of(larger)
    usual = usual_past()
    past = Past(usual.test, (*usual.runs, *between.runs), (*usual.labellings, *between.labellings))
    known = trained(past)
    assert not any("cannot be learned from" in warning for warning in known.warnings)
    assert verdict_of(known, LEAK).status is Status.REGRESSION


def test_a_regression_that_the_others_do_not_teach_is_counted():
    past = usual_past(bad=[*runs_of(LEAK, 200, 3), program_run(1, 210, Program(threads=8))])
    known = trained(past)
    (warning,) = [text for text in known.warnings if "would not be found" in text]
    assert warning.startswith("1 of 4")
    assert program_run(1, 210).id in warning


def test_runs_that_an_acceptance_passed_are_compared_with_the_version_before_them():
    """They are no version: nothing was trained on them."""
    taught, passed = runs_of(Program(), 0, 10), runs_of(THREADS, 100, 4)
    newer = runs_of(THREADS, 300, 10)
    test, ids = taught[0].test, tuple(tuple(run.id for run in some) for some in (taught, passed, newer))
    labellings = tuple(
        Labelling(test, some, Label.GOOD, START, command)
        for some, command in zip(ids, ("train", "accept", "accept"), strict=True)
    )
    past = Past(test, (*taught, *passed, *newer), labellings, trainings=(ids[0], ids[2]))
    columns = LabelledColumns(taught[0].properties)
    known = known_rows(run_set(newer), [past], columns, SETTINGS.metadata)
    rows = {row.run_id: row for row in known.rows}
    assert [rows[run_id[0]].is_taught for run_id in ids] == [True, False, True]
    assert np.abs(rows[ids[1][0]].deviation).max() > 3 > np.abs(rows[ids[2][0]].deviation).max()


def test_later_versions_are_compared_with_the_training_before_them():
    """The second version uses three times the heap: such a run is bad only beside the first version."""
    first, second = runs_of(Program(), 0, 10), runs_of(Program(heap=3.0), 300, 10)
    old = past_of(first, runs_of(Program(), 100, 15), runs_of(Program(heap=3.0), 200, 4))
    new = past_of(second, runs_of(Program(heap=3.0), 400, 15))
    past = Past("synthetic", (*old.runs, *new.runs), (*old.labellings, *new.labellings))
    known = oracle.train(run_set(second), SETTINGS, pasts=[past])
    assert verdict_of(known, Program(heap=3.0)).status is Status.PASS
    assert verdict_of(known, Program(heap=9.0)).status is Status.REGRESSION


@pytest.mark.parametrize("judge", [{"learner": "similarity"}, {"learner": "tan", "pairing": "subtracted"}])
def test_other_learners_judge_alike_after_they_were_stored(judge, tmp_path):  # type: ignore[no-untyped-def]
    known = trained(usual_past(), **judge, **{"most-dimensions": 5})
    path = tmp_path / "oracle.json"
    oracle.save(path, known)
    loaded = oracle.load(path)
    for program in (Program(), LEAK, THREADS):
        run = run_set([program_run(1, 950, program)])
        assert check(loaded, run) == check(known, run)


def test_a_stranger_s_model_is_checked():
    known = trained(usual_past())
    detector = oracle_detector(known)
    data = known.fitted.to_data()
    for damaged in (
        {**data, "version": 1},
        {**data, "learned_with": {}},
        {**data, "scale": [0.0] * len(data["scale"])},
        {**data, "held_out": [1.0, 0.0]},
        {**data, "engine": {**data["engine"], "models": []}},
    ):
        with pytest.raises(BadFileError, match="damaged"):
            detector.from_data(damaged)


@pytest.mark.parametrize(
    ("key", "learned", "edited"),
    [("pairing", "deviations", "subtracted"), ("learner", "logistic", "naive-bayes")],
)
def test_an_edited_way_of_learning_is_refused(key, learned, edited, tmp_path):
    path = tmp_path / "oracle.json"
    oracle.save(path, trained(usual_past()))
    text = path.read_text()
    path.write_text(text.replace(f'"{key}": "{learned}"', f'"{key}": "{edited}"', 1))
    with pytest.raises(BadFileError, match=f"judge: {key} must be '{learned}'.*got '{edited}'") as caught:
        oracle.load(path)
    assert "train again: buto train synthetic" in str(caught.value.advice)


def test_an_edited_alpha_holds(tmp_path):
    path = tmp_path / "oracle.json"
    oracle.save(path, trained(usual_past()))
    path.write_text(path.read_text().replace('"alpha": 0.05', '"alpha": 0.01', 1))
    assert verdict_of(oracle.load(path), LEAK).status is Status.INCONCLUSIVE


def oracle_detector(known):  # type: ignore[no-untyped-def]
    from buto.judging import registry

    return registry.detector(known.settings.method)(known.settings)


def test_learning_without_scikit_learn_says_what_to_install(monkeypatch):
    monkeypatch.setattr(learners, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="needs scikit-learn") as caught:
        trained(usual_past())
    assert caught.value.advice == "pip install scikit-learn"


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_warning_counts_the_good_runs_that_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(labelled, "MOST_RUNS", 4)
    ids = store(tmp_path, *(leaking_run(number) for number in range(6)))
    labels = LabelStore(project_in(tmp_path).files.store)
    said = []
    labels.add(Labelling("leaker", tuple(ids[1:]), Label.GOOD, NOW, "train"))
    labels.add(Labelling("leaker", (ids[0],), Label.BAD, NOW, "label"))
    (past,) = load_labelled_past(
        project_in(tmp_path).launcher(said.append), settings_from({"method": "history"})
    )
    assert [run.id for run in past.runs] == [ids[0], *ids[3:]]
    (warning,) = said
    assert isinstance(warning, Warned)
    assert warning.text.startswith("the oldest 2 good runs with a label cannot be learned from")
