"""The JVM's performance counters as a part of what is read from outside."""

from __future__ import annotations

from buto.collect.jvm.counter_values import COUNTER_SOURCES, CounterPlan
from buto.collect.jvm.hsperfdata import HeldCounters, NoPerfData
from buto.collect.outside.part import MissingPart, Part, Values


def counter_part(counters: HeldCounters | NoPerfData) -> Part:
    """Return the part of a JVM's counters, which must stay open; or of why there are none."""
    if isinstance(counters, NoPerfData):
        return MissingPart(tuple(COUNTER_SOURCES), counters)
    return CounterPart(counters)


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
        """Return why a sample may have no value of a property."""
        return self.reasons.get(name) or f"not known before main, and then {super().why_missing(name)}"
