"""From the changes that component tests measured to changes of self times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.runs import FloatArray
from buto_predict.calls import Calls, called_s, inclusive, within
from buto_predict.model import Measures


@dataclass(frozen=True, slots=True)
class Measured:
    """A component that is tested.

    Attributes:
        component: its position.
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
