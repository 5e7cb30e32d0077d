"""Limits of a share that was counted, exact for any number of independent trials.

C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits illustrated in the case of the
binomial. Biometrika 26 (1934), 404-413. A limit is the share from which as extreme a count is as improbable
as :data:`buto.judging.alarms.IMPROBABLE`; bisection of the binomial's tail finds it, which is monotonic.
"""

from __future__ import annotations

from math import exp, fsum, lgamma, log, log1p

from msgspec import Struct

from buto.judging.alarms import IMPROBABLE

_BISECTIONS = 60
"""From an interval of 1 to the last digit of a share."""


class ShareLimits(Struct, frozen=True):
    """The smallest and the largest share that a count leaves possible, each with an error of IMPROBABLE."""

    lower: float
    upper: float


def limits_of(count: int, n: int) -> ShareLimits:
    """Return the limits of a share, seen in ``count`` of ``n`` independent trials; 0 and 1 without any.

    Raises:
        ValueError: the count is negative or above n.
    """
    if not 0 <= count <= n:
        raise ValueError(f"the count must be from 0 to {n}, got {count}")
    # That fewer than count are seen has 1 - IMPROBABLE at the lower limit, and that at most count are seen
    # IMPROBABLE at the upper one.
    lower = 0.0 if count == 0 else _share(count - 1, n, 1.0 - IMPROBABLE)
    upper = 1.0 if count == n else _share(count, n, IMPROBABLE)
    return ShareLimits(lower, upper)


def _share(most: int, n: int, probability: float) -> float:
    """Return the share with which at most so many of n trials are seen with this probability; most < n."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(most, n, middle) > probability else (low, middle)
    return (low + high) / 2


def _at_most(most: int, n: int, share: float) -> float:
    """Return the probability that at most so many of n trials are seen; 0 < share < 1."""
    ways = (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) for k in range(most + 1))
    return fsum(exp(way + k * log(share) + (n - k) * log1p(-share)) for k, way in enumerate(ways))
