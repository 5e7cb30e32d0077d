"""Read a JVM from outside when a sample of it has arrived, and write that into the sample's row.

So what is read from outside is on the run's clock without a clock of its own. It is later than the sample by
the way of the sample to buto, which ``buto.outside.delay`` records: below 1 ms with the agent, up to 100 ms
with JMX.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np

from buto.collect.closeable import Closeable
from buto.collect.jvm.hsperfdata import HeldCounters, NoPerfData
from buto.collect.jvm.local_jvm import started_ms
from buto.collect.outside.counters import counter_part
from buto.collect.outside.events import event_parts
from buto.collect.outside.part import EARLY_S, READ_S, MissingPart, Part, Values
from buto.collect.outside.process import PROCESS_NAMES, SWITCHES, ProcessReadings, switch_values
from buto.collect.process.processor_events import NoEventError, ProcessorEvents
from buto.collect.procfs.process_files import ProcessFiles
from buto.collect.procfs.texts import ProcError, Switches
from buto.collect.record.recording import Recording

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
        self._parts: list[Part] = [counter_part(counters)]
        self._process: ProcessReadings | None = None
        try:
            if pid is None:
                raise ProcError("the JVM's process cannot be seen from here")
            self._process = ProcessReadings(self._held.enter_context(ProcessFiles(pid)))
            self._parts += self._process.parts()
        except ProcError as reason:
            self._parts.append(MissingPart(PROCESS_NAMES, reason))
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
            values.update(switch_values(switches))
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
            try:
                counters = held.enter_context(HeldCounters(pid, started_ms(pid) or 0))
            except NoPerfData as reason:
                counters = reason
        too_late = NoEventError("the processor counts only from the start of a program on")
        yield held.enter_context(OutsideReader(recording, pid, counters, too_late))
