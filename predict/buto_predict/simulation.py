"""A seeded discrete-event simulation of open requests that go through stations.

Two simulations with the same seed have the same arrivals and the same random demands at each station, so that
only the change makes a difference (common random numbers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from math import inf, isnan
from typing import Protocol

import numpy as np
from scipy.special import gammaincinv

from buto.run.model import FloatArray
from buto_predict.model import Discipline, Station
from buto_predict.plans import Plan, Visit

Token = tuple[int, int]
"""A request and the step that it is at."""


WARM_UP = 0.1
"""Share of the requests at the beginning that is left out, while the empty system fills."""

_END = -1


class SimulatedStation(Protocol):
    """A station while it is simulated.

    Attributes:
        next_s: when the next request leaves, infinite while the station is empty.
    """

    next_s: float

    def arrive(self, now_s: float, work_s: float, token: Token) -> None:
        """Take a request with its work."""

    def leave(self, now_s: float) -> Token:
        """Return the next request, which leaves at ``next_s``."""


class ProcessorSharing:
    """All present requests are served at the same rate, at most that of one server.

    ``served`` is the work done for a request that has been present from the beginning; a request leaves
    when it has grown by its own work.
    """

    __slots__ = ("jobs", "last_s", "next_s", "served", "servers")

    def __init__(self, servers: int) -> None:
        self.servers = servers
        self.jobs: list[tuple[float, Token]] = []
        self.served = 0.0
        self.last_s = 0.0
        self.next_s = inf

    def arrive(self, now_s: float, work_s: float, token: Token) -> None:
        jobs = self.jobs
        present = len(jobs)
        if present:
            self.served += (now_s - self.last_s) * min(1.0, self.servers / present)
        self.last_s = now_s
        heappush(jobs, (self.served + work_s, token))
        self.next_s = now_s + (jobs[0][0] - self.served) * max(1.0, (present + 1) / self.servers)

    def leave(self, now_s: float) -> Token:
        jobs = self.jobs
        self.served, token = heappop(jobs)
        self.last_s = now_s
        if jobs:
            self.next_s = now_s + (jobs[0][0] - self.served) * max(1.0, len(jobs) / self.servers)
        else:
            self.served, self.next_s = 0.0, inf
        return token


class Fifo:
    """Served in the order of arrival, by several servers."""

    __slots__ = ("departures", "free", "next_s")

    def __init__(self, servers: int) -> None:
        self.free = [0.0] * servers
        heapify(self.free)
        self.departures: list[tuple[float, Token]] = []
        self.next_s = inf

    def arrive(self, now_s: float, work_s: float, token: Token) -> None:
        end_s = max(now_s, self.free[0]) + work_s
        heapreplace(self.free, end_s)
        heappush(self.departures, (end_s, token))
        self.next_s = self.departures[0][0]

    def leave(self, now_s: float) -> Token:
        _, token = heappop(self.departures)
        self.next_s = self.departures[0][0] if self.departures else inf
        return token


class Delay:
    __slots__ = ("departures", "next_s")

    def __init__(self) -> None:
        self.departures: list[tuple[float, Token]] = []
        self.next_s = inf

    def arrive(self, now_s: float, work_s: float, token: Token) -> None:
        heappush(self.departures, (now_s + work_s, token))
        self.next_s = self.departures[0][0]

    def leave(self, now_s: float) -> Token:
        _, token = heappop(self.departures)
        self.next_s = self.departures[0][0] if self.departures else inf
        return token


def server_of(station: Station) -> SimulatedStation:
    match station.discipline:
        case Discipline.PROCESSOR_SHARING:
            return ProcessorSharing(station.servers)
        case Discipline.FIFO:
            return Fifo(station.servers)
        case Discipline.DELAY:
            return Delay()


@dataclass(frozen=True, eq=False)
class Simulated:
    """Response times in seconds, one array for each endpoint, in the order of arrival."""

    responses: tuple[FloatArray, ...]

    @property
    def means(self) -> FloatArray:
        """Mean response time of each endpoint, shape (n_endpoints,); NaN where no request arrived."""
        return np.array([response.mean() if len(response) else np.nan for response in self.responses])


@dataclass(frozen=True, slots=True)
class _Rare:
    """Work that only some requests have.

    Attributes:
        chooser: the component whose random number chooses them.
        share: of the requests.
        demand_s, cv: of those that have it.
    """

    component: int
    chooser: int
    share: float
    demand_s: float
    cv: float


@dataclass(frozen=True, slots=True)
class _Stay:
    """A step at a station; ``then`` is the next one.

    Attributes:
        demand_s, cv: of the work that every request has.
    """

    station: int
    demand_s: float
    cv: float
    rare: tuple[_Rare, ...]
    then: int


@dataclass(frozen=True, slots=True)
class _Fork:
    firsts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Join:
    """The step at which ``branches`` join."""

    branches: int
    then: int


_Step = _Stay | _Fork | _Join


def simulate(
    stations: Sequence[Station],
    plans: Sequence[Plan],
    self_s: FloatArray,
    cv: FloatArray,
    rates: FloatArray,
    *,
    plan_cv: FloatArray,
    n_requests: int,
    seed: int,
) -> Simulated:
    """Send requests through the stations.

    Demands follow a gamma distribution with the mean and the variation of the calls that they are made of.
    A component that is called less than once for a request is called once in some requests, and not in the
    others. A request without work at a station does not wait there.

    Args:
        self_s, cv: of each component, shape (n_components,).
        rates: arrivals of each endpoint in 1/s, shape (n_endpoints,); no station may be saturated.
        plan_cv: measured variation of each endpoint's demands, shape (n_endpoints,); NaN: that of its calls.
        n_requests: arrivals over all endpoints, the warm-up included.
        seed: two simulations with one seed and as many requests have the same arrivals, and the same random
            demands at each visit of a station, also if one of them has further stations.
    """
    steps: list[_Step] = []
    firsts, kind_of = list[int](), list[int]()
    for kind, (plan, measured) in enumerate(zip(plans, plan_cv, strict=True)):
        firsts.append(_compile(plan, self_s, cv, float(measured), steps, _END))
        kind_of += [kind] * (len(steps) - len(kind_of))
    visits = Counter[tuple[int, int]]()
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(1 / rates.sum(), n_requests))
    kinds = rng.choice(len(rates), n_requests, p=rates / rates.sum())
    counts = np.bincount(kinds, minlength=len(rates))
    works: list[list[float]] = []
    for step, kind in zip(steps, kind_of, strict=True):
        if isinstance(step, _Stay):
            visits[kind, step.station] += 1
            # The same visit has the same luck in another plan. No number is 0, because numpy ignores zeros at
            # the end, and demands would then have the luck of the arrivals.
            key = (seed, 1 + kind, 1 + step.station, visits[kind, step.station])
            works.append(_work(step, key, int(counts[kind])).tolist())
        else:
            works.append([])
    ended = _run(stations, steps, [firsts[kind] for kind in kinds.tolist()], arrivals.tolist(), works)
    responses = np.array(ended) - arrivals
    kept = slice(int(WARM_UP * n_requests), None)
    return Simulated(tuple(responses[kept][kinds[kept] == kind] for kind in range(len(rates))))


def _run(
    stations: Sequence[Station],
    steps: Sequence[_Step],
    firsts: Sequence[int],
    arrivals: Sequence[float],
    works: Sequence[Sequence[float]],
) -> list[float]:
    """Return the time at which each request ends.

    Args:
        works: for each step, the work of the requests that reach it, in the order of their arrival.
    """
    # One more, for requests without work.
    ranks = [0] * (len(steps) + 1)
    rank_of: list[int] = []
    for first in firsts:
        rank_of.append(ranks[first])
        ranks[first] += 1
    servers = [server_of(station) for station in stations]
    next_s = [inf] * len(servers)
    ended = list(arrivals)
    joining: dict[tuple[int, int], int] = {}

    def go_on(request: int, position: int, now_s: float) -> None:
        """Take a request to the step at which it next stays, or to its end."""
        while position != _END:
            step = steps[position]
            if isinstance(step, _Stay):
                work_s = works[position][rank_of[request]]
                if work_s <= 0:
                    position = step.then
                    continue
                server = servers[step.station]
                server.arrive(now_s, work_s, (request, position))
                next_s[step.station] = server.next_s
                return
            if isinstance(step, _Fork):
                for first in step.firsts:
                    go_on(request, first, now_s)
                return
            missing = joining.pop((request, position), step.branches) - 1
            if missing:
                joining[request, position] = missing
                return
            position = step.then
        ended[request] = now_s

    def serve_until(limit_s: float) -> None:
        while (now_s := min(next_s)) < limit_s:
            station = next_s.index(now_s)
            server = servers[station]
            request, position = server.leave(now_s)
            next_s[station] = server.next_s
            step = steps[position]
            assert isinstance(step, _Stay)
            go_on(request, step.then, now_s)

    for request, now_s in enumerate(arrivals):
        serve_until(now_s)
        go_on(request, firsts[request], now_s)
    serve_until(inf)
    return ended


def _compile(
    plan: Plan, self_s: FloatArray, cv: FloatArray, measured: float, steps: list[_Step], then: int
) -> int:
    """Append the steps of a plan, the last first, and return the position of its first one."""
    for part in reversed(plan):
        if isinstance(part, Visit):
            if part.calls @ self_s <= 0:
                continue
            steps.append(_stay(part, self_s, cv, measured, then))
        else:
            steps.append(_Join(len(part.branches), then))
            join = len(steps) - 1
            branches = [_compile(branch, self_s, cv, measured, steps, join) for branch in part.branches]
            steps.append(_Fork(tuple(branches)))
        then = len(steps) - 1
    return then


def _stay(visit: Visit, self_s: FloatArray, cv: FloatArray, measured: float, then: int) -> _Stay:
    often = np.where(visit.calls < 1, 0.0, visit.calls)
    demand = float(often @ self_s)
    spread = float(np.sqrt(often @ (cv * self_s) ** 2)) / demand if demand > 0 else 0.0
    rare = tuple(
        _Rare(
            component,
            int(visit.chosen_by[component]),
            float(visit.calls[component]),
            float(self_s[component]),
            float(cv[component]),
        )
        for component in map(int, np.flatnonzero((visit.calls > 0) & (visit.calls < 1) & (self_s > 0)))
    )
    return _Stay(visit.station, demand, spread if isnan(measured) else measured, rare, then)


def _work(step: _Stay, key: tuple[int, int, int, int], count: int) -> FloatArray:
    """Return the work in seconds of each request at a step, shape (count,).

    Args:
        key: of the visit; one key gives more work for a larger demand.
    """
    seed, kind, *_ = key
    work = step.demand_s * _gamma(step.cv, np.random.default_rng(key).random(count))
    for rare in step.rare:
        chosen = np.random.default_rng((seed, kind, 1 + rare.chooser, 1, 1)).random(count) < rare.share
        luck = np.random.default_rng((*key, 1, 1 + rare.component)).random(count)
        work += np.where(chosen, rare.demand_s * _gamma(rare.cv, luck), 0.0)
    return work


def _gamma(cv: float, luck: FloatArray) -> FloatArray:
    """Return values with a mean of 1 for uniform random numbers."""
    if cv < 1e-6:
        return np.ones(len(luck))
    if abs(cv - 1) < 1e-6:
        return np.asarray(-np.log1p(-luck))
    shape = cv**-2
    return np.asarray(gammaincinv(shape, luck) / shape)
