"""The training manager: launches tests many times in random order and stores each run at once."""

from __future__ import annotations

import fcntl
import math
import os
import random
import shlex
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from buto.collect.collector import Collector
from buto.collect.hooks import LaunchHooks
from buto.collect.opener import open_collector
from buto.collect.process.output import last_lines
from buto.collect.progress import OnTick, Progress
from buto.collect.record.journal import Journal
from buto.collect.target import Target
from buto.errors import ButoError, MeasureError, StorageError
from buto.runs import Problem, ProblemKind, Run, RunSet, run_set
from buto.runs.model import PURPOSE as PURPOSE
from buto.runs.model import SESSION as SESSION
from buto.runs.store import RunStore
from buto.workflow.events import GivenUp, LaunchProgressed, LaunchRepeated, LaunchStarted, OnEvent, RunStored

LOCK_TIMEOUT_S = 3600.0
"""How long to wait for another buto that measures: six launches that reach the default time limit."""

_LOCK_POLL_S = 0.2
_LEAST_REPEATS = 3

_BAD_ENDS = (
    ProblemKind.TIME_LIMIT,
    ProblemKind.SIGNAL,
    ProblemKind.EXIT_CODE,
    ProblemKind.JVM_END,
    ProblemKind.WORKLOAD,
)
"""The problems for which :func:`check_ending` ends a test: another launch would end in the same way."""

_ADVICE = {
    ProblemKind.STARVED: "buto doctor (what else loads this machine), or sample less often with --interval",
    ProblemKind.SLOW_MBEAN: "record others with --mbean PATTERN, or sample less often with --interval",
}
"""What to do about the commonest problem of many runs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How often to launch one test.

    Attributes:
        hooks: makes what goes along with each launch; None for nothing.
        enough: is asked after each valid run, with those of this session, whether no more are needed.
    """

    test: str
    target: Target
    runs: int
    hooks: Callable[[], LaunchHooks] | None = None
    enough: Callable[[RunSet], bool] | None = None


@dataclass(slots=True)
class Collected:
    """What became of one plan.

    Attributes:
        runs: all that were stored, in the order of their start, invalid ones too.
        failure: why there are fewer valid runs than planned; None if there are not.
    """

    runs: list[Run] = field(default_factory=list)
    failure: ButoError | None = None

    def valid(self) -> RunSet:
        """The runs that may be used."""
        return run_set([run for run in self.runs if run.quality.valid])


def collect(
    plans: Sequence[Plan],
    store: RunStore,
    on_event: OnEvent,
    *,
    seed: int,
    purpose: str,
    collector_for: Callable[[Target], Collector] = open_collector,
    done: Mapping[str, int] | None = None,
    deadline_s: float = math.inf,
    forgiven: int = 0,
    sessions: Mapping[str, str] | None = None,
    together: bool = False,
) -> dict[str, Collected]:
    """Launch every plan as often as it says, in random order, and store each run as it ends.

    A run that was disturbed is repeated, at most :func:`repeats` times a test. A program that ends
    with another exit code than expected, or at its time limit, or cannot be measured, will not do
    better the next time: its test is given up at once and the other tests go on.

    Args:
        plans: one for each test; no test twice.
        seed: of the random order.
        purpose: written into each run's metadata under PURPOSE, so that runs which were judged can
            be told from those that may be learned from.
        collector_for: how to open a collector.
        done: by test, how many valid runs an interrupted session with these plans and this seed has
            left; the order is taken up where they end. None: there was no such session.
        deadline_s: of ``time.monotonic()``; no launch begins after it.
        forgiven: how many failures of a test only cost one more launch; for programs that are known to
            work, and sessions that nobody watches.
        sessions: by test, the id of the first run of the session that is continued; a test that is
            not there begins one. Written into each run's metadata under SESSION.
        together: whether a test that is given up ends the others, too, which mean nothing without it.

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

    queue = deque(without(interleave({plan.test: plan.runs for plan in plans}, seed), done))
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
                run = record_one(collectors[test], test, store, purpose, firsts.get(test), tick, hooks)
                firsts.setdefault(test, run.id)
                result.runs.append(run)
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
                result.failure = error
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
) -> Run:
    """Launch once and store the run, whatever is to be said of it.

    What was recorded before something fails is kept, if there is more than a little of it; see
    :class:`buto.collect.record.journal.Journal`.

    Args:
        purpose, session: written into the run's metadata, see :func:`collect`; a run without a session
            begins one.

    Raises:
        MeasureError: there is nothing to record.
        StorageError: the run cannot be stored.
    """
    marks = {PURPOSE: purpose} | ({SESSION: session} if session else {})
    with Journal(store, marks) as journal:
        run = collector.record(test, on_tick, hooks, journal)
        run = replace(run, metadata={**run.metadata, SESSION: run.id, **marks})
        store.add(run)
    return run


def interleave(counts: Mapping[str, int], seed: int) -> list[str]:
    """Each test as often as it says, in rounds of random order.

    A machine that grows slower or warmer then does so for all tests alike (randomised blocks).
    """
    source = random.Random(seed)
    order: list[str] = []
    for number in range(max(counts.values(), default=0)):
        block = [test for test, count in counts.items() if count > number]
        source.shuffle(block)
        order += block
    return order


def without(order: Sequence[str], done: Mapping[str, int]) -> list[str]:
    """An order without each test's first launches, as many as ``done`` says."""
    passed: Counter[str] = Counter()
    left = []
    for test in order:
        passed[test] += 1
        if passed[test] > done.get(test, 0):
            left.append(test)
    return left


def repeats(runs: int) -> int:
    """How many disturbed runs of one test are repeated: half of the planned ones, at least three."""
    return max(_LEAST_REPEATS, runs // 2)


@contextmanager
def measuring(root: Path, on_wait: Callable[[], None], timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """One buto at a time measures into a store, for two would disturb each other.

    The lock is the kernel's, on the store's directory (``flock``): it leaves no file behind and ends
    with its process, however that ends.

    Args:
        root: the store's directory; made if it is not there.
        on_wait: called once before waiting for another.
        timeout_s: how long to wait.

    Raises:
        StorageError: the directory cannot be made or written, or the other does not end in time.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_writable(root, error.strerror) from error
    try:
        if not os.access(root, os.W_OK | os.X_OK):
            raise _not_writable(root, "permission denied")
        _lock(descriptor, root, on_wait, timeout_s)
        yield
    finally:
        os.close(descriptor)


def _not_writable(root: Path, why: str | None) -> StorageError:
    return StorageError(f"the store {root} cannot be written: {why}", advice="name another with --store DIR")


def _lock(descriptor: int, root: Path, on_wait: Callable[[], None], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    told = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise StorageError(
                    f"another buto has been measuring into {root} for too long",
                    advice=f"see which: fuser {root}; or name another store with --store DIR",
                ) from None
            if not told:
                on_wait()
                told = True
            time.sleep(_LOCK_POLL_S)
        else:
            return


def check_ending(run: Run, target: Target) -> None:
    """A run that ended as it should not is invalid by its collector; here it ends the test.

    Raises:
        MeasureError: it did, or its workload failed; quotes what the program printed.
    """
    failed = _first(run, ProblemKind.WORKLOAD)
    bad_end = _first(run, ProblemKind.JVM_END)
    what = f"the program {run.outcome.describe()}"
    options: tuple[str, ...] = ()
    if failed is not None and not run.outcome.timed_out:
        show = f"buto runs show {shlex.join([run.test, run.id])}"
        raise MeasureError(f"{failed.text}\n{what}\n{_quoted(run)}", advice=show)
    if not run.outcome.timed_out and run.outcome.exit_code == target.expected_exit:
        if bad_end is None:
            return
        what = bad_end.text
        advice = "if that is meant, give the java command itself, or a script that ends with its exit code"
    elif run.outcome.timed_out:
        what += f" of {target.timeout_s:g} s"
        advice = "give it more time with --timeout, or find out what it waits for"
        options = ("timeout",)
    elif run.outcome.exit_code is not None:
        advice = f"if that is a good end for this program: --expect-exit {run.outcome.exit_code}"
        options = ("expect-exit",)
    else:
        advice = f"see what the run recorded: buto runs show {run.id}"
    raise MeasureError(f"{what}\n{_quoted(run)}", advice=advice, options=options)


def _first(run: Run, kind: ProblemKind) -> Problem | None:
    return next((problem for problem in run.quality.problems if problem.kind is kind), None)


def bad_ending(problems: Sequence[Problem]) -> Problem | None:
    """Return the one of a stored run's problems for which :func:`check_ending` ended its test."""
    return next((problem for problem in problems if problem.kind in _BAD_ENDS), None)


def _quoted(run: Run) -> str:
    parts = []
    for name, output in (("stdout", run.stdout), ("stderr", run.stderr)):
        lines = last_lines(output)
        parts.append(f"{name}, last lines:\n{lines}" if lines else f"{name}: empty")
    return "\n".join(parts)


def check_repeats(runs: Sequence[Run], planned: int) -> None:
    """Raise MeasureError if more runs were disturbed than may be, of so many that are planned."""
    invalid = [run for run in runs if not run.quality.valid]
    if len(invalid) <= repeats(planned):
        return
    kinds = Counter(
        kind for run in invalid for kind in dict.fromkeys(one.kind for one in run.quality.problems)
    )
    commonest = kinds.most_common(1)[0][0]
    example = next(one.text for run in invalid for one in run.quality.problems if one.kind is commonest)
    show = f"buto runs show {shlex.join([invalid[-1].test, invalid[-1].id])}"
    raise MeasureError(
        f"{len(invalid)} of {len(runs)} runs were disturbed, most often: {example}",
        advice=_ADVICE.get(commonest, show),
        options=("interval",) if commonest in _ADVICE else (),
    )
