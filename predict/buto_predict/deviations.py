"""Whether a component became slower or faster: the rank sum test and Cliff's delta, with their direction.

As in "Early Detection of Performance Regressions by Bridging Local Performance Data and Architectural Models"
(Liao et al.), section III-B. Here, in contrast, the replicate is a fork or a run and not an iteration: the
iterations of one process are not independent. Groups that are too small to ever be significant are
reported as such.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import comb

import numpy as np
from scipy.stats import PermutationMethod, mannwhitneyu

from buto.run.model import FloatArray

ALPHA = 0.05
NEGLIGIBLE, SMALL, MEDIUM = 0.147, 0.33, 0.474
"""Below these, the size of a Cliff's delta is called negligible, small, medium."""

_MOST_DIVISIONS = 20_000
"""Up to so many divisions of the values into two groups, p-values of tied values are exact."""


class EffectSize(Enum):
    NEGLIGIBLE = "negligible"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


@dataclass(frozen=True, slots=True)
class Deviation:
    """Old against new times of one component test.

    Attributes:
        old_s, new_s: mean times in seconds.
        p_value: two-sided; NaN if a group is empty.
        delta: Cliff's delta, positive if the new times are longer; NaN if a group is empty.
        enough: whether this many replicates can be significant at all.
        significant: p_value is at most alpha and delta is not negligible.
    """

    old_s: float
    new_s: float
    n_old: int
    n_new: int
    p_value: float
    delta: float
    enough: bool
    significant: bool

    def at(self, alpha: float) -> Deviation:
        """Return the same deviation, judged at another alpha."""
        enough = can_be_significant(self.n_old, self.n_new, alpha)
        matters = self.p_value <= alpha and size_of(self.delta) is not EffectSize.NEGLIGIBLE
        return replace(self, enough=enough, significant=enough and matters)

    @property
    def change(self) -> float:
        """Difference of the means as a share of the old one."""
        return self.new_s / self.old_s - 1

    @property
    def size(self) -> EffectSize:
        return size_of(self.delta)


def cliffs_delta(old: FloatArray, new: FloatArray) -> float:
    """Return P(new > old) - P(new < old), from -1 to 1; positive if the new values are larger.

    Args:
        old, new: shapes (n,) and (m,), neither empty, without NaN.
    """
    ordered = np.sort(old)
    below = np.searchsorted(ordered, new, side="left").sum()
    not_above = np.searchsorted(ordered, new, side="right").sum()
    return float((below + not_above) / (len(old) * len(new)) - 1)


def size_of(delta: float) -> EffectSize:
    for size, limit in (
        (EffectSize.NEGLIGIBLE, NEGLIGIBLE),
        (EffectSize.SMALL, SMALL),
        (EffectSize.MEDIUM, MEDIUM),
    ):
        if abs(delta) < limit:
            return size
    return EffectSize.LARGE


def can_be_significant(n_old: int, n_new: int, alpha: float = ALPHA) -> bool:
    """Return whether the exact two-sided rank sum test of this many values can reach alpha.

    One value never can: its scatter is unknown, however many values the other side has.
    """
    return min(n_old, n_new) >= 2 and 2 / comb(n_old + n_new, n_old) <= alpha


def fewest(alpha: float = ALPHA) -> int:
    """Return the fewest replicates on each side, equally many on both, that can be significant at alpha."""
    count = 1
    while not can_be_significant(count, count, alpha):
        count += 1
    return count


def deviation(old: FloatArray, new: FloatArray, alpha: float = ALPHA) -> Deviation:
    """Compare the replicates of a component test.

    Args:
        old, new: mean times of the replicates in seconds, shapes (n,) and (m,), without NaN; may be empty.
    """
    if not len(old) or not len(new):
        old_s, new_s = (float(times.mean()) if len(times) else np.nan for times in (old, new))
        return Deviation(old_s, new_s, len(old), len(new), np.nan, np.nan, enough=False, significant=False)
    delta, p_value = cliffs_delta(old, new), _rank_sum_p(old, new)
    means = float(old.mean()), float(new.mean())
    return Deviation(*means, len(old), len(new), p_value, delta, enough=False, significant=False).at(alpha)


def _rank_sum_p(old: FloatArray, new: FloatArray) -> float:
    """Return the two-sided p-value; of few values it is exact, also if some are tied.

    Unless asked otherwise, scipy approximates if values are tied: p-values of few are then too small by half.
    It permutes no group of one value; of that, the p-value is the share of values that lie as far out.
    """
    values = np.concatenate([old, new])
    if len(np.unique(values)) == len(values) or comb(len(values), len(old)) > _MOST_DIVISIONS:
        return float(mannwhitneyu(new, old, alternative="two-sided").pvalue)
    if min(len(old), len(new)) == 1:
        ordered = np.sort(values)
        below = np.searchsorted(ordered, values, side="left")
        above = len(values) - np.searchsorted(ordered, values, side="right")
        away = np.abs(below - above)
        return float(np.mean(away >= away[0 if len(old) == 1 else -1]))
    every = PermutationMethod(n_resamples=_MOST_DIVISIONS)
    return float(mannwhitneyu(new, old, alternative="two-sided", method=every).pvalue)
