"""Run a workload during one launch."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from buto.collect.hooks import LaunchHooks, MBeanConnection, Program
from buto.collect.jmx.attach import connect_program
from buto.collect.jmx.worker_client import Worker
from buto.errors import MeasureError, UsageError
from buto.runs import Problem, ProblemKind
from buto.units import format_seconds
from buto.workload import parts
from buto.workload.load import tally
from buto.workload.load.model import Load
from buto.workload.model import HttpLoad, Workload
from buto.workload.services.model import HttpAnswers

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
        from buto.workload.load.engine import require_client

        require_client()
    with ExitStack() as held:
        worker = None
        if workload.operations:
            worker = held.enter_context(Worker())
            worker.warm_up()
        yield lambda: Driver(workload, worker)


class Driver:
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
        """See :class:`LaunchHooks`."""
        self._done = self._thread.submit(self._carry_out, program)

    def program_ended(self) -> tuple[Problem, ...]:
        """See :class:`LaunchHooks`."""
        assert self._done is not None
        self._stop.set()
        problems = self._done.result()
        self._thread.shutdown()
        return tuple(Problem(ProblemKind.WORKLOAD, f"its workload: {one}") for one in problems)

    def cpu_s(self) -> float:
        """See :class:`LaunchHooks`; the workload's command has been waited for when the program has ended."""
        return 0.0

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
        # Imported only if needed: it loads Python's whole HTTP client.
        from buto.workload import http

        answers, problems = http.send(load, load.url.replace("${port}", str(port or "")), self._stop)
        summaries.append(http.describe(answers))
        return problems

    def _drive(self, load: Load, program: Program, port: int | None, summaries: list[str]) -> tuple[str, ...]:
        # Imported only if needed: its HTTP client belongs to an extra.
        from buto.workload.load import engine

        track = program.track(tally.TRACK, load.interval_s)
        track.add_columns(tally.properties([kind.name for kind in load.kinds]))

        def close(middle_s: float, reading: Mapping[str, float]) -> None:
            track.add(time.monotonic_ns() - round(middle_s * 1e9), reading, tally.NO_ANSWER)

        progress = engine.Progress(lambda name: program.mark(name, judged=False), close)
        url = load.url.replace("${port}", str(port or ""))
        summary, problems = engine.drive(load, url, self._stop, progress)
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
        from buto.workload.services.readiness import HttpCheck

        check = HttpCheck(replace(wanted, url=wanted.url.replace("${port}", str(port or ""))))
        while (missing := check.missing()) is not None and not self._stop.wait(_ASK_S):
            if time.monotonic() >= deadline:
                within = format_seconds(self._workload.within_s)
                raise MeasureError(f"the program was not ready within {within}: {missing}")
