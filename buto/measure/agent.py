"""The default collector for launched programs: an agent inside the JVM pushes samples to buto."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from buto.measure import exits, quality
from buto.measure.channel import AgentListener, AgentRecorder
from buto.measure.collector import LaunchCollector, Seen
from buto.measure.command_line import is_java
from buto.measure.event_loop import EventLoop
from buto.measure.hooks import LaunchHooks
from buto.measure.hsperfdata import NoPerfData
from buto.measure.jvms import main_name
from buto.measure.launch import Launch
from buto.measure.progress import OnTick
from buto.measure.recording import Recording
from buto.measure.target import LiveSet, Target
from buto.run.model import Problem, ProblemKind
from buto.run.properties import LIVE_SET, LIVE_SET_TIME, property_for

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


class AgentCollector(LaunchCollector[EventLoop]):
    """Records launches of one target through buto's Java agent."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._why_not_counted = "" if target.live_set is None else target.live_set.why_not

    @contextmanager
    def _following(
        self, directory: Path, recording: Recording, hooks: LaunchHooks | None, on_tick: OnTick | None
    ) -> Iterator[EventLoop]:
        target = replace(self.target, live_set=None) if self._why_not_counted else self.target
        with (
            AgentListener(directory) as listener,
            Launch(target, directory, [agent_option(listener.agent, target)]) as launch,
            EventLoop(launch, recording, hooks, on_tick, listener) as loop,
        ):
            yield loop

    def _seen(self, loop: EventLoop) -> Seen:
        recorder = _started(loop)
        last_sample = _last_sample(loop, recorder)
        times_s = loop.recording.times_s()
        # Before time zero buto holds the program, and no sample is planned.
        planned_s, pauses_s = np.maximum(times_s, 0.0), quality.pauses_s(loop.recording)
        return Seen(
            duration_s=float(times_s[-1]),
            last_sample=last_sample,
            sampled=quality.sampling(planned_s, self.target.interval_s, pauses_s),
            # If the agent gave up before, nobody knows whether the hook ran; that is a problem of its own.
            orderly=recorder.exiting or loop.silence_ns > _SILENCE_NS,
        )

    def _completed(self, loop: EventLoop, seen: Seen) -> tuple[Problem, ...]:
        loop.recording.metadata["host.load.run_queue"] = loop.run_queue_s
        if self.target.live_set is not None:
            self._complete_live_set(self.target.live_set, loop.recording)
        return _problems(loop)

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


def _started(loop: EventLoop) -> AgentRecorder:
    """Return the recorder of the measured JVM; raise MeasureError if no program was seen to start."""
    launch, recording = loop.launch, loop.recording
    if loop.recorder is None:
        raise exits.no_jvm(launch, loop.others, timed_out=loop.timed_out)
    not_found = exits.main_not_found(launch, loop.command)
    if not_found is not None:
        raise not_found
    if not loop.is_wrapped and not main_name(loop.command):
        raise exits.no_program(launch)
    if recording.n_samples == 0:
        raise exits.not_started(launch, "the JVM ended before its first sample")
    if recording.zero_ns is None:
        raise exits.not_started(
            launch, "the program's start was not seen: the JVM ended before it, or delayed it for too long"
        )
    return loop.recorder


def _last_sample(loop: EventLoop, recorder: AgentRecorder) -> str:
    """Return the source of the last row, see Outcome; add a row from outside if no exit hook sent one."""
    if recorder.complete:
        return "agent"
    try:
        if isinstance(loop.counters, NoPerfData):
            raise loop.counters
        values = loop.counters.values() if loop.counters else {}
    except NoPerfData as reason:
        loop.recording.metadata["buto.hsperfdata.missing"] = reason.message
        return "push"
    ending = loop.launch.poll()
    if ending is not None and not loop.is_wrapped and loop.outside is not None and loop.outside.is_alone:
        values["jvm.cpu.time"] = ending.cpu_s
    return "hsperfdata" if recorder.add_last_state(loop.end_ns, values, "hsperfdata") else "push"


def _problems(loop: EventLoop) -> tuple[Problem, ...]:
    problems = []
    recorder, silence_s = loop.recorder, loop.silence_ns * 1e-9
    assert recorder is not None
    if recorder.blocked is not None and not recorder.complete:
        bean, since_ns = recorder.blocked
        waited_s = (loop.end_ns - since_ns) * 1e-9
        problems.append(quality.slow_bean(bean, f"did not answer for {waited_s:.1f} s"))
    if recorder.n_lost_notifications:
        problems.append(quality.lost_notifications(recorder.n_lost_notifications))
    refused = loop.recording.metadata.get("buto.mbeans.refused")
    if refused is not None:
        text = f"the program's MBeans cannot be read: {refused}"
        problems.append(Problem(ProblemKind.UNREADABLE_MBEANS, text))
    if loop.silence_ns > _SILENCE_NS:
        text = f"the agent fell silent {silence_s:.1f} s before the JVM's end"
        problems.append(Problem(ProblemKind.EARLY_LOSS, text))
    return tuple(problems)
