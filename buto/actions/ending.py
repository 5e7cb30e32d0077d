"""What keeps launches from going on: a test that is given up, another buto that measures, and Ctrl-C.

A test is given up if its program does not end as it should, or if too many runs are disturbed. The lock of a
store lets one buto at a time measure into it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from msgspec import Struct

from buto.errors import MeasureError, StorageError
from buto.measure.output import last_lines
from buto.measure.program_faults import (
    GIVE_INPUT,
    READ_INPUT,
    find_fault,
    find_last_exception,
    find_thrown,
)
from buto.measure.target import Target
from buto.measure.workload.plan import FAILURES
from buto.run.files import acquire
from buto.run.model import BAD_ENDS, INPUT_READ, Problem, ProblemKind, Run
from buto.run.storage import Place
from buto.steps import Action, Advice, Configuration, Setting, Step

_LEAST_REPEATS = 3

_LESS_OFTEN = Setting("interval", "1s")

_ADVICE = {
    ProblemKind.STARVED: Advice(
        Step(Action.DOCTOR), " (what else loads this machine), or sample less often: ", _LESS_OFTEN
    ),
    ProblemKind.BUSY_HOST: Advice("load the program less, or use a machine with more cores"),
    ProblemKind.SLOW_MBEAN: Advice(
        "record other MBeans: ", Setting("mbean", "PATTERN"), ", or sample less often: ", _LESS_OFTEN
    ),
}
"""Advice on the most common problem of many runs."""


def repeats(runs: int) -> int:
    """Return how many disturbed runs of a test are repeated: half of the planned runs, at least three."""
    return max(_LEAST_REPEATS, runs // 2)


def check_ending(run: Run, target: Target) -> None:
    """Raise an error if a run's program did not end as it should: then its test is not launched again.

    Raises:
        MeasureError: it did, or its workload or a service failed; quotes what the program printed.
    """
    failed = _first(run, ProblemKind.SERVICE) or _first(run, ProblemKind.WORKLOAD)
    bad_end = _first(run, ProblemKind.JVM_END)
    fault = find_fault(run.stderr) or find_fault(run.stdout)
    bad_exit = _first(run, ProblemKind.EXIT_CODE) or _first(run, ProblemKind.SIGNAL)
    what = f"the program {run.outcome.describe()}"
    thrown = find_thrown(run.stderr) or find_thrown(run.stdout)
    if thrown is not None and bad_exit is not None and run.outcome.exit_code is not None:
        # Nobody wants a program to end so.
        raise MeasureError(f"{thrown.printed}\n{what}\n{_quote(run)}", advice=Advice(thrown.advice))
    if failed is not None and bad_exit is not None and not run.outcome.timed_out:
        # What asked a program that has ended had no answer, so its end is the cause.
        printed = find_last_exception(run.stderr) or find_last_exception(run.stdout)
        exception = f": {printed}" if printed else ""
        during = " during its workload" if failed.kind is ProblemKind.WORKLOAD else ""
        raise MeasureError(
            f"{what}{during}{exception}\n{failed.text}\n{_quote(run)}",
            advice=Advice(
                f"{fault.advice if fault else 'find out why it ended'}; what was recorded: ", _show(run)
            ),
        )
    if failed is not None and not run.outcome.timed_out:
        raise MeasureError(f"{failed.text}\n{_quote(run)}", advice=_advise_on_requests(run))
    if not run.outcome.timed_out and bad_exit is None:
        if bad_end is None:
            return
        what = bad_end.text
        advice = Advice("if this is intended, give the java command itself, or a script with its exit code")
    elif run.outcome.timed_out:
        what += f" of {target.timeout_s:g} s"
        more = Setting("timeout", f"{2 * target.timeout_s:g}s")
        advice = Advice("allow more time: ", more, ", or find out what it waits for")
    elif fault is not None or run.outcome.exit_code is not None:
        expected = Setting("expect-exit", str(run.outcome.exit_code))
        has_read = run.metadata.get(INPUT_READ) is True
        seen = [*([READ_INPUT] if has_read else []), *([fault.text] if fault else [])]
        what += f": {'; '.join(seen)}" if seen else ""
        helps = [f"if it needs input, {GIVE_INPUT}"] if has_read else []
        helps += [fault.advice] if fault else []
        advice = Advice("; ".join([*helps, "if this program should end so: "]), expected)
    else:
        advice = Advice("see what the run recorded: ", _show(run))
    raise MeasureError(f"{what}\n{_quote(run)}", advice=advice)


def _show(run: Run) -> Step:
    return Step(Action.SHOW_RUN, run.test, run_id=run.id)


def _advise_on_requests(run: Run) -> Advice:
    """Return what helps against requests that failed; where none is known to have, to look at the run."""
    names = (item.name for item in run.properties)
    failing = [
        name
        for name in names
        if name.startswith(FAILURES) and np.fmax.reduce(run.series(name), initial=0) > 0
    ]
    if not failing:
        return Advice(_show(run))
    kinds = ", ".join(name.removeprefix(FAILURES).strip("[]") for name in failing)
    return Advice(
        f"mend what answers {kinds}; or, where such an answer is right, give the request its status, as "
        "status: 404; or let a share of all requests fail, as may-fail: 0.02 of the load, in ",
        Configuration(),
    )


def _first(run: Run, kind: ProblemKind) -> Problem | None:
    return next((problem for problem in run.quality.problems if problem.kind is kind), None)


def bad_ending(problems: Sequence[Problem]) -> Problem | None:
    """Return the problem of a stored run for which :func:`check_ending` gave its test up."""
    return next((problem for problem in problems if problem.kind in BAD_ENDS), None)


def _quote(run: Run) -> str:
    quoted = (("stdout", last_lines(run.stdout)), ("stderr", last_lines(run.stderr)))
    return "\n".join(f"{name}, last lines:\n{lines}" if lines else f"{name}: empty" for name, lines in quoted)


def advice_on(problems: Sequence[Problem]) -> Advice | None:
    """Return what helps against the first of a run's problems that has such advice; None if none has."""
    return next((_ADVICE[problem.kind] for problem in problems if problem.kind in _ADVICE), None)


def check_repeats(runs: Sequence[Run], planned: int) -> None:
    """Raise MeasureError if more runs were disturbed than :func:`repeats` allows for the planned number."""
    invalid = [run for run in runs if not run.quality.valid]
    if len(invalid) <= repeats(planned):
        return
    kinds = Counter(
        kind for run in invalid for kind in dict.fromkeys(problem.kind for problem in run.quality.problems)
    )
    commonest = kinds.most_common(1)[0][0]
    example = next(
        problem.text for run in invalid for problem in run.quality.problems if problem.kind is commonest
    )
    show = Advice(Step(Action.SHOW_RUN, invalid[-1].test, run_id=invalid[-1].id))
    raise MeasureError(
        f"{len(invalid)} of {len(runs)} runs were disturbed, most often: {example}",
        advice=_ADVICE.get(commonest, show),
    )


LOCK_TIMEOUT_S = 3600.0
"""How long to wait for another buto that measures: six launches that reach the default time limit."""

_ANOTHER = Setting("store", "DIR")


@contextmanager
def measuring(root: Path, on_wait: Callable[[], None], timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Hold the lock of a store: two butos that measure at the same time would disturb each other.

    The lock is the kernel's, on the store's directory (``flock``): it leaves no file
    behind, and is released when the process ends.

    Args:
        root: the store's directory; created if it does not exist.
        on_wait: called once before waiting for another.
        timeout_s: how long to wait.

    Raises:
        StorageError: the directory cannot be created or written, or the other buto does not end in time.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_writable(root, error.strerror) from error
    try:
        if not os.access(root, os.W_OK | os.X_OK):
            raise _not_writable(root, "permission denied")
        if not acquire(descriptor, timeout_s, on_wait):
            raise StorageError(
                f"another buto is still measuring into {root}",
                advice=Advice(f"fuser {root} shows its process; or name another store: ", _ANOTHER),
            )
        yield
    finally:
        os.close(descriptor)


def _not_writable(root: Path, why: str | None) -> StorageError:
    return StorageError(
        f"the store {root} cannot be written: {why}", advice=Advice("name another: ", _ANOTHER)
    )


class Complete(Struct, frozen=True):
    """How many of the planned usable runs of a test are stored."""

    test: str
    runs: int
    planned: int


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while programs were launched.

    Attributes:
        complete: the runs that each test has; empty if nothing was stored.
        store: the store that has them.
        first_id: id of the first run that was stored, None without any; training can continue from there.
    """

    def __init__(self, complete: tuple[Complete, ...], store: Place, first_id: str | None) -> None:
        super().__init__("interrupted")
        self.complete, self.store, self.first_id = complete, store, first_id
