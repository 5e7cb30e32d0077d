"""Comparing two programs: launch them alternately and judge the second by the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from msgspec import Struct, structs

from buto import oracle
from buto.actions.advice import is_of_process
from buto.actions.events import Failed, Judged, Reporter, ignore
from buto.actions.launcher import Launcher
from buto.actions.outcome import CallOutcome, conclude
from buto.actions.plan import plan_runs
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import describe, launch
from buto.actions.stored import ALL, load_runs_of_one_program
from buto.actions.waivers import apply_waivers_between, waivers_between
from buto.actions.worktrees import at_revision
from buto.errors import ButoError, UsageError
from buto.judging import registry
from buto.judging.protocol import Comparison
from buto.judging.settings import Settings
from buto.judging.verdict import Status, Verdict
from buto.project.model import TestConfig
from buto.report.check_report import check_report
from buto.report.result import Result
from buto.run.cache import is_missing
from buto.run.model import Run, run_set
from buto.steps import Action, Advice, Setting, Step


@dataclass(frozen=True, slots=True)
class ComparedProgram:
    """One of the two programs.

    Attributes:
        name: the name of its test, under which its runs are stored.
        like: tests of the configuration or with an oracle; the first that exists specifies how to launch the
            program, except for what was given. A program with only a command is launched like the other one.
        command: the given command; None without one.
        revision: a revision of the repository; None for the current files.
    """

    name: str
    like: tuple[str, ...]
    command: tuple[str, ...] | None
    revision: str | None = None


def two_programs(
    first: str, second: str, commands: tuple[tuple[str, ...] | None, tuple[str, ...] | None]
) -> tuple[ComparedProgram, ComparedProgram]:
    first_command, second_command = commands
    return ComparedProgram(first, (first, second), first_command), ComparedProgram(
        second, (second, first), second_command
    )


def two_revisions(
    test: str, revisions: tuple[str, str], command: tuple[str, ...] | None
) -> tuple[ComparedProgram, ComparedProgram]:
    old, new = (ComparedProgram(f"{test}@{revision}", (test,), command, revision) for revision in revisions)
    return old, new


def test_of(
    program: ComparedProgram,
    project: Project,
    overrides: Overrides,
    build: str | None,
    stack: ExitStack,
    reporter: Reporter,
) -> TestConfig:
    """Return how to launch a program. A revision is checked out and built; closing the stack removes it.

    Args:
        build: the command that builds a revision; None for none.
    """
    test = replace(_describe(program, project, overrides), name=program.name)
    if program.revision is None:
        return test
    return at_revision(project.launcher(reporter), test, program.revision, build, stack)


def _describe(program: ComparedProgram, project: Project, overrides: Overrides) -> TestConfig:
    action, own = Action.COMPARE, structs.replace(overrides, command=program.command)
    for name in program.like if program.command is not None else program.like[:1]:
        if project.find_test(name) is not None:
            return project.test(name, action, own, project.find_oracle(name, action, own))
        if not is_missing(project.oracle_path(name)):
            return project.test(name, action, own, project.oracle(name, action))
    return project.test(program.like[0], action, own, None)


def check_names(programs: tuple[ComparedProgram, ComparedProgram], action: Action) -> None:
    """Raise UsageError if two programs have one name."""
    first, second = programs
    if first.name == second.name:
        raise UsageError(
            f"both programs are called {first.name!r}",
            advice=Advice("give them two names: ", Step(action, "old", against="new")),
        )


class CompareRequest(Struct, frozen=True):
    """What to compare.

    Attributes:
        programs: the first and the second, of different names.
        overrides: what this call specifies of both, apart from their commands.
        runs: how many usable runs of each; None for as many as decide.
        from_runs: stored runs to compare instead of launching: ``all``, or ``FIRST..LAST``.
        build: the command that builds a revision before it is launched; None for none.
    """

    programs: tuple[ComparedProgram, ComparedProgram]
    overrides: Overrides = NO_OVERRIDES
    runs: int | None = None
    from_runs: str | None = None
    build: str | None = None


def compare(project: Project, request: CompareRequest, reporter: Reporter = ignore) -> CallOutcome:
    """Launch two programs in random order and report what the second uses more or less of.

    Returns:
        One result. It is not in the history, because it does not belong to a single test.

    Raises:
        UsageError: the programs have one name, no command is known for one, or too few runs are wanted.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    launcher, overrides, which = project.launcher(reporter), request.overrides, request.from_runs
    check_names(request.programs, Action.COMPARE)
    settings = _settings(project, request.programs[0].like[0])
    comparison = registry.comparison(settings, overrides.alpha, request.runs)
    if comparison.most < comparison.fewest:
        raise UsageError(
            f"{comparison.most} runs of each are too few for an alpha of {comparison.alpha:g}",
            advice=Advice(Setting("runs", str(comparison.fewest)), ", or a larger ", Setting("alpha")),
        )
    old, new = (program.revision for program in request.programs)
    if old is not None and new is not None:
        # A trailer in a wrong form is an error before anything is launched.
        waivers_between(launcher.workspace, old, new)
    if which is not None:
        stored = {program.name: _load(launcher, program.name, which) for program in request.programs}
        return conclude(
            Action.COMPARE,
            [_compare(launcher, request, comparison, stored, {})],
        )
    with ExitStack() as stack:
        tests = [
            test_of(program, project, overrides, request.build, stack, reporter)
            for program in request.programs
        ]
        cases = [plan_runs(test, Action.COMPARE.value, comparison.most) for test in tests]
        progress = launch(launcher, cases, together=comparison)
    runs = {name: case.runs for name, case in progress.items()}
    failures = {name: case.failure for name, case in progress.items() if case.failure is not None}
    return conclude(
        Action.COMPARE,
        [_compare(launcher, request, comparison, runs, failures)],
    )


def _settings(project: Project, name: str) -> Settings:
    """Return how a test is judged: by the configuration, else as by its oracle, else by default."""
    ours = project.find_test(name)
    if ours is not None:
        return ours.settings
    has_oracle = not is_missing(project.oracle_path(name))
    return project.oracle(name, Action.COMPARE).settings if has_oracle else oracle.DEFAULT


def _load(launcher: Launcher, test: str, which: str) -> list[Run]:
    if which != ALL and ".." not in which:
        raise UsageError(
            Advice(Setting("from-runs", which), ": two programs have no ids in common"),
            advice=Advice(Setting("from-runs", ALL), ", or FIRST..LAST"),
        )
    return load_runs_of_one_program(launcher.workspace, test, which, launcher.report)


def _compare(
    launcher: Launcher,
    request: CompareRequest,
    comparison: Comparison,
    runs_of: Mapping[str, Sequence[Run]],
    failures: Mapping[str, ButoError],
) -> Result:
    names = [program.name for program in request.programs]
    title = f"{names[1]} against {names[0]}"
    runs = sorted(
        (run for runs_of_program in runs_of.values() for run in runs_of_program), key=lambda run: run.id
    )
    failed = next((name for name in names if name in failures), None)
    error = None if failed is None else failures[failed]
    first, second = (run_set(runs_of[name]) for name in names)
    try:
        checked = None if error is not None else oracle.compare(comparison, first, second, title)
        old, new = request.programs
        if checked is not None and old.revision is not None and new.revision is not None:
            change = (old.revision, new.revision)
            checked = apply_waivers_between(launcher.workspace, checked, old.like[0], *change)
    except ButoError as caught:
        checked, error = None, caught
    if checked is None:
        result = Result(title, None, runs, error=error)
        launcher.report(Failed(replace(result, test=failed or title)))
        return result
    steps = [Advice(step) for step in _next_steps(checked.verdict, request, runs)]
    again = Advice(*_again(request))
    report = check_report(checked, made=datetime.now(UTC), again=again, next_steps=steps)
    result = Result(title, None, runs, checked.verdict, report=report)
    launcher.report(Judged(result))
    for name in names:
        describe(name, run_set(runs_of[name]).valid(), launcher.report)
    return result


def _again(request: CompareRequest) -> list[Step]:
    """Return how to compare the same revisions again; nothing where files may have changed meanwhile."""
    old, new = request.programs
    if old.revision is None or new.revision is None or request.from_runs is not None:
        return []
    both = (old.revision, new.revision)
    return [
        Step(
            Action.COMPARE,
            old.like[0],
            runs=request.runs,
            revisions=both,
            build=request.build,
            command=old.command or (),
        )
    ]


def _next_steps(verdict: Verdict, request: CompareRequest, runs: Sequence[Run]) -> list[Step]:
    if verdict.status is Status.PASS:
        return []
    old, new = request.programs
    which, why = f"{runs[0].id}..{runs[-1].id}", "the same runs, with every chart"
    steps = [
        Step(Action.SHOW_RUN, new.name, run_id=next(iter(verdict.run_ids), None)),
        Step(Action.COMPARE, old.name, against=new.name, from_runs=which, why=why),
    ]
    has_code = verdict.status is Status.REGRESSION and not any(map(is_of_process, runs))
    if has_code and old.revision is not None and new.revision is not None:
        # They can be compared again, to name the code.
        both, why = (old.revision, new.revision), "which code did it"
        steps.append(Step(Action.WHY, old.like[0], revisions=both, build=request.build, why=why))
    return steps
