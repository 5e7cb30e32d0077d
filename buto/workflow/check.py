"""Checking: launch tests, or take stored runs, and judge them by their oracles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from buto.config import TestConfig
from buto.errors import ButoError, StorageError
from buto.oracle import Oracle, Settings
from buto.report.charted import NO_RUNS
from buto.report.check_report import CheckReport, check_report
from buto.report.result import Result, reported
from buto.runs import Run, run_set
from buto.steps import Action, Step
from buto.verdicts import Status
from buto.workflow.advice.door import in_words, reword, worded
from buto.workflow.advice.rules import next_steps, settings_warning
from buto.workflow.comparison.turns import Turns, Unsettled, by_oracle, stored_turns, take_turns
from buto.workflow.events import Failed, Judged, OnEvent, Warned, ignore
from buto.workflow.git.changes import divided
from buto.workflow.labels.likeness import like_runs
from buto.workflow.launching.case import checked
from buto.workflow.launching.collected import Collected
from buto.workflow.outcome import Outcome, concluded, keep
from buto.workflow.project import NO_OVERRIDES, Overrides, Project
from buto.workflow.project.stored import other_command, stored_runs, training_runs
from buto.workflow.record import complete, describe


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
    launchable: dict[str, TestConfig] = {}
    if request.from_runs is not None:
        found = {name: Collected(tuple(stored_runs(project, name, request.from_runs))) for name in names}
    else:
        tests = [project.test(name, action, overrides, oracles[name]) for name in names]
        cases = complete(
            project, [checked(test, oracles[test.name], request.runs) for test in tests], on_event
        )
        found = {name: Collected(case.runs, case.failure) for name, case in cases.items()}
        launchable = {name: case.test for name, case in cases.items()}
    results = [
        _result(project, oracles[name], found[name], request, on_event, launchable.get(name))
        for name in names
    ]
    skipped = None if request.changed_since is None else left_out
    outcome = concluded(action, results, left_out=skipped)
    keep(project, outcome, on_event)
    return outcome


def judge(
    project: Project,
    known: Oracle,
    runs: Sequence[Run],
    on_event: OnEvent = ignore,
    *,
    test: TestConfig | None = None,
    from_runs: str | None = None,
    with_training: bool = False,
) -> Result:
    """Judge the runs of a test, valid or not, and report the verdict.

    Before the test fails, and where its oracle cannot judge this environment, the program of the training and
    the present one are launched in random turns if ``test`` says how, and these decide.

    Args:
        test: how to launch the present program; None for runs that are judged as they are, by the turns
            that were stored with them unless they were named.
        from_runs: the name of these runs in advice; None for those of the newest check.
        with_training: see :class:`CheckRequest`.

    Raises:
        ButoError: the runs cannot be judged, or a training run that the report shows is damaged.
    """
    verdict, why = by_oracle(known, runs)
    steps: tuple[Step, ...] | None = None
    if why is not None and test is not None:
        settled = take_turns(project, test, known, why, verdict, runs, on_event)
        if isinstance(settled, Turns):
            return _by_turns(project, known, settled, on_event)
        if isinstance(settled, Unsettled):
            verdict, steps = settled.verdict, settled.steps
        else:
            advice = f" ({in_words(settled.advice, project.door)})" if settled.advice else ""
            without = f"without turns: the program of the training was not kept: {settled.reason}{advice}"
            verdict = replace(verdict, warnings=(without, *verdict.warnings))
    elif why is not None and from_runs is None:
        stored = stored_turns(project, known, why, runs)
        if stored is not None:
            return _by_turns(project, known, stored, on_event)
    has_profile = verdict.status is Status.REGRESSION and _has_profile(project, known.test)
    if steps is None:
        command = other_command(project, known, runs)
        steps = next_steps(known, verdict, from_runs, has_profile=has_profile, command=command)
    path = project.oracle_path(known.test)
    valid = run_set(runs).valid()
    report = check_report(
        verdict,
        known,
        run_set(runs),
        training_runs(project, known) if with_training else NO_RUNS,
        made=datetime.now(UTC),
        oracle_path=path,
        next_steps=[project.door.step(step) for step in steps],
        likes=like_runs(project, known, valid, verdict, on_event),
    )
    return _reported(report, path, on_event)


def _by_turns(project: Project, known: Oracle, turns: Turns, on_event: OnEvent) -> Result:
    path, verdict = project.oracle_path(known.test), turns.verdict
    command = other_command(project, known, turns.new)
    has_profile = _has_profile(project, known.test)
    steps = next_steps(known, verdict, has_profile=has_profile, command=command)
    report = check_report(
        verdict,
        turns.known,
        run_set(turns.new),
        run_set(turns.old).valid(),
        made=datetime.now(UTC),
        oracle_path=path,
        next_steps=[project.door.step(step) for step in steps],
        explanation=turns.explanation,
    )
    return _reported(report, path, on_event)


def _reported(report: CheckReport, path: Path, on_event: OnEvent) -> Result:
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
    # Imported here, because only a regression asks for its cause.
    from buto.profiles.store import ProfileStore

    try:
        return ProfileStore(project.files.store).has(test)
    except StorageError:
        # A verdict is not lost because a shared store does not answer any more.
        return False


def _result(
    project: Project,
    known: Oracle,
    collected: Collected,
    request: CheckRequest,
    on_event: OnEvent,
    test: TestConfig | None,
) -> Result:
    """Judge one test and report its verdict or its failure."""
    try:
        if collected.failure is not None:
            raise collected.failure
        result = judge(
            project,
            known,
            collected.runs,
            on_event,
            test=test,
            from_runs=request.from_runs,
            with_training=request.with_training,
        )
    except StorageError:
        raise
    except ButoError as error:
        reword(error, project.door)
        result = Result(known.test, project.oracle_path(known.test), collected.runs, error=error)
        on_event(Failed(result))
        return result
    describe(project, known.test, collected.valid(), on_event)
    return result
