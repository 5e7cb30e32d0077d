"""Read a JVM from outside when a sample of it has arrived, and write that into the sample's row.

So what is read from outside is on the run's clock without a clock of its own. It is later than the sample by
the way of the sample to buto, which ``buto.outside.delay`` records: below 1 ms with the agent, up to 100 ms
with JMX.

The readings come in parts, each of properties that belong together: the JVM's performance counters, what the
processor counts, and what the kernel counts of the process. A part is read as often as it is worth its cost.
A young process is read with cold caches: a file of /proc that takes 4 us in a loop takes some 50 us every
100 ms. So nothing is read in each sample.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

import numpy as np

from buto.errors import MeasureError
from buto.measure.account import KINDS, EventKind, NoEventError, ProcessorEvents
from buto.measure.hsperfdata import COUNTER_SOURCES, CounterPlan, HeldCounters, NoPerfData, hold_counters
from buto.measure.jvms import read_start_ms
from buto.measure.procfs import CHILDREN_FAULTS, IO, Counts, ProcError, ProcessFiles, Switches, ThreadSum
from buto.measure.progress import Closeable
from buto.measure.recording import Recording

READ_S = 0.5
"""How often anything is read."""

EARLY_S = 0.05
"""A sample may come so much too early: else each reading would slip to the next sample."""

_MOST_SHARE = 0.001
"""What a part with an interval of its own may take of one core."""

Values = Mapping[str, float]


class Part:
    """Reads some properties together.

    Args:
        names: of the properties.
        read: returns their values; raises MeasureError with the reason if it cannot.
        every_s: how often at most; 0 for each reading. A part that takes long is read less often.

    Attributes:
        reasons: why properties could not be read, by name.
    """

    def __init__(self, names: tuple[str, ...], read: Callable[[], Values], every_s: float = 0.0) -> None:
        self.names = names
        self.reasons: dict[str, str] = {}
        self._read = read
        self._every_s = every_s
        self._next_s = 0.0

    def values(self, *, always: bool = False) -> Values:
        """Return the current values; none if it is too early for this part, or if they cannot be read.

        Args:
            always: whether to read also if it is too early.
        """
        began = time.monotonic()
        if began < self._next_s and not always:
            return {}
        try:
            return self._read()
        except MeasureError as reason:
            self.reasons.update(dict.fromkeys(self.names, reason.message))
            return {}
        finally:
            if self._every_s:
                took_s = time.monotonic() - began
                self._next_s = began + max(self._every_s - EARLY_S, took_s / _MOST_SHARE)

    def why_missing(self, name: str) -> str:
        """Return why a sample may have no value of a property."""
        every_s = max(self._every_s, READ_S)
        return self.reasons.get(name) or f"read every {every_s:g} s at most, and at the end"


class MissingPart(Part):
    """Properties that can never be read, for one reason."""

    def __init__(self, names: tuple[str, ...], reason: MeasureError) -> None:
        super().__init__(names, dict)
        self.reasons = dict.fromkeys(names, reason.message)


class CounterPart(Part):
    """Reads the counters that the JVM keeps anyway, in some 8 us.

    A JVM writes when it began, by which its file is told from that of an earlier JVM, only just before
    ``main``: the sample before that has no counters.
    """

    def __init__(self, counters: HeldCounters) -> None:
        super().__init__(tuple(COUNTER_SOURCES), self._current)
        self._counters = counters
        self._plan: CounterPlan | None = None

    def _current(self) -> Values:
        if self._plan is None:
            self._plan = self._counters.plan()
            self.reasons = dict(self._plan.missing)
        return self._counters.running_values(self._plan)

    def why_missing(self, name: str) -> str:
        return self.reasons.get(name) or f"not known before main, and then {super().why_missing(name)}"


def event_parts(events: ProcessorEvents | NoEventError) -> list[Part]:
    """Return one part for each counter of the processor; the events must stay open."""
    if isinstance(events, NoEventError):
        return [MissingPart(tuple(kind.prop for kind in KINDS), events)]
    return [_event_part(events, kind) for kind in events.kinds]


def _event_part(events: ProcessorEvents, kind: EventKind) -> Part:
    try:
        events.count(kind)
    except NoEventError as reason:
        return MissingPart((kind.prop,), reason)
    return Part((kind.prop,), lambda: {kind.prop: events.count(kind)})


_SLOW_S = 2.0
"""For what must be asked of each thread or descriptor."""

_RARE_S = 10.0
"""For what makes the kernel visit each page."""

_PROCESS: Sequence[tuple[tuple[str, ...], Callable[[ProcessFiles, ThreadSum], Counts], float]] = (
    (("paging.faults[minor]", "paging.faults[major]", "thread.count"), lambda files, _: files.stat(), 0.0),
    (("memory.usage", "memory.anonymous"), lambda files, _: files.memory(), 0.0),
    (tuple(IO), lambda files, _: files.transfers(), 0.0),
    (
        ("unix.file_descriptor.count",),
        lambda files, _: {"unix.file_descriptor.count": float(files.n_descriptors())},
        0.0,
    ),
    (("socket.count",), lambda files, _: {"socket.count": float(files.n_sockets())}, _SLOW_S),
    (
        ("context_switches[voluntary]", "context_switches[involuntary]"),
        lambda files, threads: threads.add(files.switches()).counts(),
        _SLOW_S,
    ),
    (("memory.peak",), lambda files, _: {"memory.peak": float(files.peak())}, _SLOW_S),
    (("memory.proportional",), lambda files, _: {"memory.proportional": float(files.pss())}, _RARE_S),
)
"""What is read of the process together: names without ``process.``, how, and how often at most."""


def _values_of(counts: Counts, names: Iterable[str]) -> Values:
    return {f"process.{name}": counts[name] for name in names}


SWITCHES = tuple(_values_of(Switches(0, 0).counts(), Switches(0, 0).counts()))


class ProcessReadings:
    """Reads one process.

    Args:
        files: of the process; they must stay open.

    Attributes:
        waited_for_children: whether the process had waited for the end of a child when it was last read.
    """

    def __init__(self, files: ProcessFiles) -> None:
        self.waited_for_children = False
        self._files = files
        self._threads = ThreadSum()

    def parts(self) -> list[Part]:
        return [
            Part(tuple(f"process.{name}" for name in names), partial(self._values, names, read), every_s)
            for names, read, every_s in _PROCESS
        ]

    def _values(self, names: Iterable[str], read: Callable[[ProcessFiles, ThreadSum], Counts]) -> Values:
        counts = read(self._files, self._threads)
        if CHILDREN_FAULTS in counts:
            self.waited_for_children = counts[CHILDREN_FAULTS] > 0
        return _values_of(counts, names)


_NS = 1e-9


class OutsideReader(Closeable):
    """Reads one living JVM for one recording, which must have the columns :data:`READ_OUTSIDE`.

    Args:
        pid: of the JVM; None if its process cannot be seen.
        counters: its performance counters, or why there are none.
        events: what the processor counts of it, or why that is not known.

    All that is given must stay open.
    """

    def __init__(
        self,
        recording: Recording,
        pid: int | None,
        counters: HeldCounters | NoPerfData,
        events: ProcessorEvents | NoEventError,
    ) -> None:
        self._recording = recording
        self._next_ns = 0
        self._held = ExitStack()
        self._parts: list[Part] = [
            CounterPart(counters)
            if isinstance(counters, HeldCounters)
            else MissingPart(tuple(COUNTER_SOURCES), counters)
        ]
        self._process: ProcessReadings | None = None
        try:
            if pid is None:
                raise ProcError("the JVM's process cannot be seen from here")
            self._process = ProcessReadings(self._held.enter_context(ProcessFiles(pid)))
            self._parts += self._process.parts()
        except ProcError as reason:
            names = tuple(f"process.{name}" for names, _, _ in _PROCESS for name in names)
            self._parts.append(MissingPart(names, reason))
        self._events = event_parts(events)
        self._parts += self._events
        self._last: Values = {}
        self._left_out: Values = {}

    def close(self) -> None:
        self._held.close()

    def read(self, *, is_last: bool = False) -> None:
        """Write what is due into the row that arrived last; do nothing if there is none.

        Args:
            is_last: whether the program is about to end: read also what is read seldom.
        """
        began_ns = time.monotonic_ns()
        if began_ns < self._next_ns and not is_last:
            return
        sampled_ns = self._recording.last_time_ns
        if sampled_ns is None:
            return
        self._next_ns = began_ns + round((READ_S - EARLY_S) / _NS)
        values: dict[str, float] = {}
        for part in self._parts:
            values.update(part.values(always=is_last))
        self._last = dict(values)
        values["buto.outside.delay"] = max(0, began_ns - sampled_ns) * _NS
        values["buto.outside.time"] = (time.monotonic_ns() - began_ns) * _NS
        self._recording.add_to_last_row(values)

    def leave_out(self) -> None:
        """Leave out what the JVM did since the last reading from what :meth:`finish` adds."""
        parts = [part for part in self._parts if part in self._events or part.names == SWITCHES]
        now = {name: value for part in parts for name, value in part.values(always=True).items()}
        self._left_out = {name: value - self._last[name] for name, value in now.items() if name in self._last}

    @property
    def is_alone(self) -> bool:
        """Whether what the kernel says at the process's end is its own: it has waited for no child."""
        return self._process is not None and not self._process.waited_for_children

    def finish(self, switches: Switches | None) -> None:
        """Complete the last row after the JVM's end, and give reasons for what is missing.

        There must be a row.

        Args:
            switches: of the process to its very end, with those of ended threads, and of the children that it
                waited for; None if they are not known.
        """
        values = {name: value for part in self._events for name, value in part.values().items()}
        if switches is not None and self.is_alone:
            values.update(_values_of(switches.counts(), switches.counts()))
        self._recording.add_to_last_row(
            {name: value - self._left_out.get(name, 0.0) for name, value in values.items()}
        )
        for part in self._parts:
            for name in part.names:
                if np.isnan(self._recording.series(name)).any():
                    self._recording.add_reason(name, part.why_missing(name))


@contextmanager
def read_from_outside(recording: Recording, pid: int | None) -> Iterator[OutsideReader]:
    """Yield a reader of a JVM that was running before.

    Args:
        pid: None if the JVM may run on another machine.
    """
    with ExitStack() as held:
        counters: HeldCounters | NoPerfData = NoPerfData("the JVM may run on another machine")
        if pid is not None:
            counters = hold_counters(held, pid, read_start_ms(pid) or 0)
        too_late = NoEventError("the processor counts only from the start of a program on")
        yield held.enter_context(OutsideReader(recording, pid, counters, too_late))
