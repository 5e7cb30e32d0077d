"""The training manager: launches tests many times in random order and stores each run at once."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from buto.collect.collector import Collector
from buto.collect.hooks import AllHooks, LaunchHooks
from buto.collect.opener import open_collector
from buto.collect.process.launch import check_startable
from buto.collect.progress import OnTick, Progress
from buto.collect.record.journal import Journal
from buto.collect.record.quality import busy_host
from buto.collect.target import Target
from buto.errors import ButoError, StorageError
from buto.runs import Run, RunSet
from buto.runs.model import PURPOSE, SESSION
from buto.runs.store import RunStore
from buto.runs.window import with_window
from buto.workflow.events import GivenUp, LaunchProgressed, LaunchRepeated, LaunchStarted, OnEvent, RunStored
from buto.workflow.launching.collected import Collected
from buto.workflow.launching.ending import check_ending, check_repeats
from buto.workflow.launching.order import interleave, without
from buto.workflow.launching.setup import ALONE, Setup
from buto.workload.services.model import Service

if TYPE_CHECKING:
    from buto.workload.services.running import Services


@dataclass(frozen=True, slots=True)
class Plan:
    """How often to launch one test.

    Attributes:
        hooks: creates the hooks of each launch; None for none.
        setup: what belongs to every run besides the program.
        enough: called with the valid runs of this session after each; returns whether no more are needed.
    """

    test: str
    target: Target
    runs: int
    hooks: Callable[[], LaunchHooks] | None = None
    setup: Setup = ALONE
    enough: Callable[[RunSet], bool] | None = None


def collect(
    plans: Sequence[Plan],
    store: RunStore,
    on_event: OnEvent,
    *,
    seed: int,
    purpose: str,
    collector_for: Callable[[Target], Collector] = open_collector,
    check: Callable[[Target], None] = check_startable,
    done: Mapping[str, int] | None = None,
    deadline_s: float = math.inf,
    forgiven: int = 0,
    sessions: Mapping[str, str] | None = None,
    together: bool = False,
) -> dict[str, Collected]:
    """Launch every plan as often as planned, in random order, and store each run as it ends.

    A run that was disturbed is repeated, at most :func:`repeats` times a test. A program that ends
    with another exit code than expected, or at its time limit, or cannot be measured, would fail again:
    its test is given up at once and the other tests go on.

    Args:
        plans: one for each test; no test twice.
        seed: of the random order.
        purpose: written into each run's metadata under PURPOSE, so that runs which were judged can be
            distinguished from those that may train an oracle.
        collector_for: how to open a collector.
        check: raises a ButoError for a program that cannot be started; called for all programs first.
        done: by test, how many valid runs an interrupted session with these plans and this seed has
            stored; the order continues after them. None: there was no such session.
        deadline_s: of ``time.monotonic()``; no launch begins after it.
        forgiven: how many failures of a test are forgiven at the cost of one more launch each; for programs
            known to work and unattended sessions.
        sessions: by test, the id of the first run of the session that is continued; a missing test
            begins one. Written into each run's metadata under SESSION.
        together: whether a test that is given up also ends the others, because they are useless without it.

    Returns:
        By test, in the order of the plans, what this session recorded.

    Raises:
        StorageError: the store cannot be written. What was stored before stays.
        KeyboardInterrupt: the current program was stopped and its run dropped; those before stay.
    """
    plan_of = {plan.test: plan for plan in plans}
    results = {plan.test: Collected() for plan in plans}
    done = done or {}
    firsts = dict(sessions or {})
    failures: Counter[str] = Counter()

    def tick(progress: Progress) -> None:
        on_event(LaunchProgressed(progress))

    for plan in plans:
        try:
            check(plan.target)
        except ButoError as error:
            results[plan.test] = Collected(failure=error)
            on_event(GivenUp(plan.test, error))
    startable = [plan for plan in plans if results[plan.test].failure is None]
    if together and len(startable) < len(plans):
        return results
    queue = deque(without(interleave({plan.test: plan.runs for plan in startable}, seed), done))
    with ExitStack() as stack:
        collectors: dict[str, Collector] = {}
        while queue and time.monotonic() < deadline_s:
            test = queue.popleft()
            plan, result = plan_of[test], results[test]
            try:
                if test not in collectors:
                    collectors[test] = stack.enter_context(collector_for(plan.target))
                number = done.get(test, 0) + len(result.valid()) + 1
                on_event(LaunchStarted(test, number, plan.runs))
                hooks = None if plan.hooks is None else plan.hooks()
                run = record_one(
                    collectors[test], test, store, purpose, firsts.get(test), tick, hooks, plan.setup
                )
                firsts.setdefault(test, run.id)
                result = results[test] = replace(result, runs=(*result.runs, run))
                on_event(RunStored(run))
                check_ending(run, plan.target)
                if not run.quality.valid:
                    check_repeats(result.runs, plan.runs)
                    queue.append(test)
                elif plan.enough is not None and plan.enough(result.valid()):
                    queue = deque(other for other in queue if other != test)
            except StorageError:
                raise
            except ButoError as error:
                failures[test] += 1
                if failures[test] <= forgiven:
                    on_event(LaunchRepeated(test, error))
                    queue.append(test)
                    continue
                results[test] = replace(result, failure=error)
                on_event(GivenUp(test, error))
                queue = deque(other for other in queue if other != test and not together)
    return results


def record_one(
    collector: Collector,
    test: str,
    store: RunStore,
    purpose: str,
    session: str | None = None,
    on_tick: OnTick | None = None,
    hooks: LaunchHooks | None = None,
    setup: Setup = ALONE,
) -> Run:
    """Launch once, with its services beside it, and store the run, valid or not.

    If recording fails midway, the part before is kept, unless it is very short; see
    :class:`buto.collect.record.journal.Journal`.

    Args:
        purpose, session: written into the run's metadata, see :func:`collect`; a run without a session
            begins one.

    Raises:
        MeasureError: there is nothing to record, or a service does not get ready.
        UsageError: a service has no template or user.
        StorageError: the run cannot be stored.
    """
    marks = {PURPOSE: purpose} | ({SESSION: session} if session else {})
    with running_services(setup.services, on_tick) as beside, Journal(store, marks) as journal:
        if beside is not None:
            hooks = beside if hooks is None else AllHooks((beside, hooks))
            on_tick = beside.on_each_tick(on_tick)
        run = collector.record(test, on_tick, hooks, journal)
        outputs = {} if beside is None else beside.stop()
        run = replace(run, metadata={**run.metadata, SESSION: run.id, **marks}, outputs=outputs)
        if hooks is not None:
            run = _unless_busy(run)
        if setup.window is not None:
            run = with_window(run, setup.window)
        store.add(run)
    return run


def _unless_busy(run: Run) -> Run:
    """Return a run of a loaded system; not valid if the machine had no idle time left."""
    busy = busy_host(run.metadata.get("host.load.idle"), run.outcome.duration_s)
    if busy is None:
        return run
    return replace(run, quality=replace(run.quality, problems=(*run.quality.problems, busy)))


def running_services(
    services: Sequence[Service], on_tick: OnTick | None
) -> AbstractContextManager[Services | None]:
    """Return what runs services during its block; None in place of no services."""
    if not services:
        return nullcontext()
    # Imported here: few tests have services.
    from buto.workload.services.running import running

    return running(services, on_tick)
