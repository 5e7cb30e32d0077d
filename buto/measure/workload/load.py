"""Send the requests of a load when they are due, and count the answers.

When which request is due is computed before the first is sent, from a seed alone. An asynchronous client in
one thread sends them. Answers are counted by kind and interval, and each interval becomes a reading of the
source ``load``.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.errors import MeasureError
from buto.extensions import require
from buto.measure.workload.plan import (
    FAILURES,
    TRACK,
    Arrivals,
    Load,
    Login,
    Phase,
    RequestKind,
    Template,
    Values,
)
from buto.run.model import FloatArray, Problem, ProblemKind
from buto.run.properties import Better, Kind, Property
from buto.run.units import format_count, format_seconds

if TYPE_CHECKING:
    from aiohttp import ClientSession


IntArray = npt.NDArray[np.int64]


class Schedule(Struct, frozen=True, eq=False):
    """All requests of a load, and when each phase begins, seconds from the beginning of the load.

    Attributes:
        due_s: shape (n_requests,), increasing.
        kinds: shape (n_requests,), places in the load's kinds.
        phases_s: shape (n_phases,).
    """

    due_s: FloatArray
    kinds: IntArray
    phases_s: FloatArray


def schedule(load: Load) -> Schedule:
    """Return the requests of a load. Those of one phase do not depend on the other phases."""
    place = {kind.name: number for number, kind in enumerate(load.kinds)}
    begins = np.concatenate([[0.0], np.cumsum([phase.duration_s for phase in load.phases])])
    due, kinds = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for number, phase in enumerate(load.phases):
        random = np.random.default_rng([load.seed, number])
        times = arrivals(phase, load.arrivals, random)
        weights = np.array([*phase.mix.values()], dtype=np.float64)
        names = np.array([place[name] for name in phase.mix], dtype=np.int64)
        due.append(begins[number] + times)
        kinds.append(random.choice(names, size=len(times), p=weights / weights.sum()))
    return Schedule(np.concatenate(due), np.concatenate(kinds), begins[:-1])


def arrivals(phase: Phase, how: Arrivals, random: np.random.Generator) -> FloatArray:
    """Return when the requests of one phase are due, shape (n,), seconds from its beginning; at least one."""
    if how is Arrivals.EVEN:
        return np.arange(max(1, round(phase.rate * phase.duration_s))) / phase.rate
    # Given their number, the arrivals of a Poisson process are uniform.
    n = max(1, random.poisson(phase.rate * phase.duration_s))
    return np.sort(random.uniform(0.0, phase.duration_s, n))


QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
LATE = f"{TRACK}.late"
NO_ANSWER = "no answer in the interval"
NOT_BEGUN = "the load had not begun"

MOST_LATE_S = 1.0
"""If a request is sent later than this, the load was not the planned one."""

_MOST_REASONS = 3
_MOST_KINDS_OF_FAILURE = 1000


def properties(kinds: Sequence[str]) -> list[Property]:
    of_kinds = []
    for kind in kinds:
        answers, failures = f"{TRACK}.throughput[{kind}]", f"{FAILURES}[{kind}]"
        latencies = [f"{TRACK}.latency.{name}[{kind}]" for name in QUANTILES]
        of_kinds.append(Property(answers, "{answer}/s", lower=0.0, better=Better.HIGHER))
        of_kinds += [Property(latency, "s", lower=0.0, better=Better.LOWER) for latency in latencies]
        of_kinds.append(Property(failures, "{answer}", Kind.COUNTER, lower=0.0, better=Better.LOWER))
    return [*of_kinds, Property(LATE, "s", lower=0.0, better=Better.LOWER)]


class Tally:
    """All answers so far; ``latest_s`` is how much too late the latest request of all was sent."""

    def __init__(self, kinds: Sequence[str], asked: Sequence[str] = ()) -> None:
        """Begin without any.

        Args:
            kinds: the names of the kinds of requests.
            asked: of each kind, method and path, for what fails; empty for their names.
        """
        self._kinds = kinds
        self._asked = asked or kinds
        self._recent: list[list[float]] = [[] for _ in kinds]
        self._failures = [0] * len(kinds)
        self._why: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._first = ""
        self._all = array("d")
        self._late_s = 0.0
        self.latest_s = 0.0

    def note_sent(self, late_s: float) -> None:
        self._late_s = max(self._late_s, late_s)
        self.latest_s = max(self.latest_s, late_s)

    def note_answer(self, kind: int, took_s: float, failure: str, example: str = "") -> None:
        """Note an answer.

        Args:
            took_s: how long after its request was due.
            failure: why it is not good; empty if it is.
            example: the path that was asked; empty if its kind says all of it.
        """
        self._recent[kind].append(took_s)
        self._all.append(took_s)
        if failure:
            self._failures[kind] += 1
            failure = f"{self._asked[kind]}: {failure}"
            self._first = self._first or failure
            if failure in self._why or len(self._why) < _MOST_KINDS_OF_FAILURE:
                self._why[failure] += 1
                if example:
                    self._examples.setdefault(failure, example)

    def close_interval(self, length_s: float) -> dict[str, float]:
        """Return the reading of the interval that ends now, and begin the next one.

        A kind without an answer has no latency; its throughput is zero.
        """
        values = {LATE: self._late_s}
        self._late_s = 0.0
        for place, kind in enumerate(self._kinds):
            recent, self._recent[place] = self._recent[place], []
            values[f"{TRACK}.throughput[{kind}]"] = len(recent) / length_s
            values[f"{FAILURES}[{kind}]"] = float(self._failures[place])
            if recent:
                latencies = np.quantile(recent, [*QUANTILES.values()]).tolist()
                names = (f"{TRACK}.latency.{name}[{kind}]" for name in QUANTILES)
                values |= dict(zip(names, latencies, strict=True))
        return values

    def describe(self) -> str:
        """Return the number of answers and how long they took, in one line."""
        if not self._all:
            return "no requests"
        median, almost = np.quantile(self._all, [0.5, 0.99])
        n_failed = sum(self._failures)
        return (
            f"{format_count(len(self._all), 'request')}, median {format_seconds(median)}, "
            f"99 % within {format_seconds(almost)}{f', {n_failed} failed' if n_failed else ''}"
        )

    def problems(self, why_late: str, may_fail: float = 0.0) -> tuple[Problem, ...]:
        """Return what makes a run invalid: too many failures, with the most frequent reasons; late requests.

        Failures are the program's, and the workload has failed. Late requests are the machine's: another run
        may be in time.

        Args:
            why_late: how it comes that a request is sent late.
            may_fail: the largest share of answers that need not be good.
        """
        problems = []
        n_failed, n_all = sum(self._failures), len(self._all)
        if n_failed > may_fail * n_all:
            commonest = self._why.most_common(_MOST_REASONS)
            reasons = ", ".join(f"{why} ({n}{self._example_of(why)})" for why, n in commonest)
            reasons += "" if self._first == commonest[0][0] else f"; the first was {self._first}"
            allowed = f" ({may_fail:.3g} of them may)" if may_fail else ""
            text = f"{n_failed} of {format_count(n_all, 'request')} failed{allowed}: {reasons}"
            problems.append(Problem(ProblemKind.WORKLOAD, text))
        if self.latest_s > MOST_LATE_S:
            text = f"requests were sent up to {format_seconds(self.latest_s)} late: {why_late}"
            problems.append(Problem(ProblemKind.BUSY_HOST, text))
        return tuple(problems)

    def _example_of(self, failure: str) -> str:
        return f", as {self._examples[failure]}" if failure in self._examples else ""


MOST_CONNECTIONS = 512
MOST_WAITING = 20_000
"""Requests that wait for answers; one more is not sent and counts as a failure."""

_LOGIN_S = 30.0
_MOST_LOGIN_BYTES = 1 << 20
_POLL_S = 0.05
_BAD_STATUS = 400
MOST_SHOWN = 200


def require_client() -> None:
    """Raise MissingExtraError if the HTTP client is not installed."""
    require("aiohttp", "workload: load")


class LoadListener(Struct, frozen=True):
    """Whom a load tells what happens; called in the thread of :func:`drive`.

    Attributes:
        phase: a phase begins; receives its name.
        interval: an interval has ended; receives its middle, seconds before now, and its reading.
    """

    phase: Callable[[str], None]
    interval: Callable[[float, Mapping[str, float]], None]


def drive(
    load: Load, url: str, stop: threading.Event, progress: LoadListener
) -> tuple[str, tuple[Problem, ...]]:
    """Carry out a load to its end, or until ``stop`` is set.

    Args:
        url: that of the load, with its port.

    Returns:
        The number of answers and how long they took, in one line; and the problems.
    """
    # A query may hold a secret.
    asked = [f"{kind.method} {kind.path.partition('?')[0]}"[:MOST_SHOWN] for kind in load.kinds]
    tally = Tally([kind.name for kind in load.kinds], asked)
    try:
        asyncio.run(_Drive(load, url, stop, progress, tally).carry_out())
    except MeasureError as failure:
        return tally.describe(), (Problem(ProblemKind.WORKLOAD, failure.message),)
    why_late = "this machine was too busy, or the rate is more than one core can send"
    return tally.describe(), tally.problems(why_late, load.may_fail)


class _Prepared(Struct, frozen=True):
    """A kind of request with its texts divided; ``hidden`` are the names of what the log-in gives."""

    kind: RequestKind
    path: Template
    headers: tuple[tuple[str, Template], ...]
    body: Template | None
    hidden: Collection[str]

    def give_example(self, values: Mapping[str, str]) -> str:
        """Return the path of one request, without what may be secret; empty if all have the same."""
        path = Template(self.kind.path.partition("?")[0])
        if path.names <= set(self.hidden):
            return ""
        shown = {**values, **{name: f"${{{name}}}" for name in self.hidden}}
        return path.fill(shown).partition("?")[0][:MOST_SHOWN]


class _Drive:
    def __init__(
        self, load: Load, url: str, stop: threading.Event, progress: LoadListener, tally: Tally
    ) -> None:
        self._load = load
        self._url = url.rstrip("/")
        self._stop = stop
        self._progress = progress
        self._tally = tally
        hidden = () if load.login is None else tuple(load.login.keep)
        self._kinds = [_prepare(kind, hidden) for kind in load.kinds]
        self._waiting: set[asyncio.Task[None]] = set()
        # Imported here: the client is an extra.
        from aiohttp import ClientError

        self._failures = (ClientError, OSError, TimeoutError, ValueError)

    async def carry_out(self) -> None:
        from aiohttp import ClientSession, ClientTimeout, CookieJar, TCPConnector

        limit = ClientTimeout(total=self._load.timeout_s)
        # Cookies also of servers that are named by their numbers, as 127.0.0.1.
        session = ClientSession(
            connector=TCPConnector(limit=MOST_CONNECTIONS), cookie_jar=CookieJar(unsafe=True), timeout=limit
        )
        async with session:
            kept = {} if self._load.login is None else await self._log_in(session, self._load.login)
            clock = asyncio.create_task(self._close_intervals())
            try:
                await self._send_all(session, kept)
                while self._waiting and not self._stop.is_set():
                    await asyncio.wait(self._waiting, timeout=_POLL_S)
            finally:
                clock.cancel()
                for task in self._waiting:
                    task.cancel()
                await asyncio.gather(clock, *self._waiting, return_exceptions=True)

    async def _send_all(self, session: ClientSession, kept: Mapping[str, str]) -> None:
        load, loop = self._load, asyncio.get_running_loop()
        plan = schedule(load)
        values = Values(load.variables, kept, load.seed)
        phases = [*zip(plan.phases_s.tolist(), load.phases, strict=True)]
        begun = loop.time()
        for number, (due_s, kind) in enumerate(zip(plan.due_s.tolist(), plan.kinds.tolist(), strict=True), 1):
            while phases and phases[0][0] <= due_s:
                if not await self._begin(*phases.pop(0), begun):
                    return
            due = begun + due_s
            if not await self._until(due):
                return
            self._tally.note_sent(loop.time() - due)
            if len(self._waiting) >= MOST_WAITING:
                self._tally.note_answer(kind, loop.time() - due, f"not sent: {MOST_WAITING} wait for answers")
                continue
            task = loop.create_task(self._ask(session, self._kinds[kind], kind, values.of(number), due))
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)
        for begins_s, phase in phases:
            if not await self._begin(begins_s, phase, begun):
                return
        await self._until(begun + load.duration_s)

    async def _begin(self, begins_s: float, phase: Phase, begun: float) -> bool:
        """Wait for the beginning of a phase and mark it; return whether to go on."""
        goes_on = await self._until(begun + begins_s)
        if goes_on and phase.name:
            self._progress.phase(phase.name)
        return goes_on

    async def _until(self, due: float) -> bool:
        """Wait until a time of the loop's clock; return whether to go on."""
        loop = asyncio.get_running_loop()
        while (left := due - loop.time()) > 0 and not self._stop.is_set():
            await asyncio.sleep(min(left, _POLL_S))
        return not self._stop.is_set()

    async def _ask(
        self, session: ClientSession, prepared: _Prepared, kind: int, values: Mapping[str, str], due: float
    ) -> None:
        failure = ""
        try:
            async with self._request(session, prepared, values) as answer:
                while await answer.content.readany():
                    pass  # What is not kept takes no memory.
                failure = _failure(prepared.kind, answer.status)
        except self._failures as error:
            failure = reason_of(error)
        took_s = asyncio.get_running_loop().time() - due
        self._tally.note_answer(kind, took_s, failure, prepared.give_example(values) if failure else "")

    def _request(self, session: ClientSession, prepared: _Prepared, values: Mapping[str, str]) -> Any:
        body = None if prepared.body is None else prepared.body.fill(values).encode()
        return session.request(
            prepared.kind.method,
            self._url + prepared.path.fill(values),
            headers={name: value.fill(values) for name, value in prepared.headers},
            data=body,
            allow_redirects=False,
        )

    async def _log_in(self, session: ClientSession, login: Login) -> dict[str, str]:
        """Return the variables that the answer gives. MeasureError if it failed."""
        prepared = _prepare(login.request)
        try:
            async with asyncio.timeout(_LOGIN_S), self._request(session, prepared, {}) as answer:
                content = b""
                while (more := await answer.content.readany()) and len(content) < _MOST_LOGIN_BYTES:
                    content += more
                failure = _failure(login.request, answer.status)
                if failure:
                    raise MeasureError(f"its log-in failed: {failure}")
        except self._failures as error:
            raise MeasureError(f"its log-in failed: {reason_of(error)}") from error
        return {name: _value_at(content, place) for name, place in login.keep.items()}

    async def _close_intervals(self) -> None:
        loop = asyncio.get_running_loop()
        begun, ended = loop.time(), 0
        last = begun
        try:
            while True:
                ended += 1
                await asyncio.sleep(begun + ended * self._load.interval_s - loop.time())
                last = self._close_interval(last)
        finally:
            if loop.time() - last > self._load.interval_s / 4:
                self._close_interval(last)

    def _close_interval(self, last: float) -> float:
        now = asyncio.get_running_loop().time()
        length_s = now - last
        self._progress.interval(length_s / 2, self._tally.close_interval(length_s))
        return now


def _prepare(kind: RequestKind, hidden: Collection[str] = ()) -> _Prepared:
    headers = tuple((name, Template(value)) for name, value in kind.headers.items())
    body = None if kind.body is None else Template(kind.body)
    return _Prepared(kind, Template(kind.path), headers, body, hidden)


def _failure(kind: RequestKind, status: int) -> str:
    good = status < _BAD_STATUS if kind.status is None else status == kind.status
    return "" if good else f"HTTP {status}"


def reason_of(error: Exception) -> str:
    """Return why a request failed, by the error of a client, in the words of who asks."""
    number = next((cause.errno for cause in (error, error.__cause__) if isinstance(cause, OSError)), None)
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if number == errno.ECONNREFUSED:
        return "nothing listens there"
    if number == errno.ECONNRESET:
        return "the server reset the connection"
    if number:
        return os.strerror(number).lower()
    # The clients have classes for it, of which one is an extra's.
    known = _REASONS.get(type(error).__name__)
    # The whole text of such an error has the URL, whose query may hold a secret.
    return known or f"no valid HTTP: {getattr(error, 'message', str(error))[:MOST_SHOWN]}"


_REASONS = {
    "ServerDisconnectedError": "the server closed the connection without an answer",
    "RemoteDisconnected": "the server closed the connection without an answer",
    "ClientPayloadError": "the server cut its answer off",
    "IncompleteRead": "the server cut its answer off",
    "InvalidUrlClientError": "its URL is not valid",
    "InvalidURL": "its URL is not valid",
}


def _value_at(content: bytes, place: str) -> str:
    """Return a value of JSON by its place, keys and numbers joined by dots.

    Raises:
        MeasureError: there is no such value.
    """
    try:
        value: Any = json.loads(content)
        for part in place.split("."):
            value = value[int(part)] if isinstance(value, list) else value[part]
    except (ValueError, LookupError, TypeError) as error:
        raise MeasureError(f"its log-in has no {place!r} in its answer") from error
    if isinstance(value, (dict, list)):
        raise MeasureError(f"its log-in has no single value at {place!r} in its answer")
    return str(value)
