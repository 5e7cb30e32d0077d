"""How the engine learns: which of the paper's measures are taken."""

from __future__ import annotations

from dataclasses import dataclass

from buto.detectors.history.engine.models.learners import SIMILARITY, TREE
from buto.detectors.history.engine.pairing import ALONE, CONCATENATED

ALL_ROWS = 0.0
"""A ratio of normal to abnormal rows that keeps all of them."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What is done against imbalance.

    Attributes:
        ratio: how many normal rows are kept for each abnormal one; :data:`ALL_ROWS` for all.
        cost: how many times as much a missed abnormal row counts as a false alarm.
    """

    ratio: float = ALL_ROWS
    cost: float = 1.0


NO_BALANCE = (Balance(),)


@dataclass(frozen=True, slots=True)
class Scheme:
    """Settings of the engine.

    Attributes:
        learner: by its name in :data:`learners.LEARNERS`.
        pairing: how a baseline is taken into account; the similarity learner has its own way.
        dimensions: that are tried; the one with the best balanced accuracy is kept. Empty for no projection.
        grouped: whether groups have classifiers of their own.
        balances: that are tried for each classifier; the one with the best balanced accuracy is kept.
        fewest_abnormal: a group with fewer abnormal rows has the global classifier.
        tries_groups: whether groups have classifiers of their own only if they then have the better balanced
            accuracy in grouped folds within the training rows.
    """

    learner: str = TREE
    pairing: str = ALONE
    dimensions: tuple[int, ...] = ()
    grouped: bool = True
    balances: tuple[Balance, ...] = NO_BALANCE
    fewest_abnormal: int = 4
    tries_groups: bool = False

    @property
    def is_similarity(self) -> bool:
        """Whether target and baseline share their weights, and so also scale and projection."""
        return self.learner == SIMILARITY

    @property
    def row_pairing(self) -> str:
        """How rows are made from pairs."""
        return CONCATENATED if self.is_similarity else self.pairing


DIMENSIONS = (10, 25, 50, 100)


def within(limit: int) -> tuple[int, ...]:
    """Return the dimensions to try under a limit, which is the last of them."""
    return (*(one for one in DIMENSIONS if one < limit), limit)
