"""What a collector is, and the template of both: launch a target, follow it to its end, make a run of it.

The collectors differ in how they follow a launch (:class:`Following`) and in what they know at its end.
"""

from __future__ import annotations

import math
import os
import time
from abc import abstractmethod
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from msgspec import Struct

from buto.measure import account, exits, quality
from buto.measure.command_line import program_digest
from buto.measure.hooks import HookCaller, LaunchHooks
from buto.measure.host import IDLE, LoadMeter, describe
from buto.measure.hsperfdata import HeldCounters, NoPerfData
from buto.measure.journal import Journal
from buto.measure.jvms import main_name
from buto.measure.launch import Ending, Launch, TimeLimit
from buto.measure.outside import OutsideReader
from buto.measure.private_directory import private_directory
from buto.measure.progress import Closeable, OnTick, Progress
from buto.measure.recording import Recording
from buto.measure.sources.sampling import add_sampling
from buto.measure.target import Target
from buto.run.model import INPUT_READ, PROGRAM, Outcome, Problem, Run
from buto.run.properties import READ_OUTSIDE, Property


class Collector(Protocol):
    """Launches one target many times and records each launch.

    A context manager: the end of the ``with`` block releases what a collector keeps between launches.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        """Launch the target once and record it to its end.

        If the program timed out, was killed or returned an unexpected exit code, the run says so in
        ``quality.problems``.

        Args:
            on_tick: receives the progress two to ten times a second, in this thread; must return soon.
            hooks: called when the program starts and when it has ended.
            journal: saves to disk what was recorded so far.

        Raises:
            MeasureError: there is nothing to record: the command or its main class was not found, it
                started no JVM, or no sample arrived. The message quotes what the program printed.
            StorageError: the temporary directory cannot be written.
            KeyboardInterrupt: passed on after the program was stopped.
        """


class Following(Closeable):
    """One launch while it is followed to its end.

    Attributes:
        hooks: called when the program starts and when it has ended.
        pid: of the measured JVM, as seen from here if it can be seen; None until one was chosen.
        command: ``sun.java.command`` of the JVM that is measured, or was seen last; empty if not known.
        class_path: ``java.class.path`` of the same JVM.
        others: main classes of the JVMs that were not wanted, in the order of their start.
        counters: the measured JVM's performance counters, or why there are none; None before.
        outside: reads the measured JVM from outside; None until one was chosen.
        dead_ns: when the end of the measured JVM's process was seen; 0 before.
    """

    def __init__(
        self, launch: Launch, recording: Recording, hooks: LaunchHooks | None, on_tick: OnTick | None
    ) -> None:
        self.launch = launch
        self.recording = recording
        self.pid: int | None = None
        self.command = self.class_path = ""
        self.others: list[str] = []
        self.counters: HeldCounters | NoPerfData | None = None
        self.outside: OutsideReader | None = None
        self.dead_ns = 0
        self._jvm_end: int | None = None
        self._on_tick = on_tick
        self._limit = TimeLimit(launch)
        self._held = ExitStack()
        self.hooks = self._held.enter_context(HookCaller(hooks, launch, recording))

    def close(self) -> None:
        self._held.close()

    @abstractmethod
    def run(self) -> Ending:
        """Follow the command and the measured JVM to their end.

        Raises:
            MeasureError: the JVM cannot be measured, or processes cannot be killed.
        """

    def own_cpu_s(self) -> float:
        """Return the processor time of buto's own further processes, seconds since the launch."""
        return 0.0

    @property
    def timed_out(self) -> bool:
        return self._limit.has_passed

    @property
    def is_wrapped(self) -> bool:
        """Whether the measured JVM is not the command's own process."""
        return self.pid != self.launch.pid

    @property
    def program(self) -> str:
        """Main class or jar of the JVM that is measured, or was seen last; empty if not known."""
        return main_name(self.command, self.class_path)

    def exit_code(self, ending: Ending) -> int | None:
        """Return the measured JVM's exit code once all have ended, or minus its signal; None if not known."""
        if not self.is_wrapped:
            return ending.exit_code if ending.signal is None else -ending.signal
        return None if self._jvm_end is None else account.exit_code(self._jvm_end)

    def _is_over(self) -> bool:
        """Return whether nothing more can come; called once the command has ended."""
        return self.dead_ns != 0 if self.pid is not None else self.launch.is_finished()

    def _look(self, stage: str) -> None:
        """Keep the outputs and the time within their bounds, and report the progress."""
        self.launch.trim_outputs()
        self._limit.enforce()
        if self._on_tick is not None:
            elapsed_s = (time.monotonic_ns() - self.launch.started_ns) * 1e-9
            timeout_s, n_samples = self.launch.target.timeout_s, self.recording.n_samples
            self._on_tick(Progress(elapsed_s, timeout_s, n_samples, stage, self.recording.newest))

    def _hold_process(self, pid: int) -> int | None:
        """Open the JVM's process, to see its end; return its descriptor, or None if it is gone."""
        self._jvm_end = account.open_pidfd(pid)
        if self._jvm_end is not None:
            self._held.callback(os.close, self._jvm_end)
        return self._jvm_end

    def _read_from_outside(self, pid: int | None, counters: HeldCounters | NoPerfData) -> None:
        self.counters = counters
        events = self.launch.events_of(pid)
        self.outside = self._held.enter_context(OutsideReader(self.recording, pid, counters, events))


class Seen(Struct, frozen=True):
    """What a collector knows of a program that has ended.

    Attributes:
        duration_s: from the program's start to its end.
        last_sample: where the last row comes from, see Outcome.
        sampled: how well the samples cover the run.
        orderly: whether its exit hook ran, as far as known.
    """

    duration_s: float
    last_sample: str
    sampled: quality.Sampling
    orderly: bool


F = TypeVar("F", bound=Following)


class LaunchCollector(Closeable, Generic[F]):
    """Records launches of one target; see :class:`Collector`."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def close(self) -> None:
        """Release nothing: a collector that keeps something between launches overrides this."""

    @property
    def columns(self) -> tuple[Property, ...]:
        """The properties that each run has before anything is read."""
        return READ_OUTSIDE

    @abstractmethod
    def _following(
        self, directory: Path, recording: Recording, hooks: LaunchHooks | None, on_tick: OnTick | None
    ) -> AbstractContextManager[F]:
        """Launch the target with its files in a private directory, and follow it."""

    @abstractmethod
    def _see_end(self, loop: F) -> Seen:
        """Return what is known at the end, and add a last row if need be.

        Raises:
            MeasureError: there is nothing to record.
        """

    @abstractmethod
    def _complete(self, loop: F, seen: Seen) -> tuple[Problem, ...]:
        """Complete metadata and reasons of the recording; return the collector's own problems."""

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        recording = Recording(test, mask=self.target.new_mask())
        recording.add_columns(self.columns)
        if journal is not None:
            on_tick = journal.on_each_tick(recording, on_tick)
        recording.metadata.update(describe(self.target))
        all_hooks = add_sampling(hooks, self.target.sources)
        load = LoadMeter()
        with (
            private_directory() as directory,
            self._following(directory, recording, all_hooks, on_tick) as loop,
        ):
            ending = loop.run()
            problems = loop.hooks.end()
            foreign_load = load.foreign_load(loop.own_cpu_s() + loop.hooks.cpu_s())
            if IDLE not in recording.metadata:
                recording.metadata[IDLE] = load.idle_share()
            loop.launch.end_all()
            seen = self._see_end(loop)
            if loop.outside is not None:
                loop.outside.finish(None if loop.is_wrapped else ending.used.switches)
            problems += self._complete(loop, seen)
            return _run(loop, ending, seen, foreign_load, problems)


def _run(
    loop: Following, ending: Ending, seen: Seen, foreign_load: float, problems: tuple[Problem, ...]
) -> Run:
    """Finish the recording with its outcome, metadata of the JVM and the run's quality.

    Args:
        foreign_load: mean share of the visible cores that others used, NaN if unknown.
        problems: listed after a bad end of the JVM and before sampling problems.
    """
    launch, recording, timed_out = loop.launch, loop.recording, loop.timed_out
    outcome = Outcome(
        exit_code=None if timed_out else ending.exit_code,
        signal=None if timed_out else ending.signal,
        timed_out=timed_out,
        duration_s=seen.duration_s,
        last_sample=seen.last_sample,
    )
    code, bad_end = loop.exit_code(ending), None
    # The command's own exit code shows how a JVM ended that is the command.
    if loop.is_wrapped and not timed_out:
        bad_end = exits.problem(launch.target.expected_exit, code, orderly=seen.orderly)
    recording.metadata |= {
        "host.load.foreign": None if math.isnan(foreign_load) else round(foreign_load, 3),
        "buto.jvm": loop.program or None,
        "buto.jvm.exit": code,
        "buto.jvms.others": ", ".join(loop.others),
        "buto.left_over.processes": launch.n_left_over,
        "process.environment.added": ", ".join(launch.added_variables),
        INPUT_READ: launch.input.was_read(),
        PROGRAM: program_digest(recording.metadata),
    }
    if launch.isolation is not None:
        recording.metadata |= launch.isolation.nameless(recording.metadata)
    slow = quality.slow_beans(recording, seen.sampled, launch.target.interval_s)
    more = (*([bad_end] if bad_end else []), *problems, *slow)
    judged = quality.quality_of(
        launch.target,
        outcome,
        seen.sampled,
        foreign_load,
        more=more,
        was_asked_to_end=launch.was_asked_to_end,
    )
    return recording.finish(outcome, judged, stdout=launch.read_stdout(), stderr=launch.read_stderr())
