"""Record a JVM that is already running, on this machine or another."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from types import FrameType

import numpy as np
from msgspec import Struct

from buto.errors import MeasureError, UsageError
from buto.measure import account, quality
from buto.measure.hooks import MBeanConnection, MeasuredProgram
from buto.measure.host import LoadMeter, describe
from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.credentials import NO_CREDENTIALS, Credentials
from buto.measure.jmx.local_agent import AgentLeftRunningError, JmxEndpoint, endpoint_while_attached
from buto.measure.jmx.worker_client import Worker
from buto.measure.journal import Journal
from buto.measure.outside import OutsideReader, read_from_outside
from buto.measure.progress import OnTick, Progress
from buto.measure.recording import Recording
from buto.measure.sources.sampling import RunningProgram, follow
from buto.measure.target import MBeanSpec, SourceSpec, Target
from buto.run.model import Outcome, Problem, ProblemKind, Run
from buto.run.properties import READ_OUTSIDE

TICK_S = 0.1
_END_S = 1.0
"""How long after the loss of the connection a JVM may take to end."""


class EndReason(Enum):
    """Why a recording ended. The values are for people."""

    JVM = "the JVM's end"
    CONNECTION = "the loss of the connection"
    SILENCE = "the JVM's silence"
    DURATION = "the given duration"
    INTERRUPT = "Ctrl-C"


@dataclass(frozen=True, slots=True)
class AttachSpec:
    """Which running JVM to record, and how.

    Attributes:
        test: name of the test that the run belongs to.
        pid: of a JVM on this machine; or
        url: a JMX service URL, as ``service:jmx:rmi:///jndi/rmi://HOST:PORT/jmxrmi``.
        duration_s: None records until the JVM ends or the user presses Ctrl-C.
        interval_s: time between two samples.
        mbeans: custom MBeans to record.
        credentials: for a protected connector.
        mask: further shell patterns for names of what is secret.
        secrets: values to mask.
        sources: what is read beside the JVM.
    """

    test: str
    pid: int | None = None
    url: str | None = None
    duration_s: float | None = None
    interval_s: float = 0.1
    mbeans: tuple[MBeanSpec, ...] = ()
    credentials: Credentials = NO_CREDENTIALS
    mask: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    sources: tuple[SourceSpec, ...] = ()

    def __post_init__(self) -> None:
        if (self.pid is None) == (self.url is None):
            raise UsageError(
                "the JVM must be given by either a process id or a URL", advice="give --pid P or --url URL"
            )


@contextmanager
def connect(spec: AttachSpec, worker: Worker | None = None) -> Iterator[JmxConnection]:
    """Yield a connection to the JVM, to invoke operations of its MBeans or to record it.

    Args:
        worker: an existing worker to use; TLS always starts one of its own.

    Raises:
        MeasureError: the JVM cannot be reached; the message says why.
    """
    with ExitStack() as held:
        options = spec.credentials.java_options()
        if worker is None or options:
            worker = held.enter_context(Worker(options))
        endpoint = JmxEndpoint(spec.url or "", spec.credentials, started_by_buto=False)
        if spec.pid is not None:
            endpoint = held.enter_context(endpoint_while_attached(spec.pid, spec.credentials))
        with JmxConnection(worker, endpoint.address, _name(spec), endpoint.credentials) as connection:
            endpoint.revoke_password()
            yield connection


@contextmanager
def connect_program(program: MeasuredProgram, worker: Worker) -> Iterator[MBeanConnection]:
    """Yield a connection to the MBeans of a program that is being measured.

    The collector's own connection, if it has one; otherwise buto attaches to the program.

    Raises:
        MeasureError: the program cannot be reached; the message says why.
    """
    if program.connection is not None:
        yield program.connection
        return
    with connect(AttachSpec("", pid=program.pid), worker) as connection:
        yield connection


def attach(
    spec: AttachSpec,
    on_tick: OnTick | None = None,
    worker: Worker | None = None,
    journal: Journal | None = None,
) -> Run:
    """Record a running JVM. Time zero is the moment of attaching.

    A JMX agent that buto started in it (see :mod:`buto.measure.jmx.local_agent`) is stopped at the end.

    Ctrl-C ends the recording and keeps it; a second Ctrl-C ends buto. Metadata: how long the JVM had been
    running (``buto.attach.uptime_s``), what was attached to, and why the recording ended. The outcome has no
    exit code, because buto does not see the program's end.

    Raises:
        MeasureError: the JVM cannot be reached, or ended before the first sample.
        UsageError: a package that a source needs is not installed.
    """
    target = Target(
        command=(),
        interval_s=spec.interval_s,
        mbeans=spec.mbeans,
        collector="jmx",
        mask=spec.mask,
        secrets=spec.secrets,
    )
    recording = Recording(spec.test, mask=target.new_mask())
    recording.add_columns(READ_OUTSIDE)
    if journal is not None:
        on_tick = journal.on_each_tick(recording, on_tick)
    described = describe(target)
    own = {key: value for key, value in described.items() if spec.pid is not None or key.startswith("buto.")}
    recording.metadata.update(own)
    problems = []
    ended: EndReason | None = None
    try:
        with (
            connect(spec, worker) as connection,
            _interrupt_noted() as interrupted,
            read_from_outside(recording, spec.pid) as outside,
            follow(RunningProgram(spec.pid), recording, spec.sources),
        ):
            times = connection.start(
                recording, spec.interval_s, spec.mbeans, same_machine=spec.pid is not None
            )
            recording.zero_ns = times.read_ns
            load, worker_before_s = LoadMeter(), connection.worker_cpu_s()
            following = _Following(spec, connection, recording, outside, on_tick)
            ended = following.to_the_end(interrupted)
            known_s = connection.worker_cpu_s() - worker_before_s + _jvm_cpu_s(recording)
            foreign_load = float("nan") if spec.pid is None else load.foreign_load(known_s)
            if connection.lost is None:
                connection.finish()
                outside.read(is_last=True)
            if recording.n_samples:
                outside.finish(None)
    except AgentLeftRunningError as left_open:
        if ended is None:
            raise
        text = f"{left_open.message} ({left_open.advice})"
        problems.append(Problem(ProblemKind.OPEN_PORT, text))
    if recording.n_samples == 0:
        raise MeasureError(f"{_name(spec)} gave no sample: {ended.value}")
    recording.metadata |= {
        "buto.attach.to": _name(spec),
        "buto.attach.uptime_s": times.uptime_s,
        "buto.attach.ended_by": ended.value,
    }
    times_s = recording.times_s()
    problems += _problems(spec, connection, ended, float(times_s[-1]))
    sampled = quality.sampling(times_s, target.interval_s, quality.pauses_s(recording))
    problems += quality.slow_beans(recording, sampled, target.interval_s)
    # The program's end is not part of the recording, so only the sampling is judged.
    as_expected = Outcome(exit_code=target.expected_exit)
    judged = quality.quality_of(target, as_expected, sampled, foreign_load, more=tuple(problems))
    outcome = Outcome(exit_code=None, duration_s=float(times_s[-1]), last_sample="jmx")
    return recording.finish(outcome, judged)


def _jvm_cpu_s(recording: Recording) -> float:
    """Return the processor time that the JVM used between its first and its last sample; 0 if unknown."""
    used_s = recording.newest("jvm.cpu.time", recording.n_samples)[1]
    known_s = used_s[np.isfinite(used_s)]
    return float(known_s[-1] - known_s[0]) if len(known_s) else 0.0


class _Following(Struct, frozen=True):
    """An attached JVM while it is recorded."""

    spec: AttachSpec
    connection: JmxConnection
    recording: Recording
    outside: OutsideReader
    on_tick: OnTick | None

    def to_the_end(self, interrupted: threading.Event) -> EndReason:
        """Drain until the end; return why it ended."""
        spec, connection = self.spec, self.connection
        began, limit_s = time.monotonic(), spec.duration_s or float("inf")
        with ExitStack() as held:
            pidfd = account.open_pidfd(spec.pid) if spec.pid is not None else None
            if pidfd is not None:
                held.callback(os.close, pidfd)
            while True:
                elapsed_s = time.monotonic() - began
                self._drain(elapsed_s, limit_s)
                if connection.lost is not None:
                    if connection.silent:
                        return EndReason.SILENCE
                    has_ended = pidfd is None or account.readable(pidfd, _END_S)
                    return EndReason.JVM if has_ended and spec.pid is not None else EndReason.CONNECTION
                if interrupted.is_set():
                    return EndReason.INTERRUPT
                left_s = limit_s - elapsed_s
                if left_s <= 0:
                    return EndReason.DURATION
                if pidfd is None:
                    interrupted.wait(min(TICK_S, left_s))
                elif account.readable(pidfd, min(TICK_S, left_s)):
                    connection.drain()
                    return EndReason.JVM

    def _drain(self, elapsed_s: float, limit_s: float) -> None:
        recording, n_before = self.recording, self.recording.n_samples
        self.connection.drain()
        if recording.n_samples > n_before:
            self.outside.read()
        if self.on_tick is not None:
            self.on_tick(Progress(elapsed_s, limit_s, recording.n_samples, "running", recording.newest))


def _problems(
    spec: AttachSpec, connection: JmxConnection, ended: EndReason, last_s: float
) -> Iterator[Problem]:
    # Without a given time, a JVM behind a URL is recorded until it ends, and the connection with it.
    is_early = spec.pid is not None or spec.duration_s is not None
    if ended is EndReason.SILENCE:
        text = f"the JVM stopped answering after {last_s:.1f} s: {connection.lost}"
        yield Problem(ProblemKind.EARLY_LOSS, text)
    elif ended is EndReason.CONNECTION and is_early:
        text = f"the connection to the JVM was lost after {last_s:.1f} s: {connection.lost}"
        yield Problem(ProblemKind.EARLY_LOSS, text)
    if connection.n_lost_notifications:
        yield quality.report_lost_notifications(connection.n_lost_notifications)


def _name(spec: AttachSpec) -> str:
    return spec.url if spec.url is not None else f"process {spec.pid}"


@contextmanager
def _interrupt_noted() -> Iterator[threading.Event]:
    """Let the first Ctrl-C set an event; the second one acts as usual."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return

    def note(number: int, frame: FrameType | None) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
