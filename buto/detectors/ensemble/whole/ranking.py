"""The score of a whole test, and its rank among the scores of prior tests: one p-value for a check.

The score is that of the calibrated oracle (:mod:`buto.analysis.evidence`): it rises if one quantity is far
off, and if many are a little. It is computed from contrasts in which every prior test was held out. The
p-value is the share of scores that are at least as high. In a known environment it is near the share of false
alarms if the new test is one more draw of what made the prior tests. On a machine that was not seen it need
not be: few prior tests have a contrast there that is evidence, so a new test that has one mostly stands out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from buto.analysis.evidence import TIE, largest_of_each, scores
from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.detectors.ensemble.voting import Environment
from buto.detectors.ensemble.whole.deviations import (
    FEWEST_LIKE,
    SMALL,
    Expected,
    expected_elsewhere,
    expected_here,
    held_out_alone,
    held_out_environments,
    judged_elsewhere,
    known,
    without_small,
)
from buto.detectors.ensemble.whole.groups import Dependences, Groups
from buto.runs import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """A new test among prior tests.

    Attributes:
        here: the number of its environment among those of the prior tests; None if it was not seen often
            enough.
        expected: what prior tests expect of it.
        judged: shape (n_numbers,), which numbers count.
        contrast: shape (n_numbers,), zero where a number does not count.
        largest: shape (1 + n_compared, n_quantities), largest contrast of each quantity, the new test first.
        quantity: shape (n_quantities,), the number of each quantity in ``largest``.
        score: shape (1 + n_compared,).
    """

    here: int | None
    expected: Expected
    judged: BoolArray
    contrast: FloatArray
    largest: FloatArray
    quantity: IntArray
    score: FloatArray

    @property
    def n_compared(self) -> int:
        """Number of prior tests that it is ranked among."""
        return len(self.score) - 1

    @property
    def p_value(self) -> float:
        """Share of all tests, the new one included, with at least its score."""
        return float((self.score >= self.score[0] - TIE).mean())

    @property
    def smallest(self) -> float:
        """The smallest p-value that so many prior tests can give."""
        return 1 / len(self.score)

    @property
    def stands_out(self) -> bool:
        """Whether no prior test has as high a score."""
        return self.p_value <= self.smallest

    def limit(self, alpha: float) -> float:
        """Return what the largest contrast of any quantity exceeds in at most a share alpha of prior tests.

        At least what is no evidence on a machine that was not seen.
        """
        limit = float(np.quantile(self.largest[1:].max(axis=1), 1 - alpha, method="higher"))
        return limit if self.here is not None else max(limit, SMALL)


def ranked(
    groups: Groups,
    found: Dependences | None,
    quantity: IntArray,
    environment: Environment,
    values: FloatArray,
    alpha: float,
) -> Ranked | None:
    """Rank a new test; None if its environment is new, and prior tests do not show what is the same there.

    Args:
        found: None if prior tests do not tell environments apart.
        quantity: shape (n_numbers,), the quantity of each number, in increasing order.
        values: of the new test, shape (n_numbers,); NaN for what could not be read.
    """
    here = known(groups, environment)
    if here is not None:
        expected = expected_here(groups, here)
        rows, judged = _compared(groups, here, alpha), np.ones(len(quantity), dtype=bool)
    elif found is not None and judged_elsewhere(found).any():
        expected = expected_elsewhere(groups, found, environment, values, None)
        judged = judged_elsewhere(found)
        rows = without_small(held_out_environments(groups, found))
    else:
        return None
    contrast = np.where(judged, expected.contrast(values), 0.0)
    contrast = contrast if here is not None else without_small(contrast)
    read = judged & ~np.isnan(values)
    if not read.any():
        return None
    largest = largest_of_each(np.vstack([contrast, rows])[:, read], quantity[read])
    return Ranked(here, expected, judged, contrast, largest, np.unique(quantity[read]), scores(largest))


def fewest_for(alpha: float) -> int:
    """Return how many prior tests can show a share of alpha."""
    return ceil(1 / alpha - 1e-9) - 1


def _compared(groups: Groups, here: int, alpha: float) -> FloatArray:
    """Return the contrasts of prior tests that a new test of a known environment is ranked among.

    Those of its own environment alone if they are enough; else all of environments that can be judged.
    """
    if groups.counts[here] >= fewest_for(alpha):
        return held_out_alone(groups, here)
    many = [place for place, count in enumerate(groups.counts) if count >= FEWEST_LIKE]
    return np.vstack([held_out_alone(groups, place) for place in many])
