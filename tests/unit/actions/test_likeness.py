"""A verdict does not depend on the labels of earlier runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.actions.check import CheckRequest, check
from buto.actions.events import Event, Judged, Warned
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.errors import EXIT_REGRESSION, StorageError
from buto.run.entries import ResultStore
from buto.run.labels import LabelStore
from tests.support.projects import project_in
from tests.support.runs.stored import leaking_run, store


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A trained test with a failed check, whose runs are labelled bad."""
    store(tmp_path, *(leaking_run(number, purpose="train") for number in range(10)))
    java = Overrides(command=("java", "-jar", "leaker.jar"))
    train(project_in(tmp_path), TrainRequest(("leaker",), java, from_runs="all"))
    assert failing_check(tmp_path, 20)
    return tmp_path


def failing_check(directory: Path, first: int) -> list[Event]:
    """Check three runs that leak more, and return the events of that."""
    session = {"buto.session": leaking_run(first).id}
    runs = (leaking_run(first + number, leak=9.0, purpose="check", **session) for number in range(3))
    which = ",".join(store(directory, *runs))
    events: list[Event] = []
    outcome = check(project_in(directory), CheckRequest(("leaker",), from_runs=which), events.append)
    assert outcome.exit_code == EXIT_REGRESSION
    return events


def n_likes(events: list[Event]) -> int:
    [judged] = [event for event in events if isinstance(event, Judged)]
    assert judged.result.report is not None
    return len(judged.result.report.likes)


def test_a_like_labelled_check_is_named(labelled: Path) -> None:
    assert n_likes(failing_check(labelled, 30)) == 1


@pytest.mark.parametrize(("kept", "method"), [(LabelStore, "all"), (ResultStore, "read_all")])
def test_a_store_that_fails_does_not_change_a_verdict(
    labelled: Path, monkeypatch: pytest.MonkeyPatch, kept: type, method: str
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("cannot read s3://runs: the server does not answer")

    monkeypatch.setattr(kept, method, fail)
    events = failing_check(labelled, 30)
    assert n_likes(events) == 0
    warned = [event.text for event in events if isinstance(event, Warned)]
    assert (
        "cannot read s3://runs: the server does not answer; labelled runs like these are not named" in warned
    )
