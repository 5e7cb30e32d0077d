"""Calls between components, and the times that they add up to.

Of parallel calls the longest one counts. Components that call each other in a circle are solved together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from buto.errors import JudgeError
from buto.run.model import FloatArray
from buto_predict.model import Architecture, Measures


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
            np.flatnonzero(group_of == column).tolist() for column in TopologicalSorter(below).static_order()
        )


def edges_of(architecture: Architecture) -> dict[str, dict[str, float]]:
    return {
        component.name: {call.to: call.times for call in component.calls}
        for component in architecture.components
    }


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
    leads_to = calls.total > 0
    while True:
        further = leads_to | (leads_to.astype(np.float64) @ leads_to > 0)
        if (further == leads_to).all():
            return np.asarray(leads_to & ~np.eye(len(leads_to), dtype=bool))
        leads_to = further


def _group_of(calls: FloatArray) -> npt.NDArray[np.int64]:
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
class MeasuredComponent:
    """A component that is tested.

    Attributes:
        measures: what the test measures the time of.
    """

    component: int
    measures: Measures


def self_changes(
    calls: Calls, self_s: FloatArray, tested: Sequence[MeasuredComponent], changes: FloatArray
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
    test_of = {component.component: column for column, component in enumerate(tested)}
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
