"""The worker process: hosts the JVM that talks JMX, so that no other process of buto ever does.

JPype starts one JVM in a process, once and for good, and a crash of it ends the process. The parent
(:mod:`buto.measure.jmx.worker_client`) speaks with the worker in lines of JSON, protocol version 1:

* request: ``{"id": ..., "op": ..., "arguments": {...}}``. The first is ``hello`` with ``version``,
  ``libjvm``, ``jar`` and ``options``; the others are methods of :class:`buto.measure.jmx.jvm.Jvm`.
* reply, one for each request in the same order: ``{"id": ..., "value": ...}``, or
  ``{"id": ..., "error": message, "classes": [...]}`` for what Java threw.

Blocks of samples travel as base64 text of frames as in java-probes/agent-channel.md. Requests come
through standard input; its end, as when the parent dies, ends the worker. Replies go to what was
standard output, which is standard error for everything else that prints.
"""

from __future__ import annotations

import json
import os
import signal
from typing import Any, BinaryIO

from buto.measure.jmx.jvm import JavaFailure, Jvm

_PROTOCOL_VERSION = 1
_CLOSE_MS = 1000
_OPERATIONS = frozenset({"warm_up", "connect", "start", "drain", "finish", "invoke", "close"})


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
