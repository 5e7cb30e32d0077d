"""Recording: launch tests as often as they need runs, one buto at a time, and keep every run."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from buto.errors import ButoError, EngineLostError, StorageError
from buto.run.model import Run, RunSet
from buto.run.units import format_count
from buto.steps import Action

if TYPE_CHECKING:
    from buto.actions.collecting import Collected, Plan
    from buto.judging.protocol import Comparison


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
    return launch(project.site(), [Case(test, action.value, request.runs) for test in tests], on_event)


def complete(site: Site, cases: Sequence[Case], on_event: OnEvent) -> list[Case]:
    """Launch until every case has the runs that it needs or is given up.

    Cases of one purpose are launched together, in random order.
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
        together: what compares the two tests, which then stay on one host; see
            :func:`buto.actions.collecting.collect`.

    Returns:
        By test, its case with these runs.
    """
    missing = {case.name: case.missing for case in cases}
    targets = {case.name: case.test.target for case in cases}
    seed, stored = secrets.randbits(32), list[Run]()

    def noted(event: Event) -> None:
        if isinstance(event, RunStored):
            stored.append(event.run)
        elif isinstance(event, GivenUp):
            reword(event.error, site.door)
        on_event(event)

    def usable(test: str) -> int:
        return sum(run.test == test and run.quality.valid for run in stored)

    on_event(
        LaunchesPlanned(
            missing,
            frozenset(case.name for case in cases if case.adaptive or (together and together.looks > 1)),
            seed=seed,
            commands={name: target.new_mask().command(target.command) for name, target in targets.items()},
        )
    )
    try:
        # A cluster's hosts see to it themselves that they carry out one launch at a time.
        with nullcontext() if site.scheduler else measuring_alone(site, on_event):
            collected = _collected(site, cases, noted, seed, together)
    except KeyboardInterrupt as stop:
        counts = tuple(Complete(test, usable(test), planned) for test, planned in missing.items())
        raise Interrupted(counts, site.store, stored[0].id if stored else None) from stop
    except EngineLostError as error:
        kept = ", ".join(f"{usable(test)} of {planned} runs of {test!r}" for test, planned in missing.items())
        since = f" (the first is {stored[0].id})" if stored else ""
        error.message += f"\ncomplete and kept in {site.store}: {kept}{since}"
        raise
    finally:
        on_event(LaunchesEnded())
    return {case.name: _after(case, collected[case.name], on_event) for case in cases}


def _collected(
    site: Site, cases: Sequence[Case], on_event: OnEvent, seed: int, together: Comparison | None
) -> Mapping[str, Collected]:
    # Imported here, for what launches takes longer to import than judging stored runs takes.
    from buto.actions.collecting import collect
    from buto.actions.engines import engine_for

    group = "" if together is None else " ".join(one.name for one in cases)
    plans = [_plan(site, case, group) for case in cases]
    return collect(
        plans,
        site.runs,
        on_event,
        seed=seed,
        purpose=cases[0].purpose,
        engine_for=engine_for(site.scheduler),
        sessions={case.name: case.session for case in cases if case.session is not None},
        together=together,
    )


def _plan(site: Site, case: Case, group: str) -> Plan:
    from buto.actions.collecting import Plan
    from buto.engine.launching import Setup

    return Plan(
        case.name,
        case.test.target,
        case.missing,
        case.test.workload,
        Setup(case.test.services, case.test.window),
        case.enough if case.adaptive else None,
        placement(case.test.hosts, case.test.settings, case.like, group),
        case.test.inputs,
        site.base,
    )


def _after(case: Case, collected: Collected, on_event: OnEvent) -> Case:
    """Return a case after launches; runs that cannot be judged end this case and no other."""
    try:
        after = case.with_runs(collected.runs, collected.failure)
    except StorageError:
        raise
    except ButoError as error:
        after = case.with_runs(collected.runs, error)
    n_left_out = len(case.runs) + len(collected.runs) - len(after.runs)
    if n_left_out:
        on_event(Warned(case.name, program_changed(n_left_out)))
    return after


def measuring_alone(site: Site, on_event: OnEvent) -> AbstractContextManager[None]:
    """Hold the store's lock; see :func:`buto.actions.ending.measuring`."""
    return measuring(site.runs.storage.here, lambda: on_event(WaitingForStore(site.store)))
