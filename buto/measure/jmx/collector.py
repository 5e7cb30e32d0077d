"""The collector for launched programs that must not load an agent: polls MBeans from outside.

This is the thesis's way (section 4.2). Unlike the agent it cannot hold ``main`` and the exit. The JVM's JMX
agent is started only when ``main`` begins (:mod:`buto.measure.jmx.local_agent`), so the first sample comes
late: 0.6 to 1.3 s after ``main`` with five busy processes on two cores. The last sample comes up to one
interval before the end. A program that ends sooner cannot be measured, and a run that lacks more than a fifth
of its samples for this reason is invalid.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from buto.errors import MeasureError
from buto.measure import exits, quality
from buto.measure.hooks import HookCaller, LaunchHooks
from buto.measure.host import LoadMeter, describe
from buto.measure.jmx.polling_loop import PollingLoop
from buto.measure.jmx.worker_client import Worker
from buto.measure.journal import Journal
from buto.measure.launch import Ending, Launch
from buto.measure.private_directory import private_directory
from buto.measure.progress import OnTick
from buto.measure.quality import ObservedLaunch, build_run
from buto.measure.recording import Recording
from buto.measure.sources.sampling import sampled
from buto.measure.target import Target
from buto.run.model import FloatArray, Problem, ProblemKind, Run
from buto.run.properties import READ_OUTSIDE
from buto.steps import Advice, Setting

_OWN_KEY = "system.property[java.rmi.server.randomIDs]"
"""Metadata that exists only because buto started the JVM's JMX agent."""


_MAX_LATE_S = 3.0
"""With a later first sample the machine was too busy, and too much of the start is missing."""


class JmxCollector:
    """Records launches of one target through JMX. Keeps a worker process between them.

    Args:
        worker: an existing worker to use; None to start one.
    """

    def __init__(self, target: Target, worker: Worker | None = None) -> None:
        self.target = target
        self._worker = worker
        self._is_own = worker is None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        """See :meth:`buto.measure.collector.Collector.record`."""
        worker = self.worker()
        recording = Recording(test, mask=self.target.new_mask())
        recording.add_columns(READ_OUTSIDE)
        if journal is not None:
            on_tick = journal.on_each_tick(recording, on_tick)
        recording.metadata.update(describe(self.target))
        load = LoadMeter(self.target.cores)
        worker_s = worker.cpu_s()
        with (
            private_directory() as directory,
            Launch(self.target, directory) as launch,
            HookCaller(sampled(hooks, self.target.sources), launch, recording) as hook_caller,
            PollingLoop(launch, directory, worker, recording, on_tick, hook_caller) as loop,
        ):
            ending = loop.run()
            problems = hook_caller.end()
            known_s = ending.cpu_s if self.target.cores else worker.cpu_s() - worker_s
            foreign_load = load.foreign_load(known_s + hook_caller.cpu_s())
            recording.metadata["host.load.idle"] = load.idle_share()
            launch.end_all()
            observed = _observed(loop, launch, recording, ending, foreign_load)
            if loop.outside is not None:
                loop.outside.finish(ending.switches if loop.pid == launch.pid else None)
            recording.metadata.pop(_OWN_KEY, None)
            missing = _problems(loop, recording.times_s(), self.target.interval_s)
            return build_run(launch, recording, observed, (*problems, *missing))


def _check_started(loop: PollingLoop, launch: Launch, recording: Recording) -> None:
    """Raise MeasureError if there is nothing to record."""
    if loop.pid is None and not launch.line.direct:
        raise exits.no_jvm(launch, loop.others, timed_out=loop.timed_out)
    not_found = exits.jvm_not_created(launch) or exits.main_not_found(launch, loop.seen_command)
    if not_found is not None:
        raise not_found
    if recording.n_samples == 0 or recording.zero_ns is None:
        limit = f", at its time limit of {launch.target.timeout_s:g} s" if loop.timed_out else ""
        raise MeasureError(
            f"the program ended{limit} before JMX could take a sample\n{launch.quote()}",
            advice=Advice("measure short programs with the agent: ", Setting("collector", "agent")),
        )


def _observed(
    loop: PollingLoop, launch: Launch, recording: Recording, ending: Ending, foreign_load: float
) -> ObservedLaunch:
    _check_started(loop, launch, recording)
    pauses_s, interval_s = quality.pauses_s(recording), launch.target.interval_s
    return ObservedLaunch(
        ending=ending,
        timed_out=loop.timed_out,
        duration_s=loop.duration_s,
        last_sample="jmx",
        sampled=quality.sampling(recording.times_s(), interval_s, pauses_s, loop.duration_s),
        foreign_load=foreign_load,
        command=loop.seen_command,
        code=loop.exit_code(ending),
        # Nobody outside the JVM sees whether its exit hook ran.
        orderly=True if loop.pid != launch.pid else None,
        others=tuple(loop.others),
    )


def _problems(loop: PollingLoop, times_s: FloatArray, interval_s: float) -> tuple[Problem, ...]:
    """Return problems besides gaps between samples: a late start, an early end, lost notifications."""
    problems = []
    limit_s = max(quality.MAX_GAP_S, quality.MAX_GAP_INTERVALS * interval_s)
    connection = loop.connection
    if times_s[0] > _MAX_LATE_S:
        text = f"its first sample came {times_s[0]:.1f} s after its start (limit {_MAX_LATE_S:g} s)"
        problems.append(Problem(ProblemKind.LATE_START, text))
    if loop.duration_s - times_s[-1] > limit_s:
        silent = connection is not None and connection.silent
        why = "it stopped answering" if silent else "its connection was lost"
        text = f"{why} {loop.duration_s - times_s[-1]:.1f} s before its end (limit {limit_s:g} s)"
        problems.append(Problem(ProblemKind.EARLY_LOSS, text))
    if connection is not None and connection.n_lost_notifications:
        problems.append(quality.lost_notifications(connection.n_lost_notifications))
    return tuple(problems)
