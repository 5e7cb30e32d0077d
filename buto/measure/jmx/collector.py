"""The collector for launched programs that must not load an agent: polls MBeans from outside.

This is the thesis's way (section 4.2). Unlike the agent it cannot hold ``main`` and the exit. The JVM's JMX
agent is started only half a second after ``main`` has begun (:mod:`buto.measure.jmx.local_agent`), because it
creates the JDK's logging and MBean server, which the program may configure first. So the first sample comes
late: 1.1 to 1.8 s after ``main`` with five busy processes on two cores. The last sample comes up to one
interval before the end. A program that ends sooner cannot be measured, and a run that lacks more than a fifth
of its samples for this reason is invalid.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from buto.errors import MeasureError
from buto.measure import exits, quality
from buto.measure.collector import LaunchCollector, Seen
from buto.measure.hooks import LaunchHooks
from buto.measure.jmx.polling_loop import HEAD_START_S, PollingLoop
from buto.measure.jmx.worker_client import Worker
from buto.measure.journal import Journal
from buto.measure.launch import Launch
from buto.measure.progress import OnTick
from buto.measure.recording import Recording
from buto.measure.target import Target
from buto.run.model import Problem, ProblemKind, Run
from buto.steps import Advice, Setting

_OWN_KEY = "system.property[java.rmi.server.randomIDs]"
"""Metadata that exists only because buto started the JVM's JMX agent."""

_MAX_LATE_S = 3.0
"""With a later first sample the machine was too busy, and too much of the start is missing."""


class JmxCollector(LaunchCollector[PollingLoop]):
    """Records launches of one target through JMX. Keeps a worker process between them.

    Args:
        worker: an existing worker to use; None to start one.
    """

    def __init__(self, target: Target, worker: Worker | None = None) -> None:
        super().__init__(target)
        self._worker = worker
        self._is_own = worker is None

    def close(self) -> None:
        if self._worker is not None and self._is_own:
            self._worker.close()

    def worker(self) -> Worker:
        """Return a started worker, a new one if the last has ended.

        Raises:
            MeasureError: the worker cannot be started.
        """
        if self._worker is None or not self._worker.is_usable:
            self._worker = Worker()
            self._is_own = True
        if not self._worker.is_warm:
            self._worker.warm_up()
        return self._worker

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        # Before the load by others is measured, of which the worker's start is no part.
        self.worker()
        return super().record(test, on_tick, hooks, journal)

    @contextmanager
    def _following(
        self, directory: Path, recording: Recording, hooks: LaunchHooks | None, on_tick: OnTick | None
    ) -> Iterator[PollingLoop]:
        worker = self.worker()
        with (
            Launch(self.target, directory) as launch,
            PollingLoop(launch, recording, hooks, on_tick, directory, worker) as loop,
        ):
            yield loop

    def _see_end(self, loop: PollingLoop) -> Seen:
        _check_started(loop)
        pauses_s, interval_s = quality.pauses_s(loop.recording), self.target.interval_s
        # No sample is planned while the program has its head start.
        times_s, duration_s = loop.recording.times_s() - HEAD_START_S, loop.duration_s - HEAD_START_S
        sampled = quality.sampling(times_s, interval_s, pauses_s, duration_s)
        # Nobody outside the JVM sees whether its exit hook ran.
        return Seen(loop.duration_s, "jmx", sampled, orderly=True)

    def _complete(self, loop: PollingLoop, seen: Seen) -> tuple[Problem, ...]:
        """Return problems besides gaps between samples: a late start, an early end, lost notifications."""
        loop.recording.metadata.pop(_OWN_KEY, None)
        problems = []
        times_s, connection = loop.recording.times_s(), loop.connection
        limit_s = max(quality.MAX_GAP_S, quality.MAX_GAP_INTERVALS * self.target.interval_s)
        if times_s[0] > _MAX_LATE_S:
            text = f"its first sample came {times_s[0]:.1f} s after its start (limit {_MAX_LATE_S:g} s)"
            problems.append(Problem(ProblemKind.LATE_START, text))
        if seen.duration_s - times_s[-1] > limit_s:
            silent = connection is not None and connection.silent
            why = "it stopped answering" if silent else "its connection was lost"
            text = f"{why} {seen.duration_s - times_s[-1]:.1f} s before its end (limit {limit_s:g} s)"
            problems.append(Problem(ProblemKind.EARLY_LOSS, text))
        if connection is not None and connection.n_lost_notifications:
            problems.append(quality.report_lost_notifications(connection.n_lost_notifications))
        return tuple(problems)


def _check_started(loop: PollingLoop) -> None:
    """Raise MeasureError if there is nothing to record."""
    launch, recording = loop.launch, loop.recording
    if loop.pid is None and not launch.line.direct:
        raise exits.no_jvm(launch, loop.others, timed_out=loop.timed_out)
    not_found = exits.jvm_not_created(launch) or exits.main_not_found(launch, loop.program)
    if not_found is not None:
        raise not_found
    if recording.n_samples == 0 or recording.zero_ns is None:
        limit = f", at its time limit of {launch.target.timeout_s:g} s" if loop.timed_out else ""
        raise MeasureError(
            f"the program ended{limit} before JMX could take a sample\n{launch.quote()}",
            advice=Advice("measure short programs with the agent: ", Setting("collector", "agent")),
        )
