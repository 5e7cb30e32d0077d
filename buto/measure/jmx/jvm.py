"""The JVM inside the worker process: the only file that imports jpype.

Takes and returns plain Python values. The Java side (``buto.probes.jmx``) does everything that is timed: it
polls, listens and buffers; Python only drains.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import jpype

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


class JavaFailure(Exception):
    """An exception from Java.

    Attributes:
        classes: names of the exception's class and of its causes', outermost first.
    """

    def __init__(self, thrown: Any) -> None:
        chain = []
        cause = thrown
        while cause is not None:
            chain.append(cause)
            cause = cause.getCause()
        self.classes = [str(link.getClass().getName()) for link in chain]
        super().__init__(str(chain[-1].toString()).replace("\n\t", " "))


class Jvm:
    """Connections to other JVMs by number, each with at most one recording.

    Every method that can hang takes ``within_ms``, after which Java gives up.

    Raises:
        JavaFailure: from every method, if Java threw an exception.
    """

    def __init__(self, libjvm: str, jar: str, options: Sequence[str]) -> None:
        jpype.startJVM(*options, jvmpath=libjvm, classpath=[jar], convertStrings=False)
        self._connection_class = jpype.JClass("buto.probes.jmx.Connection")
        self._session_class = jpype.JClass("buto.probes.jmx.Session")
        self._connections: dict[int, Any] = {}
        self._sessions: dict[int, Any] = {}
        self._n_opened = 0

    @property
    def version(self) -> str:
        return str(jpype.JClass("java.lang.System").getProperty("java.version"))

    def warm_up(self, within_ms: int) -> Plain:
        """Record this JVM itself for a moment, so that the first target is measured like all others."""
        _call(jpype.JClass("buto.probes.jmx.WarmUp").run, within_ms)
        return None

    def connect(
        self, address: str, user: str | None, password: str | None, registry_tls: bool, within_ms: int
    ) -> Plain:
        """Open a connection and return its number."""
        connection = _call(self._connection_class.open, address, user, password, registry_tls, within_ms)
        self._n_opened += 1
        self._connections[self._n_opened] = connection
        return self._n_opened

    def start(
        self,
        connection: int,
        interval_ns: int,
        same_machine: bool,
        mbeans: Sequence[Mapping[str, Any]],
        within_ms: int,
    ) -> Plain:
        """Read metadata, subscribe and begin to poll; return the target's start and uptime."""
        session = self._session_class(self._connections[connection])
        for spec in mbeans:
            _call(
                session.watch,
                spec["pattern"],
                jpype.JArray(jpype.JString)(spec["attributes"]),
                jpype.JArray(jpype.JString)(spec["metadata"]),
                spec["notifications"],
            )
        _call(session.start, interval_ns, same_machine, within_ms)
        self._sessions[connection] = session
        return {
            "started_at_ms": int(session.startedAtMs()),
            "uptime_ms": int(session.uptimeMs()),
            "uptime_read_at_ns": int(session.uptimeReadAt()),
        }

    def drain(self, connection: int) -> Plain:
        """Return the frames since the last call, and whether more will come."""
        session = self._sessions[connection]
        # Read before draining: then the frames include everything polled before the loss.
        lost = session.lost()
        silent = bool(session.silent())
        frames = base64.b64encode(bytes(session.drain())).decode()
        return {"frames": frames, "lost": None if lost is None else str(lost), "silent": silent}

    def finish(self, connection: int, within_ms: int) -> Plain:
        """Take a last sample and stop polling; return whether that was done in time."""
        return bool(_call(self._sessions[connection].finish, within_ms))

    def invoke(self, connection: int, bean: str, name: str, values: Sequence[Any], within_ms: int) -> Plain:
        """Invoke an operation of an MBean by its name and return its result."""
        arguments = jpype.JArray(jpype.JObject)(list(values))
        return _plain(_call(self._connections[connection].invoke, bean, name, arguments, within_ms))

    def close(self, connection: int, within_ms: int) -> Plain:
        """Close a connection; return whether that was done in time."""
        self._sessions.pop(connection, None)
        return bool(_call(self._connections.pop(connection).close, within_ms))

    def close_all(self, within_ms: int) -> None:
        """Close all open connections, each within that time."""
        for connection in list(self._connections):
            self.close(connection, within_ms)


def _call(method: Any, *arguments: Any) -> Any:
    try:
        return method(*arguments)
    except jpype.JException as thrown:
        raise JavaFailure(thrown) from None


def _plain(value: Any) -> Plain:
    """Convert to numbers, texts, truth values, and lists and dictionaries of them; else to text."""
    if value is None:
        return None
    if isinstance(value, bool | jpype.java.lang.Boolean):
        return bool(value)
    if isinstance(value, jpype.java.lang.Float | jpype.java.lang.Double | float):
        return float(value)
    if isinstance(value, jpype.java.lang.Number | int):
        return int(value)
    if isinstance(value, jpype.javax.management.openmbean.CompositeData):
        return {str(key): _plain(value.get(key)) for key in value.getCompositeType().keySet()}
    if isinstance(value, jpype.javax.management.openmbean.TabularData):
        return [_plain(row) for row in value.values()]
    if isinstance(value, jpype.JArray | jpype.java.util.Collection):
        return [_plain(item) for item in value]
    return str(value)
