"""Which rules of a prior test a new test violates, by the drop of their confidence."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from buto.detectors.ensemble.rules.discretise import UNREAD, IntArray
from buto.detectors.ensemble.rules.mining import NONE, STRIDE, Rules
from buto.runs import FloatArray

BoolArray = npt.NDArray[np.bool_]


def confidence_change(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return 1 - cosine similarity of (c, 1 - c) before and after, same shape; 0 where ``after`` is NaN."""
    dot = before * after + (1 - before) * (1 - after)
    change = 1 - dot / (np.hypot(before, 1 - before) * np.hypot(after, 1 - after))
    return np.where(np.isnan(after), 0.0, np.clip(change, 0.0, 1.0))


def broken(bins: IntArray, rules: Rules) -> tuple[BoolArray, BoolArray]:
    """Return where premises hold, and where also the consequent does not; both (n_intervals, n_rules).

    An interval in which the consequent's counter was not read counts as one without the premise.
    """
    counters = rules.consequents // STRIDE
    applies = bins[:, counters] != UNREAD
    for item in rules.premises.T:
        applies &= (item == NONE) | (bins[:, item // STRIDE] == item % STRIDE)
    return applies, applies & (bins[:, counters] != rules.consequents % STRIDE)


def changes(bins: IntArray, rules: Rules) -> FloatArray:
    """Return by how much a new test changes the confidence of each rule, shape (n_rules,); 0 for a rule whose
    premise never holds, or whose confidence rises.
    """
    applies, fails = broken(bins, rules)
    times = applies.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        after = np.where(times > 0, 1 - fails.sum(axis=0) / times, np.nan)
    drops = after < rules.confidences
    return np.where(drops, confidence_change(rules.confidences, after), 0.0)


def flagged(consequents: IntArray, violated: BoolArray, n_counters: int) -> BoolArray:
    """Return which counters are in the consequent of a violated rule, shape (n_counters,)."""
    result = np.zeros(n_counters, dtype=bool)
    result[consequents[violated] // STRIDE] = True
    return result
