"""The default collector for launched programs: an agent inside the JVM pushes samples to buto.

:func:`agent_option` gives the JVM option that loads the agent.
"""

from __future__ import annotations

import os
from dataclasses import replace
from types import TracebackType
from typing import Self

import numpy as np

from buto.measure import exits, quality
from buto.measure.channel import AgentListener, AgentRecorder
from buto.measure.command_line import is_java
from buto.measure.event_loop import EventLoop
from buto.measure.hooks import HookCaller, LaunchHooks
from buto.measure.host import LoadMeter, describe
from buto.measure.hsperfdata import NoPerfData
from buto.measure.journal import Journal
from buto.measure.jvms import main_name
from buto.measure.launch import Ending, Launch
from buto.measure.private_directory import private_directory
from buto.measure.progress import OnTick
from buto.measure.quality import ObservedLaunch, build_run
from buto.measure.recording import Recording
from buto.measure.sources.sampling import sampled
from buto.measure.target import LiveSet, Target
from buto.run.model import Problem, ProblemKind, Run
from buto.run.properties import LIVE_SET, LIVE_SET_TIME, READ_OUTSIDE, property_for

_MODULE_WORDS = ("--limit-modules", "--upgrade-module-path", "--patch-module", "-XX:VMOptionsFile", "@")
_MODULE_OPTIONS = ("-m", "--module", "-p", *_MODULE_WORDS)
"""With these in a command, or in a file that it names, the JVM may lack the module ``java.instrument``."""

_VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")


def agent_option(agent: str, target: Target) -> str:
    """Return the option that makes the JVM of a target load the agent.

    ``-javaagent`` adds the module ``java.instrument``. A program on the class path has that module anyway,
    but the request alone makes the JVM build its module graph again instead of reading it from its archive:
    100 classes and 30 ms of processor time. ``-agentlib:instrument`` loads the same agent without that cost.
    A JVM without the module would not start, so this option is used only if the command shows that the
    module is there.

    Args:
        agent: jar and argument, joined by ``=``.
    """
    settings = [target.environment.get(name, os.environ.get(name, "")) for name in _VARIABLES]
    has_all_modules = not any(word.startswith(_MODULE_OPTIONS) for word in target.command[1:]) and not any(
        word in setting for setting in settings for word in _MODULE_WORDS
    )
    if is_java(target.command) and has_all_modules:
        return f"-agentlib:instrument={agent}"
    return f"-javaagent:{agent}"


LONGEST_COUNT_S = 1.0
"""A training gives up counting live objects if that takes longer."""

_SILENCE_NS = 250_000_000
"""If a connection ends so long before its JVM, the agent gave up."""


class AgentCollector:
    """Records launches of one target through buto's Java agent."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._why_not_counted = "" if target.live_set is None else target.live_set.why_not

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
        """See :meth:`buto.measure.collector.Collector.record`."""
        recording = Recording(test, mask=self.target.new_mask())
        recording.add_columns(READ_OUTSIDE)
        if journal is not None:
            on_tick = journal.on_each_tick(recording, on_tick)
        recording.metadata.update(describe(self.target))
        target = replace(self.target, live_set=None) if self._why_not_counted else self.target
        load = LoadMeter(self.target.cores)
        with (
            private_directory() as directory,
            AgentListener(directory) as listener,
            Launch(target, directory, [agent_option(listener.agent, target)]) as launch,
            HookCaller(sampled(hooks, target.sources), launch, recording) as hook_caller,
            EventLoop(launch, listener, recording, on_tick, hook_caller) as loop,
        ):
            ending = loop.run()
            problems = hook_caller.end()
            known_s = ending.cpu_s if target.cores else 0.0
            foreign_load = load.foreign_load(known_s + hook_caller.cpu_s())
            recording.metadata["host.load.idle"] = load.idle_share()
            launch.end_all()
            observed = _observed(loop, launch, recording, ending, foreign_load)
            if loop.outside is not None:
                loop.outside.finish(None if _is_wrapped(loop, launch) else ending.switches)
            recording.metadata["host.load.run_queue"] = loop.run_queue_s
            if self.target.live_set is not None:
                self._complete_live_set(self.target.live_set, recording)
            return build_run(launch, recording, observed, (*problems, *_problems(loop)))

    def _complete_live_set(self, wanted: LiveSet, recording: Recording) -> None:
        """Explain what was not counted, and decide whether later launches count."""
        known = {prop.name for prop in recording.columns}
        if known.isdisjoint(LIVE_SET):
            recording.add_columns(map(property_for, LIVE_SET))
            for name in LIVE_SET:
                recording.add_reason(name, self._why_not_counted or "the program's exit could not be held")
            return
        if wanted.is_during:
            return
        for name in LIVE_SET:
            if not np.isnan(recording.last_value(name)):
                recording.add_reason(name, "counted at the end only")
        took_s = recording.last_value(LIVE_SET_TIME)
        if wanted.gives_up and took_s > LONGEST_COUNT_S:
            self._why_not_counted = (
                f"counting took {took_s:.1f} s in an earlier launch (limit {LONGEST_COUNT_S:g} s)"
            )


def _started(loop: EventLoop, launch: Launch, recording: Recording) -> AgentRecorder:
    """Return the recorder of the measured JVM; raise MeasureError if no program was seen to start."""
    if loop.recorder is None or loop.hello is None:
        raise exits.no_jvm(launch, loop.others, timed_out=loop.timed_out)
    not_found = exits.main_not_found(launch, loop.hello.command)
    if not_found is not None:
        raise not_found
    if not _is_wrapped(loop, launch) and not main_name(loop.hello.command):
        raise exits.no_program(launch)
    if recording.n_samples == 0:
        raise exits.not_started(launch, "the JVM ended before its first sample")
    if recording.zero_ns is None:
        raise exits.not_started(
            launch, "the program's start was not seen: the JVM ended before it, or delayed it for too long"
        )
    return loop.recorder


def _last_sample(loop: EventLoop, launch: Launch, recorder: AgentRecorder, ending: Ending) -> str:
    """Return the source of the last row, see Outcome; add a row from outside if no exit hook sent one."""
    if recorder.complete:
        return "agent"
    try:
        if isinstance(loop.counters, NoPerfData):
            raise loop.counters
        values = loop.counters.values() if loop.counters else {}
    except NoPerfData as reason:
        recorder.recording.metadata["buto.hsperfdata.missing"] = reason.message
        return "push"
    if not _is_wrapped(loop, launch) and loop.outside is not None and loop.outside.is_alone:
        values["jvm.cpu.time"] = ending.cpu_s
    return "hsperfdata" if recorder.add_last_state(loop.end_ns, values, "hsperfdata") else "push"


def _is_wrapped(loop: EventLoop, launch: Launch) -> bool:
    """Return whether the measured JVM is not the command's own process."""
    return loop.pid != launch.pid


def _observed(
    loop: EventLoop, launch: Launch, recording: Recording, ending: Ending, foreign_load: float
) -> ObservedLaunch:
    """Return what is known at the end; first add the last row from outside, if the exit hook sent none."""
    recorder = _started(loop, launch, recording)
    last_sample = _last_sample(loop, launch, recorder, ending)
    times_s = recording.times_s()
    # If the agent gave up before, nobody knows whether the hook ran; that is a problem of its own.
    orderly = recorder.exiting or loop.silence_ns > _SILENCE_NS
    return ObservedLaunch(
        ending=ending,
        timed_out=loop.timed_out,
        duration_s=float(times_s[-1]),
        last_sample=last_sample,
        # Before time zero buto holds the program, and no sample is planned.
        sampled=quality.sampling(
            np.maximum(times_s, 0.0), launch.target.interval_s, quality.pauses_s(recording)
        ),
        foreign_load=foreign_load,
        command=loop.hello.command if loop.hello else "",
        code=loop.exit_code(ending),
        orderly=orderly if _is_wrapped(loop, launch) else None,
        others=tuple(loop.others),
    )


def _problems(loop: EventLoop) -> tuple[Problem, ...]:
    problems = []
    recorder = loop.recorder
    if recorder is not None and recorder.blocked is not None and not recorder.complete:
        bean, since_ns = recorder.blocked
        waited_s = (loop.end_ns - since_ns) * 1e-9
        problems.append(quality.slow_bean(bean, f"did not answer for {waited_s:.1f} s"))
    if recorder is not None and recorder.n_lost_notifications:
        problems.append(quality.lost_notifications(recorder.n_lost_notifications))
    refused = recorder.recording.metadata.get("buto.mbeans.refused") if recorder is not None else None
    if refused is not None:
        text = f"the program's MBeans cannot be read: {refused}"
        problems.append(Problem(ProblemKind.UNREADABLE_MBEANS, text))
    if loop.silence_ns > _SILENCE_NS:
        text = f"the agent fell silent {loop.silence_ns * 1e-9:.1f} s before the JVM's end"
        problems.append(Problem(ProblemKind.EARLY_LOSS, text))
    return tuple(problems)
