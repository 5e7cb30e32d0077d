"""Upper limits of a share, where checks of one program are not independent of each other.

The exact limit is that of Clopper and Pearson (1934). For clusters it is taken at an effective number of
checks, as Korn and Graubard (1998, Survey Methodology 24, 193-201) do for surveys.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import beta, t

CONFIDENCE = 0.95


def upper_limit(fails: float, n: float, confidence: float = CONFIDENCE) -> float:
    """Return the one-sided upper limit of a share; 1 without checks.

    Args:
        fails: from 0 to ``n``; need not be whole, as it is with an effective number of checks.
    """
    return 1.0 if fails >= n else float(beta.ppf(confidence, fails + 1, n - fails))


def effective_number(fails: Sequence[int], checks: Sequence[int]) -> float:
    """Return how many independent checks know as much as these, at most as many as there are.

    Args:
        fails, checks: of each cluster, at least one check in each.

    Returns:
        All checks if the share is 0 or 1, where clusters cannot be seen to differ, or if there is only one
        cluster.
    """
    k, n = np.asarray(fails, dtype=float), np.asarray(checks, dtype=float)
    clusters, total = len(n), float(n.sum())
    share = float(k.sum()) / total
    if clusters < 2 or share in (0.0, 1.0):
        return total
    variance = clusters / (clusters - 1) * float(((k - share * n) ** 2).sum()) / total**2
    if variance == 0.0:
        return total
    # The variance is itself known from few clusters.
    shrunk = (t.ppf(CONFIDENCE, total - 1) / t.ppf(CONFIDENCE, clusters - 1)) ** 2
    return min(total, share * (1 - share) / variance * float(shrunk))


def clustered_upper_limit(
    fails: Sequence[int], checks: Sequence[int], confidence: float = CONFIDENCE
) -> float:
    """Return the one-sided upper limit of the share of all checks that fail; 1 without checks.

    Args:
        fails, checks: of each cluster, as of each program.
    """
    total = sum(checks)
    if not total:
        return 1.0
    n = effective_number(fails, checks)
    return upper_limit(sum(fails) / total * n, n, confidence)
