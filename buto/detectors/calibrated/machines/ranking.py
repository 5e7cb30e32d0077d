"""A run on a machine that training does not know, among training runs whose environment was held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.evidence import largest_of_each
from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.detectors.calibrated.machines.deviations import Expected, expected_elsewhere
from buto.detectors.calibrated.machines.elsewhere import elsewhere
from buto.detectors.calibrated.machines.environments import Environment
from buto.detectors.calibrated.machines.groups import Dependences, Groups
from buto.runs import FloatArray

Counts = Callable[[FloatArray, FloatArray], BoolArray]
"""Says which numbers count, shape (n_numbers,), given those of a run and what is expected of it."""


def everything_counts(values: FloatArray, expected: FloatArray) -> BoolArray:
    """Return that every number counts."""
    return np.ones(values.shape, np.bool_)


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """A run among the training runs.

    Attributes:
        expected: what the training runs expect of it.
        judged: shape (n_numbers,), which numbers count.
        contrast: shape (n_numbers,), zero where a number does not count.
        limits: shape (n_numbers,), from which contrast a number is off by itself.
        quantity: shape (n_quantities,), the numbers of the quantities that count.
        reach: shape (n_quantities,), the largest share of its limit that a number of each quantity has.
        p_value: of the whole run.
        stands_out: whether it differs, or more environments could show that it does.
        needed: how many environments would show that the run differs; None if there are enough, or if none
            would.
    """

    expected: Expected
    judged: BoolArray
    contrast: FloatArray
    limits: FloatArray
    quantity: IntArray
    reach: FloatArray
    p_value: float
    stands_out: bool
    needed: int | None


def ranked(
    groups: Groups,
    found: Dependences,
    held_out: Sequence[FloatArray],
    exact: BoolArray,
    quantity: IntArray,
    environment: Environment,
    values: FloatArray,
    alpha: float,
    counts: Counts = everything_counts,
) -> Ranked | None:
    """Rank a run; None if nothing that can be judged was read.

    Args:
        found: how numbers depend on the machine.
        held_out: contrasts of the training runs of each environment, shape (n_checks, n_numbers).
        exact: shape (n_numbers,), which numbers the machine hardly changes.
        quantity: shape (n_numbers,), the quantity of each number, in increasing order.
        values: of the run, shape (n_numbers,); NaN for what could not be read.
        counts: which of the run's differences count. Those of the training runs all do: if what is too small
            to matter were left out of them, the tail of their scores would be too thin.
    """
    known_here = ~np.isnan(values)
    read = found.judged & known_here
    if not read.any():
        return None
    expected = expected_elsewhere(groups, found, environment, values)
    counting = found.judged & counts(values, expected.centre)
    contrast = np.where(counting, expected.contrast(values), 0.0)
    compared = elsewhere(contrast, held_out, exact, known_here)
    limits = compared.limits(alpha)
    share = np.divide(np.abs(contrast), limits, out=np.full(len(limits), np.inf), where=limits > 0)
    share = np.where(contrast == 0, 0.0, share)
    return Ranked(
        expected,
        found.judged,
        contrast,
        limits,
        np.unique(quantity[read]),
        largest_of_each(share[None, read], quantity[read])[0],
        compared.p_value,
        compared.stands_out(alpha),
        None if compared.p_value <= alpha else compared.needed(alpha),
    )
