"""Recording: launch tests as often as they need runs, one buto at a time, and keep every run."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from buto.actions.advice import Door, reword, told_of_jvm, warnings, worded
from buto.actions.case import Case
from buto.actions.ending import Complete, Interrupted, measuring
from buto.actions.events import (
    Event,
    GivenUp,
    LaunchesEnded,
    LaunchesPlanned,
    OnEvent,
    RunStored,
    Told,
    WaitingForStore,
    Warned,
    ignore,
)
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.stored import Site
from buto.engine.placement import placement
from buto.errors import ButoError, EngineLostError, MeasureError, StorageError
from buto.run.model import SESSION, Run, RunSet, run_set
from buto.run.units import format_count
from buto.run.window import with_window
from buto.steps import Action

if TYPE_CHECKING:
    from buto.actions.collecting import Collected, Plan
    from buto.judging.protocol import Comparison

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """What to record.

    Attributes:
        names, overrides: see :class:`buto.actions.check.CheckRequest`.
        runs: how many usable runs of each.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int = 1


@worded
def record(project: Project, request: RecordRequest, on_event: OnEvent = ignore) -> dict[str, Case]:
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
    known = {name: project.known_oracle(name, action, overrides) for name in names}
    tests = [project.test(name, action, overrides, known[name]) for name in names]
    cases = [Case(test, action.value, request.runs) for test in tests]
    return {case.name: case for case in complete(project.site(), cases, on_event)}


def complete(site: Site, cases: Sequence[Case], on_event: OnEvent) -> list[Case]:
    """Launch until every case has the runs that it needs or is given up.

    Cases of one purpose are launched together, in random order. Cases that only the window of their runs
    tells apart share each launch; one that cannot use some of the runs is then launched alone.
    """
    by_name = {case.name: case for case in cases}
    while waiting := [case for case in by_name.values() if case.missing]:
        now = [case for case in waiting if case.purpose == waiting[0].purpose]
        for case in now:
            if case.why_more:
                text = f"{case.why_more}; launching {case.missing} more to judge them together"
                on_event(Told(case.name, text))
        by_name |= launch(site, now, on_event)
    return list(by_name.values())


def program_changed(n_runs: int) -> str:
    """Return a warning that so many runs of the newest check are of another program than that of now."""
    return (
        f"the program's files have changed since the newest check: its {format_count(n_runs, 'run')} "
        f"{'is' if n_runs == 1 else 'are'} left out, and all are launched anew"
    )


def describe(door: Door, test: str, runs: RunSet, on_event: OnEvent) -> None:
    """Report which JVMs the usable runs measured, and warnings about these runs."""
    for told in told_of_jvm(door, test, runs):
        on_event(told)
    for warning in warnings(runs, door):
        on_event(Warned(test, warning))


def launch(
    site: Site,
    cases: Sequence[Case],
    on_event: OnEvent,
    *,
    together: Comparison | None = None,
) -> dict[str, Case]:
    """Launch tests of one purpose as often as they need runs, in random order, and store these.

    Args:
        together: what compares the two tests, see :func:`launch_groups`.

    Returns:
        By test, its case with these runs.
    """
    groups = sharing(cases) if together is None else [[case] for case in cases]
    return launch_groups(site, groups, on_event, together=together)


def launch_groups(
    site: Site,
    groups: Sequence[Sequence[Case]],
    on_event: OnEvent,
    *,
    together: Comparison | None = None,
) -> dict[str, Case]:
    """Launch for each group the first of its tests, and store each run as one of every test of the group.

    Args:
        together: compares the tests of the first group with those of the second, in the same order. Both stay
            on one host, and are launched until all comparisons are decided. A rate that is a range is drawn
            once for all launches, or chance in the rates would hide what differs.

    Returns:
        By test, its case with these runs.
    """
    seed, stored = secrets.randbits(32), list[Run]()
    if together is not None:
        groups = [[_under_one_load(case, seed) for case in group] for group in groups]
    cases = [case for group in groups for case in group]
    others = {first.name: rest for first, *rest in groups}
    leading = [group[0] for group in groups]

    def noted(event: Event) -> None:
        if isinstance(event, RunStored):
            copies = [_as_of(case, event.run) for case in others[event.run.test]]
            for copy in copies:
                site.runs.add(copy)
            stored.extend((event.run, *copies))
        elif isinstance(event, GivenUp):
            reword(event.error, site.door)
        on_event(event)

    def usable(test: str) -> int:
        return sum(run.test == test and run.quality.valid for run in stored)

    if together is None:
        for first, *rest in groups:
            for case in rest:
                on_event(Told(case.name, f"takes its runs from the launches of {first.name!r}"))
    on_event(
        LaunchesPlanned(
            {case.name: case.missing for case in leading},
            frozenset(case.name for case in leading if case.adaptive or (together and together.looks > 1)),
            seed=seed,
            commands={
                case.name: case.test.target.new_mask().command(case.test.target.command) for case in leading
            },
        )
    )
    try:
        # A cluster's hosts see to it themselves that they carry out one launch at a time.
        with nullcontext() if site.scheduler else measuring_alone(site, on_event):
            collected = _collected(site, groups, noted, seed, together)
    except KeyboardInterrupt as stop:
        counts = tuple(Complete(case.name, usable(case.name), case.missing) for case in cases)
        raise Interrupted(counts, site.store, stored[0].id if stored else None) from stop
    except EngineLostError as error:
        kept = ", ".join(f"{usable(case.name)} of {case.missing} runs of {case.name!r}" for case in cases)
        since = f" (the first is {stored[0].id})" if stored else ""
        error.message += f"\ncomplete and kept in {site.store}: {kept}{since}"
        raise
    finally:
        on_event(LaunchesEnded())
    failures: dict[str, ButoError | None] = {}
    for first, *rest in groups:
        failures[first.name] = failure = collected[first.name].failure
        if failure is not None and together is None:
            failure = MeasureError(f"the launches of {first.name!r}, from which it takes its runs, failed")
        failures |= dict.fromkeys((case.name for case in rest), failure)
    runs = {case.name: [run for run in stored if run.test == case.name] for case in cases}
    return {case.name: _after(case, runs[case.name], failures[case.name], on_event) for case in cases}


def grouped(items: Sequence[T], are_alike: Callable[[T, T], bool]) -> list[list[T]]:
    """Return items in groups, each with those that are like its first."""
    groups: list[list[T]] = []
    for item in items:
        group = next((group for group in groups if are_alike(group[0], item)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return groups


def sharing(cases: Sequence[Case]) -> list[list[Case]]:
    """Return the cases in groups that share each launch, in each the case first that needs most runs."""
    groups = grouped(cases, lambda first, case: first.test.shares_launches_with(case.test))
    return [sorted(group, key=lambda one: -one.missing) for group in groups]


def _as_of(case: Case, run: Run) -> Run:
    """Return a run as one of another test, whose window it then has."""
    session = case.session
    metadata = run.metadata if session is None else {**run.metadata, SESSION: session}
    return with_window(replace(run, test=case.name, metadata=metadata), case.test.window)


def _views(case: Case, runs: RunSet) -> RunSet:
    return run_set([_as_of(case, run) for run in runs]).valid()


def _under_one_load(case: Case, seed: int) -> Case:
    workload = case.test.workload
    if workload is None:
        return case
    return replace(case, test=replace(case.test, workload=workload.of_one_load(str(seed))))


def _collected(
    site: Site, groups: Sequence[Sequence[Case]], on_event: OnEvent, seed: int, together: Comparison | None
) -> Mapping[str, Collected]:
    # Imported here, for what launches takes longer to import than judging stored runs takes.
    from buto.actions.collecting import collect
    from buto.actions.engines import engine_for

    leading = [group[0] for group in groups]
    name = "" if together is None else " ".join(one.name for one in leading)
    return collect(
        [_plan(site, group, name) for group in groups],
        site.runs,
        on_event,
        seed=seed,
        purpose=leading[0].purpose,
        engine_for=engine_for(site.scheduler),
        sessions={case.name: case.session for case in leading if case.session is not None},
        together=None if together is None else _Decided(together, tuple(zip(*groups, strict=True))),
    )


@dataclass(frozen=True, slots=True)
class _Decided:
    """Whether all comparisons of tests that share launches are decided.

    Attributes:
        pairs: the cases that are compared.
    """

    comparison: Comparison
    pairs: tuple[tuple[Case, ...], ...]

    @property
    def looks(self) -> int:
        return self.comparison.looks

    def is_decided(self, first: RunSet, second: RunSet) -> bool:
        return all(
            self.comparison.is_decided(_views(old, first), _views(new, second)) for old, new in self.pairs
        )


def _plan(site: Site, group: Sequence[Case], name: str) -> Plan:
    from buto.actions.collecting import Plan
    from buto.engine.launching import Setup

    def enough(runs: RunSet) -> bool:
        return all(case.enough(_views(case, runs)) for case in group)

    case = group[0]
    return Plan(
        case.name,
        case.test.target,
        case.missing,
        case.test.workload,
        Setup(case.test.services, case.test.window),
        enough if case.adaptive else None,
        placement(case.test.hosts, case.test.settings, case.like, name),
        case.test.inputs,
        site.base,
    )


def _after(case: Case, runs: Sequence[Run], failure: ButoError | None, on_event: OnEvent) -> Case:
    """Return a case after launches; runs that cannot be judged end this case and no other."""
    try:
        after = case.with_runs(runs, failure)
    except StorageError:
        raise
    except ButoError as error:
        after = case.with_runs(runs, error)
    n_left_out = len(case.runs) + len(runs) - len(after.runs)
    if n_left_out:
        on_event(Warned(case.name, program_changed(n_left_out)))
    return after


def measuring_alone(site: Site, on_event: OnEvent) -> AbstractContextManager[None]:
    """Hold the store's lock; see :func:`buto.actions.ending.measuring`."""
    return measuring(site.runs.storage.here, lambda: on_event(WaitingForStore(site.store)))
