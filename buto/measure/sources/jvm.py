"""The source ``jvm``: a further JVM beside the measured one, such as a service's or a child's.

It reads one JVM after the other: the one that is there now, and the next one when it has ended.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from buto.errors import ButoError
from buto.measure.command_line import Found, line_pattern, living
from buto.measure.jvms import is_jvm, is_wanted, local_jvm
from buto.measure.sources.attached import AttachedAgent, AttachedSample
from buto.measure.sources.protocol import Reader, Settings, SourceContext, SourceError
from buto.run.model import MetadataValue
from buto.run.properties import Kind, Property

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
        self._row: AttachedSample | None = None
        self._newest_ns = 0
        self._properties: dict[str, Property] = {}
        self._ended: dict[str, float] = {}
        self._ran_before = False
        self._begun: set[str] = set()
        self._loads: dict[tuple[int, int], int] = {}
        self._lost = 0.0
        self._failure: ButoError | None = None

    def read(self) -> Mapping[str, float]:
        try:
            agent = self._attach()
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
        self._properties |= {prop.name: prop for prop in agent.received.columns}
        self._newest_ns = self._row.time_ns
        if self._ran_before:
            self._begin_counts(self._row)
        return {name: value + self._ended.get(name, 0.0) for name, value in self._row.values.items()}

    def taken_ns(self) -> int | None:
        return None if self._row is None else self._row.time_ns

    def property(self, name: str) -> Property:
        return self._properties[name]

    def reasons(self) -> Mapping[str, str]:
        return {} if self._agent is None else self._agent.received.reasons

    def metadata(self) -> Mapping[str, MetadataValue]:
        """Return the version of the JVM, its options, and sizes of its memory."""
        known = {} if self._agent is None else self._agent.received.metadata.finish()
        return {key: value for key, value in known.items() if key.startswith("jvm.") and key not in _TIMES}

    def close(self) -> None:
        if self._agent is not None:
            self._agent.close()

    def _attach(self) -> AttachedAgent:
        """Return the agent in the JVM that is there; load it if need be."""
        if self._agent is not None:
            return self._agent
        process = self._find()
        if process is None:
            raise SourceError(self._missing if self._jvm is None else f"process {self._jvm[0]} has ended")
        jvm = (process.pid, process.started)
        if jvm != self._jvm:
            self._keep_counts()
            self._ran_before = process.started_ns < self._newest_ns
        self._jvm = jvm
        n_loads = self._loads.get(jvm, 0)
        if n_loads and self._failure is not None:
            is_given_up = n_loads > len(_WAITS_S)
            if is_given_up or time.monotonic() < self._lost + _WAITS_S[n_loads - 1]:
                raise SourceError(self._failure.message, advice=self._failure.advice)
        self._agent = AttachedAgent(process.pid, self._interval_s)
        self._loads[jvm] = n_loads + 1
        return self._agent

    def _keep_counts(self) -> None:
        """Add what an ended JVM had counted to what later ones count."""
        for name, value in ({} if self._row is None else self._row.values).items():
            if self._properties[name].kind is Kind.COUNTER and value == value:
                self._ended[name] = self._ended.get(name, 0.0) + value
        self._row = None
        self._begun = set()

    def _begin_counts(self, row: AttachedSample) -> None:
        """Leave out what a JVM had counted before its first row."""
        for name, value in row.values.items():
            if self._properties[name].kind is Kind.COUNTER and value == value and name not in self._begun:
                self._begun.add(name)
                self._ended[name] = self._ended.get(name, 0.0) - value


class JvmSource:
    """The first JVM that matches, or the first that the test's command started beside the measured one."""

    kind: ClassVar[str] = "jvm"
    required: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "match": {
            "title": "a shell pattern",
            "description": "Which JVM: a shell pattern for its command line, words joined by blanks; of "
            "several the one that started first. Default: a JVM that the test's command started beside the "
            "measured one.",
            "type": "string",
            "minLength": 1,
            "examples": ["'*java * Catalogue *'"],
        },
    }

    def __init__(self, settings: Settings) -> None:
        self.settle_s = 0.0
        self._match: str | None = settings.get("match")

    def open(self, surroundings: SourceContext, interval_s: float, timeout_s: float) -> Reader:
        if self._match is None:
            find = _child_of(surroundings)
            missing = "no further JVM of the test's command can be recognised; name it with match"
        else:
            find = _matching(self._match, surroundings)
            missing = f"no JVM runs whose command line matches {self._match}"
        return JvmReader(find, missing, interval_s, timeout_s)


def _child_of(surroundings: SourceContext) -> Callable[[], Found | None]:
    def find() -> Found | None:
        members = set(surroundings.members()) - {surroundings.pid}
        return next(
            (process for process in living() if process.pid in members and _runs_a_program(process.pid)), None
        )

    return find


def _matching(match: str, surroundings: SourceContext) -> Callable[[], Found | None]:
    pattern = line_pattern(match)

    def find() -> Found | None:
        others = {os.getpid(), surroundings.pid}
        processes = (
            process for process in living() if process.pid not in others and pattern.match(process.line)
        )
        return next(
            (process for process in processes if is_jvm(process.pid) and not _is_starting(process.pid)), None
        )

    return find


def _is_starting(pid: int) -> bool:
    """Return whether a JVM, as far as it says so, cannot load an agent yet."""
    jvm = local_jvm(pid)
    return jvm is not None and not jvm.is_ready


def _runs_a_program(pid: int) -> bool:
    """Return whether a JVM has started that is not a build tool."""
    jvm = local_jvm(pid)
    return jvm is not None and jvm.is_ready and is_wanted(jvm.command, None, jvm.class_path)
