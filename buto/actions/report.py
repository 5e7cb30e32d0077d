"""Reporting: judge stored runs again for reports, or list the results of a test's checks over time."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from buto import oracle
from buto.actions.base import base_of_stored
from buto.actions.decide import JudgedTest, decide, settle
from buto.actions.events import Reporter, Shown, ignore
from buto.actions.monitor import recall_alarm
from buto.actions.mood import judge_as_then
from buto.actions.no_growth import recall
from buto.actions.outcome import CallOutcome, conclude
from buto.actions.project import Project
from buto.actions.stored import ALL, load_runs_of_one_program, load_stored_runs, newest_check
from buto.errors import EXIT_PASS, BadFileError, UsageError
from buto.judging.configuration import DEFAULT
from buto.report.history import HistoryEntry, load_entries
from buto.report.panels import report_recorded_runs
from buto.report.result import Result
from buto.run.cache import is_missing
from buto.run.entries import ResultStore
from buto.run.model import Run, run_set
from buto.run.units import format_count
from buto.steps import EXAMPLE, Action, Advice, Setting, Step


class ReportRequest(Struct, frozen=True):
    """What to report.

    Attributes:
        what: ids of runs, and names of tests, which mean their newest checks.
        with_training: whether the reports show the training runs, which take time to load.
    """

    what: tuple[str, ...]
    with_training: bool = False


def report(project: Project, request: ReportRequest, reporter: Reporter = ignore) -> CallOutcome:
    """Judge stored runs again, those of one test together; launches nothing.

    Of a test without an oracle the runs are shown as they are, by default all that are usable.

    Returns:
        A result for each test, which is not added to the history; the exit code is that of a pass.

    Raises:
        BadFileError: there is no such run or test, or an oracle is missing.
        JudgeError: runs cannot be judged.
    """
    launcher, by_test = project.launcher(reporter), _runs(project, request.what)
    if project.files.oracle is not None and len(by_test) > 1:
        raise UsageError(
            Advice(Setting("oracle"), f" needs exactly one test, got {len(by_test)}: {', '.join(by_test)}")
        )
    results = []
    for test, runs in by_test.items():
        if has_no_oracle(project, test):
            results.append(_show_recorded(project, test, runs, reporter))
        else:
            known = project.load_known(test, Action.REPORT)
            checked = recall_alarm(launcher.workspace, judge_as_then(launcher.workspace, known.oracle, runs))
            judged = JudgedTest(known, base=base_of_stored(runs), with_training=request.with_training)
            turns = settle(launcher, judged, checked)
            examined = recall(launcher.workspace, runs[0])
            results.append(decide(launcher, judged, checked, turns, examined))
    return conclude(Action.REPORT, results, exit_code=EXIT_PASS)


def has_no_oracle(project: Project, test: str) -> bool:
    """Return whether the runs of a test can only be shown: it has no oracle, and none was specified."""
    return project.files.oracle is None and is_missing(project.oracle_path(test))


def _show_recorded(project: Project, test: str, runs: list[Run], reporter: Reporter) -> Result:
    result = Result(test, None, runs, recorded=report_recorded_runs(run_set(runs), datetime.now(UTC)))
    train = Step(Action.TRAIN, test, from_runs=ALL, command=EXAMPLE)
    configured = project.find_test(test)
    fewest = oracle.fewest_runs(DEFAULT if configured is None else configured.settings)
    alike = load_runs_of_one_program(project.workspace(), test, ALL, ignore, required=False)
    lacking = fewest - len(alike)
    first = f"record {format_count(lacking, 'more run')}, then " if lacking > 0 else ""
    reporter(Shown(result, Advice(first, train)))
    return result


def _runs(project: Project, what: tuple[str, ...]) -> dict[str, list[Run]]:
    """Return the named runs by test, each run once."""
    workspace, store = project.workspace(), project.store
    tests = store.tests()
    test_of = {run_id: test for test in tests for run_id in store.ids(test)}
    runs_by_test: dict[str, dict[str, Run]] = {}
    for word in what:
        if word in tests:
            is_shown = has_no_oracle(project, word)
            named = load_stored_runs(workspace, word, ALL) if is_shown else newest_check(workspace, word)
        elif word in test_of:
            named = list(store.load_set(test_of[word], [word]))
        else:
            named = []
        if not named:
            lacking = "no check was recorded for" if word in tests else "there is neither a run nor a test"
            raise BadFileError(
                f"{lacking} {word!r} in {workspace.store}", advice=Advice(Step(Action.LIST_RUNS))
            )
        for run in named:
            runs_by_test.setdefault(run.test, {})[run.id] = run
    return {test: list(runs.values()) for test, runs in runs_by_test.items()}


def history(project: Project, test: str) -> list[HistoryEntry]:
    """Return the checks and trainings of a test, oldest first.

    Raises:
        BadFileError: there are no results, or one is damaged.
    """
    entries = load_entries(ResultStore(project.files.store), test)
    if not entries:
        raise BadFileError(
            f"{project.files.store} holds no results of {test!r}",
            advice=Advice(Step(Action.CHECK, test, plain=True)),
        )
    return entries
