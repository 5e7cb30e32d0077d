"""Read one further JVM after the other: the one that is there now, and the next one when it has ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from buto.collect.process.search import Found
from buto.collect.sources.jvm.attached import AttachedAgent
from buto.collect.sources.jvm.received import Row
from buto.collect.sources.protocol import Reader, SourceError
from buto.errors import ButoError
from buto.properties import Kind, Property
from buto.runs import MetadataValue

_TIMES = ("jvm.start.time", "jvm.uptime")
"""Metadata that differ from run to run."""

_WAITS_S = (1.0, 5.0)
"""How long a JVM whose agent was lost is left alone before the agent is loaded into it once more. After the
last time it is left alone for good: each time costs the program that is measured."""


class JvmReader(Reader):
    """Reads the JVM that a search finds. If it ends, the next one continues its counters.

    If the next one started while that one ran, what it counted before its own first row is left out.

    Args:
        find: returns the process of a JVM; None if there is none now.
        missing: what to say then.
        interval_s: time between two samples of the JVM.
        timeout_s: how long a reading may wait for one.
    """

    def __init__(
        self, find: Callable[[], Found | None], missing: str, interval_s: float, timeout_s: float
    ) -> None:
        self._find = find
        self._missing = missing
        self._interval_s = interval_s
        self._timeout_s = timeout_s
        self._agent: AttachedAgent | None = None
        self._jvm: tuple[int, int] | None = None
        self._row: Row | None = None
        self._newest_ns = 0
        self._properties: dict[str, Property] = {}
        self._ended: dict[str, float] = {}
        self._ran_before = False
        self._begun: set[str] = set()
        self._loads: dict[tuple[int, int], int] = {}
        self._lost = 0.0
        self._failure: ButoError | None = None

    def read(self) -> Mapping[str, float]:
        """See :class:`Reader`."""
        try:
            agent = self._attached()
            try:
                self._row = agent.row(self._timeout_s)
            finally:
                if agent.has_ended:
                    agent.close()
                    self._agent = None
                    self._lost = time.monotonic()
        except SourceError:
            raise
        except ButoError as error:
            self._failure = error
            raise SourceError(error.message, advice=error.advice) from error
        self._properties |= agent.received.properties
        self._newest_ns = self._row.time_ns
        if self._ran_before:
            self._begin_counts(self._row)
        return {name: value + self._ended.get(name, 0.0) for name, value in self._row.values.items()}

    def taken_ns(self) -> int | None:
        """See :class:`Reader`."""
        return None if self._row is None else self._row.time_ns

    def property(self, name: str) -> Property:
        """See :class:`Reader`."""
        return self._properties[name]

    def reasons(self) -> Mapping[str, str]:
        """See :class:`Reader`."""
        return {} if self._agent is None else self._agent.received.reasons

    def metadata(self) -> Mapping[str, MetadataValue]:
        """Return the version of the JVM, its options, and sizes of its memory."""
        known = {} if self._agent is None else self._agent.received.metadata
        return {key: value for key, value in known.items() if key.startswith("jvm.") and key not in _TIMES}

    def close(self) -> None:
        """See :class:`Reader`."""
        if self._agent is not None:
            self._agent.close()

    def _attached(self) -> AttachedAgent:
        """Return the agent in the JVM that is there; load it if need be."""
        if self._agent is not None:
            return self._agent
        found = self._find()
        if found is None:
            raise SourceError(self._missing if self._jvm is None else f"process {self._jvm[0]} has ended")
        jvm = (found.pid, found.started)
        if jvm != self._jvm:
            self._keep_counts()
            self._ran_before = found.started_ns < self._newest_ns
        self._jvm = jvm
        n_loads = self._loads.get(jvm, 0)
        if n_loads and self._failure is not None:
            is_given_up = n_loads > len(_WAITS_S)
            if is_given_up or time.monotonic() < self._lost + _WAITS_S[n_loads - 1]:
                raise SourceError(self._failure.message, advice=self._failure.advice)
        self._agent = AttachedAgent(found.pid, self._interval_s)
        self._loads[jvm] = n_loads + 1
        return self._agent

    def _keep_counts(self) -> None:
        """Add what an ended JVM had counted to what later ones count."""
        for name, value in ({} if self._row is None else self._row.values).items():
            if self._properties[name].kind is Kind.COUNTER and value == value:
                self._ended[name] = self._ended.get(name, 0.0) + value
        self._row = None
        self._begun = set()

    def _begin_counts(self, row: Row) -> None:
        """Leave out what a JVM had counted before its first row."""
        for name, value in row.values.items():
            if self._properties[name].kind is Kind.COUNTER and value == value and name not in self._begun:
                self._begun.add(name)
                self._ended[name] = self._ended.get(name, 0.0) - value
