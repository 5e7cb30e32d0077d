"""The JVM inside the worker process: the only file that imports jpype.

Plain Python values in and out. The Java side (``buto.probes.jmx``) does all that is timed: it polls,
listens and keeps; Python only drains.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import jpype

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


class JavaFailure(Exception):
    """What Java threw.

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

    Every method whose call can hang takes ``within_ms``, after which Java gives up.

    Raises:
        JavaFailure: from every method; what Java threw.
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
        """Open a connection and give its number."""
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
        """Read metadata, subscribe, begin to poll; gives the target's start and uptime."""
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
        """The frames since the last call, and whether more will come."""
        session = self._sessions[connection]
        # Asked before draining: what was polled before the loss is then surely in the frames.
        lost = session.lost()
        silent = bool(session.silent())
        frames = base64.b64encode(bytes(session.drain())).decode()
        return {"frames": frames, "lost": None if lost is None else str(lost), "silent": silent}

    def finish(self, connection: int, within_ms: int) -> Plain:
        """Take a last sample and stop polling; whether that was done in time."""
        return bool(_call(self._sessions[connection].finish, within_ms))

    def invoke(self, connection: int, bean: str, name: str, values: Sequence[Any], within_ms: int) -> Plain:
        """Invoke an operation of an MBean by its name and give its result."""
        arguments = jpype.JArray(jpype.JObject)(list(values))
        return _plain(_call(self._connections[connection].invoke, bean, name, arguments, within_ms))

    def close(self, connection: int, within_ms: int) -> Plain:
        """Close a connection; whether that was done in time."""
        self._sessions.pop(connection, None)
        return bool(_call(self._connections.pop(connection).close, within_ms))

    def close_all(self, within_ms: int) -> None:
        """Close what is still open, each within that time."""
        for connection in list(self._connections):
            self.close(connection, within_ms)


def _call(method: Any, *arguments: Any) -> Any:
    try:
        return method(*arguments)
    except jpype.JException as thrown:
        raise JavaFailure(thrown) from None


def _plain(value: Any) -> Plain:
    """Numbers, texts and truth values; lists and dictionaries of them; the text of anything else."""
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
