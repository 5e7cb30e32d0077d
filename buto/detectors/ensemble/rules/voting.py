"""How prior tests vote on a counter: bagging, and stacking weighted by likeness of environments."""

from __future__ import annotations

from collections.abc import Sequence

from buto.detectors.calibrated.environments import weights
from buto.detectors.ensemble.rules.violations import BoolArray
from buto.runs import FloatArray

_TINY = 1e-9


def bagged(votes: BoolArray) -> BoolArray:
    """Return the counters that at least half of the prior tests flag; votes have shape (n_tests, n)."""
    most: BoolArray = votes.sum(axis=0) * 2 >= len(votes)
    return most & votes.any(axis=0)


def stacked_weights(votes: BoolArray, weight: FloatArray) -> FloatArray:
    """Return the weight of the prior tests that flag each counter, shape (n,), 0 to 1."""
    total: FloatArray = weight @ votes
    return total


def stacked(votes: BoolArray, weight: FloatArray) -> BoolArray:
    """Return the counters that prior tests of more than half of the weight flag."""
    over: BoolArray = stacked_weights(votes, weight) > 0.5 + _TINY
    return over


def lone(shared: Sequence[int]) -> int | None:
    """Return the one prior test whose environment is most like the new test's, if it cannot flag a counter
    alone; None if several are equally like, all are unlike, or it decides alone.
    """
    most = max(shared, default=0)
    alike = [place for place, number in enumerate(shared) if number == most]
    if most == 0 or len(alike) > 1 or weights(shared)[alike[0]] > 0.5 + _TINY:
        return None
    return alike[0]
