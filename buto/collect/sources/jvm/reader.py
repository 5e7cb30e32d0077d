"""Read one further JVM after the other: the one that is there now, and the next one when it has ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from buto.collect.sources.jvm.attached import AttachedAgent
from buto.collect.sources.jvm.received import Row
from buto.collect.sources.protocol import Reader, SourceError
from buto.errors import ButoError
from buto.properties import Kind, Property
from buto.runs import MetadataValue

_TIMES = ("jvm.start.time", "jvm.uptime")
"""Metadata that differ from run to run."""


class JvmReader(Reader):
    """Reads the JVM that a search finds. If it ends, the next one continues its counters.

    Args:
        find: returns the process id of a JVM; None if there is none now.
        missing: what to say then.
        interval_s: time between two samples of the JVM.
        timeout_s: how long a reading may wait for one.
    """

    def __init__(
        self, find: Callable[[], int | None], missing: str, interval_s: float, timeout_s: float
    ) -> None:
        self._find = find
        self._missing = missing
        self._interval_s = interval_s
        self._timeout_s = timeout_s
        self._agent: AttachedAgent | None = None
        self._pid: int | None = None
        self._row: Row | None = None
        self._properties: dict[str, Property] = {}
        self._ended: dict[str, float] = {}

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
        except SourceError:
            raise
        except ButoError as error:
            raise SourceError(error.message, advice=error.advice) from error
        self._properties |= agent.received.properties
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
        pid = self._find()
        if pid is None:
            raise SourceError(self._missing if self._pid is None else f"process {self._pid} has ended")
        self._agent = AttachedAgent(pid, self._interval_s)
        if pid != self._pid:
            self._keep_counts()
        self._pid = pid
        return self._agent

    def _keep_counts(self) -> None:
        """Add what an ended JVM had counted to what later ones count."""
        for name, value in ({} if self._row is None else self._row.values).items():
            if self._properties[name].kind is Kind.COUNTER and value == value:
                self._ended[name] = self._ended.get(name, 0.0) + value
        self._row = None
