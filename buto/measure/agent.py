"""The default collector for launched programs: an agent inside the JVM pushes samples to buto."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from buto.measure import exits, quality, virtual_threads
from buto.measure.channel import GATE_MS, AgentListener, AgentRecorder
from buto.measure.collector import LaunchCollector, Seen
from buto.measure.doubt import check_archive, doubt
from buto.measure.event_loop import EventLoop
from buto.measure.hooks import LaunchHooks
from buto.measure.hsperfdata import NoPerfData
from buto.measure.journal import Journal
from buto.measure.launch import Launch
from buto.measure.progress import OnTick
from buto.measure.recording import Recording
from buto.measure.target import LiveSet, Target
from buto.run.model import RUN_QUEUE, Problem, ProblemKind, Run
from buto.run.properties import LIVE_SET, LIVE_SET_TIME, property_for

RECORDER_GATE_MS = 60_000
"""How long the agent may hold ``main`` until Flight Recorder runs: a second, and ten on a busy machine."""

LONGEST_COUNT_S = 1.0
"""A training gives up counting live objects if that takes longer in launch after launch."""

SLOW_COUNTS = 2
"""So many counts in a row that took too long are of the program; one may be of the machine."""

_SILENCE_NS = 250_000_000
"""If a connection ends so long before its JVM, the agent gave up."""


class _HelperMeasuredError(Exception):
    """A helper of a script was measured, and not the program that came after it."""

    def __init__(self, program: str) -> None:
        super().__init__(program)
        self.program = program


class AgentCollector(LaunchCollector[EventLoop]):
    """Records launches of one target through buto's Java agent."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._may_launch_again = False
        self._recorded_in: Path | None = None
        self._why_not_counted = "" if target.live_set is None else target.live_set.why_not
        self._n_slow_counts = 0

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        """See :class:`Collector`. If a script's helper came first, launch again for the JVM that lives."""
        # What drives a program has driven the helper, and cannot begin again.
        self._may_launch_again = hooks is None and self.target.jvm is None
        try:
            return super().record(test, on_tick, hooks, journal)
        except _HelperMeasuredError as helper:
            self.target = replace(self.target, jvm=glob.escape(helper.program))
            return super().record(test, on_tick, hooks)

    @contextmanager
    def _following(
        self, directory: Path, recording: Recording, hooks: LaunchHooks | None, on_tick: OnTick | None
    ) -> Iterator[EventLoop]:
        target = replace(self.target, live_set=None) if self._why_not_counted else self.target
        threads = virtual_threads.prepare(directory) if target.counts_virtual_threads else None
        self._recorded_in = threads
        gate_ms = GATE_MS if threads is None else RECORDER_GATE_MS
        with (
            AgentListener(directory, gate_ms=gate_ms, recording=threads) as listener,
            Launch(target, directory, [f"-javaagent:{listener.agent}"]) as launch,
            EventLoop(launch, recording, hooks, on_tick, listener) as loop,
        ):
            yield loop

    def _see_end(self, loop: EventLoop) -> Seen:
        try:
            recorder = _recorder_of(loop)
        except exits.NotStartedError as error:
            raise doubt(error, loop.launch) from None
        check_archive(loop.launch)
        if self._may_launch_again and loop.program_behind is not None:
            raise _HelperMeasuredError(loop.program_behind)
        last_sample = _last_sample(loop, recorder)
        times_s = loop.recording.times_s()
        # Before time zero buto holds the program, and no sample is planned.
        planned_s, pauses_s = np.maximum(times_s, 0.0), quality.pauses_s(loop.recording)
        return Seen(
            duration_s=_duration_s(loop, last_sample, float(times_s[-1])),
            last_sample=last_sample,
            sampled=quality.sampling(planned_s, self.target.interval_s, pauses_s),
            # If the agent gave up before, nobody knows whether the hook ran; that is a problem of its own.
            orderly=recorder.exiting or loop.silence_ns > _SILENCE_NS,
        )

    def _complete(self, loop: EventLoop, seen: Seen) -> tuple[Problem, ...]:
        loop.recording.metadata[RUN_QUEUE] = loop.run_queue_s
        if self.target.live_set is not None:
            self._complete_live_set(self.target.live_set, loop.recording)
        problems = _problems(loop)
        if self._recorded_in is not None:
            problems += virtual_threads.add_counts(loop.recording, self._recorded_in, self.target.interval_s)
        return problems

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
        self._n_slow_counts = self._n_slow_counts + 1 if took_s > LONGEST_COUNT_S else 0
        if wanted.gives_up and self._n_slow_counts >= SLOW_COUNTS:
            self._why_not_counted = (
                f"counting took {took_s:.1f} s in an earlier launch, and too long in the one before "
                f"(limit {LONGEST_COUNT_S:g} s)"
            )


def _recorder_of(loop: EventLoop) -> AgentRecorder:
    """Return the recorder of the measured JVM; raise MeasureError if no program was seen to start."""
    launch, recording = loop.launch, loop.recording
    if loop.recorder is None:
        raise exits.no_jvm(launch, loop.others, timed_out=loop.timed_out)
    not_found = exits.main_not_found(launch, loop.program)
    if not_found is not None:
        raise not_found
    if not loop.is_wrapped and not loop.program:
        raise exits.no_program(launch)
    if recording.n_samples == 0:
        raise exits.not_started(launch, "the JVM ended before its first sample")
    if recording.zero_ns is None:
        raise exits.not_started(
            launch, "the program's start was not seen: the JVM ended before it, or delayed it for too long"
        )
    return loop.recorder


def _duration_s(loop: EventLoop, last_sample: str, last_s: float) -> float:
    """Return how long the program ran: to its last sample, or to its end if that was not sent."""
    zero_ns = loop.recording.zero_ns
    if last_sample != "push" or zero_ns is None or not loop.end_ns:
        return last_s
    return max(last_s, (loop.end_ns - zero_ns) * 1e-9)


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
        values["jvm.cpu.time"] = ending.used.cpu_s
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
        problems.append(quality.report_lost_notifications(recorder.n_lost_notifications))
    refused = loop.recording.metadata.get("buto.mbeans.refused")
    if refused is not None:
        text = f"the program's MBeans cannot be read: {refused}"
        problems.append(Problem(ProblemKind.UNREADABLE_MBEANS, text))
    if loop.silence_ns > _SILENCE_NS:
        text = f"the agent fell silent {silence_s:.1f} s before the JVM's end"
        problems.append(Problem(ProblemKind.EARLY_LOSS, text))
    return tuple(problems)
