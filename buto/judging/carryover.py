"""Carry-over: whether a launch in turns depends on the program that was launched before it.

Two programs that share a cache, a lock or a log around them disturb each other in turns, and would not where
each is alone. Asked only of counters that no machine moves: in these, launches of one program are
exchangeable unless a launch changes the next one. So within each program the labels of the predecessors are
permuted, and the rank of the true ones is an exact p-value, one for all counters together (Good,
"Permutation, Parametric and Bootstrap Tests of Hypotheses", 2005, on permuting within strata).
"""

from __future__ import annotations

from itertools import combinations, product
from math import comb, prod

import numpy as np
from msgspec import Struct

from buto.judging.procedure import ROUNDING
from buto.run.model import BoolArray, FloatArray

N_PERMUTATIONS = 5000
"""If there are no more, all are ranked; else so many are drawn, the true one among them."""


class CarryOver(Struct, frozen=True):
    """What the predecessors explain.

    Attributes:
        p_value: share of permutations in which they explain at least as much of some counter.
        column: place of the counter of which they explain most; None if none differs by a size that matters.
    """

    p_value: float = 1.0
    column: int | None = None


def carry_over(values: FloatArray, is_new: BoolArray, least: FloatArray, *, seed: int = 0) -> CarryOver:
    """Return whether values depend on the program of the launch before.

    The first launch has no predecessor in the turns, and is left out. The score of a permutation is the
    largest share of a counter's scatter within the programs that the predecessors explain, of the counters
    that then differ by a size that matters.

    Args:
        values: shape (n_launches, n_counters), in the order of time, no NaN.
        is_new: shape (n_launches,), which launches are of the new program.
        least: shape (n_counters,), the smallest difference that matters, in the counter's unit.
        seed: of the permutations that are drawn.
    """
    own, before, values = is_new[1:], is_new[:-1], values[1:]
    strata = [np.flatnonzero(own == label) for label in (False, True)]
    strata = [rows for rows in strata if 0 < before[rows].sum() < len(rows)]
    if not strata or not values.shape[1]:
        return CarryOver()
    labels = _permutations([before[rows] for rows in strata], seed)
    within = np.zeros(values.shape[1])
    between = np.zeros((len(labels[0]), values.shape[1]))
    matters = np.zeros(between.shape, np.bool_)
    for rows, after_new in zip(strata, labels, strict=True):
        centred = values[rows] - values[rows].mean(axis=0)
        n, n_after_new = len(rows), int(after_new[0].sum())
        share = n * n_after_new / (n - n_after_new)
        mean = after_new @ centred / n_after_new
        within += (centred**2).sum(axis=0)
        between += share * mean**2
        matters |= (np.abs(mean) * n / (n - n_after_new) >= least) & (mean != 0)
    shares = np.where(matters, between / np.where(within > 0, within, 1.0), 0.0)
    scores = shares.max(axis=1)
    if scores[0] <= 0:
        return CarryOver()
    return CarryOver(float((scores >= scores[0] - ROUNDING).mean()), int(shares[0].argmax()))


def _permutations(labels: list[BoolArray], seed: int) -> list[FloatArray]:
    """Return permutations of the labels of each stratum, the true ones first, shape (n_permutations, n)."""
    chosen = [tuple(np.flatnonzero(label).tolist()) for label in labels]
    n_all = prod(comb(len(label), len(places)) for label, places in zip(labels, chosen, strict=True))
    if n_all > N_PERMUTATIONS:
        random = np.random.default_rng(seed)
        drawn = [random.permuted(np.tile(label, (N_PERMUTATIONS - 1, 1)), axis=1) for label in labels]
        return [np.vstack([label, more]).astype(float) for label, more in zip(labels, drawn, strict=True)]
    ways = [
        [places, *(other for other in combinations(range(len(label)), len(places)) if other != places)]
        for label, places in zip(labels, chosen, strict=True)
    ]
    result = [np.zeros((n_all, len(label))) for label in labels]
    for row, way in enumerate(product(*ways)):
        for stratum, places in zip(result, way, strict=True):
            stratum[row, list(places)] = 1.0
    return result
