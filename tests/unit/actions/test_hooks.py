"""A feature that fails costs no verdict: report and exit code stand, and one line says what failed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.check import CheckRequest, check
from buto.actions.events import Event, Warned
from buto.actions.hooks import CONCLUDED, JUDGED
from buto.actions.outcome import CallOutcome
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.errors import EXIT_REGRESSION, StorageError
from buto.report.html import render
from buto.run.entries import ResultStore
from tests.support.projects import project_in
from tests.support.runs.stored import leaking_run, store

JAVA = Overrides(command=("java", "-jar", "leaker.jar"))
RAISED: list[Exception] = []


def failing(*_: object) -> None:
    raise RAISED[0]


def failed_check(directory: Path) -> tuple[CallOutcome, list[str]]:
    """Check runs that leak more and load more classes, and return the outcome with the warnings."""
    store(directory, *(leaking_run(number, purpose="train") for number in range(10)))
    runs = [leaking_run(number, leak=9.0, classes=900, purpose="check") for number in range(20, 23)]
    which = ",".join(store(directory, *runs))
    train(project_in(directory), TrainRequest(("leaker",), JAVA, from_runs="all"))
    events: list[Event] = []
    outcome = check(project_in(directory), CheckRequest(("leaker",), from_runs=which), events.append)
    return outcome, [event.text for event in events if isinstance(event, Warned)]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[CallOutcome, list[str]]:
    return failed_check(tmp_path_factory.mktemp("good"))


@pytest.mark.parametrize(
    ("function", "raised", "line"),
    [
        (f"{__name__}:failing", StorageError("the disk is full\nreally"), "the disk is full"),
        (f"{__name__}:failing", ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
        ("no_such_package:f", ValueError(), "ModuleNotFoundError: No module named 'no_such_package'"),
    ],
)
def test_a_feature_that_fails_costs_no_verdict(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    good: tuple[CallOutcome, list[str]],
    function: str,
    raised: Exception,
    line: str,
) -> None:
    RAISED[:] = [raised]
    for hook, missing in ((JUDGED, "no likeness"), (CONCLUDED, "no label")):
        monkeypatch.setattr(hook, "_functions", list(hook._functions))
        hook.register(function, missing)
    outcome, warned = failed_check(tmp_path)
    (expected,), (result,) = good[0].results, outcome.results
    assert (outcome.exit_code, result.verdict) == (EXIT_REGRESSION, expected.verdict)
    assert result.report is not None and expected.report is not None
    where = {name: getattr(expected.report, name) for name in ("made", "oracle_path", "next_steps")}
    assert render(replace(result.report, **where)) == render(expected.report)
    assert len(ResultStore(tmp_path / ".buto").all("leaker")) == 2
    assert [text for text in warned if text not in good[1]] == [f"{line}; no likeness", f"{line}; no label"]
