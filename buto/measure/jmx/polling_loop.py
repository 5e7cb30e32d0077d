"""Follow one launch under JMX: find the JVM, connect, and poll it to its end."""

from __future__ import annotations

import time
from pathlib import Path

from buto.measure import account
from buto.measure.collector import Following
from buto.measure.diagnostic_command import AttachError
from buto.measure.hooks import LaunchHooks
from buto.measure.hsperfdata import HeldCounters, NoPerfData, hold_counters
from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.credentials import JmxFailure
from buto.measure.jmx.local_agent import open_endpoint
from buto.measure.jmx.worker_client import Worker
from buto.measure.jvms import NO_PROGRAM, GoneError, is_wanted, local_jvm, main_name, read_start_ms
from buto.measure.launch import Ending, Launch
from buto.measure.progress import OnTick
from buto.measure.recording import Recording

TICK_S = 0.1
_LOOK_S = 0.02
"""Interval of the search for JVMs while none is connected. Their counter files cannot be waited for."""

_NO_COUNTERS_NS = 5_000_000_000
"""A JVM without performance counters after this time will have none."""

HEAD_START_S = 0.5
"""How long a program has to choose its log manager and its MBean server before a JMX agent creates them."""

_END_S = 1.0
"""A connection that fails so shortly before its JVM's end failed because of the end."""


class PollingLoop(Following):
    """Follows one launch to its end.

    Attributes:
        connection: to the measured JVM; None until there is one.
    """

    def __init__(
        self,
        launch: Launch,
        recording: Recording,
        hooks: LaunchHooks | None,
        on_tick: OnTick | None,
        directory: Path,
        worker: Worker,
    ) -> None:
        super().__init__(launch, recording, hooks, on_tick)
        self.connection: JmxConnection | None = None
        self._directory = directory
        self._worker = worker
        self._worker_s = worker.cpu_s()
        self._unwanted: set[int] = set()
        self._ready_ns: dict[int, int] = {}
        self._main_seen = False

    def own_cpu_s(self) -> float:
        return self._worker.cpu_s() - self._worker_s

    @property
    def duration_s(self) -> float:
        """From the program's start to the end of its JVM."""
        return (self.dead_ns - (self.recording.zero_ns or 0)) * 1e-9

    def run(self) -> Ending:
        next_tick = time.monotonic()
        while True:
            if time.monotonic() >= next_tick:
                self._tick()
                next_tick = time.monotonic() + TICK_S
            if self.pid is None:
                self._find_jvm()
            ending = self.launch.poll()
            if ending is not None and self._is_over():
                return ending
            self._wait(_LOOK_S if self.pid is None else max(0.0, next_tick - time.monotonic()))

    def _wait(self, timeout_s: float) -> None:
        """Wait for the end of the measured JVM; before and after it, for the end of the command."""
        if self._jvm_end is not None and not self.dead_ns:
            if account.readable(self._jvm_end, timeout_s):
                self.dead_ns = time.monotonic_ns()
                self._disconnect()
        elif self.launch.poll() is None:
            account.readable(self.launch.fileno(), timeout_s)
        elif not self.dead_ns:
            time.sleep(timeout_s)

    def _tick(self) -> None:
        if self.connection is not None and not self.dead_ns and self.connection.lost is None:
            self._drain(self.connection)
            self._observe_main()
            has_begun = self._main_seen or isinstance(self.counters, NoPerfData)
            if self.pid is not None and has_begun:
                self.hooks.start(self.pid, self.connection)
        self._look("starting" if self.pid is None else "ending" if self.dead_ns else "running")

    def _find_jvm(self) -> None:
        """Connect to the first JVM of the command that is wanted and ready."""
        is_command = self.launch.line.direct and self.launch.target.jvm is None
        for pid in [self.launch.pid] if is_command else self.launch.members():
            jvm = None if pid in self._unwanted else local_jvm(pid)
            if jvm is None:
                # A JVM without counters (-XX:-UsePerfData) counts as ready after some time.
                waited_ns = time.monotonic_ns() - self.launch.started_ns
                if is_command and waited_ns > _NO_COUNTERS_NS:
                    self._connect(pid)
                continue
            self.command, self.class_path = jvm.command, jvm.class_path
            if not jvm.is_ready:
                continue
            if is_command or is_wanted(jvm.command, self.launch.target.jvm, jvm.class_path):
                if (
                    time.monotonic_ns() - self._ready_ns.setdefault(pid, time.monotonic_ns())
                    < HEAD_START_S * 1e9
                ):
                    continue
                self._connect(pid)
                return
            self._unwanted.add(pid)
            self.others.append(main_name(jvm.command, jvm.class_path) or NO_PROGRAM)

    def _connect(self, pid: int) -> None:
        pidfd = self._hold_process(pid)
        if pidfd is None:
            return
        self.pid = pid
        target = self.launch.target
        counters = hold_counters(self._held, pid, read_start_ms(pid) or 0)
        if isinstance(counters, NoPerfData):
            self.recording.metadata["buto.hsperfdata.missing"] = counters.message
        self._read_from_outside(pid, counters)
        try:
            # Nothing stops the JMX agent: the JVM ends before this loop does.
            endpoint = open_endpoint(pid, self._directory)
            self.connection = self._held.enter_context(
                JmxConnection(self._worker, endpoint.address, f"process {pid}", endpoint.credentials)
            )
            endpoint.revoke_password()
            times = self.connection.start(self.recording, target.interval_s, target.mbeans, same_machine=True)
            self.recording.zero_ns = times.started_ns
        except (AttachError, GoneError, JmxFailure):
            if not account.readable(pidfd, _END_S):
                raise
            self.connection = None

    def _drain(self, connection: JmxConnection) -> None:
        """Append new samples, and what is read from outside to the newest."""
        n_before = self.recording.n_samples
        connection.drain()
        if self.outside is not None and self.recording.n_samples > n_before and not self.dead_ns:
            self.outside.read()

    def _observe_main(self) -> None:
        """Read from the counters when the JVM was ready, and its command.

        All its agents have started then, and ``main`` begins 1 to 2 ms later. A JVM without counters
        reports only its own start; so does one whose wall clock was changed since.
        """
        if not isinstance(self.counters, HeldCounters) or self._main_seen:
            return
        counters = self.counters.read()
        ready_ms = counters.get("sun.rt.createVmEndTime")
        if isinstance(ready_ms, int) and ready_ms > 0:
            now_ns, now_ms = time.monotonic_ns(), time.time_ns() // 1_000_000
            zero_ns = now_ns - (now_ms - ready_ms) * 1_000_000
            if self.launch.started_ns <= zero_ns <= now_ns:
                self.recording.zero_ns = zero_ns
            self.command = str(counters.get("sun.rt.javaCommand", self.command))
            self._main_seen = True

    def _disconnect(self) -> None:
        """Take the last samples and close the connection, after the JVM's end."""
        self._observe_main()
        if self.connection is not None:
            if self.connection.lost is None:
                self.connection.drain()
            self.connection.close()
