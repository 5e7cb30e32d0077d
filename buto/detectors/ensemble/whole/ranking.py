"""A new test among prior tests: one p-value for a check, and what each number must exceed to be off.

In a known environment, the score is that of the calibrated oracle (:mod:`buto.analysis.evidence`): it rises
if one quantity is far off, and if many are a little. The p-value is the share of tests that score at least as
high, the new one included. Every prior test was held out alone. On a machine that was not seen, prior tests
were held out with their whole environment (:mod:`buto.detectors.ensemble.whole.elsewhere`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from buto.analysis.evidence import TIE, largest_of_each
from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.detectors.ensemble.rules.voting import Environment
from buto.detectors.ensemble.whole.deviations import (
    FEWEST_LIKE,
    Expected,
    expected_elsewhere,
    expected_here,
    held_out_alone,
    known,
)
from buto.detectors.ensemble.whole.elsewhere import elsewhere
from buto.detectors.ensemble.whole.groups import Dependences, Groups
from buto.detectors.ensemble.whole.tail import scores
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
        limits: shape (n_numbers,), from which contrast a number is off by itself.
        quantity: shape (n_quantities,), the numbers of the quantities that count.
        reach: shape (n_quantities,), the largest share of its limit that a number of each quantity has.
        p_value: of the whole test.
        stands_out: whether it may differ: no prior test of a known environment has as high a score, or more
            environments could show it.
        needed: how many prior tests, or environments if ``here`` is None, would show that the test differs;
            None if there are enough, or if none would.
    """

    here: int | None
    expected: Expected
    judged: BoolArray
    contrast: FloatArray
    limits: FloatArray
    quantity: IntArray
    reach: FloatArray
    p_value: float
    stands_out: bool
    needed: int | None


def ranked_here(
    groups: Groups, quantity: IntArray, environment: Environment, values: FloatArray, alpha: float
) -> Ranked | None:
    """Rank a new test of a known environment; None if nothing of it could be read.

    Args:
        quantity: shape (n_numbers,), the quantity of each number, in increasing order.
        values: of the new test, shape (n_numbers,); NaN for what could not be read.
    """
    here = known(groups, environment)
    assert here is not None
    read = ~np.isnan(values)
    if not read.any():
        return None
    expected, rows = expected_here(groups, here), _compared(groups, here, alpha)
    contrast = expected.contrast(values)
    largest = largest_of_each(np.vstack([contrast, rows])[:, read], quantity[read])
    score = scores(largest)
    p_value = float((score >= score[0] - TIE).mean())
    stands_out, fewest = p_value <= 1 / len(score), fewest_for(alpha)
    limit = limit_here(largest[1:].max(axis=1), alpha)
    return _ranked(
        here,
        expected,
        np.ones_like(read),
        contrast,
        np.full(len(quantity), limit),
        quantity,
        read,
        p_value,
        stands_out,
        fewest if stands_out and len(rows) < fewest else None,
    )


def ranked_elsewhere(
    groups: Groups,
    found: Dependences,
    held_out: Sequence[FloatArray],
    exact: BoolArray,
    quantity: IntArray,
    environment: Environment,
    values: FloatArray,
    alpha: float,
) -> Ranked | None:
    """Rank a new test of an environment that was not seen; None if nothing that can be judged was read.

    Args:
        found: how numbers depend on the machine.
        held_out: contrasts of the prior tests of each environment, shape (n_checks, n_numbers).
        exact: shape (n_numbers,), which numbers the machine hardly changes.
        quantity, values: as in :func:`ranked_here`.
    """
    known_here = ~np.isnan(values)
    read = found.judged & known_here
    if not read.any():
        return None
    expected = expected_elsewhere(groups, found, environment, values)
    contrast = np.where(found.judged, expected.contrast(values), 0.0)
    compared = elsewhere(contrast, held_out, exact, known_here)
    return _ranked(
        None,
        expected,
        found.judged,
        contrast,
        compared.limits(alpha),
        quantity,
        read,
        compared.p_value,
        compared.stands_out(alpha),
        None if compared.p_value <= alpha else compared.needed(alpha),
    )


def limit_here(prior: FloatArray, alpha: float) -> float:
    """Return what an unchanged test exceeds in at most a share alpha of cases, itself counted.

    Fewer prior tests than :func:`fewest_for` cannot show this share; then it is the highest of them.

    Args:
        prior: largest contrast of any quantity in each prior test, shape (n_tests,).
    """
    higher = max(1, floor(alpha * (len(prior) + 1) + 1e-9))
    return float(np.sort(prior)[-higher])


def fewest_for(alpha: float) -> int:
    """Return how many prior tests can show a share of alpha by rank."""
    return ceil(1 / alpha - 1e-9) - 1


def _ranked(
    here: int | None,
    expected: Expected,
    judged: BoolArray,
    contrast: FloatArray,
    limits: FloatArray,
    quantity: IntArray,
    read: BoolArray,
    p_value: float,
    stands_out: bool,
    needed: int | None,
) -> Ranked:
    share = np.divide(np.abs(contrast), limits, out=np.full(len(limits), np.inf), where=limits > 0)
    share = np.where(contrast == 0, 0.0, share)
    reach = largest_of_each(share[None, read], quantity[read])[0]
    return Ranked(
        here,
        expected,
        judged,
        contrast,
        limits,
        np.unique(quantity[read]),
        reach,
        p_value,
        stands_out,
        needed,
    )


def _compared(groups: Groups, here: int, alpha: float) -> FloatArray:
    """Return the contrasts of prior tests that a new test of a known environment is ranked among.

    Those of its own environment alone if they are enough; else all of environments that can be judged.
    """
    if groups.counts[here] >= fewest_for(alpha):
        return held_out_alone(groups, here)
    many = [place for place, count in enumerate(groups.counts) if count >= FEWEST_LIKE]
    return np.vstack([held_out_alone(groups, place) for place in many])
