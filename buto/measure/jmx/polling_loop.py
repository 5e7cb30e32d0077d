"""Follow one launch under JMX: find the JVM, connect, and poll it to its end."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from buto.measure import account, exits
from buto.measure.diagnostic_command import AttachError
from buto.measure.hooks import HookCaller
from buto.measure.hsperfdata import HeldCounters, NoPerfData
from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.credentials import JmxFailure
from buto.measure.jmx.local_agent import open_endpoint
from buto.measure.jmx.worker_client import Worker
from buto.measure.jvms import NO_PROGRAM, GoneError, is_wanted, local_jvm, main_name, started_ms
from buto.measure.launch import Ending, Launch, TimeLimit
from buto.measure.outside import OutsideReader
from buto.measure.progress import OnTick, Progress
from buto.measure.recording import Recording

TICK_S = 0.1
_LOOK_S = 0.02
"""Interval of the search for JVMs while none is connected. Their counter files cannot be waited for."""

_NO_COUNTERS_NS = 5_000_000_000
"""A JVM without performance counters after this time will have none."""

_END_S = 1.0
"""A connection that fails so shortly before its JVM's end failed because of the end."""


class PollingLoop:
    """Follows one launch to its end.

    Attributes:
        pid: of the measured JVM; None until one was found.
        connection: to that JVM; None until then.
        seen_command: ``sun.java.command`` of the JVM that was seen last, connected or not.
        others: main classes of the JVMs that were not wanted.
        dead_ns: when the end of the measured JVM was seen; 0 before.
        outside: reads that JVM from outside; None until it was found.
    """

    def __init__(
        self,
        launch: Launch,
        directory: Path,
        worker: Worker,
        recording: Recording,
        on_tick: OnTick | None,
        hook_caller: HookCaller,
    ) -> None:
        self.pid: int | None = None
        self.connection: JmxConnection | None = None
        self.seen_command = ""
        self.others: list[str] = []
        self.dead_ns = 0
        self.outside: OutsideReader | None = None
        self._launch = launch
        self._directory = directory
        self._worker = worker
        self._recording = recording
        self._on_tick = on_tick
        self._hook_caller = hook_caller
        self._limit = TimeLimit(launch)
        self._unwanted: set[int] = set()
        self._counters: HeldCounters | None = None
        self._main_seen = False
        self._jvm_end: int | None = None
        self._held = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    @property
    def timed_out(self) -> bool:
        """Whether the target's time limit has passed."""
        return self._limit.has_passed

    def exit_code(self, ending: Ending) -> int | None:
        """Return the measured JVM's exit code once all have ended, see :func:`exit_status.code_of`."""
        if self.pid is None:
            return None
        return exits.code_of(self._launch, self.pid, self._jvm_end, ending)

    @property
    def duration_s(self) -> float:
        """From the program's start to the end of its JVM."""
        return (self.dead_ns - (self._recording.zero_ns or 0)) * 1e-9

    def run(self) -> Ending:
        """Follow the command and the measured JVM to their end.

        Raises:
            MeasureError: the JVM cannot be connected, the worker fails, or processes cannot be killed.
        """
        next_tick = time.monotonic()
        while True:
            if time.monotonic() >= next_tick:
                self._tick()
                next_tick = time.monotonic() + TICK_S
            if self.pid is None:
                self._find_jvm()
            ending = self._launch.poll()
            if ending is not None and self._is_over():
                return ending
            self._wait(_LOOK_S if self.pid is None else max(0.0, next_tick - time.monotonic()))

    def _is_over(self) -> bool:
        """Return whether nothing more can come; called once the command has ended."""
        if self.pid is not None:
            return self.dead_ns != 0
        return self._launch.is_finished()

    def _wait(self, timeout_s: float) -> None:
        """Wait for the end of the measured JVM; before and after it, for the end of the command."""
        if self._jvm_end is not None and not self.dead_ns:
            if account.readable(self._jvm_end, timeout_s):
                self.dead_ns = time.monotonic_ns()
                self._disconnect()
        elif self._launch.poll() is None:
            account.readable(self._launch.fileno(), timeout_s)
        elif not self.dead_ns:
            time.sleep(timeout_s)

    def _tick(self) -> None:
        self._launch.trim_outputs()
        self._limit.enforce()
        if self.connection is not None and not self.dead_ns and self.connection.lost is None:
            self._drain(self.connection)
            self._observe_main()
            if self.pid is not None and (self._main_seen or self._counters is None):
                self._hook_caller.start(self.pid, self.connection)
        if self._on_tick is not None:
            stage = "starting" if self.pid is None else "ending" if self.dead_ns else "running"
            elapsed_s = (time.monotonic_ns() - self._launch.started_ns) * 1e-9
            timeout_s = self._launch.target.timeout_s
            self._on_tick(
                Progress(elapsed_s, timeout_s, self._recording.n_samples, stage, self._recording.newest)
            )

    def _find_jvm(self) -> None:
        """Connect to the first JVM of the command that is wanted and ready."""
        is_command = self._launch.line.direct and self._launch.target.jvm is None
        for pid in [self._launch.pid] if is_command else self._launch.members():
            jvm = None if pid in self._unwanted else local_jvm(pid)
            if jvm is None:
                # A JVM without counters (-XX:-UsePerfData) counts as ready after some time.
                waited_ns = time.monotonic_ns() - self._launch.started_ns
                if is_command and waited_ns > _NO_COUNTERS_NS:
                    self._connect(pid)
                continue
            self.seen_command = jvm.command
            if not jvm.is_ready:
                continue
            if is_command or is_wanted(jvm.command, self._launch.target.jvm):
                self._connect(pid)
                return
            self._unwanted.add(pid)
            self.others.append(main_name(jvm.command) or NO_PROGRAM)

    def _connect(self, pid: int) -> None:
        self._jvm_end = account.open_pidfd(pid)
        if self._jvm_end is None:
            return
        self._held.callback(os.close, self._jvm_end)
        self.pid = pid
        target = self._launch.target
        counters, events = self._hold_counters(pid), self._launch.events_of(pid)
        self.outside = self._held.enter_context(OutsideReader(self._recording, pid, counters, events))
        try:
            # Nothing stops the JMX agent: the JVM ends before this loop does.
            endpoint = open_endpoint(pid, self._directory)
            self.connection = self._held.enter_context(
                JmxConnection(self._worker, endpoint.address, f"process {pid}", endpoint.credentials)
            )
            endpoint.revoke_password()
            times = self.connection.start(
                self._recording, target.interval_s, target.mbeans, same_machine=True
            )
            self._recording.zero_ns = times.started_ns
        except (AttachError, GoneError, JmxFailure):
            if not account.readable(self._jvm_end, _END_S):
                raise
            self.connection = None

    def _hold_counters(self, pid: int) -> HeldCounters | NoPerfData:
        try:
            self._counters = self._held.enter_context(HeldCounters(pid, started_ms(pid) or 0))
        except NoPerfData as reason:
            self._recording.metadata["buto.hsperfdata.missing"] = reason.message
            return reason
        return self._counters

    def _drain(self, connection: JmxConnection) -> None:
        """Append new samples, and what is read from outside to the newest."""
        n_before = self._recording.n_samples
        connection.drain()
        if self.outside is not None and self._recording.n_samples > n_before and not self.dead_ns:
            self.outside.read()

    def _observe_main(self) -> None:
        """Read from the counters when the JVM was ready, and its command.

        All its agents have started then, and ``main`` begins 1 to 2 ms later. A JVM without counters
        reports only its own start; so does one whose wall clock was changed since.
        """
        if self._counters is None or self._main_seen:
            return
        counters = self._counters.read()
        ready_ms = counters.get("sun.rt.createVmEndTime")
        if isinstance(ready_ms, int) and ready_ms > 0:
            now_ns, now_ms = time.monotonic_ns(), time.time_ns() // 1_000_000
            zero_ns = now_ns - (now_ms - ready_ms) * 1_000_000
            if self._launch.started_ns <= zero_ns <= now_ns:
                self._recording.zero_ns = zero_ns
            self.seen_command = str(counters.get("sun.rt.javaCommand", self.seen_command))
            self._main_seen = True

    def _disconnect(self) -> None:
        """Take the last samples and close the connection, after the JVM's end."""
        self._observe_main()
        if self.connection is not None:
            if self.connection.lost is None:
                self.connection.drain()
            self.connection.close()
