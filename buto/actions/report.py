"""Reporting: judge stored runs again for reports, or list the results of a test's checks over time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from buto import oracle
from buto.actions.advice import worded
from buto.actions.check import decide
from buto.actions.events import OnEvent, Shown, ignore
from buto.actions.outcome import Outcome, concluded
from buto.actions.project import Project
from buto.actions.stored import ALL, newest_check, stored_runs
from buto.actions.turns import by_oracle
from buto.errors import EXIT_PASS, BadFileError, UsageError
from buto.judging.configuration import DEFAULT
from buto.report.history import Entry, stored_entries
from buto.report.panels import recorded_runs
from buto.report.result import Result
from buto.run.cache import is_missing
from buto.run.entries import ResultStore
from buto.run.model import Run, run_set
from buto.run.units import format_count
from buto.steps import EXAMPLE, Action, Step


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What to report.

    Attributes:
        what: ids of runs, and names of tests, which mean their newest checks.
        with_training: whether the reports show the training runs, which take time to load.
    """

    what: tuple[str, ...]
    with_training: bool = False


@worded
def report(project: Project, request: ReportRequest, on_event: OnEvent = ignore) -> Outcome:
    """Judge stored runs again, those of one test together; launches nothing.

    Of a test without an oracle the runs are shown as they are, by default all that are usable.

    Returns:
        A result for each test, which is not added to the history; the exit code is that of a pass.

    Raises:
        BadFileError: there is no such run or test, or an oracle is missing.
        JudgeError: runs cannot be judged.
    """
    site, by_test = project.site(), _runs(project, request.what)
    if project.files.oracle is not None and len(by_test) > 1:
        raise UsageError(
            f"{project.door.name('oracle')} needs exactly one test, got {len(by_test)}: {', '.join(by_test)}"
        )
    results = []
    for test, runs in by_test.items():
        if has_no_oracle(project, test):
            results.append(_recorded(project, test, runs, on_event))
        else:
            known = project.known(test, Action.REPORT)
            checked = by_oracle(known.oracle, runs)
            results.append(decide(site, known, checked, on_event, with_training=request.with_training))
    return concluded(Action.REPORT, results, exit_code=EXIT_PASS)


def has_no_oracle(project: Project, test: str) -> bool:
    """Return whether the runs of a test can only be shown: it has no oracle, and none was specified."""
    return project.files.oracle is None and is_missing(project.oracle_path(test))


def _recorded(project: Project, test: str, runs: list[Run], on_event: OnEvent) -> Result:
    result = Result(test, None, runs, recorded=recorded_runs(run_set(runs), datetime.now(UTC)))
    train = project.door.step(Step(Action.TRAIN, test, from_runs=ALL, command=EXAMPLE))
    configured = project.configured(test)
    fewest = oracle.fewest_runs(DEFAULT if configured is None else configured.settings)
    lacking = fewest - len(stored_runs(project.site(), test, ALL, required=False))
    first = f"record {format_count(lacking, 'more run')}, then " if lacking > 0 else ""
    on_event(Shown(result, f"{first}{train}"))
    return result


def _runs(project: Project, what: tuple[str, ...]) -> dict[str, list[Run]]:
    """Return the named runs by test, each run once."""
    site, store = project.site(), project.store
    tests = store.tests()
    test_of = {run_id: test for test in tests for run_id in store.ids(test)}
    found: dict[str, dict[str, Run]] = {}
    for word in what:
        if word in tests:
            is_shown = has_no_oracle(project, word)
            named = stored_runs(site, word, ALL) if is_shown else newest_check(site, word)
        elif word in test_of:
            named = list(store.open_set(test_of[word], [word]))
        else:
            named = []
        if not named:
            lacking = "no check was recorded for" if word in tests else "there is neither a run nor a test"
            raise BadFileError(
                f"{lacking} {word!r} in {site.store}", advice=site.door.step(Step(Action.LIST_RUNS))
            )
        for run in named:
            found.setdefault(run.test, {})[run.id] = run
    return {test: list(runs.values()) for test, runs in found.items()}


@worded
def history(project: Project, test: str) -> list[Entry]:
    """Return the checks and trainings of a test, oldest first.

    Raises:
        BadFileError: there are no results, or one is damaged.
    """
    entries = stored_entries(ResultStore(project.files.store), test)
    if not entries:
        raise BadFileError(
            f"{project.files.store} holds no results of {test!r}",
            advice=project.door.step(Step(Action.CHECK, test, plain=True)),
        )
    return entries
