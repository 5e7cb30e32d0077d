"""Launch two programs at the same time, each on its own half of the cores, so that both see one machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from queue import SimpleQueue
from threading import Event

from buto.actions.collecting import Collected, Plan
from buto.actions.ending import check_ending, check_repeats
from buto.actions.events import GivenUp, LaunchProgressed, LaunchStarted, OnEvent, RunStored
from buto.engine.launching import record_one
from buto.errors import ButoError, StorageError
from buto.measure.collector import Collector
from buto.measure.host import Halves
from buto.measure.journal import RecordingAbandonedError
from buto.measure.launch import check_startable
from buto.measure.opener import open_collector
from buto.measure.progress import OnTick, Progress
from buto.measure.target import Target
from buto.run.model import PAIR, PURPOSE, SESSION, Run
from buto.run.names import new_id
from buto.run.store import RunStore

OpenCollector = Callable[[Target], Collector]


def collect_pairs(
    plans: tuple[Plan, Plan],
    store: RunStore,
    on_event: OnEvent,
    *,
    seed: int,
    purpose: str,
    cores: Halves,
    collector_for: OpenCollector = open_collector,
    check: Callable[[Target], None] = check_startable,
) -> dict[str, Collected]:
    """Launch two programs together as often as the first plan has runs, and store each run.

    For each pair, it is random which program starts first and which gets which half of the cores. A pair with
    a run that was disturbed is repeated. If one program fails, the other is stopped and not launched again.

    Args:
        plans: of two tests, without hooks and services.
        seed: of the random order and halves.
        purpose: see :func:`buto.actions.collecting.collect`.
        cores: disjoint and equally many.
        collector_for, check: see :func:`buto.actions.collecting.collect`.

    Returns:
        By test, what was recorded. Runs of one pair have the same PAIR in their metadata.

    Raises:
        StorageError: the store cannot be written. What was stored before stays.
        KeyboardInterrupt: both programs were stopped and their runs dropped; those before stay.
    """
    results = {plan.test: Collected() for plan in plans}
    source = random.Random(seed)
    for plan in plans:
        try:
            check(plan.target)
        except ButoError as error:
            return _failed(results, {plan.test: error}, on_event)
        store.prepare(plan.test)
    with ExitStack() as stack:
        opened: dict[tuple[str, tuple[int, ...]], Collector] = {}

        def collector(plan: Plan, half: tuple[int, ...]) -> Collector:
            if (plan.test, half) not in opened:
                target = replace(plan.target, cores=half)
                opened[plan.test, half] = stack.enter_context(collector_for(target))
            return opened[plan.test, half]

        # Its threads outlive the programs: the kernel kills a program when the thread that started it ends.
        threads = stack.enter_context(ThreadPoolExecutor(len(plans)))
        n_pairs = 0
        while n_pairs < plans[0].runs:
            for plan in plans:
                on_event(LaunchStarted(plan.test, n_pairs + 1, plan.runs))
            order, halves = source.sample(plans, 2), source.sample(cores, 2)
            pair = _Pair(store, purpose, {test: one.runs[0].id for test, one in results.items() if one.runs})
            recorded = pair.record(
                [(plan, collector(plan, half)) for plan, half in zip(order, halves, strict=True)],
                threads,
                on_event,
            )
            failures = {test: one for test, one in recorded.items() if isinstance(one, ButoError)}
            for plan in plans:
                run = recorded[plan.test]
                if isinstance(run, Run):
                    results[plan.test] = Collected((*results[plan.test].runs, run))
                    on_event(RunStored(run))
                    failures |= _failure_of(plan, results[plan.test])
            if failures:
                return _failed(results, failures, on_event)
            n_pairs += all(one.runs[-1].quality.valid for one in results.values())
    return results


def _failure_of(plan: Plan, result: Collected) -> dict[str, ButoError]:
    """Return, by test, why a program is not launched again after its newest run; empty if it is."""
    try:
        check_ending(result.runs[-1], plan.target)
        check_repeats(result.runs, plan.runs)
    except ButoError as error:
        return {plan.test: error}
    return {}


def _failed(
    results: Mapping[str, Collected], failures: Mapping[str, ButoError], on_event: OnEvent
) -> dict[str, Collected]:
    """Return the results with why programs failed; an abandoned run is no failure of its program."""
    own = {test: error for test, error in failures.items() if not isinstance(error, RecordingAbandonedError)}
    for test, error in own.items():
        on_event(GivenUp(test, error))
    return {test: replace(one, failure=own.get(test)) for test, one in results.items()}


class _Pair:
    """Two launches at the same time, each in a thread.

    Args:
        sessions: by test, the id of its first run; a missing test begins a session.
    """

    def __init__(self, store: RunStore, purpose: str, sessions: Mapping[str, str]) -> None:
        self._store, self._purpose, self._sessions = store, purpose, sessions
        self._id = new_id()
        self._stop = Event()
        self._ticks: SimpleQueue[LaunchProgressed | None] = SimpleQueue()

    def record(
        self, sides: list[tuple[Plan, Collector]], threads: ThreadPoolExecutor, on_event: OnEvent
    ) -> dict[str, Run | ButoError]:
        """Launch both in this order, and return by test its run, or why there is none."""
        futures: dict[str, Future[Run]] = {}
        try:
            for plan, collector in sides:
                on_tick = self._tick(plan.test, is_shown=not futures)
                futures[plan.test] = threads.submit(self._one, plan, collector, on_tick)
            n_running = len(futures)
            while n_running:
                event = self._ticks.get()
                if event is None:
                    n_running -= 1
                else:
                    on_event(event)
        except BaseException:
            self._stop.set()
            wait(futures.values())
            raise
        return {test: _result(future) for test, future in futures.items()}

    def _one(self, plan: Plan, collector: Collector, on_tick: OnTick) -> Run:
        """Record one program; if that fails, let the other one stop."""
        try:
            marks = {PURPOSE: self._purpose, PAIR: self._id}
            if plan.test in self._sessions:
                marks[SESSION] = self._sessions[plan.test]
            return record_one(collector, plan.test, self._store, marks, on_tick, setup=plan.setup)
        except BaseException:
            self._stop.set()
            raise
        finally:
            self._ticks.put(None)

    def _tick(self, test: str, *, is_shown: bool) -> OnTick:
        """Return what a collector calls some ten times a second in its thread."""

        def tick(progress: Progress) -> None:
            if self._stop.is_set():
                raise RecordingAbandonedError("the other program of the pair was stopped")
            if is_shown:
                self._ticks.put(LaunchProgressed(progress, test))

        return tick


def _result(future: Future[Run]) -> Run | ButoError:
    try:
        return future.result()
    except StorageError:
        raise
    except ButoError as error:
        return error
