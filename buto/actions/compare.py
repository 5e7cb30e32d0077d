"""Comparing two programs: launch them alternately and judge the second by the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from buto import oracle
from buto.actions.advice import Door, worded
from buto.actions.case import Case
from buto.actions.events import Failed, Judged, OnEvent, ignore
from buto.actions.outcome import Outcome, concluded
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import describe, launch
from buto.actions.stored import ALL, Site, stored_runs
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
from buto.steps import Action, Step


@dataclass(frozen=True, slots=True)
class Program:
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
) -> tuple[Program, Program]:
    one, other = commands
    return Program(first, (first, second), one), Program(second, (second, first), other)


def two_revisions(
    test: str, revisions: tuple[str, str], command: tuple[str, ...] | None
) -> tuple[Program, Program]:
    old, new = (Program(f"{test}@{revision}", (test,), command, revision) for revision in revisions)
    return old, new


def test_of(
    program: Program,
    project: Project,
    overrides: Overrides,
    build: str | None,
    stack: ExitStack,
    on_event: OnEvent,
) -> TestConfig:
    """Return how to launch a program. A revision is checked out and built; closing the stack removes it.

    Args:
        build: the command that builds a revision; None for none.
    """
    test = replace(_described(program, project, overrides), name=program.name)
    if program.revision is None:
        return test
    return at_revision(project.site(), test, program.revision, build, stack, on_event)


def _described(program: Program, project: Project, overrides: Overrides) -> TestConfig:
    action, own = Action.COMPARE, replace(overrides, command=program.command)
    for name in program.like if program.command is not None else program.like[:1]:
        if project.configured(name) is not None:
            return project.test(name, action, own, project.known_oracle(name, action, own))
        if not is_missing(project.oracle_path(name)):
            return project.test(name, action, own, project.oracle(name, action))
    return project.test(program.like[0], action, own, None)


def check_names(programs: tuple[Program, Program], action: Action, door: Door) -> None:
    """Raise UsageError if two programs have one name."""
    first, second = programs
    if first.name == second.name:
        raise UsageError(
            f"both programs are called {first.name!r}",
            advice=f"give them two names: {door.step(Step(action, 'old', against='new'))}",
        )


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What to compare.

    Attributes:
        programs: the first and the second, of different names.
        overrides: what this call specifies of both, apart from their commands.
        runs: how many usable runs of each; None for as many as decide.
        from_runs: stored runs to compare instead of launching: ``all``, or ``FIRST..LAST``.
        build: the command that builds a revision before it is launched; None for none.
    """

    programs: tuple[Program, Program]
    overrides: Overrides = NO_OVERRIDES
    runs: int | None = None
    from_runs: str | None = None
    build: str | None = None


@worded
def compare(project: Project, request: CompareRequest, on_event: OnEvent = ignore) -> Outcome:
    """Launch two programs in random order and report what the second uses more or less of.

    Returns:
        One result. It is not in the history, because it does not belong to a single test.

    Raises:
        UsageError: the programs have one name, no command is known for one, or too few runs are wanted.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    site, overrides, which = project.site(), request.overrides, request.from_runs
    door = site.door
    check_names(request.programs, Action.COMPARE, door)
    settings = _settings(project, request.programs[0].like[0])
    comparison = registry.comparison(settings, overrides.alpha, request.runs)
    if comparison.most < comparison.fewest:
        raise UsageError(
            f"{comparison.most} runs of each are too few for an alpha of {comparison.alpha:g}",
            advice=f"{door.setting('runs', str(comparison.fewest))}, or a larger {door.name('alpha')}",
        )
    if which is not None:
        stored = {program.name: _stored(site, program.name, which) for program in request.programs}
        return concluded(Action.COMPARE, [_compared(site, request, comparison, stored, {}, on_event)])
    with ExitStack() as stack:
        tests = [
            test_of(program, project, overrides, request.build, stack, on_event)
            for program in request.programs
        ]
        cases = [Case(test, Action.COMPARE.value, comparison.most) for test in tests]
        found = launch(site, cases, on_event, together=comparison)
    runs = {name: case.runs for name, case in found.items()}
    failures = {name: case.failure for name, case in found.items() if case.failure is not None}
    return concluded(Action.COMPARE, [_compared(site, request, comparison, runs, failures, on_event)])


def _settings(project: Project, name: str) -> Settings:
    """Return how a test is judged: by the configuration, else as by its oracle, else by default."""
    ours = project.configured(name)
    if ours is not None:
        return ours.settings
    has_oracle = not is_missing(project.oracle_path(name))
    return project.oracle(name, Action.COMPARE).settings if has_oracle else oracle.DEFAULT


def _stored(site: Site, test: str, which: str) -> list[Run]:
    if which != ALL and ".." not in which:
        raise UsageError(
            f"{site.door.setting('from-runs', which)}: two programs have no ids in common",
            advice=f"{site.door.setting('from-runs', ALL)}, or FIRST..LAST",
        )
    return stored_runs(site, test, which)


def _compared(
    site: Site,
    request: CompareRequest,
    comparison: Comparison,
    runs_of: Mapping[str, Sequence[Run]],
    failures: Mapping[str, ButoError],
    on_event: OnEvent,
) -> Result:
    names = [program.name for program in request.programs]
    title = f"{names[1]} against {names[0]}"
    runs = sorted((run for one in runs_of.values() for run in one), key=lambda run: run.id)
    failed = next((name for name in names if name in failures), None)
    error = None if failed is None else failures[failed]
    first, second = (run_set(runs_of[name]) for name in names)
    try:
        checked = None if error is not None else oracle.compare(comparison, first, second, title)
    except ButoError as caught:
        checked, error = None, caught
    if checked is None:
        result = Result(title, None, runs, error=error)
        on_event(Failed(replace(result, test=failed or title)))
        return result
    steps = [site.door.step(step) for step in _next_steps(checked.verdict, request, runs)]
    again = "".join(site.door.step(step) for step in _again(request))
    report = check_report(checked, made=datetime.now(UTC), again=again, next_steps=steps)
    result = Result(title, None, runs, checked.verdict, report=report)
    on_event(Judged(result))
    for name in names:
        describe(site.door, name, run_set(runs_of[name]).valid(), on_event)
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
    if verdict.status is Status.REGRESSION and old.revision is not None and new.revision is not None:
        # They can be compared again, to name the code.
        both, why = (old.revision, new.revision), "which code did it"
        steps.append(Step(Action.WHY, old.like[0], revisions=both, build=request.build, why=why))
    return steps
