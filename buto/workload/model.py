"""The configuration of a workload. Plain values; nothing is run here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from buto.collect.urls import PORT, http_url
from buto.errors import UsageError
from buto.units import parse_seconds
from buto.workload.load.model import Load
from buto.workload.load.reading import MAX_RATE, MAX_REQUESTS, load_from
from buto.workload.services.model import READY_WITHIN_S, HttpAnswers, http_answers

STOPPED_EXIT = 143
"""Exit code of a JVM after SIGTERM: 128 plus the number of the signal."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of an MBean.

    Attributes:
        at_s: when, seconds from the beginning of the workload.
        mbean: object name, for example ``com.acme:type=Shop``.
        name: of the operation.
        arguments: numbers, texts, truth values, None.
    """

    at_s: float
    mbean: str
    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class HttpLoad:
    """Requests at fixed times, independent of the answers (an open loop).

    Attributes:
        url: ``${port}`` stands for the port at which the program listens.
        rate: requests per second, evenly spaced.
        duration_s: all requests are sent within this time.
    """

    url: str
    rate: float
    duration_s: float

    @property
    def n_requests(self) -> int:
        return max(1, round(self.rate * self.duration_s))


@dataclass(frozen=True, slots=True)
class Workload:
    """What happens to a program while it runs; all parts begin together.

    Attributes:
        after_s: when it begins, seconds from the program's start; with ``port``, from the moment it listens.
        port: the TCP port at which the program must listen first; 0 for any, None for no wait.
        ready: what the program must answer first; ``${port}`` stands for the port.
        within_s: how long the program may take until it listens, and answers.
        command: a command that runs in parallel to the JVM; empty for none.
        operations: of MBeans, in the order of their times.
        http: requests of one kind, evenly spaced; None for none.
        load: requests of several kinds in phases; None for none.
        stop: whether to ask the program to end (SIGTERM) after the workload.
    """

    after_s: float = 0.0
    port: int | None = None
    ready: HttpAnswers | None = None
    within_s: float = READY_WITHIN_S
    command: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    http: HttpLoad | None = None
    load: Load | None = None
    stop: bool = False


def workload_from(
    data: Mapping[str, Any], expand: Callable[[Any], str], words: Callable[[Any], tuple[str, ...]]
) -> Workload:
    """Build a workload from the ``workload`` of a configuration that follows the schema.

    Args:
        expand: replaces variables in a text.
        words: splits a command and replaces variables.

    Raises:
        UsageError: the workload is empty, a time or URL is invalid, a URL has the port but the workload waits
            for none, or the load is too large.
    """
    if not any(key in data for key in ("command", "operations", "http", "load")):
        raise UsageError(
            "workload must have a command, operations, http or load, got none",
            advice="workload: {command: [...]}",
        )
    operations = [
        Operation(
            parse_seconds(str(one["at"])), one["mbean"], one["operation"], tuple(one.get("arguments", ()))
        )
        for one in data.get("operations", ())
    ]
    port = data.get("port")
    http = data.get("http")
    ready = data.get("ready", {})
    if port is None:
        sent = {key: data[key]["url"] for key in ("http", "load") if key in data}
        _check_without_port({"ready: http": ready["http"], **sent} if ready else sent)
    return Workload(
        after_s=parse_seconds(str(data.get("after", 0.0))) if "after" in data else 0.0,
        port=0 if port == "any" else port,
        ready=http_answers(_late(ready["http"], expand), ready.get("status")) if ready else None,
        within_s=parse_seconds(str(ready.get("within", READY_WITHIN_S))),
        command=words(data["command"]) if "command" in data else (),
        operations=tuple(sorted(operations, key=lambda one: one.at_s)),
        http=None if http is None else _http(http, expand),
        load=load_from(data["load"], expand) if "load" in data else None,
        stop=data.get("stop", False),
    )


def _check_without_port(urls: Mapping[str, str]) -> None:
    for key, url in urls.items():
        if PORT in url:
            raise UsageError(
                f"workload: {key}: {url} needs the program's port, and the workload waits for none",
                advice="workload: {port: any, ...}, or write the port's number into the URL",
            )


def _http(data: Mapping[str, Any], expand: Callable[[Any], str]) -> HttpLoad:
    url = _late(data["url"], expand)
    if http_url(url) is None:
        raise UsageError(
            f"workload: url must be an HTTP URL, got {url!r}", advice="url: http://127.0.0.1:${port}/order"
        )
    load = HttpLoad(url, float(data["rate"]), parse_seconds(str(data["duration"])))
    if load.rate > MAX_RATE or load.rate * load.duration_s > MAX_REQUESTS:
        raise UsageError(
            f"workload: {load.rate:g} requests per second for {load.duration_s:g} s are too many: "
            f"the limits are {MAX_RATE:g} per second and {MAX_REQUESTS} in total",
            advice="give a load generator of your own as command",
        )
    return load


def _late(url: str, expand: Callable[[Any], str]) -> str:
    """Replace the variables of the environment; ${port} is replaced when the port is known."""
    return expand(url.replace(PORT, f"${PORT}"))
