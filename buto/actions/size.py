"""How much memory does a program need, and how small may its heap be?

What it needs is told by stored runs. The smallest heap is found by launches with smaller ones, each beside a
launch with the heap as it is. Their runs are in the store under ``NAME@size``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from math import log

from msgspec import Struct, structs

from buto.actions.aside import Aside
from buto.actions.ending import bad_ending, check_ending
from buto.actions.events import Reporter, Told, Warned, ignore
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.stored import ALL, is_of_another_program, load_runs_of_one_program, training_runs
from buto.errors import JudgeError, MeasureError, UsageError
from buto.judging.need import (
    FEWEST_RUNS,
    LEAST_WORK,
    MIB,
    MOST_LAUNCHES,
    Footprint,
    HeapTrial,
    Need,
    Search,
    container_limit,
    footprint_of,
    heap_limit,
    initial_heap,
    need_of,
    outside_of,
    search_below,
    whole_mib,
)
from buto.measure.target import PROCESS, Target
from buto.project.model import TestConfig
from buto.run.cache import is_missing
from buto.run.model import COLLECTOR, ProblemKind, Run
from buto.run.units import format_bytes, format_percent, format_seconds
from buto.steps import Action, Advice, Step

_VARIABLE = "_JAVA_OPTIONS"
"""Its options come after those of the command line, and so replace them."""

_OUT_OF_MEMORY = re.compile(rb"java\.lang\.OutOfMemoryError(?:: [ -~]{1,60})?")

_SLOW, _LEAST_S = 3.0, 10.0
"""A launch with a smaller heap is stopped after so many times as long, at the earliest after so long."""

_ROUNDING = 1.05
"""Collectors round the heap up by less than this, apart from two MiB."""

_ATTEMPTS = 2
"""So often a launch with the heap as it is may be disturbed."""


class SizeRequest(Struct, frozen=True):
    """What to look at.

    Attributes:
        test: its name.
        overrides: what this call specifies of it.
        from_runs: stored runs that tell the need, as :func:`load_stored_runs` has it; None for those of
            the training.
        launches: whether the smallest heap is looked for.
    """

    test: str
    overrides: Overrides = NO_OVERRIDES
    from_runs: str | None = None
    launches: bool = True


class SizeOutcome(Struct, frozen=True):
    """What was found.

    Attributes:
        test: its name.
        need: what it needs with its options as they are.
        heap: for ``-Xmx``, bytes.
        outside: what at most one of a hundred runs needs outside this heap, bytes.
        run_ids: of the runs that tell the need.
        search: how the smallest heap was found; None without launches.
        n_launches: how often the program was launched.
    """

    test: str
    need: Need
    heap: int
    outside: float
    run_ids: tuple[str, ...]
    search: Search | None = None
    n_launches: int = 0

    @property
    def limit(self) -> int:
        """For a container with this heap, bytes."""
        return container_limit(self.heap, self.outside)


def size(project: Project, request: SizeRequest, reporter: Reporter = ignore) -> SizeOutcome:
    """Return how much memory a program needs, and with launches the smallest heap that is enough.

    Raises:
        UsageError, BadFileError: there are no runs, or no command is known; see :class:`Project`.
        JudgeError: the runs are too few, or their memory is not known, or the JVM does not obey ``-Xmx``.
        MeasureError: the program could not be measured, or did not end as it should, with the heap as it is.
        StorageError: the store cannot be written.
    """
    name = request.test
    runs = _runs(project, request, reporter)
    if runs and all(run.metadata.get(COLLECTOR) == PROCESS for run in runs):
        raise UsageError(
            f"{name}: its runs are of a process without a JVM, which has no heap to be sized",
            advice=Advice("see its peak of resident memory: ", Step(Action.SHOW_RUN, name)),
        )
    if len(runs) < FEWEST_RUNS:
        raise JudgeError(
            f"{name}: {len(runs)} usable runs tell too little of how much memory is needed; {FEWEST_RUNS} do",
            advice=Advice(Step(Action.TRAIN, name)),
        )
    need, run_ids = need_of(runs), tuple(run.id for run in runs)
    if not request.launches:
        return SizeOutcome(name, need, whole_mib(need.committed), outside_of(need), run_ids)
    known = project.find_oracle(name, Action.SIZE, request.overrides)
    test = project.test(name, Action.SIZE, request.overrides, known)
    if is_of_another_program(runs):
        reporter(Warned(name, "the program's files have changed since the runs that tell what it needs"))
    _tell_what_is_ahead(test, runs, reporter)
    with Aside.open(project.launcher(reporter), test, Action.SIZE) as aside:
        trials = _Trials(aside, reporter)
        search = search_below(need)
        while (heap_now := search.next_heap()) is not None:
            search = search.after(trials.decide(heap_now, search.noise))
        outside = outside_of(need, trials.launched.get(search.enough, ()))
        return SizeOutcome(name, need, search.enough, outside, run_ids, search, aside.number)


def _runs(project: Project, request: SizeRequest, reporter: Reporter) -> Sequence[Run]:
    """Return the runs that tell the need: those named, or those of the training."""
    workspace, name = project.workspace(), request.test
    if request.from_runs is None and not is_missing(project.oracle_path(name)):
        trained = training_runs(workspace, project.oracle(name, Action.SIZE)).runs
        if trained:
            return trained
    return load_runs_of_one_program(workspace, name, request.from_runs or ALL, reporter)


def _tell_what_is_ahead(test: TestConfig, runs: Sequence[Run], reporter: Reporter) -> None:
    took_s = sum(float(run.outcome.duration_s) for run in runs) / len(runs)
    text = (
        f"at most {MOST_LAUNCHES} launches, with smaller heaps and beside each with the heap as it is: "
        f"{format_seconds(MOST_LAUNCHES * took_s)} if each takes as long as in training"
    )
    reporter(Told(test.name, text))


class _Trials:
    """Launches a test with smaller heaps, and beside them with the heap as it is.

    Attributes:
        launched: by heap, what the launches with it used.
    """

    def __init__(self, aside: Aside, reporter: Reporter) -> None:
        self.launched: dict[int, tuple[Footprint, ...]] = {}
        self._aside = aside
        self._reporter = reporter
        self._name = aside.test.name
        self._target = replace(aside.test.target, live_set=None)
        first = self._as_it_is()
        self._initial = initial_heap(first)
        self._longest_s = max(_LEAST_S, _SLOW * float(first.outcome.duration_s))

    def decide(self, heap: int, noise: float) -> HeapTrial:
        """Launch pairs, with this heap and with that as it is, until it is decided whether it is enough."""
        trial = HeapTrial(heap)
        while trial.is_enough(noise) is None:
            tried = self._with(heap)
            if isinstance(tried, str):
                return structs.replace(trial, failure=tried)
            reference = footprint_of(self._as_it_is())
            if not min(tried.cpu_s, reference.cpu_s) > 0:
                raise JudgeError(f"{self._name}: the processor time of a launch is not known")
            rise = log(tried.cpu_s / reference.cpu_s)
            trial = structs.replace(
                trial, rises=(*trial.rises, rise), failure=_find_lost_work(tried, reference)
            )
            self.launched[heap] = (*self.launched.get(heap, ()), tried)
        return trial

    def _as_it_is(self) -> Run:
        for _ in range(_ATTEMPTS):
            run = self._aside.launch(self._target, self._aside.test.workload)
            check_ending(run, self._target)
            if run.quality.valid:
                return run
        raise JudgeError(
            f"{self._name}: a launch with the heap as it is cannot be used: {run.quality.describe()}",
            advice=Advice(Step(Action.DOCTOR), " (what else loads this machine)"),
        )

    def _with(self, heap: int) -> Footprint | str:
        """Return what a launch with a smaller heap used, or why the program does not get through with it."""
        target = with_heap(self._target, heap, self._initial, self._longest_s)
        self._reporter(Told(self._name, f"with a heap of {format_bytes(heap)}", detail=True))
        for _ in range(_ATTEMPTS):
            try:
                run = self._aside.launch(target, self._aside.test.workload)
            except MeasureError as error:
                # It is the heap's doing if the program can be measured with the heap as it is.
                self._as_it_is()
                return error.message.partition("\n")[0]
            if any(problem.kind is ProblemKind.SERVICE for problem in run.quality.problems):
                check_ending(run, target)
            failure = failure_of(run)
            if failure:
                return failure
            if run.quality.valid:
                break
        else:
            # A machine that disturbs each launch disturbs one with the heap as it is, too, which raises.
            self._as_it_is()
            return run.quality.describe()
        allowed = heap_limit(run)
        if allowed > _ROUNDING * heap + 2 * MIB:
            raise JudgeError(
                f"{self._name}: its JVM allows a heap of {format_bytes(allowed)}, though "
                f"{_VARIABLE} says {format_bytes(heap)}",
                advice=Advice("leave the heap as it is: ", Step(Action.SIZE, self._name), " --no-launch"),
            )
        return footprint_of(run)


def with_heap(target: Target, heap: int, initial: float, timeout_s: float) -> Target:
    """Return a target whose JVMs have at most a heap, and end when it does not suffice.

    Args:
        heap: bytes, whole MiB.
        initial: the heap with which its options let it begin, bytes; NaN if they say nothing of that.
        timeout_s: after which it is stopped, if its own time limit is not shorter.
    """
    # An initial heap above the largest one would be an error.
    words = [f"-Xms{heap // MIB}m"] if initial > heap else []
    options = " ".join([*words, f"-Xmx{heap // MIB}m", "-XX:+ExitOnOutOfMemoryError"])
    own = target.environment.get(_VARIABLE, os.environ.get(_VARIABLE, ""))
    environment = {**target.environment, _VARIABLE: f"{own} {options}".strip()}
    return replace(target, environment=environment, timeout_s=min(target.timeout_s, timeout_s))


def failure_of(run: Run) -> str:
    """Return why a program did not get through with a smaller heap, as a clause.

    Empty if it did, or if the launch was disturbed, which tells nothing of the heap.
    """
    if run.quality.valid:
        return ""
    printed = _OUT_OF_MEMORY.search(run.stderr) or _OUT_OF_MEMORY.search(run.stdout)
    if printed is not None:
        return f"ends in {printed.group().decode().removeprefix('java.lang.')}"
    if run.outcome.timed_out:
        return "takes more than three times as long"
    return "" if bad_ending(run.quality.problems) is None else run.outcome.describe()


def _find_lost_work(tried: Footprint, reference: Footprint) -> str:
    if tried.allocated < LEAST_WORK * reference.allocated:
        share = format_percent(round(tried.allocated / reference.allocated, 2))
        return f"allocates only {share} of what it did: it does less work"
    return ""
