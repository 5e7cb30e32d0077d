"""Calls between components, the times that they add up to, and the plan of stays that a request has.

Of parallel calls the longest one counts. Components that call each other in a circle are solved together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from buto.errors import JudgeError
from buto.run.model import FloatArray
from buto_predict.model import Architecture, Call, Measures

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Calls:
    """How often component i calls component j for one call of its own, shape (n_components, n_components).

    Attributes:
        sequential: one after the other.
        parallel: at the same time as the caller's other parallel calls; several calls of one component are
            one after the other.
    """

    sequential: FloatArray
    parallel: FloatArray

    @property
    def total(self) -> FloatArray:
        return self.sequential + self.parallel

    @cached_property
    def groups(self) -> tuple[list[int], ...]:
        """Components that lead to a call of each other, by position; callees before their callers."""
        group_of = _group_of(self.total)
        below: dict[int, set[int]] = {int(group): set() for group in np.unique(group_of)}
        for caller, callee in zip(*np.nonzero(self.total), strict=True):
            if group_of[caller] != group_of[callee]:
                below[int(group_of[caller])].add(int(group_of[callee]))
        return tuple(
            np.flatnonzero(group_of == one).tolist() for one in TopologicalSorter(below).static_order()
        )


def edges_of(architecture: Architecture) -> dict[str, dict[str, float]]:
    return {one.name: {call.to: call.times for call in one.calls} for one in architecture.components}


def calls_of(architecture: Architecture) -> Calls:
    """Return the calls between an architecture's components.

    Raises:
        JudgeError: components call each other endlessly.
    """
    index = architecture.component_index
    sequential, parallel = np.zeros((2, len(index), len(index)))
    for caller, component in enumerate(architecture.components):
        for call in component.calls:
            (parallel if call.parallel else sequential)[caller, index[call.to]] += call.times
    _refuse_endless(sequential + parallel, list(index))
    return Calls(sequential, parallel)


def visits(calls: FloatArray, start: FloatArray) -> FloatArray:
    """Return how often each component is called for one request.

    Recursion is allowed as long as it ends: visits = start + calls.T @ visits.

    Args:
        calls: shape (n_components, n_components).
        start: calls by the request itself, shape (n_components,).

    Returns:
        Shape (n_components,).
    """
    solved = np.linalg.solve(np.eye(len(start)) - calls.T, start)
    return np.where(solved > 1e-12, solved, 0.0).astype(np.float64)


def called_s(calls: Calls, group: Sequence[int], whole_s: FloatArray) -> FloatArray:
    """Return for components of a group the time in what they call outside of it.

    Of parallel calls, the longest one counts.

    Args:
        whole_s: times including what is called, in seconds, shape (..., n_components). Those of the group
            and of its callers do not matter.

    Returns:
        Seconds, shape (..., n_group).
    """
    outside = whole_s.copy()
    outside[..., group] = 0.0
    below: FloatArray = outside @ calls.sequential[group].T
    for position, caller in enumerate(group):
        branches = np.flatnonzero(calls.parallel[caller])
        if len(branches):
            below[..., position] += (outside[..., branches] * calls.parallel[caller, branches]).max(axis=-1)
    return below


def within(calls: Calls, group: Sequence[int]) -> FloatArray:
    """Return the calls between components of a group, shape (n_group, n_group); they count as sequential,
    since parallel calls in a circle have no longest one.
    """
    return calls.total[np.ix_(group, group)]


def inclusive(calls: Calls, self_s: FloatArray) -> FloatArray:
    """Return each component's time including all that it calls, in seconds; the inverse of taking the self
    time.

    Args:
        self_s: shape (..., n_components).
    """
    whole_s = np.zeros_like(self_s)
    for group in calls.groups:
        own = self_s[..., group] + called_s(calls, group, whole_s)
        whole_s[..., group] = own @ np.linalg.inv(np.eye(len(group)) - within(calls, group)).T
    return whole_s


def reaches(calls: Calls) -> npt.NDArray[np.bool_]:
    """Return whether component i leads to a call of component j, itself excluded; shape (n_components,
    n_components).
    """
    found = calls.total > 0
    while True:
        further = found | (found.astype(np.float64) @ found > 0)
        if (further == found).all():
            return np.asarray(found & ~np.eye(len(found), dtype=bool))
        found = further


def _group_of(calls: FloatArray) -> IntArray:
    _, group_of = connected_components(csr_array(calls > 0), connection="strong")
    return np.asarray(group_of, dtype=np.int64)


def _refuse_endless(calls: FloatArray, names: Sequence[str]) -> None:
    group_of = _group_of(calls)
    in_cycle = (np.bincount(group_of)[group_of] > 1) | (np.diag(calls) > 0)
    for group in np.unique(group_of[in_cycle]):
        members = np.flatnonzero(group_of == group)
        growth = np.abs(np.linalg.eigvals(calls[np.ix_(members, members)])).max()
        if growth >= 1 - 1e-9:
            cycle = ", ".join(repr(names[position]) for position in members[:5])
            raise JudgeError(
                f"the components {cycle} call each other without an end, {growth:.3g} times a round",
                advice="recursion must end: write fewer than one further call per round, on average",
            )


@dataclass(frozen=True, slots=True)
class Measured:
    """A component that is tested.

    Attributes:
        measures: what the test measures the time of.
    """

    component: int
    measures: Measures


def self_changes(
    calls: Calls, self_s: FloatArray, tested: Sequence[Measured], changes: FloatArray
) -> FloatArray:
    """Return the changes of self times that explain the measurements of the tests.

    The change in a caller's inclusive test is first attributed to the components that it calls and that are
    tested themselves; only the rest is its own. So nothing is counted twice. Components without a test
    keep their self time.

    Args:
        self_s: old self times in seconds, shape (n_components,).
        tested: no component twice.
        changes: new mean over old mean, less 1, of each test, shape (..., n_tested).

    Returns:
        Seconds, shape (..., n_components); no self time becomes negative by them.
    """
    old_s = inclusive(calls, self_s)
    test_of = {one.component: column for column, one in enumerate(tested)}
    whole_s = np.zeros((*changes.shape[:-1], len(self_s)))
    changed = np.zeros_like(whole_s)
    for group in calls.groups:
        below_s, inner = called_s(calls, group, whole_s), within(calls, group)
        # Unknowns are the new inclusive times of the group. A row is the measurement of its component's
        # inclusive test, or, without one, says what the component does itself and calls.
        system, known_s = np.eye(len(group)) - inner, self_s[group] + below_s
        wholes = []
        for row, component in enumerate(group):
            if component not in test_of:
                continue
            change = changes[..., test_of[component]]
            if tested[test_of[component]].measures is Measures.INCLUSIVE:
                system[row] = np.eye(len(group))[row]
                known_s[..., row] = old_s[component] * (1 + change)
                wholes.append(row)
            else:
                changed[..., component] = self_s[component] * change
                known_s[..., row] += changed[..., component]
        new_s = known_s @ np.linalg.inv(system).T
        whole_s[..., group] = new_s
        own_s = new_s - new_s @ inner.T - below_s
        for row in wholes:
            changed[..., group[row]] = own_s[..., row] - self_s[group[row]]
    return np.asarray(np.maximum(changed, -self_s))


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

    @property
    def share(self) -> float:
        """The share of requests that have any work."""
        used = np.flatnonzero(self.calls)
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
    so, too, it is in requests that have its caller; if not, it is its own chooser.

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
    station_of = np.array([architecture.station_index[one.station] for one in architecture.components])
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
        stations = [architecture.station_index[one.station] for one in architecture.components]
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
