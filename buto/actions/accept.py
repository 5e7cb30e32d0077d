"""Accepting a change: learn a test again and report what that changes in its oracle."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from buto import oracle
from buto.actions.advice import in_words, warnings, worded
from buto.actions.case import Case, accepted, check_number_of_runs, learned
from buto.actions.check import Outcome, concluded, keep
from buto.actions.events import Accepted, JudgedTaken, OnEvent, OracleChanged, ProgramKept, Warned, ignore
from buto.actions.kept import Watched, forget_programs, keep_program, watch
from buto.actions.labels import check_reason
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import program_changed
from buto.actions.stored import is_of_another_program, named, newest_check, other_command, stored_runs
from buto.actions.suggest import labelled_past
from buto.actions.train import complete_learning, learned_from
from buto.actions.turns import by_oracle, occasion, stored_turns
from buto.errors import JudgeError, UsageError
from buto.judging.verdict import Status
from buto.oracle import Oracle
from buto.project.model import TestConfig
from buto.report.result import Result
from buto.run.model import COMMAND, Run, run_set
from buto.steps import Action, Step

_AS_IT_WAS = (
    "the program's files have changed since the newest check: what is accepted is the program as it was then"
)


@dataclass(frozen=True, slots=True)
class AcceptRequest:
    """What to accept.

    Attributes:
        names: tests, each with an oracle; empty for all of the configuration.
        overrides: what this call specifies of them.
        runs: how many usable runs to learn from, ``auto`` for as many as sharpen the oracle; None for the
            runs that were judged if an oracle can be learned from them, else for what the configuration says.
        from_runs: stored runs to learn from instead, as :func:`stored_runs` has it; nothing is launched.
        launch: whether all runs are launched now, also if the newest check did not pass.
        dry_run: whether to leave the oracle unchanged.
        reason: why the change is meant, for the labels of its runs; may be empty.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int | str | None = None
    from_runs: str | None = None
    launch: bool = False
    dry_run: bool = False
    reason: str = ""


@worded
def accept(project: Project, request: AcceptRequest, on_event: OnEvent = ignore) -> Outcome:
    """Train tests again, even from runs that failed their checks, and write the new oracles.

    The runs are those of the newest check if it did not pass, with launches where they are too few; else
    all are launched. A test that the configuration does not have keeps the settings of its oracle.

    Returns:
        A result for each test; it is also in the history, unless nothing was written.

    Raises:
        UsageError, BadFileError: see :class:`Project`.
        StorageError: the store or an oracle cannot be written; the runs stay.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    action, overrides = Action.ACCEPT, request.overrides
    check_reason(request.reason)
    names = project.names(request.names, action, overrides)
    if not request.dry_run:
        project.check_oracles_writable(names)
    known = {name: project.oracle(name, action) for name in names}
    tests = [_test(project, name, request, known[name]) for name in names]
    watched = {test.name: watch(project, test) for test in tests}
    if request.from_runs is None:
        cases = _cases(project, tests, known, request, on_event)
    else:
        which = request.from_runs
        cases = [replace(learned(test), runs=tuple(stored_runs(project, test.name, which))) for test in tests]
        for case in cases:
            warn_of_old_runs(project, known[case.test.name], case.runs, on_event)
    results = [
        _result(project, case, known[case.test.name], request, watched[case.test.name], on_event)
        for case in cases
    ]
    outcome = concluded(action, results)
    if not request.dry_run:
        keep(project, outcome, on_event, request.reason)
    return outcome


def not_passed(project: Project, known: Oracle, command: str | None = None) -> list[Run]:
    """Return the usable runs of the newest check of a test if they do not pass, else none.

    Runs of another environment are left out: no oracle can learn from them and from runs of this one.

    Args:
        command: the program that they must be of, as their metadata have it; None for any.

    Raises:
        BadFileError: a run that may be of that check is damaged.
    """
    try:
        runs = newest_check(project, known.test)
        if not runs or any(run.metadata.get(COMMAND, command) != command for run in runs if command):
            return []
        first = by_oracle(known, runs)
        why = occasion(first)
        last = first if why is None else stored_turns(project, first, why) or first
    except JudgeError:
        return []
    elsewhere = any(one.source == oracle.METADATA_SOURCE for one in first.verdict.findings)
    return [] if last.verdict.status is Status.PASS or elsewhere else runs


def warn_of_old_runs(project: Project, known: Oracle, runs: Sequence[Run], on_event: OnEvent) -> None:
    """Warn if runs from before the change are trained on together with runs from after it."""
    old = set(known.run_ids)
    new = [run.id for run in runs if run.id not in old]
    again = len(runs) - len(new)
    if again and new:
        only_new = project.door.setting("from-runs", f"{min(new)}..")
        text = (
            f"{again} of these runs also trained the old oracle, so the new one mixes both programs; "
            f"to leave them out: {only_new}"
        )
        on_event(Warned(known.test, text))


def learn_change(
    project: Project,
    test: TestConfig,
    known: Oracle,
    runs: Sequence[Run],
    on_event: OnEvent = ignore,
    *,
    target: Mapping[str, Any] | None,
    again: Step,
    watched: Watched | None = None,
    dry_run: bool = False,
) -> Result:
    """Learn from the usable runs among these, report what changes, and write the oracle.

    Args:
        target: how the program is started, for the oracle to remember; None as for :func:`train.learn`.
        again: the step that accepts the same runs without launching.
        watched: see :func:`train.learn`.
        dry_run: whether to leave the oracle unchanged.

    Raises:
        JudgeError: they cannot be learned from, or they are the training runs of the oracle.
        StorageError: the oracle cannot be written.
    """
    path, valid = project.oracle_path(test.name), run_set(runs).valid()
    if test.settings == known.settings and {run.id for run in valid} == set(known.run_ids):
        raise JudgeError(
            f"there is nothing to accept: the oracle has learned from these {len(valid)} runs already",
            advice=f"launch the program as it is now: {project.door.step(Step(Action.ACCEPT, test.name))}",
        )
    pasts = labelled_past(project, test.settings, on_event)
    learned = oracle.train(valid, test.settings, target=target, pasts=pasts)
    on_event(OracleChanged(known, learned))
    if not dry_run:
        learned = replace(learned, program=keep_program(project, test, watched, valid.runs))
        oracle.save(path, learned)
        on_event(ProgramKept(test.name, learned.program))
        forget_programs(project, test.name, learned.program)
    found = tuple(in_words(one, project.door) for one in (*learned.warnings, *warnings(valid, project.door)))
    for warning in found:
        on_event(Warned(test.name, warning))
    result = Result(test.name, path, runs, warnings=found)
    on_event(Accepted(result, path, written=not dry_run, again=again))
    return result


def _cases(
    project: Project,
    tests: Sequence[TestConfig],
    known: Mapping[str, Oracle],
    request: AcceptRequest,
    on_event: OnEvent,
) -> list[Case]:
    """Return the runs that did not pass, and launch where they are too few."""
    cases = []
    for test in tests:
        check_number_of_runs(test, project.door)
        command = test.target.new_mask().command(test.target.command)
        judged = [] if request.launch else not_passed(project, known[test.name], command)
        if not (judged or request.launch or request.overrides.command):
            _refuse_another_command(project, known[test.name])
        n_wanted = None if request.runs is None else test.runs
        case, taken = begin(test, known[test.name], judged, on_event, n_wanted=n_wanted)
        if taken:
            on_event(JudgedTaken(test.name, tuple(run.id for run in taken), case.missing))
        cases.append(case)
    return complete_learning(project, cases, on_event)


def _refuse_another_command(project: Project, known: Oracle) -> None:
    """Raise UsageError if the newest check did not pass a command that this call would not launch."""
    runs = not_passed(project, known)
    other = other_command(project, known, runs)
    if other:
        accept = project.door.step(Step(Action.ACCEPT, known.test, command=other))
        raise UsageError(
            f"the newest check of {known.test!r} judged another command than the one of its oracle: "
            f"{shlex.join(other)}",
            advice=f"to accept what was judged: {accept}; to launch the oracle's command: "
            f"{project.door.name('launch')}",
        )


def begin(
    test: TestConfig,
    known: Oracle,
    judged: Sequence[Run],
    on_event: OnEvent = ignore,
    *,
    n_wanted: int | None = None,
) -> tuple[Case, Sequence[Run]]:
    """Return a test to be learned again, and those of the judged runs that it is learned from.

    Runs that are launched now are not mixed with judged ones of a program that has changed since.

    Args:
        judged: the runs of the newest check that did not pass.
        n_wanted: see :func:`accepted`.
    """
    case = accepted(test, known, judged, n_wanted=n_wanted)
    if not is_of_another_program(judged):
        return case, judged
    if not case.missing:
        on_event(Warned(test.name, _AS_IT_WAS))
        return case, judged
    on_event(Warned(test.name, program_changed(len(judged))))
    return accepted(test, known, n_wanted=n_wanted), ()


def _test(project: Project, name: str, request: AcceptRequest, known: Oracle) -> TestConfig:
    test = project.test(name, Action.ACCEPT, request.overrides, known, request.runs)
    return test if project.configured(name) is not None else replace(test, settings=known.settings)


def _result(
    project: Project,
    case: Case,
    known: Oracle,
    request: AcceptRequest,
    watched: Watched,
    on_event: OnEvent,
) -> Result:
    """Accept one test and report it, or why it cannot be learned."""
    test, runs = case.test, case.runs
    again = Step(Action.ACCEPT, test.name, from_runs=request.from_runs or named(runs))
    learning = partial(
        learn_change,
        project,
        test,
        known,
        runs,
        on_event,
        target=test.written,
        again=again,
        watched=watched,
        dry_run=request.dry_run,
    )
    return learned_from(project, case, again, learning, on_event)
