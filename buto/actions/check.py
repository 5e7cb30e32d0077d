"""Checking: launch tests, or take stored runs, and judge them by their oracles.

The :class:`Outcome` of a call is a result for each test, the exit code, and the entry in the history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from buto.actions.advice import next_steps, reword, settings_warning, worded
from buto.actions.case import checked
from buto.actions.events import Failed, Judged, OnEvent, Warned, ignore
from buto.actions.git import divided
from buto.actions.labels import label_result
from buto.actions.past import like_runs
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete, describe
from buto.actions.stored import other_command, stored_runs, training_runs
from buto.actions.turns import Settled, by_oracle, occasion, stored_turns, take_turns
from buto.errors import (
    EXIT_BAD_FILE,
    EXIT_NOT_JUDGED,
    EXIT_PASS,
    EXIT_REGRESSION,
    EXIT_USAGE,
    ButoError,
    StorageError,
)
from buto.judging.verdict import Status
from buto.oracle import Checked, Oracle, Settings
from buto.project.model import TestConfig
from buto.report.check_report import check_report
from buto.report.formats.json_result import result_document, result_text
from buto.report.panels import NO_RUNS
from buto.report.result import Commit, LeftOut, Result, reported
from buto.run.entries import ResultStore
from buto.run.model import Run, run_set
from buto.steps import Action

if TYPE_CHECKING:
    from buto.causes.model import Explanation


_WORST_FIRST = (EXIT_REGRESSION, EXIT_USAGE, EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS)
"""Exit codes, worst first. A regression comes first because the user asked about it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call.

    Attributes:
        command: the command that was called, as on the command line.
        results: one for each test, in the order in which they were carried out.
        exit_code: of a command that ends with this outcome.
        at: when it was complete; aware.
        left_out: tests that were left out; None if the call does not leave tests out.
        first_bad: of a bisection, the commit that it found.
        explanation: of a bisection, what that commit uses more of than its parent; None if not known.
    """

    command: str
    results: Sequence[Result]
    exit_code: int
    at: datetime
    left_out: Sequence[LeftOut] | None = None
    first_bad: Commit | None = None
    explanation: Explanation | None = None


def worst_code(results: Sequence[Result]) -> int:
    """Return the exit code of a command with these results; without results, that of a pass."""
    return min((_code(result) for result in results), key=_WORST_FIRST.index, default=EXIT_PASS)


def concluded(
    action: Action,
    results: Sequence[Result],
    *,
    exit_code: int | None = None,
    left_out: Sequence[LeftOut] | None = None,
    first_bad: Commit | None = None,
) -> Outcome:
    """Return the outcome of a call that ends now, by default with the worst exit code of its results."""
    code = worst_code(results) if exit_code is None else exit_code
    return Outcome(action.value, results, code, datetime.now(UTC), left_out, first_bad)


def failed(project: Project, test: str, runs: Sequence[Run], error: ButoError, on_event: OnEvent) -> Result:
    """Report why a test could not be finished, with advice in the words of the project's door."""
    reword(error, project.door)
    result = Result(test, project.oracle_path(test), runs, error=error)
    on_event(Failed(result))
    return result


def keep(project: Project, outcome: Outcome, on_event: OnEvent, reason: str = "") -> None:
    """Store each verdict and training for the history, and label its runs; warn if that is not possible.

    Args:
        reason: of an acceptance, why the change is meant.
    """
    store = ResultStore(project.files.store)
    for result in outcome.results:
        if result.error is not None or not result.runs:
            continue
        document = result_document(outcome.command, [result], worst_code([result]), outcome.at)
        try:
            store.add(result.test, result_text(document).encode())
        except StorageError as error:
            on_event(Warned(result.test, f"{error.message}; buto history will not show it"))
        label_result(project, outcome.command, result, on_event, reason)


def _code(result: Result) -> int:
    if result.error is not None:
        return result.error.exit_code
    return EXIT_PASS if result.verdict is None else result.verdict.status.exit_code


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to check.

    Attributes:
        names: tests; empty for all of the configuration.
        overrides: what this call specifies of them.
        runs: how many runs to judge together; None for one, and two more if it does not pass.
        from_runs: stored runs to judge instead of launching, as :func:`stored_runs` has it.
        changed_since: a git revision; tests whose inputs have not changed since are left out.
        with_training: whether the report shows the training runs, which take time to load.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int | None = None
    from_runs: str | None = None
    changed_since: str | None = None
    with_training: bool = False


@worded
def check(project: Project, request: CheckRequest, on_event: OnEvent = ignore) -> Outcome:
    """Judge tests by their oracles. If one test cannot be judged, the others still are.

    Returns:
        A result for each test; it is also in the history.

    Raises:
        UsageError, BadFileError: see :class:`Project`.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    action, overrides = Action.CHECK, request.overrides
    names = project.names(request.names, action, overrides)
    names, left_out = divided(project, names, request.changed_since, on_event)
    oracles = {name: project.oracle(name, action, overrides.alpha) for name in names}
    for name, known in oracles.items():
        configured = project.configured(name)
        if configured is not None:
            warn_of_settings(project, known, configured.settings, overrides.alpha, on_event)
    if request.from_runs is not None:
        stored = {name: stored_runs(project, name, request.from_runs) for name in names}
        results = [
            finished(
                project,
                name,
                runs,
                partial(by_oracle, oracles[name], runs),
                on_event,
                from_runs=request.from_runs,
                with_training=request.with_training,
            )
            for name, runs in stored.items()
        ]
    else:
        tests = [project.test(name, action, overrides, oracles[name]) for name in names]
        cases = [checked(test, oracles[test.name], request.runs) for test in tests]
        results = [
            finished(
                project,
                name,
                case.runs,
                case.judged,
                on_event,
                test=case.test,
                with_training=request.with_training,
            )
            for name, case in complete(project, cases, on_event).items()
        ]
    skipped = None if request.changed_since is None else left_out
    outcome = concluded(action, results, left_out=skipped)
    keep(project, outcome, on_event)
    return outcome


def decide(
    project: Project,
    checked: Checked,
    on_event: OnEvent = ignore,
    *,
    test: TestConfig | None = None,
    from_runs: str | None = None,
    with_training: bool = False,
) -> Result:
    """Report the verdict on the runs of a test.

    Before the test fails, and where its oracle cannot judge this environment, the program of the training and
    the present one are launched in random turns if ``test`` says how, and these decide.

    Args:
        checked: the runs as the oracle judged them.
        test: how to launch the present program; None for runs that are judged as they are, by the turns
            that were stored with them unless they were named.
        from_runs: the name of these runs in advice; None for those of the newest check.
        with_training: see :class:`CheckRequest`.

    Raises:
        ButoError: the present program cannot be measured, or a training run that the report shows is damaged.
    """
    known, why, settled = checked.oracle, occasion(checked), Settled(checked)
    if why is not None and test is not None:
        settled = take_turns(project, test, checked, why, on_event)
    elif why is not None and from_runs is None:
        settled = Settled(stored_turns(project, checked, why) or checked)
    checked, steps = settled.checked, settled.steps
    path, in_turns = project.oracle_path(known.test), checked.against is not None
    if steps is None:
        fails = checked.verdict.status is Status.REGRESSION
        has_profile = fails and _has_profile(project, known.test)
        command = other_command(project, known, checked.runs.runs)
        steps = next_steps(known, checked.verdict, from_runs, has_profile=has_profile, command=command)
    report = check_report(
        checked,
        training_runs(project, known) if with_training and not in_turns else NO_RUNS,
        made=datetime.now(UTC),
        oracle_path=path,
        next_steps=[project.door.step(step) for step in steps],
        likes=() if in_turns else like_runs(project.files.store, checked, on_event),
    )
    result = reported(report, path)
    on_event(Judged(result))
    return result


def warn_of_settings(
    project: Project, known: Oracle, now: Settings, alpha: float | None, on_event: OnEvent
) -> None:
    """Report settings that differ from those with which the oracle was trained."""
    warning = settings_warning(known, now, alpha, project.door)
    if warning is not None:
        on_event(Warned(known.test, warning))


def _has_profile(project: Project, test: str) -> bool:
    """Return whether a profile of the trained program is known to be stored, to compare with."""
    try:
        return project.profiles.has(test)
    except StorageError:
        # A verdict is not lost because a shared store does not answer any more.
        return False


def finished(
    project: Project,
    name: str,
    runs: Sequence[Run],
    judged: Callable[[], Checked],
    on_event: OnEvent = ignore,
    *,
    test: TestConfig | None = None,
    from_runs: str | None = None,
    with_training: bool = False,
) -> Result:
    """Report the verdict on the runs of a test and what they measured, or why they cannot be judged.

    Args:
        judged: gives the runs as the oracle judged them.
        test, from_runs, with_training: see :func:`decide`.

    Raises:
        StorageError: the store cannot be read or written.
    """
    try:
        result = decide(
            project, judged(), on_event, test=test, from_runs=from_runs, with_training=with_training
        )
    except StorageError:
        raise
    except ButoError as error:
        return failed(project, name, runs, error, on_event)
    describe(project.door, name, run_set(runs).valid(), on_event)
    return result
