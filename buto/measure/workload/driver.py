"""Run a workload during one launch.

HTTP requests go out in an open loop: each is sent when it is due, whether or not earlier ones were answered.
A loop that waits for answers would send fewer requests to a slower program and hide the slowness.
"""

from __future__ import annotations

import http.client
import shutil
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from buto.errors import MeasureError, UsageError
from buto.measure.hooks import LaunchHooks, MBeanConnection, Program
from buto.measure.jmx.attach import connect_program
from buto.measure.jmx.worker_client import Worker
from buto.measure.workload import parts
from buto.measure.workload.load import NO_ANSWER, TRACK, Progress, drive, properties, require_client
from buto.measure.workload.model import HttpLoad, Workload
from buto.measure.workload.plan import Load
from buto.measure.workload.services import HttpAnswers
from buto.run.model import Problem, ProblemKind
from buto.run.units import format_count, format_seconds

START, END = "load.start", "load.end"
"""Names of the marks on the time axis."""

_POLL_S = 0.02
_ASK_S = 0.1


@contextmanager
def workload_hooks(workload: Workload) -> Iterator[Callable[[], LaunchHooks]]:
    """Yield a function that creates a driver for each launch.

    If the workload invokes MBeans, all launches within the block share one JMX worker.

    Raises:
        UsageError: there is no such command as the workload's.
        MeasureError: the JMX worker cannot be started.
    """
    if workload.command and shutil.which(workload.command[0]) is None:
        raise UsageError(
            f"the workload's command {workload.command[0]!r} does not exist, or is not executable",
            advice="correct workload: {command: [...]}, relative to the directory in which buto is started",
        )
    if workload.load is not None:
        require_client()
    with ExitStack() as held:
        worker = None
        if workload.operations:
            worker = held.enter_context(Worker())
            worker.warm_up()
        yield lambda: Driver(workload, worker)


class Driver(LaunchHooks):
    """Launch hooks that run a workload, in a thread of its own.

    Args:
        worker: started; for the operations of MBeans.
    """

    def __init__(self, workload: Workload, worker: Worker | None) -> None:
        self._workload = workload
        self._worker = worker
        self._stop = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="buto-workload")
        self._done: Future[tuple[str, ...]] | None = None

    def program_started(self, program: Program) -> None:
        self._done = self._thread.submit(self._carry_out, program)

    def program_ended(self) -> tuple[Problem, ...]:
        assert self._done is not None
        self._stop.set()
        problems = self._done.result()
        self._thread.shutdown()
        return tuple(Problem(ProblemKind.WORKLOAD, f"its workload: {one}") for one in problems)

    def _carry_out(self, program: Program) -> tuple[str, ...]:
        """Run the workload and return its problems; stop the program if the workload failed."""
        failed = True
        try:
            problems = self._problems(program)
            failed = bool(problems)
            return problems
        finally:
            if failed or self._workload.stop:
                program.stop()

    def _problems(self, program: Program) -> tuple[str, ...]:
        with ExitStack() as held:
            try:
                connection = (
                    held.enter_context(connect_program(program, self._worker)) if self._worker else None
                )
                port = self._wait(program)
            except MeasureError as failure:
                return (failure.message,)
            program.mark(START)
            problems, summary = self._do(program, port, connection)
            program.mark(END, summary)
        if problems:
            return problems
        return ("it was still running when the program ended",) if self._stop.is_set() else ()

    def _do(
        self, program: Program, port: int | None, connection: MBeanConnection | None
    ) -> tuple[tuple[str, ...], str]:
        """Run all parts at once; return their problems, and a text about their results."""
        workload = self._workload
        summaries: list[str] = []
        todo: list[Callable[[], tuple[str, ...]]] = []
        if workload.command:
            environment = {"BUTO_PID": str(program.pid), "BUTO_PORT": str(port or "")}
            todo.append(lambda: parts.run_command(workload.command, environment, self._stop, program))
        if connection is not None:
            todo.append(lambda: parts.invoke(connection, workload.operations, self._stop))
        if workload.http is not None:
            load = workload.http
            todo.append(lambda: self._send(load, port, summaries))
        if workload.load is not None:
            mixed = workload.load
            todo.append(lambda: self._drive(mixed, program, port, summaries))
        with ThreadPoolExecutor(len(todo), thread_name_prefix="buto-workload-part") as pool:
            problems = [one for part in pool.map(lambda part: part(), todo) for one in part]
        return tuple(problems), "; ".join(summaries)

    def _send(self, load: HttpLoad, port: int | None, summaries: list[str]) -> tuple[str, ...]:
        answers, problems = send(load, load.url.replace("${port}", str(port or "")), self._stop)
        summaries.append(describe(answers))
        return problems

    def _drive(self, load: Load, program: Program, port: int | None, summaries: list[str]) -> tuple[str, ...]:
        track = program.track(TRACK, load.interval_s)
        track.add_columns(properties([kind.name for kind in load.kinds]))

        def close(middle_s: float, reading: Mapping[str, float]) -> None:
            track.add(time.monotonic_ns() - round(middle_s * 1e9), reading, NO_ANSWER)

        progress = Progress(lambda name: program.mark(name, judged=False), close)
        url = load.url.replace("${port}", str(port or ""))
        summary, problems = drive(load, url, self._stop, progress)
        summaries.append(summary)
        return problems

    def _wait(self, program: Program) -> int | None:
        """Wait until the workload should begin; return the port that was waited for, if any.

        Raises:
            MeasureError: the program does not listen, or is not ready, in time.
        """
        deadline = time.monotonic() + self._workload.within_s
        found = self._wait_for_port(program, deadline)
        if self._workload.ready is not None:
            self._wait_until_ready(self._workload.ready, found, deadline)
        self._stop.wait(self._workload.after_s)
        return found

    def _wait_for_port(self, program: Program, deadline: float) -> int | None:
        port = self._workload.port
        found: int | None = None
        while port is not None and found is None:
            found = next((one for one in program.ports() if port in (0, one)), None)
            if found is None and time.monotonic() >= deadline:
                within = format_seconds(self._workload.within_s)
                raise MeasureError(f"the program did not listen at {port or 'any port'} within {within}")
            if self._stop.wait(0 if found else _POLL_S):
                break
        return found

    def _wait_until_ready(self, wanted: HttpAnswers, port: int | None, deadline: float) -> None:
        # Imported only if needed: it loads Python's whole HTTP client.
        from buto.measure.workload.serving import HttpCheck

        check = HttpCheck(replace(wanted, url=wanted.url.replace("${port}", str(port or ""))))
        while (missing := check.missing()) is not None and not self._stop.wait(_ASK_S):
            if time.monotonic() >= deadline:
                within = format_seconds(self._workload.within_s)
                raise MeasureError(f"the program was not ready within {within}: {missing}")


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Ignores the proxies of the environment, which cannot reach 127.0.0.1 of this machine."""

_ANSWER_S = 10.0
_MOST_AT_ONCE = 64
_MOST_SHOWN = 200
_MOST_LATE_S = 1.0
"""If a request is sent later than this, the load was not the planned one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one request.

    Attributes:
        late_s: how long after its due time it was sent.
        took_s: from its due time to the end of its answer.
        failure: empty for a good answer.
    """

    late_s: float
    took_s: float
    failure: str = ""


def send(load: HttpLoad, url: str, stop: threading.Event) -> tuple[list[Answer], tuple[str, ...]]:
    """Send all requests, or those that are due before ``stop`` is set.

    Returns:
        The answers, and the problems.
    """
    begun = time.monotonic()
    with ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="buto-http") as pool:
        sent = []
        for number in range(load.n_requests):
            due = begun + number / load.rate
            if stop.wait(max(0.0, due - time.monotonic())):
                break
            sent.append(pool.submit(_ask, url, due))
        answers = [one.result() for one in sent]
    return answers, tuple(_problems(answers))


def describe(answers: list[Answer]) -> str:
    """Return the number of answers and how long they took, in one line."""
    if not answers:
        return "no requests"
    took = sorted(one.took_s for one in answers)
    median, almost = (format_seconds(took[int(share * (len(took) - 1))]) for share in (0.5, 0.99))
    return f"{format_count(len(answers), 'request')}, median {median}, 99 % within {almost}"


def _problems(answers: list[Answer]) -> list[str]:
    failed = [one.failure for one in answers if one.failure]
    problems = []
    if failed:
        problems.append(
            f"{len(failed)} of {format_count(len(answers), 'request')} failed, first: {failed[0]}"
        )
    latest_s = max((one.late_s for one in answers), default=0.0)
    if latest_s > _MOST_LATE_S:
        problems.append(
            f"requests were sent up to {format_seconds(latest_s)} late: {_MOST_AT_ONCE} waited for answers, "
            "or this machine was too busy"
        )
    return problems


def _ask(url: str, due: float) -> Answer:
    late_s = time.monotonic() - due
    failure = ""
    try:
        with _OPENER.open(url, timeout=_ANSWER_S) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        failure = f"HTTP {error.code}"
        error.close()
    except OSError as error:
        failure = str(error)
    except http.client.HTTPException as error:
        failure = f"invalid HTTP: {error!r:.{_MOST_SHOWN}}"
    return Answer(late_s, time.monotonic() - due, failure)
