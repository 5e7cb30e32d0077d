"""The worker process: hosts the JVM that talks JMX, so that no other process of buto ever does.

JPype starts one JVM in a process, once and for good, and a crash of it ends the process. The parent
(:mod:`buto.measure.jmx.worker_client`) speaks with the worker in lines of JSON, protocol version 1:

* request: ``{"id": ..., "op": ..., "arguments": {...}}``. The first is ``hello`` with ``version``,
  ``libjvm``, ``jar`` and ``options``; the others are methods of :class:`Jvm`.
* reply, one for each request in the same order: ``{"id": ..., "value": ...}``, or
  ``{"id": ..., "error": message, "classes": [...]}`` for what Java threw.

Blocks of samples travel as base64 text of frames as in java-probes/agent-channel.md. Requests come
through standard input; its end, as when the parent dies, ends the worker. Replies go to what was
standard output, which is standard error for everything else that prints.

:class:`Jvm` takes and returns plain Python values. The Java side (``buto.probes.jmx``) does everything that
is timed: it polls, listens and buffers; Python only drains.
"""

from __future__ import annotations

import base64
import json
import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import jpype

_PROTOCOL_VERSION = 1
_CLOSE_MS = 1000
_OPERATIONS = frozenset({"warm_up", "connect", "start", "drain", "finish", "invoke", "close"})


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


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until there are no more."""
    jvm = None
    for line in requests:
        request = json.loads(line)
        operation, arguments = request["op"], request["arguments"]
        reply: dict[str, Any]
        try:
            if jvm is None:
                jvm = _hello(operation, **arguments)
                reply = {"value": jvm.version}
            elif operation in _OPERATIONS:
                reply = {"value": getattr(jvm, operation)(**arguments)}
            else:
                raise ValueError(f"unknown operation: {operation}")
        except JavaFailure as failure:
            reply = {"error": str(failure), "classes": failure.classes}
        reply["id"] = request["id"]
        replies.write(json.dumps(reply).encode() + b"\n")
        replies.flush()
    if jvm is not None:
        jvm.close_all(_CLOSE_MS)


def _hello(operation: str, version: int, libjvm: str, jar: str, options: list[str]) -> Jvm:
    if (operation, version) != ("hello", _PROTOCOL_VERSION):
        raise ValueError(f"expected hello of version {_PROTOCOL_VERSION}, got {operation} of {version}")
    return Jvm(libjvm, jar, options)


def main() -> None:
    """Serve the parent; never returns, since the JVM's own threads could hold an ordinary exit."""
    # Ctrl-C is the parent's business: it ends the worker by closing its standard input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(1), "wb") as replies, os.fdopen(os.dup(0), "rb") as requests:
        os.dup2(2, 1)
        serve(requests, replies)
    os._exit(0)


if __name__ == "__main__":
    main()
