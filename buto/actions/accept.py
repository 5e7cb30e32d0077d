"""Accepting a change: learn a test again and report what that changes in its oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import Struct, structs

from buto import oracle
from buto.actions import git
from buto.actions.advice import warnings
from buto.actions.commit_programs import builds_in
from buto.actions.events import Accepted, OracleChanged, Reporter, Told, Warned, ignore
from buto.actions.kept import Watched, watch
from buto.actions.labelled import check_reason
from buto.actions.launcher import Launcher
from buto.actions.monitor import recall_alarm
from buto.actions.mood import judge_as_then
from buto.actions.outcome import CallOutcome, conclude, keep
from buto.actions.plan import PlanProgress, check_number_of_runs, plan_acceptance, procedure_of
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import program_changed
from buto.actions.stored import (
    is_of_another_program,
    load_runs_of_one_program,
    name_runs,
    newest_check,
    refuse_another_command,
)
from buto.actions.train import complete_learning, learn_from, learn_or_report, write_oracle
from buto.actions.turns import find_reason, judge_by_oracle, load_turns
from buto.actions.unmatched import commit_warning, settings_doubts
from buto.actions.unwritten import warn_of_launches, warn_of_training
from buto.actions.waivers import find_waivers, trailer_size
from buto.actions.workspace import KnownOracle, Workspace
from buto.errors import JudgeError, UsageError
from buto.judging.story import tell
from buto.judging.verdict import Finding, Status
from buto.oracle import Oracle
from buto.project.model import TestConfig
from buto.report.result import Result
from buto.run.model import COMMAND, PURPOSE, Run, RunSet
from buto.steps import Action, Advice, Setting, Step

_AS_IT_WAS = (
    "the program's files have changed since the newest check: what is accepted is the program as it was then"
)

_LAUNCHED_ANEW = (
    "the runs of the newest check, which did not pass, are of another command or environment than those "
    "that the oracle learns from: all are launched now"
)


class AcceptRequest(Struct, frozen=True):
    """What to accept.

    Attributes:
        names: tests, each with an oracle; empty for all of the configuration.
        overrides: what this call specifies of them.
        runs: see :class:`buto.actions.train.TrainRequest`; None for the runs that were judged if an oracle
            can be learned from them.
        from_runs: stored runs to learn from instead, as :func:`load_stored_runs` has it; nothing is launched.
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


def accept(project: Project, request: AcceptRequest, reporter: Reporter = ignore) -> CallOutcome:
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
    every = [project.load_known(name, action) for name in names]
    tests = [_test(project, name, request, known.oracle) for name, known in zip(names, every, strict=True)]
    for name, known in zip(names, every, strict=True):
        ours = project.find_test(name)
        warn_of_training(name, ours, overrides, reporter)
        if ours is not None and request.from_runs is None:
            warn_of_launches(known.oracle, ours, overrides, reporter)
    launcher = project.launcher(reporter)
    workspace = launcher.workspace
    watched = [watch(workspace, test, known.path) for test, known in zip(tests, every, strict=True)]
    jobs = list(zip(tests, every, watched, strict=True))
    which = request.from_runs
    if which is None:
        cases = complete_learning(launcher, [_case(launcher, *job, request) for job in jobs])
    else:
        cases = []
        for test, known, program in jobs:
            runs = load_runs_of_one_program(workspace, test.name, which, reporter)
            _warn_of_old_runs(known.oracle, runs, reporter)
            cases.append(structs.replace(plan_acceptance(test, known, watched=program), runs=tuple(runs)))
    results = [finish(launcher, case, which, dry_run=request.dry_run) for case in cases]
    outcome = conclude(action, results)
    if not request.dry_run:
        keep(launcher, outcome, request.reason)
    return outcome


def _test(project: Project, name: str, request: AcceptRequest, known: Oracle) -> TestConfig:
    test = project.test(name, Action.ACCEPT, request.overrides, known, request.runs)
    return test if project.find_test(name) is not None else replace(test, settings=known.settings)


def _case(
    launcher: Launcher, test: TestConfig, known: KnownOracle, watched: Watched, request: AcceptRequest
) -> PlanProgress:
    check_number_of_runs(test)
    command = test.target.new_mask().command(test.target.command)
    judged = [] if request.launch else find_failed_runs(launcher.workspace, known.oracle, command)
    if not (judged or request.launch):
        elsewhere = find_failed_runs(launcher.workspace, known.oracle, anywhere=True)
        if not request.overrides.command:
            refuse_another_command(
                known, elsewhere, Action.ACCEPT, "to launch the oracle's: ", Setting("launch")
            )
        if elsewhere:
            launcher.report(Told(test.name, _LAUNCHED_ANEW))
    return plan_from_check(
        test, known, judged, watched, launcher.report, n_wanted=None if request.runs is None else test.runs
    )


def find_failed_runs(
    workspace: Workspace, known: Oracle, command: str | None = None, *, anywhere: bool = False
) -> list[Run]:
    """Return the usable runs of the newest check of a test if they do not pass, else none.

    Args:
        command: the program that they must be of, as their metadata have it; None for any.
        anywhere: whether those of another environment count, too: no oracle can learn from them and from
            runs of this one.
    """
    try:
        runs = newest_check(workspace, known.test)
        if not runs or any(run.metadata.get(COMMAND, command) != command for run in runs if command):
            return []
        first = recall_alarm(workspace, judge_as_then(workspace, known, runs))
        why = find_reason(first, procedure_of(known))
        last = first if why is None else load_turns(workspace, first, why) or first
    except JudgeError:
        return []
    elsewhere = any(finding.source == oracle.METADATA_SOURCE for finding in first.verdict.findings)
    return [] if last.verdict.status is Status.PASS or (elsewhere and not anywhere) else runs


def plan_from_check(
    test: TestConfig,
    known: KnownOracle,
    judged: Sequence[Run],
    watched: Watched | None,
    reporter: Reporter,
    *,
    n_wanted: int | None = None,
) -> PlanProgress:
    """Return a test to be learned again, with those of the judged runs that it is learned from.

    Runs that are launched now are not mixed with judged ones of a program that has changed since.

    Args:
        judged: the runs of the newest check that did not pass.
        n_wanted: see :func:`plan_acceptance`.
    """
    case = plan_acceptance(test, known, judged, watched, n_wanted=n_wanted)
    if is_of_another_program(judged):
        if case.missing:
            reporter(Warned(test.name, program_changed(len(judged))))
            return plan_acceptance(test, known, (), watched, n_wanted=n_wanted)
        reporter(Warned(test.name, _AS_IT_WAS))
    if judged:
        reporter(Told(test.name, _describe_judged(judged, case.missing)))
    return case


def _describe_judged(runs: Sequence[Run], n_missing: int) -> str:
    n_runs = len(runs)
    judged = f"the {'run' if n_runs == 1 else f'{n_runs} runs'} of the newest check, which did not pass,"
    if not n_missing:
        return f"{judged} are accepted ({runs[0].id})"
    return f"{judged} and {n_missing} more are accepted: {n_runs} would be too few for an oracle"


def _find_failed(
    workspace: Workspace, known: Oracle, learned: Oracle, runs: RunSet, purpose: str
) -> tuple[tuple[Finding, bool], ...]:
    """Return what the check of these runs failed for, and of each whether the new oracle expects it.

    Args:
        purpose: of the runs that were launched to be accepted, which no check has judged.
    """
    judged = [run for run in runs if run.metadata.get(PURPOSE) != purpose]
    try:
        first = judge_as_then(workspace, known, judged)
        why = find_reason(first, procedure_of(known))
        before = first if why is None else load_turns(workspace, first, why) or first
        now = judge_by_oracle(learned, judged)
    except JudgeError:
        return ()
    left = {finding.subject for finding in now.verdict.findings}
    leading = [headline.finding for headline in tell(before.verdict.findings).headlines]
    return tuple(
        (finding, finding.subject not in left)
        for finding in leading
        if finding.source != oracle.METADATA_SOURCE
    )


def _say_since(workspace: Workspace, known: Oracle) -> list[str]:
    """Return what was said since the training: trailers, which are now spent, and releases."""
    waivers, _ = find_waivers(workspace, known)
    texts = [
        f"meant since the training: {waiver.subject} {trailer_size(waiver)}, "
        f"{waiver.reason} ({waiver.commit[:9]})"
        for waiver in waivers
        if waiver.test == known.test
    ]
    try:
        repository = git.repository_of(workspace.root, "")
    except UsageError:
        return texts
    builds = builds_in(workspace).of(known.test).values()
    later = [
        build.release
        for build in builds
        if build.release
        and build.commit
        and known.commit
        and build.commit != known.commit
        and git.is_ancestor(repository, known.commit, build.commit)
    ]
    if later:
        texts.append(f"released since the training, and still the anchors of their sums: {', '.join(later)}")
    return texts


def _warn_of_old_runs(known: Oracle, runs: Sequence[Run], reporter: Reporter) -> None:
    """Warn if runs from before the change are trained on together with runs from after it."""
    new = sorted({run.id for run in runs} - set(known.run_ids))
    again = len(runs) - len(new)
    if again and new:
        text = Advice(
            f"{again} of these runs also trained the old oracle, so the new one mixes both programs; "
            "to leave them out: ",
            Setting("from-runs", f"{new[0]}.."),
        )
        reporter(Warned(known.test, text))


def finish(
    launcher: Launcher, case: PlanProgress, which: str | None = None, *, dry_run: bool = False
) -> Result:
    """Accept the runs of a case and report what changes, or why they cannot be learned from.

    Args:
        which: how the user named the runs; None if they were launched or judged.
        dry_run: whether to leave the oracle unchanged.
    """
    again = Step(Action.ACCEPT, case.name, from_runs=which or name_runs(case.runs))

    def learn() -> Result:
        assert case.training is not None and case.training.replaced is not None
        known, valid = case.training.replaced.oracle, case.valid()
        if case.test.settings == known.settings and {run.id for run in valid} == set(known.run_ids):
            raise JudgeError(
                f"there is nothing to accept: the oracle has learned from these {len(valid)} runs already",
                advice=Advice("launch the program as it is now: ", Step(Action.ACCEPT, case.name)),
            )
        learned = learn_from(launcher, case)
        failed = _find_failed(launcher.workspace, known, learned, valid, case.plan.purpose)
        launcher.report(OracleChanged(known, learned, failed))
        if case.test.no_growth is not None:
            launcher.report(Told(case.name, "what grows is not accepted: a check still fails for it"))
        for text in _say_since(launcher.workspace, known):
            launcher.report(Told(case.name, text))
        if not dry_run:
            strengths = learned.fitted.strengths(everything=True).found
            learned = write_oracle(launcher, case, learned, strengths)
        uncommitted = commit_warning(case.name, learned.commit, valid)
        texts = (
            *learned.warnings,
            *warnings(valid),
            *settings_doubts(case.test.settings, case.test.budget, valid),
            *(() if uncommitted is None else (uncommitted,)),
        )
        for warning in texts:
            launcher.report(Warned(case.name, warning))
        result = Result(case.name, case.oracle_path, case.runs, warnings=texts)
        launcher.report(Accepted(result, again if dry_run else None))
        return result

    return learn_or_report(launcher, case, again, learn)
