"""The fixture ``buto``: measures a JVM while the test drives it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from buto.actions.ending import check_ending, measuring
from buto.actions.events import WaitingForStore
from buto.engine.launching import Setup, record_one
from buto.errors import MeasureError, UsageError
from buto.measure.hooks import LaunchHooks, MBeanConnection, MeasuredProgram
from buto.measure.jmx.attach import connect_program
from buto.measure.jmx.worker_client import Worker
from buto.measure.opener import open_collector
from buto.measure.progress import OnTick
from buto.measure.target import STOPPED_EXIT
from buto.pytest_plugin.session import ItemTests, LiveLaunch
from buto.run.model import PURPOSE, SESSION, Run
from buto.run.window import RESERVED

_POLL_S = 0.02


class LiveTarget:
    """A program that is being measured.

    Attributes:
        pid: process id of the measured JVM.
        run: the recorded run; None before the block has ended.
    """

    def __init__(self, program: MeasuredProgram, launch: LiveLaunch, jmx: MBeanConnection | None) -> None:
        self.pid = program.pid
        self.run: Run | None = None
        self._program = program
        self._launch = launch
        self._jmx = jmx

    @property
    def jmx(self) -> MBeanConnection:
        """Return the JMX connection: ``target.jmx.invoke("com.acme:type=Shop", "order", 3)``.

        Raises:
            UsageError: the test did not ask for a connection.
        """
        if self._jmx is None:
            raise UsageError(
                "there is no JMX connection, because it costs the program some classes and threads",
                advice="buto.record(..., jmx=True)",
            )
        return self._jmx

    @property
    def ports(self) -> tuple[int, ...]:
        """Return the TCP ports on which the program listens now, in increasing order."""
        return self._program.ports()

    @property
    def is_running(self) -> bool:
        return not self._launch.is_over

    def wait_for_port(self, port: int | None = None, timeout_s: float = 30.0) -> int:
        """Wait until the program listens on this port or on any; return the lowest such port.

        Raises:
            MeasureError: the program ended, or did not listen in time.
        """
        deadline = time.monotonic() + timeout_s
        what = "any port" if port is None else f"port {port}"
        while True:
            ports = [number for number in self.ports if port in (None, number)]
            if ports:
                return ports[0]
            if not self.is_running:
                raise MeasureError(f"the program ended before it listened on {what}")
            if time.monotonic() >= deadline:
                raise MeasureError(f"the program did not listen on {what} within {timeout_s:g} s")
            time.sleep(_POLL_S)

    def mark(self, name: str, message: str = "") -> None:
        """Note on the time axis what happens now; ``buto runs show`` prints it.

        Raises:
            UsageError: marks of this name are made by buto alone.
        """
        if name in RESERVED:
            raise UsageError(f"a mark must not be called {' or '.join(RESERVED)}, got {name!r}")
        self._program.mark(name, message)


class Buto:
    """The value of the fixture ``buto``.

    Attributes:
        runs: all runs that this test has recorded so far, in all calls of its body.
    """

    def __init__(self, tests: ItemTests, worker: Callable[[], Worker]) -> None:
        self.runs: list[Run] = []
        self._tests = tests
        self._worker = worker
        self._is_recording = False

    @contextmanager
    def record(self, *, jmx: bool = False, stop: bool = False, **arguments: Any) -> Iterator[LiveTarget]:
        """Launch a program and record it while the block drives it. The block ends when the program ends.

        The body of the test is called again for each further run that is needed.

        Args:
            jmx: whether to connect to the program's MBeans before the block begins.
            stop: whether to ask the program to end (SIGTERM) when the block has ended.
            arguments: arguments of the mark; they override those of the mark itself.

        Raises:
            ButoError: the program cannot be measured, checked or trained.
        """
        if self._is_recording:
            raise UsageError(
                "only one JVM can be measured at a time, and one is already being measured",
                advice="end its block first",
            )
        if stop:
            arguments.setdefault("expect_exit", STOPPED_EXIT)
        test = self._tests.test(arguments)
        if test.workload is not None:
            raise UsageError(
                "a test that drives its program cannot have a workload, too",
                advice="leave buto.record out, or workload=...",
            )
        case = self._tests.case(test)
        worker = self._worker() if jmx else None
        state, store = case.state, case.launcher.workspace.runs

        def record_once(on_tick: OnTick, hooks: LaunchHooks) -> Run:
            marks = {PURPOSE: state.plan.purpose} | ({SESSION: state.session} if state.session else {})
            setup = Setup(state.test.services, state.test.window)
            return record_one(collector, state.name, store, marks, on_tick, hooks, setup)

        here = store.storage.here
        self._is_recording = True
        try:
            with (
                measuring(here, lambda: case.events(WaitingForStore(here))),
                open_collector(test.target) as collector,
            ):
                launch = LiveLaunch(record_once, test.target.timeout_s)
                try:
                    program = launch.start()
                    with nullcontext() if worker is None else connect_program(program, worker) as beans:
                        target = LiveTarget(program, launch, beans)
                        yield target
                    if stop:
                        program.stop()
                    target.run = launch.finish()
                except BaseException:
                    launch.abandon()
                    raise
                self.runs.append(target.run)
                case.add([target.run])
                check_ending(target.run, test.target)
        finally:
            self._is_recording = False
