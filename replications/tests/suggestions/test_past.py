"""The checks of the past: what is true of each, and by which training it was judged."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from buto.actions.accept import AcceptRequest, accept
from buto.actions.check import CheckRequest, check
from buto.actions.labels import LabelRequest, label
from buto.actions.like_runs import baseline_of
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.run.labels import Label, Labelling, LabelStore
from buto.run.names import start_of
from buto_replications.suggestions.past import past_checks
from buto_replications.suggestions.suggestion import PastCheck, Truth
from tests.support.projects import project_in
from tests.support.runs.stored import BEGINNING, leaking_run, store

JAVA = Overrides(command=("java", "-jar", "leaker.jar"))


def put(directory: Path, numbers: range, leak: float = 1.0, purpose: str = "check") -> list[str]:
    """Store runs of one session and return their ids."""
    session = leaking_run(numbers[0]).id
    runs = [
        leaking_run(number, leak=leak, purpose=purpose, **{"buto.session": session}) for number in numbers
    ]
    return store(directory, *runs)


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    put(tmp_path, range(7), purpose="train")
    train(project_in(tmp_path), TrainRequest(("leaker",), JAVA, from_runs="all"))
    return tmp_path


def checked(directory: Path, numbers: range, leak: float = 1.0) -> str:
    which = ",".join(put(directory, numbers, leak))
    check(project_in(directory), CheckRequest(("leaker",), from_runs=which))
    return which


def said(directory: Path, which: str, word: Label, *, meant: bool = False) -> None:
    label(project_in(directory), LabelRequest("leaker", which, word, "as I said", meant))


def truths(directory: Path) -> list[Truth]:
    return [past_check.truth for past_check in past_checks(project_in(directory).workspace(), "leaker")[0]]


def test_labels_say_what_is_true_of_checks(trained: Path) -> None:
    checked(trained, range(20, 21))
    said(trained, checked(trained, range(30, 33), 9.0), Label.GOOD)
    said(trained, checked(trained, range(40, 43), 9.0), Label.GOOD, meant=True)
    checked(trained, range(50, 53), 9.0)
    said(trained, checked(trained, range(60, 61)), Label.BAD)
    said(trained, checked(trained, range(70, 71)), Label.INVALID)
    assert truths(trained) == [
        Truth.UNKNOWN,
        Truth.UNCHANGED,
        Truth.MEANT,
        Truth.REGRESSION,
        Truth.REGRESSION,
    ]
    [first, *_], _ = past_checks(project_in(trained).workspace(), "leaker")
    assert first == PastCheck((leaking_run(20).id,), BEGINNING + timedelta(minutes=20), Truth.UNKNOWN)


def test_what_was_accepted_was_no_false_alarm_and_has_the_old_baseline(trained: Path) -> None:
    which = checked(trained, range(30, 40), 9.0)
    accept(project_in(trained), AcceptRequest(("leaker",), from_runs=which))
    checked(trained, range(50, 51), 9.0)
    checks, trainings = past_checks(project_in(trained).workspace(), "leaker")
    assert [past_check.truth for past_check in checks] == [Truth.MEANT, Truth.UNKNOWN]
    by = [baseline_of(past_check.at, trainings) for past_check in checks]
    assert [labelling is not None and labelling.is_accepted for labelling in by] == [False, True]
    assert baseline_of(BEGINNING, trainings) is None


def test_a_check_again_of_some_of_its_runs_is_no_check_of_its_own(trained: Path) -> None:
    which = checked(trained, range(30, 33), 9.0)
    check(project_in(trained), CheckRequest(("leaker",), from_runs=which.partition(",")[0]))
    [found], _ = past_checks(project_in(trained).workspace(), "leaker")
    assert len(found.run_ids) == 3


def test_labelled_recordings_are_checks_of_their_own(trained: Path) -> None:
    [*recorded] = put(trained, range(30, 33), 9.0, "record")
    again = put(trained, range(40, 41), 9.0, "record")
    said(trained, ",".join(recorded + again), Label.BAD)
    checks, _ = past_checks(project_in(trained).workspace(), "leaker")
    assert [list(past_check.run_ids) for past_check in checks] == [recorded, again]
    assert {past_check.truth for past_check in checks} == {Truth.REGRESSION}


def test_a_labelled_training_run_is_no_check(trained: Path) -> None:
    said(trained, "all", Label.GOOD)
    assert truths(trained) == []


def test_of_labels_that_differ_the_last_decision_counts(trained: Path) -> None:
    which = checked(trained, range(30, 33), 9.0)
    said(trained, which.partition(",")[0], Label.GOOD)
    assert truths(trained) == [Truth.UNCHANGED]


def test_who_trains_again_on_failed_runs_has_accepted_them(trained: Path) -> None:
    which = checked(trained, range(30, 36), 9.0)
    project = project_in(trained)
    at = start_of(which.split(",")[0])
    assert at is not None
    runs = tuple(which.split(","))
    later = Labelling("leaker", runs, Label.GOOD, at + timedelta(days=999), "train")
    LabelStore(project.files.store).add(later)
    assert truths(trained) == [Truth.MEANT]
