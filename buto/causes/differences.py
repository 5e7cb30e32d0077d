"""The statistic: how far each sum of the new program lies above the old program's, in deviations.

Pure functions on arrays of shape (n_launches, n_units). ``tests/support/references/naive_causes.py`` has the
same in plain loops.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

PRIOR_FREEDOM = 4.0
"""Degrees of freedom that the expected variance counts for, beside those of the few launches."""

PRIOR_SHARE = 0.1
"""Expected deviation between launches of one program, as a share of the level."""

RANKED_FIRST = 4.0
"""Units beyond this many deviations are ranked before all others, if their share is that of a cause."""

NAMED = {3: 5.0, 4: 4.5, 5: 4.0}
"""Deviations from which a cause is named, by number of launches of each program; with fewer none is named."""

NAMED_SHARE = 0.1
"""A cause that is named, and a unit that is ranked by its evidence, has at least this share of the rise."""

FELL = 2.0
"""Standard errors from which a fall counts: a cause must have risen by more than all that fell together."""


def variances(
    old: FloatArray, new: FloatArray, old_squares: FloatArray, new_squares: FloatArray, grain: float
) -> FloatArray:
    """Return the variance between launches of one program, shape (n_units,).

    The variance of so few launches is shrunk towards what is expected: the noise of sampling, of which the
    variance is the sum of squares of the sampled events, and a share of the level.

    Args:
        old, new: sums, shape (n_launches, n_units).
        old_squares, new_squares: sums of squares; zeros for events that are all recorded.
        grain: the smallest deviation that is possible, as one event.
    """
    n_old, n_new = len(old), len(new)
    freedom = (n_old - 1) + (n_new - 1)
    scatter = ((old - old.mean(axis=0)) ** 2).sum(axis=0) + ((new - new.mean(axis=0)) ** 2).sum(axis=0)
    sampling = np.maximum((old_squares.mean(axis=0) + new_squares.mean(axis=0)) / 2, grain**2)
    level = (old.mean(axis=0) + new.mean(axis=0)) / 2
    expected = sampling + (PRIOR_SHARE * level) ** 2
    return np.asarray((PRIOR_FREEDOM * expected + scatter) / (PRIOR_FREEDOM + freedom))


def deviations(old: FloatArray, new: FloatArray, variance: FloatArray) -> FloatArray:
    """Return z = difference of the means / standard error, shape (n_units,); 0 where both are zero."""
    difference = new.mean(axis=0) - old.mean(axis=0)
    error = np.sqrt(variance * (1 / len(old) + 1 / len(new)))
    return np.asarray(np.divide(difference, error, out=np.zeros_like(difference), where=error > 0))


def shares(old: FloatArray, new: FloatArray) -> FloatArray:
    """Return each unit's share of all that rose, shape (n_units,), 0 to 1; 0 for what did not rise."""
    rise = np.maximum(new.mean(axis=0) - old.mean(axis=0), 0.0)
    total = rise.sum()
    return np.asarray(rise / total if total > 0 else rise)


def ranked(z: FloatArray, rise: FloatArray, share: FloatArray) -> npt.NDArray[np.intp]:
    """Return the places of the units that rose.

    Those with strong evidence and the share of a cause come first, each part by its rise. Without the
    share, small methods that are hardly noisy would come before those that make up most of the rise.

    Args:
        z, rise, share: shape (n_units,).
    """
    order = np.lexsort((-rise, ~((z > RANKED_FIRST) & (share >= NAMED_SHARE))))
    return order[rise[order] > 0]


def named(z: FloatArray, share: FloatArray, old: FloatArray, new: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which units are named as causes, shape (n_units,).

    Besides strong evidence and a share of the rise, every launch of the new program must lie above every
    launch of the old one.
    """
    threshold = NAMED.get(min(len(old), len(new), max(NAMED)))
    if threshold is None:
        return np.zeros(len(z), dtype=np.bool_)
    apart = new.min(axis=0) > old.max(axis=0)
    chosen: npt.NDArray[np.bool_] = (z > threshold) & (share >= NAMED_SHARE) & apart
    return chosen


def exceeds_falls(z: FloatArray, rise: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which units rose by more than all units fell that fell beyond the noise, shape (n_units,).

    None did if all units together have not risen: then the program uses no more.

    What does not may only have moved: the compiler inlined other methods, or samples fell on other sites of
    the same loop. The total of all units would tell that, too, but with the noise of every unit: where a
    change is small beside the rest of the program, it hides one cause in four.

    Args:
        z, rise: shape (n_units,).
    """
    return np.asarray((rise > -rise[z < -FELL].sum()) & (rise.sum() > 0))
