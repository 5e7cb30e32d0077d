"""Association rules of one test: few, short and minimal.

A rule says that when one or two counters are in certain bins, another one is in a certain bin. A counter
that is nearly always in one bin gives a rule without a premise. A rule is minimal: no rule with a part of
its premise reaches the confidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from buto.detectors.ensemble.rules.discretise import UNREAD, IntArray
from buto.runs import FloatArray

STRIDE = 64
"""An item is a counter in a bin, as one number: ``counter * STRIDE + bin``."""

NONE = -1
"""No item in a place of a premise."""

MOST_PAIRED = 16
"""Number of items, those of largest confidence, of which a consequent's premises of two are made."""

_CONSEQUENTS_AT_ONCE = 256
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Which rules are kept.

    Attributes:
        support: smallest share of intervals in which premise and consequent hold.
        confidence: smallest share of the intervals with the premise in which the consequent holds.
        constant: an item in this share of intervals or more is never part of a premise.
        most: largest number of rules of one counter's bin: those of fewest items, then of largest
            confidence, then support.
        fewest: smallest number of intervals in which premise and consequent hold.
    """

    support: float = 0.3
    confidence: float = 0.9
    constant: float = 0.95
    most: int = 5
    fewest: int = 1


@dataclass(frozen=True, eq=False, slots=True)
class Rules:
    """The rules of one test, sorted by consequent, then by premise.

    Attributes:
        premises: shape (n, 2), items in increasing order, :data:`NONE` where there are fewer than two.
        consequents: shape (n,), items.
        confidences: shape (n,).
    """

    premises: IntArray
    consequents: IntArray
    confidences: FloatArray

    def __len__(self) -> int:
        return len(self.consequents)


Holds = npt.NDArray[np.float32]
"""Single precision counts exactly up to 16 million intervals, and takes half the memory."""

Found = tuple[int, float, float, tuple[int, int]]
"""Size of the premise, negative confidence and support, premise: sorting puts the best rule first."""


def mine(bins: IntArray, wanted: Thresholds) -> Rules:
    """Return the rules of one test.

    Args:
        bins: shape (n_intervals, n_counters), numbers of bins below :data:`STRIDE`.
    """
    wanted = replace(wanted, support=max(wanted.support, wanted.fewest / max(1, len(bins))))
    items, holds = _frequent(bins, wanted.support)
    support = holds.mean(axis=0) if len(items) else np.empty(0)
    found: list[tuple[int, Found]] = [
        (int(item), (0, -float(share), -float(share), (NONE, NONE)))
        for item, share in zip(items, support, strict=True)
        if share >= wanted.confidence
    ]
    premises = np.flatnonzero(support < wanted.constant)
    consequents = np.flatnonzero(support < wanted.confidence)
    for start in range(0, len(consequents), _CONSEQUENTS_AT_ONCE):
        block = consequents[start : start + _CONSEQUENTS_AT_ONCE]
        both = holds[:, block].T @ holds[:, premises] / len(bins)
        both[items[block][:, None] // STRIDE == items[premises] // STRIDE] = 0.0
        for row, consequent in zip(both, block, strict=True):
            best = _rules_of(row, consequent, premises, items, holds, support, wanted)
            found += [(int(items[consequent]), one) for one in sorted(best)[: wanted.most]]
    return _as_rules(found)


def _frequent(bins: IntArray, support: float) -> tuple[IntArray, Holds]:
    """Return the items that hold often enough, and where: shape (n_intervals, n_items), 1.0 or 0.0."""
    counters = np.arange(bins.shape[1])
    codes = counters * STRIDE + bins
    numbers, counts = np.unique(codes[bins != UNREAD], return_counts=True)
    items: IntArray = numbers[counts >= support * len(bins) - 1e-9]
    holds = bins[:, items // STRIDE] == items % STRIDE
    return items, holds.astype(np.float32)


def _rules_of(
    both: Holds,
    consequent: int,
    premises: IntArray,
    items: IntArray,
    holds: Holds,
    support: FloatArray,
    wanted: Thresholds,
) -> list[Found]:
    frequent = np.flatnonzero(both >= wanted.support - _ROUNDING)
    confidence = both[frequent] / support[premises[frequent]]
    sure = confidence >= wanted.confidence - _ROUNDING
    best = _best(confidence[sure], both[frequent[sure]], wanted.most)
    found: list[Found] = [
        (1, -float(confidence[sure][place]), -float(both[number]), (int(items[premises[number]]), NONE))
        for place, number in zip(best, frequent[sure][best], strict=True)
    ]
    rest, unsure = frequent[~sure], confidence[~sure]
    chosen = np.sort(premises[rest[_best(unsure, both[rest], MOST_PAIRED)]])
    if len(found) >= wanted.most or len(chosen) < 2:
        return found
    columns = holds[:, chosen]
    together = columns.T @ columns / len(holds)
    shares = columns.T @ (columns * holds[:, [consequent]]) / len(holds)
    enough = (shares >= wanted.support - _ROUNDING) & (shares >= (wanted.confidence - _ROUNDING) * together)
    for left, right in np.argwhere(np.triu(enough, 1)):
        pair = (int(items[chosen[left]]), int(items[chosen[right]]))
        share = float(shares[left, right])
        found.append((2, -share / float(together[left, right]), -share, pair))
    return found


def _best(confidence: FloatArray, support: Holds, most: int) -> IntArray:
    """Return the places of the largest confidences, then supports; the earlier one of equals."""
    order: IntArray = np.lexsort((-support, -confidence))[:most]
    return order


def _as_rules(found: list[tuple[int, Found]]) -> Rules:
    found.sort(key=lambda one: (one[0], one[1][-1]))
    return Rules(
        np.array([premise for _, (_, _, _, premise) in found], dtype=np.int64).reshape(-1, 2),
        np.array([consequent for consequent, _ in found], dtype=np.int64),
        np.array([round(-confidence, 6) for _, (_, confidence, _, _) in found]),
    )
