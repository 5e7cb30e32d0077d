"""Launch tests many times in random order, and store each run at once."""

from __future__ import annotations

import math
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field, structs

from buto.actions.ending import check_ending, check_repeats
from buto.actions.events import GivenUp, LaunchProgressed, LaunchRepeated, LaunchStarted, Reporter, RunStored
from buto.engine.launching import (
    ALONE,
    Began,
    EndedLaunch,
    Engine,
    EngineFor,
    GivenBack,
    LaunchRequest,
    LocalEngine,
    News,
    Progressed,
    Setup,
)
from buto.engine.placement import ANYWHERE, Placement
from buto.errors import ButoError, StorageError
from buto.measure.target import Target
from buto.measure.workload.model import Workload
from buto.run.model import EXACTLY, IN_TURNS, PURPOSE, SESSION, MetadataValue, Run, RunSet, run_set
from buto.run.store import RunStore


def interleave(counts: Mapping[str, int], seed: int) -> list[str]:
    """Return each test as often as it is planned, in rounds of random order.

    A machine that grows slower or warmer then affects all tests alike (randomised blocks).
    """
    source = random.Random(seed)
    order: list[str] = []
    for number in range(max(counts.values(), default=0)):
        block = [test for test, count in counts.items() if count > number]
        source.shuffle(block)
        order += block
    return order


def without(order: Sequence[str], done: Mapping[str, int]) -> list[str]:
    """Return an order without each test's first launches, as many as ``done`` says."""
    passed: Counter[str] = Counter()
    left = []
    for test in order:
        passed[test] += 1
        if passed[test] > done.get(test, 0):
            left.append(test)
    return left


class LaunchPlan(Struct, frozen=True):
    """How often to launch one test.

    Attributes:
        workload: what loads the program while it is measured; None for nothing.
        setup: what belongs to every run besides the program.
        enough: called with the valid runs of this session after each; returns whether no more are needed.
        where: on which hosts, if there are several.
        inputs, inputs_from, place: see :class:`buto.engine.launching.LaunchRequest`.
        marks: metadata that are written into each run.
    """

    test: str
    target: Target
    runs: int
    workload: Workload | None = None
    setup: Setup = ALONE
    enough: Callable[[RunSet], bool] | None = None
    where: Placement = ANYWHERE
    inputs: tuple[str, ...] = ()
    inputs_from: Path | None = None
    place: Callable[[], Target] | None = None
    marks: Mapping[str, MetadataValue] = field(default_factory=dict)


class Collected(Struct, frozen=True):
    """What launching a test gave.

    Attributes:
        runs: all stored runs, in the order of their start, including invalid ones.
        failure: why there are fewer valid runs than planned; None if there are enough.
    """

    runs: tuple[Run, ...] = ()
    failure: ButoError | None = None

    def valid(self) -> RunSet:
        return run_set([run for run in self.runs if run.quality.valid])


class Together(Protocol):
    """Says in which order two programs are launched in turns, and when they need no more launches."""

    @property
    def is_exact(self) -> bool:
        """Whether all are launched, because a user asked for their number."""

    def order(self, seed: int) -> Sequence[bool]:
        """Return which launches are of the second program."""

    def is_decided(self, first: RunSet, second: RunSet) -> bool:
        """Return whether these valid runs are enough; asked after every launch."""


def collect(
    plans: Sequence[LaunchPlan],
    store: RunStore,
    reporter: Reporter,
    *,
    seed: int,
    purpose: str,
    engine_for: EngineFor = LocalEngine,
    done: Mapping[str, int] | None = None,
    deadline_s: float = math.inf,
    forgiven: int = 0,
    sessions: Mapping[str, str] | None = None,
    together: Together | None = None,
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
        engine_for: creates what carries out the launches.
        done: by test, how many valid runs an interrupted session with these plans and this seed has
            stored; the order continues after them. None: there was no such session.
        deadline_s: of ``time.monotonic()``; no launch begins after it.
        forgiven: how many failures of a test are forgiven at the cost of one more launch each; for programs
            known to work and unattended sessions.
        sessions: by test, the id of the first run of the session that is continued; a missing test
            begins one. Written into each run's metadata under SESSION.
        together: what compares the two tests: it gives the order of launches, they end as soon as they
            decide, a launch that was disturbed is repeated at once in its place, and a test that is given up
            also ends the other, which is useless without it.

    Returns:
        By test, in the order of the plans, what this session recorded.

    Raises:
        StorageError: the store cannot be written. What was stored before stays.
        EngineLostError: the engine can carry out no launch any more. What was stored before stays.
        KeyboardInterrupt: the current programs were stopped and their runs dropped; those before stay.
    """
    session = _Session(plans, reporter, purpose, done or {}, dict(sessions or {}), forgiven, together)
    with engine_for(store, session.report) as engine:
        session.check(engine)
        if together is not None and session.failed:
            return session.results
        session.plan(seed)
        while session.begin(engine, deadline_s):
            ended = engine.wait()
            if ended is not None:
                session.conclude(ended, engine)
    return session.results


class _Session:
    """The launches of one call: which are still wanted, which have begun, and what they gave.

    Attributes:
        results: by test, in the order of the plans.
    """

    def __init__(
        self,
        plans: Sequence[LaunchPlan],
        reporter: Reporter,
        purpose: str,
        done: Mapping[str, int],
        firsts: dict[str, str],
        forgiven: int,
        together: Together | None,
    ) -> None:
        self._plans = {plan.test: plan for plan in plans}
        self._reporter, self._purpose, self._done, self._firsts = reporter, purpose, done, firsts
        self._forgiven, self._together = forgiven, together
        self._marks: dict[str, MetadataValue] = {}
        self._failures: Counter[str] = Counter()
        self._running: Counter[str] = Counter()
        self._queue: deque[str] = deque()
        self.results = {plan.test: Collected() for plan in plans}

    @property
    def failed(self) -> bool:
        return any(result.failure is not None for result in self.results.values())

    def report(self, news: News) -> None:
        match news:
            case Began(launch, host):
                planned = self._plans[launch.test].runs
                self._reporter(LaunchStarted(launch.test, launch.number, planned, host))
            case Progressed(launch, progress, host):
                self._reporter(LaunchProgressed(progress, launch.test, host))
            case GivenBack(launch, error, host):
                self._reporter(LaunchRepeated(launch.test, error, host))

    def check(self, engine: Engine) -> None:
        for plan in self._plans.values():
            try:
                engine.check(self._launch(plan.test))
            except ButoError as error:
                self.results[plan.test] = Collected(failure=error)
                self._reporter(GivenUp(plan.test, error))

    def plan(self, seed: int) -> None:
        counts = {test: plan.runs for test, plan in self._plans.items() if not self.results[test].failure}
        if self._together is None:
            self._queue = deque(without(interleave(counts, seed), self._done))
            return
        old, new = counts
        self._queue = deque(new if is_new else old for is_new in self._together.order(seed))
        parts = (str(counts[new]), str(seed), *((EXACTLY,) if self._together.is_exact else ()))
        self._marks = {IN_TURNS: ":".join(parts)}

    def begin(self, engine: Engine, deadline_s: float) -> bool:
        """Begin what there is room for; return whether there is anything to wait for."""
        while self._queue and time.monotonic() < deadline_s:
            wanted = [self._launch(test) for test in dict.fromkeys(self._queue)]
            begun = engine.begin(wanted)
            for launch in begun:
                self._queue.remove(launch.test)
                self._running[launch.test] += 1
            if not begun:
                return True
        return self._running.total() > 0

    def conclude(self, ended: EndedLaunch, engine: Engine) -> None:
        """Keep what a launch gave, and decide whether its test goes on."""
        test = ended.launch.test
        if ended.begun:
            self._running[test] -= 1
        plan = self._plans[test]
        try:
            if ended.run is None:
                assert ended.error is not None
                raise ended.error
            run = ended.run
            self._firsts.setdefault(test, str(run.metadata.get(SESSION, run.id)))
            result = structs.replace(self.results[test], runs=(*self.results[test].runs, run))
            self.results[test] = result
            self._reporter(RunStored(run))
            check_ending(run, plan.target)
            if not run.quality.valid:
                check_repeats(result.runs, plan.runs)
                self._repeat(test)
            elif plan.enough is not None and plan.enough(result.valid()):
                self._drop([test], engine)
            elif self._together is not None:
                first, second = (result.valid() for result in self.results.values())
                if self._together.is_decided(first, second):
                    self._drop(list(self._plans), engine)
        except StorageError:
            raise
        except ButoError as error:
            self._fail(ended, error, engine)

    def _fail(self, ended: EndedLaunch, error: ButoError, engine: Engine) -> None:
        test = ended.launch.test
        self._failures[test] += 1
        if self._failures[test] <= self._forgiven:
            self._reporter(LaunchRepeated(test, error))
            if ended.begun:
                self._repeat(test)
            return
        self.results[test] = structs.replace(self.results[test], failure=error)
        self._reporter(GivenUp(test, error))
        self._drop([test] if self._together is None else list(self._plans), engine)

    def _repeat(self, test: str) -> None:
        """Launch a test once more: in turns in its place, because another order was not drawn."""
        if self._together is None:
            self._queue.append(test)
        else:
            self._queue.appendleft(test)

    def _drop(self, tests: Sequence[str], engine: Engine) -> None:
        for test in tests:
            engine.drop(test)
            del self._running[test]
        self._queue = deque(test for test in self._queue if test not in tests)

    def _launch(self, test: str) -> LaunchRequest:
        plan, first = self._plans[test], self._firsts.get(test)
        return LaunchRequest(
            test,
            plan.target,
            self._done.get(test, 0) + len(self.results[test].valid()) + self._running[test] + 1,
            plan.workload,
            plan.setup,
            {**plan.marks, PURPOSE: self._purpose, **self._marks} | ({SESSION: first} if first else {}),
            plan.where,
            plan.inputs,
            plan.inputs_from,
            plan.place,
        )
