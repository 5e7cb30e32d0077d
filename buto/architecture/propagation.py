"""From the changes that component tests measured to changes of self times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.architecture.graph import inclusive
from buto.architecture.model import Measures
from buto.runs import FloatArray


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
    calls: FloatArray, self_s: FloatArray, tested: Sequence[Measured], changes: FloatArray
) -> FloatArray:
    """Return the changes of self times that explain the measurements of the tests.

    The change in a caller's inclusive test is first attributed to the components that it calls and that are
    tested themselves; only the rest is its own. So nothing is counted twice. Components without a test
    keep their self time.

    Args:
        calls: shape (n_components, n_components), see :func:`buto.architecture.graph.call_matrix`.
        self_s: old self times in seconds, shape (n_components,).
        tested: no component twice.
        changes: new mean over old mean, less 1, of each test, shape (..., n_tested).

    Returns:
        Seconds, shape (..., n_components); no self time becomes negative by them.
    """
    whole_s = inclusive(calls, self_s)
    # Unknowns are the changes of inclusive times. A row is the measurement of its component's test, or,
    # without a test, says that the component changes only by what it calls.
    system = np.eye(len(self_s)) - calls
    given = np.zeros((len(self_s), len(tested)))
    for column, one in enumerate(tested):
        if one.measures is Measures.INCLUSIVE:
            system[one.component] = 0.0
            system[one.component, one.component] = 1.0
            given[one.component, column] = whole_s[one.component]
        else:
            given[one.component, column] = self_s[one.component]
    own = (np.eye(len(self_s)) - calls) @ np.linalg.solve(system, given)
    changed: FloatArray = np.maximum(changes @ own.T, -self_s)
    return changed


def reaches(calls: FloatArray) -> FloatArray:
    """Return whether component i leads to a call of component j, itself excluded; boolean (n_components,
    n_components).
    """
    found = calls > 0
    while True:
        further = found | (found.astype(np.float64) @ found > 0)
        if (further == found).all():
            return np.asarray(found & ~np.eye(len(calls), dtype=bool))
        found = further
