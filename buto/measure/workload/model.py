"""The configuration of a workload, and what its command reports. Nothing is run here.

A workload's command tells buto marks, and numbers that become properties, in lines of its output. The lines
are described in docs/measuring/load.md; all others are output of the command.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any, Protocol

from msgspec import Struct, structs

from buto.errors import UsageError
from buto.measure.samples import Track
from buto.measure.target import PORT, http_url
from buto.measure.workload.plan import (
    MAX_RATE,
    MAX_REQUESTS,
    USUAL_DURATION,
    USUAL_RATE,
    Load,
    load_from,
    parse_rate,
)
from buto.measure.workload.services import READY_WITHIN_S, HttpAnswers, http_answers
from buto.run.properties import Kind, Property
from buto.run.units import parse_seconds
from buto.run.window import LOAD_START, RESERVED, Moment, Window

START, END = LOAD_START, "load.end"
"""Names of the marks at the beginning and the end of a workload."""

WARM_UP_SHARE, LONGEST_WARM_UP_S = 0.25, 10.0
"""How much of a load, and at most how long, a server warms up."""


class Operation(Struct, frozen=True):
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


class HttpLoad(Struct, frozen=True):
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


class Workload(Struct, frozen=True):
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
        rounds: how often it is repeated, each time as a round that is counted; 0 for once, uncounted.
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
    rounds: int = 0

    def of_one_load(self, seed: str) -> Workload:
        """Return the same with one rate in place of each range; the same seed draws the same rates."""
        return self if self.load is None else structs.replace(self, load=self.load.draw(seed)[0])

    @property
    def usual_window(self) -> Window | None:
        """The window of a test that names none: without the start and the warm-up of a server that is ready.

        It has the end of the program, where exact counters are read. None, for all of the run, if the
        workload does not wait until the program is ready.
        """
        if self.ready is None:
            return None
        lengths_s = [load.duration_s for load in (self.http, self.load) if load is not None]
        warm_up_s = min(LONGEST_WARM_UP_S, WARM_UP_SHARE * max(lengths_s, default=0.0))
        return Window(Moment(START, warm_up_s))


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
            parse_seconds(str(operation["at"])),
            operation["mbean"],
            operation["operation"],
            tuple(operation.get("arguments", ())),
        )
        for operation in data.get("operations", ())
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
        operations=tuple(sorted(operations, key=lambda operation: operation.at_s)),
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
    rate, most = parse_rate(expand(str(data.get("rate", USUAL_RATE))))
    if most > rate:
        raise UsageError(
            f"workload: http has one rate, got {data['rate']!r}",
            advice="rate: 20; or use load, whose rate may be a range",
        )
    load = HttpLoad(url, rate, parse_seconds(str(data.get("duration", USUAL_DURATION))))
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


TRACK = "driver"
INTERVAL_S = 0.5
"""How often the newest numbers become a reading, however many lines there are."""

MOST_NAMES = 1000
MOST_MARKS = 10_000
_MOST_LINE = 4096
_MOST_SHOWN = 200

_BEGIN = b"buto "
_NAME = re.compile(r"[A-Za-z0-9_./=,:\[\]-]{1,100}")
_KINDS = {"value": Kind.GAUGE, "count": Kind.COUNTER}


class Listener(Protocol):
    """What takes marks and numbers: the program that is measured."""

    def mark(self, name: str, message: str = "", *, judged: bool = True) -> None:
        """Mark the current time; a mark that is judged is a notification, too."""

    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        """Return a new track."""


class ReportParser:
    """Understands the lines of one command.

    Attributes:
        problems: what was wrong with the first line that was not accepted, if there was one.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._track: Track | None = None
        self._lock = threading.Lock()
        self._values: dict[str, float] = {}
        self._n_marks = 0
        self._flushed = -math.inf
        self.problems: tuple[str, ...] = ()

    def copy(self, lines: IO[bytes], output: IO[bytes]) -> None:
        """Read lines to their end, and copy them; to be called in a thread of its own."""
        is_begun = False
        # ValueError: the output was closed, because nobody waits for these lines any more.
        with lines, suppress(ValueError):
            while line := lines.readline(_MOST_LINE):
                output.write(line)
                # The rest of a long line is not a line.
                if not is_begun and line.startswith(_BEGIN):
                    self._take(line.decode(errors="replace").strip())
                is_begun = not line.endswith(b"\n")

    def flush(self, *, at_once: bool = False) -> None:
        """Make a reading of the newest numbers, if the interval has passed."""
        now = time.monotonic()
        if not at_once and now - self._flushed < INTERVAL_S:
            return
        self._flushed = now
        with self._lock:
            if self._track is not None:
                self._track.add(time.monotonic_ns(), self._values, "the command had not reported it yet")

    def _take(self, line: str) -> None:
        word, *rest = line.split(maxsplit=3)[1:] or [""]
        is_name = bool(rest) and _NAME.fullmatch(rest[0]) is not None
        if word == "mark" and is_name:
            self._mark(rest[0], rest[1] if len(rest) > 1 else "")
        elif word in _KINDS and is_name and len(rest) == 2:
            number, _, unit = rest[1].partition(" ")
            try:
                self._number(rest[0], _KINDS[word], float(number), unit.strip())
            except ValueError:
                self._misunderstood(line)
        else:
            self._misunderstood(line)

    def _mark(self, name: str, text: str) -> None:
        if name in RESERVED:
            self._refuse(f"a mark must not be called {' or '.join(RESERVED)}, got {name!r}")
        elif self._n_marks == MOST_MARKS:
            self._refuse(
                f"there can be {MOST_MARKS} marks, and {name!r} is one more; what happens often is a number: "
                f"'buto count {name} NUMBER'"
            )
        else:
            self._n_marks += 1
            self._listener.mark(name, text, judged=False)

    def _number(self, name: str, kind: Kind, value: float, unit: str) -> None:
        prop = Property(f"{TRACK}.{name}", unit[:50] or "1", kind)
        if len(self._values) == MOST_NAMES and prop.name not in self._values:
            self._refuse(f"there can be {MOST_NAMES} names of numbers, and {name!r} is one more")
            return
        with self._lock:
            if self._track is None:
                self._track = self._listener.track(TRACK, INTERVAL_S)
            if prop.name not in self._values:
                self._track.add_columns([prop])
            self._values[prop.name] = value if math.isfinite(value) else math.nan

    def _misunderstood(self, line: str) -> None:
        expected = "'buto mark NAME TEXT', 'buto value NAME NUMBER UNIT' or 'buto count NAME NUMBER UNIT'"
        self._refuse(f"its command printed {line[:_MOST_SHOWN]!r}, expected {expected}")

    def _refuse(self, why: str) -> None:
        self.problems = self.problems or (why,)
