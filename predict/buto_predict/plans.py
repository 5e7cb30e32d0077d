"""The plan of a request: the stations that it visits, and the forks of its parallel calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.errors import JudgeError
from buto.run.model import FloatArray
from buto_predict.calls import calls_of, visits
from buto_predict.model import Architecture, Call

IntArray = npt.NDArray[np.int64]

_MAX_NESTING = 32
"""Parallel calls within parallel calls; deeper ones are a circle, also if it ends."""

_MOST_BRANCHES = 1000
"""Of one request. Each is simulated, and every level of nesting multiplies them."""


@dataclass(frozen=True, eq=False)
class Visit:
    """The work of a request at one station, before it goes on.

    Attributes:
        station: position of the station.
        calls: calls of each component for one request, shape (n_components,); zero for components of
            other stations.
        chosen_by: for each component that is called less than once for a request, the one that chooses the
            requests, shape (n_components,).
    """

    station: int
    calls: FloatArray
    chosen_by: IntArray

    def share(self, self_s: FloatArray) -> float:
        """Return the share of requests that have any work.

        Args:
            self_s: self times in seconds, shape (..., n_components).
        """
        works = (self_s > 0).reshape(-1, self_s.shape[-1]).any(axis=0)
        used = np.flatnonzero((self.calls > 0) & works)
        largest = np.zeros(len(self.calls))
        np.maximum.at(largest, self.chosen_by[used], np.minimum(self.calls[used], 1.0))
        return float(1 - np.prod(1 - largest))

    def variance(self, self_s: FloatArray, cv: FloatArray) -> FloatArray:
        """Return the variance of the work of one request in s².

        Args:
            self_s: self times in seconds, shape (..., n_components).
            cv: of each self time, shape (n_components,).
        """
        rare = np.flatnonzero((self.calls > 0) & (self.calls < 1))
        shares, chooser = self.calls[rare], self.chosen_by[rare]
        together = np.where(
            chooser[:, np.newaxis] == chooser,
            np.minimum.outer(shares, shares) - np.outer(shares, shares),
            0.0,
        )
        chosen = np.einsum("...i,ij,...j->...", self_s[..., rare], together, self_s[..., rare])
        return np.asarray((cv * self_s) ** 2 @ self.calls + chosen)


@dataclass(frozen=True)
class Fork:
    """Branches that begin together; the request goes on when the last one has ended."""

    branches: tuple[Plan, ...]


Plan = tuple[Visit | Fork, ...]
"""The steps of a request, in order."""


def plans(architecture: Architecture) -> tuple[Plan, ...]:
    """Return the plan of each endpoint.

    In sequential calls, a request visits each station once, with all its demand there.
    Under processor sharing this changes no mean. Repeated forks become one, with the demands of all.

    Raises:
        JudgeError: components call each other endlessly or in a circle of parallel calls, parallel calls
            multiply to too many branches, or an endpoint calls nothing.
    """
    sequential = calls_of(architecture).sequential
    made = []
    for endpoint in architecture.endpoints:
        plan = _Planner(architecture, sequential, endpoint.name).plan(endpoint.calls)
        if not plan:
            raise JudgeError(
                f"the endpoint {endpoint.name!r} has no demand: it calls no component",
                advice="name the components that it calls, under endpoints, in the model",
            )
        made.append(plan)
    return tuple(made)


def choosers(calls: FloatArray, visited: FloatArray) -> IntArray:
    """Return for each component the one that chooses the requests in which it is called.

    A component that is called less than once for a request is in some requests only. If its only caller is
    so, too, it is in requests that have its caller; if not, it is its own chooser. Parallel
    branches choose on their own.

    Args:
        calls: shape (n_components, n_components).
        visited: calls for one request, shape (n_components,).

    Returns:
        Positions, shape (n_components,).
    """
    is_rare = (visited > 0) & (visited < 1)
    chosen_by = np.arange(len(visited))
    for component in np.flatnonzero(is_rare):
        above = component
        for _ in visited:
            callers = np.flatnonzero((calls[:, above] > 0) & (visited > 0))
            if len(callers) != 1 or not is_rare[callers[0]]:
                break
            above = callers[0]
        chosen_by[component] = above
    return chosen_by


def visits_of(plan: Plan) -> Iterator[Visit]:
    """Yield all visits of a plan, those of its branches included."""
    for step in plan:
        if isinstance(step, Visit):
            yield step
        else:
            for branch in step.branches:
                yield from visits_of(branch)


def total_calls(plan: Plan, n_components: int) -> FloatArray:
    """Return the calls of each component for one request, over a whole plan, shape (n_components,)."""
    total = np.zeros(n_components)
    for step in plan:
        if isinstance(step, Visit):
            total += step.calls
        else:
            total += sum(
                (total_calls(branch, n_components) for branch in step.branches), np.zeros(n_components)
            )
    return total


def demand_weights(architecture: Architecture, made: Sequence[Plan]) -> FloatArray:
    """Return calls per request by endpoint, station and component, shape (n_endpoints, n_stations,
    n_components).

    ``weights @ self_s`` are the service demands in seconds.
    """
    n_components = len(architecture.components)
    station_of = np.array(
        [architecture.station_index[component.station] for component in architecture.components]
    )
    own = station_of[np.newaxis, :] == np.arange(len(architecture.stations))[:, np.newaxis]
    totals = np.array([total_calls(plan, n_components) for plan in made])
    weights: FloatArray = totals[:, np.newaxis, :] * own[np.newaxis, :, :]
    return weights


class _Planner:
    """Makes the plan of one endpoint."""

    def __init__(self, architecture: Architecture, calls: FloatArray, endpoint: str) -> None:
        self._components = architecture.components
        self._index = architecture.component_index
        self._calls = calls
        self._endpoint = endpoint
        stations = [architecture.station_index[component.station] for component in architecture.components]
        self._own = np.arange(len(architecture.stations))[:, np.newaxis] == stations
        self._n_branches = 0

    def plan(self, entries: Sequence[Call], scale: float = 1.0, depth: int = 0) -> Plan:
        """Return the plan that some calls make, ``scale`` times."""
        if depth > _MAX_NESTING:
            names = ", ".join(repr(call.to) for call in entries)
            raise JudgeError(
                f"parallel calls must be nested at most {_MAX_NESTING} deep, got more below {names}",
                advice="components that call each other in a circle must not do so in parallel",
            )
        start = np.zeros(len(self._index))
        for call in entries:
            if not call.parallel:
                start[self._index[call.to]] += scale * call.times
        visited = visits(self._calls, start)
        chosen_by = choosers(self._calls, visited)
        steps: list[Visit | Fork] = [
            Visit(station, np.where(own, visited, 0.0), chosen_by)
            for station, own in enumerate(self._own)
            if (visited[own] > 0).any()
        ]
        groups = [(scale, entries)]
        groups += [
            (times, component.calls)
            for times, component in zip(visited, self._components, strict=True)
            if times > 0
        ]
        forks = (self._fork(times, calls, depth) for times, calls in groups)
        return (*steps, *(fork for fork in forks if fork.branches))

    def _fork(self, times: float, calls: Sequence[Call], depth: int) -> Fork:
        parallel = [call for call in calls if call.parallel]
        self._n_branches += len(parallel)
        if self._n_branches > _MOST_BRANCHES:
            raise JudgeError(
                f"a request of {self._endpoint!r} makes more than {_MOST_BRANCHES} parallel calls",
                advice="parallel calls within parallel ones multiply; leave out 'parallel' in the inner ones",
            )
        return Fork(tuple(self.plan((Call(call.to, call.times),), times, depth + 1) for call in parallel))
