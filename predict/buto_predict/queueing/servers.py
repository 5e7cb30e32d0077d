"""The stations of a simulation, each with the time of its next departure."""

from __future__ import annotations

from heapq import heapify, heappop, heappush, heapreplace
from math import inf
from typing import Protocol

from buto_predict.model import Discipline, Station

Token = tuple[int, int]
"""A request and the step that it is at."""


class Server(Protocol):
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
    """Nobody waits."""

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


def server_of(station: Station) -> Server:
    """Return an empty station."""
    match station.discipline:
        case Discipline.PROCESSOR_SHARING:
            return ProcessorSharing(station.servers)
        case Discipline.FIFO:
            return Fifo(station.servers)
        case Discipline.DELAY:
            return Delay()
