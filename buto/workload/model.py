"""A workload as it is configured. Plain values; nothing happens here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from buto.errors import UsageError
from buto.units import parse_seconds

STOPPED_EXIT = 143
"""What a JVM exits with that was asked to end: 128 and the number of SIGTERM."""

MAX_REQUESTS = 1_000_000
MAX_RATE = 5000.0
"""Beyond this a load generator in Python falls behind its schedule."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of an MBean.

    Attributes:
        at_s: when, seconds from the beginning of the workload.
        mbean: object name, as ``com.acme:type=Shop``.
        name: of the operation.
        arguments: numbers, texts, truth values, None.
    """

    at_s: float
    mbean: str
    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class HttpLoad:
    """Requests at fixed times, however long the answers take (an open loop).

    Attributes:
        url: ``${port}`` in it is the port at which the program listens.
        rate: requests a second, evenly spaced.
        duration_s: the last one is sent before it is over.
    """

    url: str
    rate: float
    duration_s: float

    @property
    def n_requests(self) -> int:
        return max(1, round(self.rate * self.duration_s))


@dataclass(frozen=True, slots=True)
class Workload:
    """What is done beside the program; the parts begin together, and it ends with the last of them.

    Attributes:
        after_s: when it begins, seconds from the program's start; with ``port``, from the moment it listens.
        port: the TCP port that the program must listen at before; 0 for any, None for not waiting.
        command: a command that runs beside the JVM; empty for none.
        operations: of MBeans, in the order of their times.
        http: requests, or None.
        stop: whether the program is asked to end (SIGTERM) when the workload has ended.
    """

    after_s: float = 0.0
    port: int | None = None
    command: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    http: HttpLoad | None = None
    stop: bool = False


def workload_from(
    data: Mapping[str, Any], expand: Callable[[Any], str], words: Callable[[Any], tuple[str, ...]]
) -> Workload:
    """A workload from a configuration's ``workload`` that follows the schema.

    Args:
        expand: replaces variables in a text.
        words: divides a command and replaces variables.

    Raises:
        UsageError: nothing is to be done, a time or a URL means nothing, or the load is too large.
    """
    if not any(key in data for key in ("command", "operations", "http")):
        raise UsageError(
            "workload: nothing is to be done", advice="workload: {command: [...]}, or operations, or http"
        )
    operations = [
        Operation(
            parse_seconds(str(one["at"])), one["mbean"], one["operation"], tuple(one.get("arguments", ()))
        )
        for one in data.get("operations", ())
    ]
    port = data.get("port")
    http = data.get("http")
    return Workload(
        after_s=parse_seconds(str(data.get("after", 0.0))) if "after" in data else 0.0,
        port=0 if port == "any" else port,
        command=words(data["command"]) if "command" in data else (),
        operations=tuple(sorted(operations, key=lambda one: one.at_s)),
        http=None if http is None else _http(http, expand),
        stop=data.get("stop", False),
    )


def _http(data: Mapping[str, Any], expand: Callable[[Any], str]) -> HttpLoad:
    # The port is not known yet, and is no variable of the environment.
    url = expand(data["url"].replace("${port}", "$${port}"))
    parts = urlsplit(url.replace("${port}", "1"))
    if parts.scheme != "http" or not parts.hostname or not url.isascii():
        raise UsageError(f"workload: {url!r} is no URL of HTTP", advice="url: http://127.0.0.1:${port}/order")
    load = HttpLoad(url, float(data["rate"]), parse_seconds(str(data["duration"])))
    if load.rate > MAX_RATE or load.rate * load.duration_s > MAX_REQUESTS:
        raise UsageError(
            f"workload: {load.rate:g} requests a second for {load.duration_s:g} s are too many, "
            f"{MAX_RATE:g} a second and {MAX_REQUESTS} in all are possible",
            advice="give a load generator of your own as command",
        )
    return load
