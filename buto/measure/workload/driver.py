"""Run a workload during one launch.

HTTP requests go out in an open loop: each is sent when it is due, whether or not earlier ones were answered.
A loop that waits for answers would send fewer requests to a slower program and hide the slowness.
"""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import IO
from urllib.parse import urlsplit

from msgspec import structs

from buto.errors import MeasureError, UsageError
from buto.measure import account
from buto.measure.environment import give_environment
from buto.measure.hooks import LaunchHooks, MBeanConnection, MeasuredProgram
from buto.measure.host import IDLE, LoadMeter
from buto.measure.jmx.attach import connect_program
from buto.measure.jmx.worker_client import Worker
from buto.measure.output import last_lines
from buto.measure.target import PORT, ROUND_OVER
from buto.measure.watchdog import Watchdog
from buto.measure.workload.load import (
    MOST_SHOWN,
    NO_ANSWER,
    NOT_BEGUN,
    LoadListener,
    Tally,
    drive,
    properties,
    reason_of,
    require_client,
)
from buto.measure.workload.model import END, START, HttpLoad, Listener, Operation, ReportParser, Workload
from buto.measure.workload.plan import TRACK, Load
from buto.measure.workload.services import HttpAnswers
from buto.run.model import AFTER_ROUND, Problem, ProblemKind
from buto.run.units import format_seconds

_POLL_S = 0.02
_COMMAND_POLL_S = 0.05
_ASK_S = 0.1
_COUNT_S = 60.0


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
        self._done: Future[tuple[Problem, ...]] | None = None

    def program_started(self, program: MeasuredProgram) -> None:
        self._done = self._thread.submit(self._carry_out, program)

    def program_ended(self) -> tuple[Problem, ...]:
        assert self._done is not None
        self._stop.set()
        problems = self._done.result()
        self._thread.shutdown()
        return tuple(Problem(problem.kind, f"its workload: {problem.text}") for problem in problems)

    def _carry_out(self, program: MeasuredProgram) -> tuple[Problem, ...]:
        """Run the workload and return its problems; stop the program if the workload failed."""
        failed = True
        try:
            problems = self._problems(program)
            failed = any(problem.kind is ProblemKind.WORKLOAD for problem in problems)
            return problems
        finally:
            if failed or self._workload.stop:
                program.stop()

    def _problems(self, program: MeasuredProgram) -> tuple[Problem, ...]:
        with ExitStack() as held:
            try:
                connection = (
                    held.enter_context(connect_program(program, self._worker)) if self._worker else None
                )
                port = self._wait(program)
            except MeasureError as failure:
                return _failed(failure.message)
            program.mark(START)
            meter = LoadMeter()
            problems, summary = self._do_all(program, port, connection)
            # A start uses all cores on any machine, so it says nothing about this one.
            program.recording.metadata[IDLE] = meter.idle_share()
            program.mark(END, summary)
        if self._stop.is_set():
            # What failed may have failed because nobody was there to answer.
            failures = [problem.text for problem in problems if problem.kind is ProblemKind.WORKLOAD]
            others = [problem for problem in problems if problem.kind is not ProblemKind.WORKLOAD]
            ended = "it was still running when the program ended"
            return (*_failed("; ".join([ended, *failures])), *others)
        return problems

    def _do_all(
        self, program: MeasuredProgram, port: int | None, connection: MBeanConnection | None
    ) -> tuple[tuple[Problem, ...], str]:
        """Run the workload once, or in rounds, after each of which the program is counted."""
        if not self._workload.rounds:
            return self._do(program, port, connection)
        for number in range(1, self._workload.rounds + 1):
            problems, summary = self._do(program.without_tracks(), port, connection)
            problems = problems or self._count_round(program, number)
            if problems or self._stop.is_set():
                break
        return problems, summary

    def _count_round(self, program: MeasuredProgram, number: int) -> tuple[Problem, ...]:
        """Ask for a count, and wait for it; return why there is none."""
        program.mark(ROUND_OVER, judged=False)
        deadline = time.monotonic() + _COUNT_S
        while program.recording.marks_since(0)[0].count(AFTER_ROUND) < number:
            if time.monotonic() >= deadline:
                return _failed(f"round {number} was not counted within {format_seconds(_COUNT_S)}")
            if self._stop.wait(_POLL_S):
                break
        return ()

    def _do(
        self, program: MeasuredProgram, port: int | None, connection: MBeanConnection | None
    ) -> tuple[tuple[Problem, ...], str]:
        """Run all parts at once; return their problems, and a text about their results."""
        workload, at = self._workload, str(port or "")
        todo: list[Callable[[], tuple[str, tuple[Problem, ...]]]] = []
        if workload.command:
            environment = {"BUTO_PID": str(program.pid), "BUTO_PORT": at}
            todo.append(
                lambda: ("", _failed(*run_command(workload.command, environment, self._stop, program)))
            )
        if connection is not None:
            todo.append(lambda: ("", _failed(*invoke(connection, workload.operations, self._stop))))
        if workload.http is not None:
            http_load = workload.http
            todo.append(lambda: send(http_load, http_load.url.replace(PORT, at), self._stop))
        if workload.load is not None:
            mixed = workload.load
            todo.append(lambda: self._drive(mixed, program, mixed.url.replace(PORT, at)))
        with ThreadPoolExecutor(len(todo), thread_name_prefix="buto-workload-part") as pool:
            done = list(pool.map(lambda part: part(), todo))
        summary = "; ".join(text for text, _ in done if text)
        return tuple(problem for _, problems in done for problem in problems), summary

    def _drive(self, load: Load, program: MeasuredProgram, url: str) -> tuple[str, tuple[Problem, ...]]:
        load, rates = load.draw(program.recording.id)
        for phase, rate in rates.items():
            program.recording.metadata[f"load.rate[{phase}]" if phase else "load.rate"] = rate
        track = program.track(TRACK, load.interval_s)
        track.add_columns(properties([kind.name for kind in load.kinds]))
        # Otherwise the first interval would be known for samples before it, too.
        track.add(time.monotonic_ns() - round(load.interval_s / 2 * 1e9), {}, NOT_BEGUN)

        def close(middle_s: float, reading: Mapping[str, float]) -> None:
            track.add(time.monotonic_ns() - round(middle_s * 1e9), reading, NO_ANSWER)

        progress = LoadListener(lambda name: program.mark(name, judged=False), close)
        return drive(load, url, self._stop, progress)

    def _wait(self, program: MeasuredProgram) -> int | None:
        """Wait until the workload should begin; return the port that was waited for, if any.

        Raises:
            MeasureError: the program does not listen, or is not ready, in time.
        """
        deadline = time.monotonic() + self._workload.within_s
        port = self._wait_for_port(program, deadline)
        if self._workload.ready is not None:
            self._wait_until_ready(self._workload.ready, port, deadline)
        self._stop.wait(self._workload.after_s)
        return port

    def _wait_for_port(self, program: MeasuredProgram, deadline: float) -> int | None:
        port = self._workload.port
        open_port: int | None = None
        while port is not None and open_port is None:
            open_port = next((number for number in program.ports() if port in (0, number)), None)
            if open_port is None and time.monotonic() >= deadline:
                within = format_seconds(self._workload.within_s)
                raise MeasureError(f"the program did not listen at {port or 'any port'} within {within}")
            if self._stop.wait(0 if open_port else _POLL_S):
                break
        return open_port

    def _wait_until_ready(self, wanted: HttpAnswers, port: int | None, deadline: float) -> None:
        # Imported only if needed: it loads Python's whole HTTP client.
        from buto.measure.workload.serving import missing_at

        here = structs.replace(wanted, url=wanted.url.replace(PORT, str(port or "")))
        while (missing := missing_at(here)) is not None and not self._stop.wait(_ASK_S):
            if time.monotonic() >= deadline:
                within = format_seconds(self._workload.within_s)
                raise MeasureError(f"the program was not ready within {within}: {missing}")


def _failed(*reasons: str) -> tuple[Problem, ...]:
    return tuple(Problem(ProblemKind.WORKLOAD, reason) for reason in reasons)


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Ignores the proxies of the environment, which cannot reach 127.0.0.1 of this machine."""

_ANSWER_S = 10.0
_MOST_AT_ONCE = 64


def send(load: HttpLoad, url: str, stop: threading.Event) -> tuple[str, tuple[Problem, ...]]:
    """Send all requests, or those that are due before ``stop`` is set.

    Returns:
        The number of answers and how long they took, in one line; and the problems.
    """
    begun = time.monotonic()
    with ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="buto-http") as pool:
        sent = []
        for number in range(load.n_requests):
            due = begun + number / load.rate
            if stop.wait(max(0.0, due - time.monotonic())):
                break
            sent.append(pool.submit(_ask, url, due))
    # A query may hold a secret.
    tally = Tally([""], [f"GET {urlsplit(url).path[:MOST_SHOWN] or '/'}"])
    for late_s, took_s, failure in (future.result() for future in sent):
        tally.note_sent(late_s)
        tally.note_answer(0, took_s, failure)
    why_late = f"{_MOST_AT_ONCE} waited for answers, or this machine was too busy"
    return tally.describe(), tally.problems(why_late)


def _ask(url: str, due: float) -> tuple[float, float, str]:
    """Ask once; return how late, how long after it was due the answer was there, and why it is not good."""
    late_s = time.monotonic() - due
    failure = ""
    try:
        with _OPENER.open(url, timeout=_ANSWER_S) as answer:
            answer.read()
    except urllib.error.HTTPError as error:
        failure = f"HTTP {error.code}"
        error.close()
    except urllib.error.URLError as error:
        failure = reason_of(error.reason if isinstance(error.reason, Exception) else error)
    except (OSError, http.client.HTTPException) as error:
        failure = reason_of(error)
    return late_s, time.monotonic() - due, failure


_GRACE_S = 2.0
_QUOTED_BYTES = 65536
_QUOTED_LINES = 5


def run_command(
    command: Sequence[str], environment: dict[str, str], stop: threading.Event, listener: Listener
) -> tuple[str, ...]:
    """Run a command to its end; end its process group if ``stop`` is set.

    Args:
        listener: takes the marks and numbers that the command prints.

    Returns:
        Its problems, with the last lines that it printed; none if it was stopped.
    """
    with tempfile.TemporaryFile() as output, Watchdog() as watchdog:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**give_environment(), **environment, **watchdog.environment},
                start_new_session=True,
                preexec_fn=partial(account.die_with_parent, os.getpid()),
            )
        except OSError as error:
            return (f"its command {command[0]} cannot be started: {error.strerror}",)
        watchdog.watch(process.pid)
        reports = ReportParser(listener)
        # A daemon, because a process that left the group may keep the pipe open.
        reading = threading.Thread(target=reports.copy, args=(process.stdout, output), daemon=True)
        reading.start()
        try:
            while process.poll() is None and not stop.wait(_COMMAND_POLL_S):
                reports.flush()
            code = process.poll()
        finally:
            _end(process)
            reading.join(_GRACE_S)
        reports.flush(at_once=True)
        if code in (None, 0):
            return reports.problems
        return (f"its command {command[0]} {_ending(code or 0)}; {_quote(output)}",)


def invoke(
    connection: MBeanConnection, operations: Sequence[Operation], stop: threading.Event
) -> tuple[str, ...]:
    """Invoke operations at their times, counted from now; return the problem of the first that fails."""
    begun = time.monotonic()
    for operation in operations:
        if stop.wait(max(0.0, begun + operation.at_s - time.monotonic())):
            break
        try:
            connection.invoke(operation.mbean, operation.name, *operation.arguments)
        except MeasureError as failure:
            return (failure.message,)
    return ()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group: SIGTERM, two seconds, SIGKILL."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ending(code: int) -> str:
    return f"exited with code {code}" if code > 0 else f"was ended by signal {-code}"


def _quote(output: IO[bytes]) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _QUOTED_BYTES))
    lines = last_lines(output.read(), _QUOTED_LINES).splitlines()
    return f"it printed: {' / '.join(lines)}" if lines else "it printed nothing"
