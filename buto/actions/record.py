"""Recording: launch tests as often as they need runs, one buto at a time, and keep every run."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct, structs

from buto.actions.advice import describe_jvms, warnings
from buto.actions.ending import Complete, Interrupted, measuring
from buto.actions.events import (
    Event,
    LaunchesEnded,
    LaunchesPlanned,
    Reporter,
    RunStored,
    Told,
    WaitingForStore,
    Warned,
    ignore,
)
from buto.actions.launcher import Launcher
from buto.actions.plan import PlanProgress, plan_runs
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.workspace import Workspace
from buto.engine.placement import placement
from buto.errors import ButoError, EngineLostError, MeasureError, StorageError
from buto.run.model import SESSION, Run, RunSet, run_set
from buto.run.units import format_count
from buto.run.window import with_window
from buto.steps import Action

if TYPE_CHECKING:
    from buto.actions.collecting import Collected, LaunchPlan
    from buto.judging.protocol import Comparison

T = TypeVar("T")


class RecordRequest(Struct, frozen=True):
    """What to record.

    Attributes:
        names, overrides: see :class:`buto.actions.check.CheckRequest`.
        runs: how many usable runs of each.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int = 1


def record(project: Project, request: RecordRequest, reporter: Reporter = ignore) -> dict[str, PlanProgress]:
    """Launch tests and keep their runs, without training or judging.

    Returns:
        By test, its case with the recorded runs, and why they are fewer than wanted.

    Raises:
        UsageError, BadFileError: no command is known for a test; see :class:`Project`.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; complete runs stay.
    """
    action, overrides = Action.RECORD, request.overrides
    names = project.names(request.names, action, overrides)
    known = {name: project.find_oracle(name, action, overrides) for name in names}
    tests = [project.test(name, action, overrides, known[name]) for name in names]
    cases = [plan_runs(test, action.value, request.runs) for test in tests]
    return {case.name: case for case in complete(project.launcher(reporter), cases)}


def complete(launcher: Launcher, cases: Sequence[PlanProgress]) -> list[PlanProgress]:
    """Launch until every case has the runs that it needs or is given up.

    Cases of one purpose are launched together, in random order. Cases that only the window of their runs
    tells apart share each launch; one that cannot use some of the runs is then launched alone.
    """
    by_name = {case.name: case for case in cases}
    while waiting := [case for case in by_name.values() if case.missing]:
        now = [case for case in waiting if case.plan.purpose == waiting[0].plan.purpose]
        for case in now:
            if case.why_more:
                text = f"{case.why_more}; launching {case.missing} more to judge them together"
                launcher.report(Told(case.name, text))
        by_name |= launch(launcher, now)
    return list(by_name.values())


def program_changed(n_runs: int) -> str:
    """Return a warning that so many runs of the newest check are of another program than that of now."""
    return (
        f"the program's files have changed since the newest check: its {format_count(n_runs, 'run')} "
        f"{'is' if n_runs == 1 else 'are'} left out, and all are launched anew"
    )


def describe(test: str, runs: RunSet, reporter: Reporter) -> None:
    """Report which JVMs the usable runs measured, and warnings about these runs."""
    for event in describe_jvms(test, runs):
        reporter(event)
    for warning in warnings(runs):
        reporter(Warned(test, warning))


def launch(
    launcher: Launcher, cases: Sequence[PlanProgress], *, together: Comparison | None = None
) -> dict[str, PlanProgress]:
    """Launch tests of one purpose as often as they need runs, in random order, and store these.

    Args:
        together: what compares the two tests, see :func:`launch_groups`.

    Returns:
        By test, its case with these runs.
    """
    groups = group_sharing(cases) if together is None else [[case] for case in cases]
    return launch_groups(launcher, groups, together=None if together is None else [together])


def launch_groups(
    launcher: Launcher,
    groups: Sequence[Sequence[PlanProgress]],
    *,
    together: Sequence[Comparison] | None = None,
) -> dict[str, PlanProgress]:
    """Launch for each group the first of its tests, and store each run as one of every test of the group.

    Args:
        together: one for each test of the first group, which it compares with that of the second, in the same
            order. Both stay on one host, and are launched until all comparisons are decided. A rate that is a
            range is drawn once for all launches, or chance in the rates would hide what differs.

    Returns:
        By test, its case with these runs.
    """
    seed, stored = secrets.randbits(32), list[Run]()
    if together is not None:
        groups = [[_under_one_load(case, seed) for case in group] for group in groups]
    cases = [case for group in groups for case in group]
    others = {first.name: rest for first, *rest in groups}
    leading = [group[0] for group in groups]

    def note(event: Event) -> None:
        if isinstance(event, RunStored):
            copies = [_as_of(case, event.run) for case in others[event.run.test]]
            for copy in copies:
                launcher.workspace.runs.add(copy)
            stored.extend((event.run, *copies))
        launcher.report(event)

    def usable(test: str) -> int:
        return sum(run.test == test and run.quality.valid for run in stored)

    if together is None:
        for first, *rest in groups:
            for case in rest:
                launcher.report(Told(case.name, f"takes its runs from the launches of {first.name!r}"))
    launcher.report(
        LaunchesPlanned(
            {case.name: case.missing for case in leading},
            frozenset(
                case.name
                for case in leading
                if _is_adaptive(case) or (together and together[0].procedure.bets)
            ),
            seed=seed,
            commands={
                case.name: case.test.target.new_mask().command(case.test.target.command) for case in leading
            },
        )
    )
    try:
        # A cluster's hosts see to it themselves that they carry out one launch at a time.
        with nullcontext() if launcher.scheduler else measuring_alone(launcher):
            collected = _collect(structs.replace(launcher, reporter=note), groups, seed, together)
    except KeyboardInterrupt as stop:
        counts = tuple(Complete(case.name, usable(case.name), case.missing) for case in cases)
        raise Interrupted(counts, launcher.workspace.store, stored[0].id if stored else None) from stop
    except EngineLostError as error:
        kept = ", ".join(f"{usable(case.name)} of {case.missing} runs of {case.name!r}" for case in cases)
        since = f" (the first is {stored[0].id})" if stored else ""
        error.message += f"\ncomplete and kept in {launcher.workspace.store}: {kept}{since}"
        raise
    finally:
        launcher.report(LaunchesEnded())
    failures: dict[str, ButoError | None] = {}
    for first, *rest in groups:
        failures[first.name] = failure = collected[first.name].failure
        if failure is not None and together is None:
            failure = MeasureError(f"the launches of {first.name!r}, from which it takes its runs, failed")
        failures |= dict.fromkeys((case.name for case in rest), failure)
    runs = {case.name: [run for run in stored if run.test == case.name] for case in cases}
    return {
        case.name: _advance(case, runs[case.name], failures[case.name], launcher.report) for case in cases
    }


def group_alike(items: Sequence[T], are_alike: Callable[[T, T], bool]) -> list[list[T]]:
    """Return items in groups, each with those that are like its first."""
    groups: list[list[T]] = []
    for item in items:
        group = next((group for group in groups if are_alike(group[0], item)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return groups


def group_sharing(cases: Sequence[PlanProgress]) -> list[list[PlanProgress]]:
    """Return the cases in groups that share each launch, in each the case first that needs most runs."""
    groups = group_alike(cases, lambda first, case: first.test.shares_launches_with(case.test))
    return [sorted(group, key=lambda progress: -progress.missing) for group in groups]


def _as_of(case: PlanProgress, run: Run) -> Run:
    """Return a run as one of another test, whose window it then has."""
    session = case.session
    metadata = run.metadata if session is None else {**run.metadata, SESSION: session}
    return with_window(replace(run, test=case.name, metadata=metadata), case.test.window)


def _views(case: PlanProgress, runs: RunSet) -> RunSet:
    return run_set([_as_of(case, run) for run in runs]).valid()


def _under_one_load(case: PlanProgress, seed: int) -> PlanProgress:
    workload = case.test.workload
    if workload is None:
        return case
    test = replace(case.test, workload=workload.of_one_load(str(seed)))
    return structs.replace(case, plan=structs.replace(case.plan, test=test))


def _collect(
    launcher: Launcher,
    groups: Sequence[Sequence[PlanProgress]],
    seed: int,
    together: Sequence[Comparison] | None,
) -> Mapping[str, Collected]:
    # Imported here, for what launches takes longer to import than judging stored runs takes.
    from buto.actions.collecting import collect
    from buto.actions.engines import engine_for

    leading = [group[0] for group in groups]
    name = "" if together is None else " ".join(progress.name for progress in leading)
    return collect(
        [_plan(launcher.workspace, group, name) for group in groups],
        launcher.workspace.runs,
        launcher.report,
        seed=seed,
        purpose=leading[0].plan.purpose,
        engine_for=engine_for(launcher.scheduler),
        sessions={case.name: case.session for case in leading if case.session is not None},
        together=None if together is None else _Pairs(tuple(zip(together, *groups, strict=True))),
    )


class _Pairs(Struct, frozen=True):
    """Tests that share launches in turns, which end when all comparisons are decided.

    Attributes:
        pairs: of each test what compares, the case of the old program and that of the new one.
    """

    pairs: tuple[tuple[Comparison, PlanProgress, PlanProgress], ...]

    @property
    def is_exact(self) -> bool:
        return self.pairs[0][0].is_exact

    def order(self, seed: int) -> Sequence[bool]:
        return self.pairs[0][0].order(seed)

    def is_decided(self, first: RunSet, second: RunSet) -> bool:
        return all(
            comparison.next_step(_views(old, first), _views(new, second)).do.ends
            for comparison, old, new in self.pairs
        )


def _is_adaptive(case: PlanProgress) -> bool:
    return case.training is not None and case.training.adaptive


def _plan(workspace: Workspace, group: Sequence[PlanProgress], name: str) -> LaunchPlan:
    from buto.actions.collecting import LaunchPlan
    from buto.engine.launching import Setup

    def enough(runs: RunSet) -> bool:
        return all(case.is_enough_with(_views(case, runs)) for case in group)

    case = group[0]
    return LaunchPlan(
        case.name,
        case.test.target,
        case.missing,
        case.test.workload,
        Setup(case.test.services, case.test.window),
        enough if _is_adaptive(case) else None,
        placement(case.test.hosts, case.test.settings, case.like, name),
        case.test.inputs,
        workspace.base,
        case.plan.place,
        case.plan.marks,
    )


def _advance(
    case: PlanProgress, runs: Sequence[Run], failure: ButoError | None, reporter: Reporter
) -> PlanProgress:
    """Return a case after launches; runs that cannot be judged end this case and no other."""
    try:
        after = case.with_runs(runs, failure)
    except StorageError:
        raise
    except ButoError as error:
        after = case.with_runs(runs, error)
    n_left_out = len(case.runs) + len(runs) - len(after.runs)
    if n_left_out:
        reporter(Warned(case.name, program_changed(n_left_out)))
    if after.check is not None and case.check is not None and after.check.known is not case.check.known:
        reporter(Told(case.name, "its oracle was written anew meanwhile, and this one judges"))
    return after


def measuring_alone(launcher: Launcher) -> AbstractContextManager[None]:
    """Hold the store's lock; see :func:`buto.actions.ending.measuring`."""
    return measuring(
        launcher.workspace.runs.storage.here,
        lambda: launcher.report(WaitingForStore(launcher.workspace.store)),
    )
