"""The collector for commands without a JVM: everything is read from outside, and totals at the very end.

While the command's own process lives, the files of /proc are read at each interval. What a reading can miss,
the kernel has counted: when the process has ended and before anybody has waited for it, ``io`` can still be
read, and wait4(2) gives processor time, page faults, context switches and the largest resident memory. So
these are exact however short the program is. The largest number of threads or descriptors is only what
readings saw, so a program that ends before a few readings has none of them.

What buto's own child process used between fork and exec is subtracted. The kernel keeps the larger of that
child's resident memory and the program's, so a program that needs less than the child had has no largest
value of the kernel's; readings then tell it, if there were enough of them.

Totals are of the command's own process with all children that it has waited for; what it leaves behind, or
what its children leave, is not in them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from msgspec import Struct, structs

from buto.errors import MeasureError
from buto.measure import account, quality
from buto.measure.collector import Following, LaunchCollector, Seen
from buto.measure.hooks import LaunchHooks
from buto.measure.jvms import local_jvm, main_name
from buto.measure.launch import CommandUsage, Ending, Launch
from buto.measure.outside import Part, ProcessReadings, event_parts
from buto.measure.procfs import Counts, ProcError, ProcessFiles
from buto.measure.progress import OnTick
from buto.measure.recording import Recording
from buto.run.model import EXECUTABLE, Problem
from buto.run.properties import COMMAND_PEAK, OF_A_COMMAND, Kind, Property

LEAST_READINGS = 5
"""With fewer readings, the largest of them says nothing of the program."""

_BEFORE_EXEC = 1.25
"""What the child process has at exec, as a multiple of what it had when it told: its last steps need more."""

TICK_S = 0.1
"""How often the time limit, the outputs and the progress are looked at; at each reading, too."""

_LOOKS_FOR_JVMS = (5, 20, 100)
"""After which readings buto looks whether a JVM is among the command's processes."""

_UNNAMED_JVM = "a JVM"

_CPU, _MINOR, _MAJOR = "command.cpu.time", "command.paging.faults[minor]", "command.paging.faults[major]"
_INSTRUCTIONS = {"process.cpu.instructions": "command.cpu.instructions"}


class _Reading(Struct, frozen=True):
    """What was read at one time, ``time.monotonic_ns``."""

    time_ns: int
    values: Mapping[str, float]


class ProcessLoop(Following):
    """Follows one launch to the end of the command's own process.

    Attributes:
        readings_ns: when the living process was read.
    """

    def __init__(
        self, launch: Launch, recording: Recording, hooks: LaunchHooks | None, on_tick: OnTick | None
    ) -> None:
        super().__init__(launch, recording, hooks, on_tick)
        self.pid = launch.pid
        self.readings_ns: list[int] = []
        self._files: ProcessFiles | None = None
        self._parts: list[Part] = []
        self._first: list[_Reading] = []
        self._peak = float("nan")
        self._is_peak_read = False
        try:
            self._files = self._held.enter_context(ProcessFiles(launch.pid))
            self._parts = ProcessReadings(self._files).parts()
            # Opened now, because a process that has ended may no longer be opened.
            self._files.transfers()
        except ProcError as reason:
            # What wait4 tells is known all the same.
            if self._files is None:
                self._reason("process.", reason)
        self._events = event_parts(launch.events_of(launch.pid))

    def run(self) -> Ending:
        recording, interval_s = self.recording, self.launch.target.interval_s
        recording.zero_ns = self.launch.beginning.time_ns
        self.hooks.start(self.launch.pid)
        next_s = recording.zero_ns * 1e-9 + interval_s
        self._look("running")
        looked_s = time.monotonic()
        while True:
            now_s = time.monotonic()
            if account.readable(self.launch.fileno(), max(0.0, min(next_s, looked_s + TICK_S) - now_s)):
                break
            if time.monotonic() >= next_s:
                self._read()
                next_s = max(next_s + interval_s, time.monotonic())
            if time.monotonic() >= looked_s + TICK_S:
                self._look("running")
                looked_s = time.monotonic()
        last = self._read_ended()
        ending = self.launch.poll()
        while ending is None:
            # A thread of it ends after the process itself was seen to end.
            account.readable(self.launch.fileno(), TICK_S)
            ending = self.launch.poll()
        self.dead_ns = ending.time_ns
        self._add_last(ending, last)
        expected = self.launch.target.expected_exit
        if ending.signal is not None and 128 + ending.signal == expected:
            # As a shell tells it: it handles no SIGTERM, and was asked to end.
            ending = structs.replace(ending, exit_code=expected, signal=None)
        return ending

    @property
    def duration_s(self) -> float:
        return (self.dead_ns - (self.recording.zero_ns or 0)) * 1e-9

    @property
    def was_read(self) -> bool:
        """Whether there were enough readings for the largest of them to tell something."""
        return len(self.readings_ns) >= LEAST_READINGS

    def _read(self) -> None:
        """Read the living process; the first readings wait until there are enough of them."""
        values: dict[str, float] = {}
        now_ns = time.monotonic_ns()
        for part in (*self._parts, *self._events):
            values.update(part.values())
        used = self._read_usage()
        if used is None:
            return
        for name, count in self.launch.beginning.used.switches.counts().items():
            if f"process.{name}" in values:
                values[f"process.{name}"] = max(0.0, values[f"process.{name}"] - count)
        self.readings_ns.append(now_ns)
        reading = _Reading(now_ns, _of_a_command({**values, **used}))
        self._first.append(reading)
        if self.was_read:
            for sample in self._first:
                self.recording.add_row(sample.time_ns, sample.values)
            self._first = []
        if len(self.readings_ns) in _LOOKS_FOR_JVMS:
            self._look_for_jvms()

    def _read_usage(self) -> Counts | None:
        """Return processor time, faults and the largest memory so far; None if the process has ended."""
        if self._files is None:
            return {}
        try:
            totals, peak = self._files.totals(), float(self._files.peak())
        except ProcError:
            return None
        before = self.launch.beginning.used
        self._peak = peak
        return {
            _CPU: max(0.0, totals["cpu.time"] - before.cpu_s),
            _MINOR: max(0.0, totals["paging.faults[minor]"] - before.minor_faults),
            _MAJOR: max(0.0, totals["paging.faults[major]"] - before.major_faults),
            COMMAND_PEAK: peak,
        }

    def _read_ended(self) -> Counts:
        """Return what can be read of a process that has ended and was not waited for."""
        values: Counts = {}
        for part in self._events:
            values.update(part.values(always=True))
        if self._files is not None:
            try:
                transfers = self._files.transfers()
            except ProcError as reason:
                self._reason("process.io.", reason)
                self._reason("process.disk.io", reason)
            else:
                values.update({f"process.{name}": value for name, value in transfers.items()})
        return values

    def _add_last(self, ending: Ending, values: Counts) -> None:
        """Add the last row, what the kernel has counted to the very end, and the first, where that began."""
        before, used = self.launch.beginning.used, ending.used
        switches = {
            name: max(0.0, value - before.switches.counts()[name])
            for name, value in used.switches.counts().items()
        }
        totals = {
            _CPU: max(0.0, used.cpu_s - before.cpu_s),
            _MINOR: max(0.0, float(used.minor_faults - before.minor_faults)),
            _MAJOR: max(0.0, float(used.major_faults - before.major_faults)),
            COMMAND_PEAK: self._largest(used),
            **{f"process.{name}": value for name, value in switches.items()},
        }
        zero_ns = self.recording.zero_ns or 0
        last = _of_a_command({**values, **totals})
        counted = [name for name in last if _KINDS[name] is Kind.COUNTER]
        self.recording.add_row(zero_ns, dict.fromkeys(counted, 0.0))
        self.recording.add_row(max(ending.time_ns, zero_ns + 1), last)

    def _largest(self, used: CommandUsage) -> float:
        """Return the largest resident memory; NaN if neither the kernel nor the readings tell it."""
        before = round(self.launch.beginning.used.largest_bytes * _BEFORE_EXEC)
        if used.largest_bytes > before:
            return float(used.largest_bytes)
        if self.was_read:
            self._is_peak_read = True
            return self._peak
        self.recording.add_reason(
            COMMAND_PEAK,
            f"at most {before // 2**20} MiB, which buto's own process had before the program began, and the "
            f"program ended before {LEAST_READINGS} readings",
        )
        return float("nan")

    def _reason(self, start: str, reason: MeasureError) -> None:
        for prop in OF_A_COMMAND:
            if prop.name.startswith(start):
                self.recording.add_reason(prop.name, reason.message)

    def _look_for_jvms(self) -> None:
        """Note JVMs among the command's processes: they are measured from outside like any other."""
        for pid in self.launch.members():
            jvm = local_jvm(pid)
            if jvm is not None:
                name = main_name(jvm.command, jvm.class_path) or _UNNAMED_JVM
                if name not in self.others:
                    self.others.append(name)
        if len(self.others) > 1 and _UNNAMED_JVM in self.others:
            # It was seen before it had a name.
            self.others.remove(_UNNAMED_JVM)

    def forget_readings(self, why: str) -> None:
        """Leave out what only readings tell: too few of them were made on a busy machine."""
        gauges = [prop.name for prop in OF_A_COMMAND if prop.kind is Kind.GAUGE]
        names = [name for name in gauges if name != COMMAND_PEAK or self._is_peak_read]
        self.recording.blank(names)
        for name in names:
            self.recording.add_reason(name, why)

    def explain_missing(self) -> None:
        """Give reasons for what is missing in some rows."""
        recording = self.recording
        parts = (*self._parts, *self._events)
        reasons = {name: part.reasons.get(name, "") for part in parts for name in part.names}
        few = f"the program ended before {LEAST_READINGS} readings"
        for prop in OF_A_COMMAND:
            if np.isnan(recording.series(prop.name)).any():
                read = next((name for name, own in _INSTRUCTIONS.items() if own == prop.name), prop.name)
                why = reasons.get(read, "") if self.was_read or read in _EVENTS else few
                recording.add_reason(prop.name, why or "read while the process lives")


_EVENTS = ("process.cpu.instructions", "process.cpu.cycles")


def _of_a_command(values: Mapping[str, float]) -> dict[str, float]:
    """Return the values that a run of a command has, by their names there."""
    named = {_INSTRUCTIONS.get(name, name): value for name, value in values.items()}
    return {name: value for name, value in named.items() if name in _KINDS}


_KINDS = {prop.name: prop.kind for prop in OF_A_COMMAND}


class ProcessCollector(LaunchCollector[ProcessLoop]):
    """Records launches of one command without looking for a JVM."""

    @property
    def columns(self) -> tuple[Property, ...]:
        return OF_A_COMMAND

    @contextmanager
    def _following(
        self, directory: Path, recording: Recording, hooks: LaunchHooks | None, on_tick: OnTick | None
    ) -> Iterator[ProcessLoop]:
        with (
            Launch(self.target, directory) as launch,
            ProcessLoop(launch, recording, hooks, on_tick) as loop,
        ):
            yield loop

    def _see_end(self, loop: ProcessLoop) -> Seen:
        # Totals miss nothing, whatever the readings have missed.
        if loop.was_read:
            times_s = (np.array(loop.readings_ns) - (loop.recording.zero_ns or 0)) * 1e-9
            sampled = quality.sampling(times_s, self.target.interval_s, duration_s=loop.duration_s)
            starved = quality.find_starvation(self.target, sampled, float("nan"))
            if starved:
                loop.forget_readings(starved[0].text)
        return Seen(loop.duration_s, "wait4", quality.Sampling(0.0, 0.0, 0.0, 0), orderly=True)

    def _complete(self, loop: ProcessLoop, seen: Seen) -> tuple[Problem, ...]:
        loop.explain_missing()
        directory = self.target.directory or Path()
        executable = os.path.realpath(directory / loop.launch.line.arguments[0])
        loop.recording.metadata[EXECUTABLE] = executable
        return ()
