"""Chances of counts: of independent events of one chance, and of waiting times."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

import numpy as np
from msgspec import Struct

from buto.run.model import FloatArray, IntArray

_HALVINGS = 60
"""Of the range from 0 to 1: after these, its ends are neighbouring numbers near 0.5, and closer near 0."""


_NEGLIGIBLE = 1e-18
"""Share of a sum below which its next terms no longer change it."""


def at_least(events: int, of: int, chance: float) -> float:
    """Return the chance of at least so many events of a number of independent ones.

    Args:
        chance: of each, from 0 to 1.
    """
    if events <= 0:
        return 1.0
    if events > of or chance <= 0.0:
        return 0.0
    if chance >= 1.0:
        return 1.0
    # The sum of the smaller side, so that a small chance keeps its digits.
    if events <= of * chance:
        return 1.0 - _sum(range(events), of, chance)
    return _sum(range(events, of + 1), of, chance)


def largest_rate(events: int, of: int, improbable: float) -> float:
    """Return the largest chance at which so few events are not too improbable (Clopper and Pearson)."""
    if events >= of:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        few = _sum(range(events + 1), of, middle)
        low, high = (middle, high) if few > improbable else (low, middle)
    return (low + high) / 2


class ShareLimits(Struct, frozen=True):
    """The smallest and the largest chance that a count leaves possible."""

    lower: float
    upper: float


def limits_of(events: int, of: int, improbable: float) -> ShareLimits:
    """Return the limits at which such a count is as improbable, on each side; 0 and 1 without any trial.

    Raises:
        ValueError: there are fewer than none, or more than were tried.
    """
    if not 0 <= events <= of:
        raise ValueError(f"the count must be from 0 to {of}, got {events}")
    # What does not happen has the other chance.
    lower = 1.0 - largest_rate(of - events, of, improbable)
    return ShareLimits(lower, largest_rate(events, of, improbable))


def chance_of_reaching(events: IntArray, time: FloatArray) -> FloatArray:
    """Return the chance that so many events of a Poisson process of rate 1 have come by a time.

    That is the regularized lower incomplete gamma function of a whole number.

    Args:
        events: at least 1; broadcast with ``time``, which is not negative.
    """
    exact = np.vectorize(lgamma, otypes=[np.float64])(events + 1.0)
    number, factorial, time = np.broadcast_arrays(events.astype(np.float64), exact, time)
    # Of this many events exactly; all other chances of counts follow from it, and the smaller side is summed.
    first = np.exp(number * np.log(np.maximum(time, np.finfo(np.float64).tiny)) - time - factorial)
    is_early = time < number + 1.0
    more, term, above = first.copy(), first.copy(), number.copy()
    while np.any(is_early & (term > _NEGLIGIBLE * more)):
        above += 1.0
        term = term * time / above
        more += np.where(is_early, term, 0.0)
    fewer, term, below = np.zeros(first.shape), first.copy(), number.copy()
    while np.any(~is_early & (below > 0.0) & (term > _NEGLIGIBLE * np.maximum(fewer, first))):
        term = term * below / np.maximum(time, 1.0)
        below -= 1.0
        fewer += np.where(below >= 0.0, term, 0.0)
    return np.where(is_early, more, 1.0 - fewer)


def _sum(numbers: range, of: int, chance: float) -> float:
    whole = lgamma(of + 1)
    return sum(
        exp(
            whole
            - lgamma(number + 1)
            - lgamma(of - number + 1)
            + number * log(chance)
            + (of - number) * log1p(-chance)
        )
        for number in numbers
    )
