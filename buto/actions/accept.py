"""Accepting a change: learn a test again and report what that changes in its oracle."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from buto import oracle
from buto.actions.advice import in_words, warnings, worded
from buto.actions.case import Case, accepted, check_number_of_runs
from buto.actions.events import Accepted, OnEvent, OracleChanged, Told, Warned, ignore
from buto.actions.kept import Watched, watch
from buto.actions.labelled import check_reason
from buto.actions.outcome import Outcome, concluded, keep
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import program_changed
from buto.actions.stored import Known, Site, is_of_another_program, named, newest_check, stored_runs
from buto.actions.train import complete_learning, learn_from, learned_from, written
from buto.actions.turns import by_oracle, occasion, stored_turns
from buto.errors import JudgeError, UsageError
from buto.judging.verdict import Status
from buto.oracle import Oracle
from buto.project.model import TestConfig
from buto.report.result import Result
from buto.run.model import COMMAND, Run
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
        runs: see :class:`buto.actions.train.TrainRequest`; None for the runs that were judged if an oracle
            can be learned from them.
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
    every = [project.known(name, action) for name in names]
    tests = [_test(project, name, request, known.oracle) for name, known in zip(names, every, strict=True)]
    site = project.site()
    watched = [watch(site, test, known.path) for test, known in zip(tests, every, strict=True)]
    jobs = list(zip(tests, every, watched, strict=True))
    which = request.from_runs
    if which is None:
        cases = complete_learning(site, [_case(site, *job, request, on_event) for job in jobs], on_event)
    else:
        cases = []
        for test, known, program in jobs:
            runs = stored_runs(site, test.name, which)
            _warn_of_old_runs(site, known.oracle, runs, on_event)
            cases.append(replace(accepted(test, known, watched=program), runs=tuple(runs)))
    results = [finished(site, case, on_event, which, dry_run=request.dry_run) for case in cases]
    outcome = concluded(action, results)
    if not request.dry_run:
        keep(site, outcome, on_event, request.reason)
    return outcome


def _test(project: Project, name: str, request: AcceptRequest, known: Oracle) -> TestConfig:
    test = project.test(name, Action.ACCEPT, request.overrides, known, request.runs)
    return test if project.configured(name) is not None else replace(test, settings=known.settings)


def _case(
    site: Site, test: TestConfig, known: Known, watched: Watched, request: AcceptRequest, on_event: OnEvent
) -> Case:
    check_number_of_runs(test, site.door)
    command = test.target.new_mask().command(test.target.command)
    judged = [] if request.launch else not_passed(site, known.oracle, command)
    if not (judged or request.launch or request.overrides.command):
        _refuse_another_command(site, known)
    return begun(test, known, judged, watched, on_event, n_wanted=None if request.runs is None else test.runs)


def _refuse_another_command(site: Site, known: Known) -> None:
    """Raise UsageError if the newest check did not pass a command that this call would not launch."""
    test = known.oracle.test
    other = known.other_command(not_passed(site, known.oracle))
    if other:
        accept = site.door.step(Step(Action.ACCEPT, test, command=other))
        raise UsageError(
            f"the newest check of {test!r} judged another command than the one of its oracle: "
            f"{shlex.join(other)}",
            advice=f"to accept what was judged: {accept}; to launch the oracle's command: "
            f"{site.door.name('launch')}",
        )


def not_passed(site: Site, known: Oracle, command: str | None = None) -> list[Run]:
    """Return the usable runs of the newest check of a test if they do not pass, else none.

    Runs of another environment are left out: no oracle can learn from them and from runs of this one.

    Args:
        command: the program that they must be of, as their metadata have it; None for any.
    """
    try:
        runs = newest_check(site, known.test)
        if not runs or any(run.metadata.get(COMMAND, command) != command for run in runs if command):
            return []
        first = by_oracle(known, runs)
        why = occasion(first)
        last = first if why is None else stored_turns(site, first, why) or first
    except JudgeError:
        return []
    elsewhere = any(one.source == oracle.METADATA_SOURCE for one in first.verdict.findings)
    return [] if last.verdict.status is Status.PASS or elsewhere else runs


def begun(
    test: TestConfig,
    known: Known,
    judged: Sequence[Run],
    watched: Watched | None,
    on_event: OnEvent,
    *,
    n_wanted: int | None = None,
) -> Case:
    """Return a test to be learned again, with those of the judged runs that it is learned from.

    Runs that are launched now are not mixed with judged ones of a program that has changed since.

    Args:
        judged: the runs of the newest check that did not pass.
        n_wanted: see :func:`accepted`.
    """
    case = accepted(test, known, judged, watched, n_wanted=n_wanted)
    if is_of_another_program(judged):
        if case.missing:
            on_event(Warned(test.name, program_changed(len(judged))))
            return accepted(test, known, (), watched, n_wanted=n_wanted)
        on_event(Warned(test.name, _AS_IT_WAS))
    if judged:
        on_event(Told(test.name, _taken(judged, case.missing)))
    return case


def _taken(runs: Sequence[Run], n_missing: int) -> str:
    n_runs = len(runs)
    judged = f"the {'run' if n_runs == 1 else f'{n_runs} runs'} of the newest check, which did not pass,"
    if not n_missing:
        return f"{judged} are accepted ({runs[0].id})"
    return f"{judged} and {n_missing} more are accepted: {n_runs} would be too few for an oracle"


def _warn_of_old_runs(site: Site, known: Oracle, runs: Sequence[Run], on_event: OnEvent) -> None:
    """Warn if runs from before the change are trained on together with runs from after it."""
    new = sorted({run.id for run in runs} - set(known.run_ids))
    again = len(runs) - len(new)
    if again and new:
        text = (
            f"{again} of these runs also trained the old oracle, so the new one mixes both programs; "
            f"to leave them out: {site.door.setting('from-runs', f'{new[0]}..')}"
        )
        on_event(Warned(known.test, text))


def finished(
    site: Site, case: Case, on_event: OnEvent, which: str | None = None, *, dry_run: bool = False
) -> Result:
    """Accept the runs of a case and report what changes, or why they cannot be learned from.

    Args:
        which: how the user named the runs; None if they were launched or judged.
        dry_run: whether to leave the oracle unchanged.
    """
    again = Step(Action.ACCEPT, case.name, from_runs=which or named(case.runs))

    def learn() -> Result:
        assert case.replaced is not None
        known, valid, door = case.replaced.oracle, case.valid(), site.door
        if case.test.settings == known.settings and {run.id for run in valid} == set(known.run_ids):
            raise JudgeError(
                f"there is nothing to accept: the oracle has learned from these {len(valid)} runs already",
                advice=f"launch the program as it is now: {door.step(Step(Action.ACCEPT, case.name))}",
            )
        learned = learn_from(site, case, on_event)
        on_event(OracleChanged(known, learned))
        if not dry_run:
            found = learned.fitted.strengths(everything=True).found
            learned = written(site, case, learned, found, on_event)
        texts = tuple(in_words(one, door) for one in (*learned.warnings, *warnings(valid, door)))
        for warning in texts:
            on_event(Warned(case.name, warning))
        result = Result(case.name, case.path, case.runs, warnings=texts)
        on_event(Accepted(result, again if dry_run else None))
        return result

    return learned_from(site, case, again, learn, on_event)
