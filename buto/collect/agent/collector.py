"""The collector for programs that buto launches: an agent inside the JVM pushes, this side listens."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from buto.collect.agent.event_loop import EventLoop
from buto.collect.agent.listener import AgentListener
from buto.collect.agent.option import agent_option
from buto.collect.channel.recorder import AgentRecorder
from buto.collect.hooks import HookCaller, LaunchHooks
from buto.collect.host.load import LoadMeter
from buto.collect.host.metadata import describe
from buto.collect.jvm import start_errors
from buto.collect.jvm.hsperfdata import NoPerfData
from buto.collect.process.launch import Ending, Launch
from buto.collect.process.private_directory import private_directory
from buto.collect.progress import OnTick
from buto.collect.record import quality
from buto.collect.record.conclusion import ObservedLaunch, conclude
from buto.collect.record.journal import Journal
from buto.collect.record.recording import Recording
from buto.collect.target import Target
from buto.runs import Problem, ProblemKind, Run

_SILENCE_NS = 250_000_000
"""A connection that ends so long before its JVM was given up by the agent."""


class AgentCollector:
    """Records launches of one target through buto's Java agent. Keeps nothing between them."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        """See :meth:`buto.collect.collector.Collector.record`."""
        recording = Recording(test, mask=self.target.new_mask())
        if journal is not None:
            on_tick = journal.beside(recording, on_tick)
        recording.metadata.update(describe(self.target))
        load = LoadMeter()
        with (
            private_directory() as directory,
            AgentListener(directory) as listener,
            Launch(self.target, directory, [agent_option(listener.agent, self.target)]) as launch,
            HookCaller(hooks, launch, recording) as hook_caller,
            EventLoop(launch, listener, recording, on_tick, hook_caller) as session,
        ):
            ending = session.follow()
            problems = hook_caller.end()
            foreign_load = load.foreign_load()
            launch.end_all()
            seen = _observed(session, launch, recording, ending, foreign_load)
            recording.metadata["host.load.run_queue"] = session.run_queue_s
            return conclude(launch, recording, seen, (*problems, *_problems(session)))


def _started(session: EventLoop, launch: Launch, recording: Recording) -> AgentRecorder:
    """The recorder of a JVM whose program has begun; raises MeasureError if there was none."""
    if session.recorder is None or session.hello is None:
        raise start_errors.no_jvm(launch, session.others, timed_out=session.timed_out)
    not_found = start_errors.main_not_found(launch, session.hello.command)
    if not_found is not None:
        raise not_found
    if recording.n_samples == 0:
        raise start_errors.not_started(launch, "the JVM ended before its first sample")
    if recording.zero_ns is None:
        raise start_errors.not_started(
            launch, "the program's start was not seen: the JVM ended before, or held it back for too long"
        )
    return session.recorder


def _last_sample(session: EventLoop, launch: Launch, recorder: AgentRecorder, ending: Ending) -> str:
    """Where the last row comes from, see Outcome; adds one from outside if no exit hook could send any."""
    if recorder.complete:
        return "agent"
    try:
        if isinstance(session.counters, NoPerfData):
            raise session.counters
        values = session.counters.values() if session.counters else {}
    except NoPerfData as reason:
        recorder.recording.metadata["buto.hsperfdata.missing"] = reason.message
        return "push"
    if session.hello is not None and session.hello.pid == launch.pid:
        values["jvm.cpu.time"] = ending.cpu_s
    return "hsperfdata" if recorder.add_last_state(session.end_ns, values, "hsperfdata") else "push"


def _observed(
    session: EventLoop, launch: Launch, recording: Recording, ending: Ending, foreign_load: float
) -> ObservedLaunch:
    """What is known at the end; a last row from outside is added first, where the exit hook sent none."""
    recorder = _started(session, launch, recording)
    last_sample = _last_sample(session, launch, recorder, ending)
    times_s = recording.times_s()
    # An agent that gave up before cannot tell whether the hook ran; that is a problem of its own.
    orderly = recorder.exiting or session.silence_ns > _SILENCE_NS
    wrapped = session.hello is not None and session.hello.pid != launch.pid
    return ObservedLaunch(
        ending=ending,
        timed_out=session.timed_out,
        duration_s=float(times_s[-1]),
        last_sample=last_sample,
        sampled=quality.sampling(times_s, launch.target.interval_s, quality.pauses_s(recording)),
        foreign_load=foreign_load,
        command=session.hello.command if session.hello else "",
        code=session.exit_code(ending),
        orderly=orderly if wrapped else None,
        others=tuple(session.others),
    )


def _problems(session: EventLoop) -> tuple[Problem, ...]:
    problems = []
    recorder = session.recorder
    if recorder is not None and recorder.blocked is not None and not recorder.complete:
        bean, since_ns = recorder.blocked
        waited_s = (session.end_ns - since_ns) * 1e-9
        problems.append(quality.slow_bean(bean, f"did not answer for {waited_s:.1f} s"))
    if recorder is not None and recorder.n_lost_notifications:
        problems.append(quality.lost_notifications(recorder.n_lost_notifications))
    refused = recorder.recording.metadata.get("buto.mbeans.refused") if recorder is not None else None
    if refused is not None:
        text = f"the program's MBeans cannot be read: {refused}"
        problems.append(Problem(ProblemKind.UNREADABLE_MBEANS, text))
    if session.silence_ns > _SILENCE_NS:
        text = f"the agent fell silent {session.silence_ns * 1e-9:.1f} s before the JVM's end"
        problems.append(Problem(ProblemKind.EARLY_LOSS, text))
    return tuple(problems)
