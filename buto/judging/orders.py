"""Orders of launches in turns: a fixed set, from which one is drawn and over which the test runs.

If two programs do not differ, each order of the set is as likely as the one that was drawn, whatever the
machine does meanwhile. So the rank of the drawn one is an exact p-value for any set
(rerandomisation: Morgan and Rubin, "Rerandomization to improve covariate balance in experiments", Annals of
Statistics 40, 2012). The set here is balanced in time: a machine that grows slower meets both programs
alike, and each prefix at which something is decided has its share of both.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import ceil, comb

import numpy as np
from msgspec import Struct

from buto.judging.procedure import PASSING
from buto.run.model import BoolArray, FloatArray

MOST_IN_A_ROW = 4
"""Launches of one program."""

FEWEST_SHARE = 0.375
"""Of the launches so far that each program has at least where the turns are looked at."""

BALANCE = 15.0 / 20.0**1.5
"""Largest absolute sum of the centred places of one program's launches, in the power 3/2 of their number: 15
for 20 launches; without a limit its standard deviation is 13. On simulated machines that drift, 10 finds as
much and costs the bets half a launch, and 20 finds less."""

CURVE = 120.0 / 20.0**2.5
"""The same of the squares of the places, in the power 5/2."""

MOST_LISTED = 200_000
"""If there are at most so many orders, balanced or not, all balanced ones are in the set; else the set has
:data:`N_DRAWN` of them, drawn once and for all."""

N_DRAWN = 20_000


class Orders(Struct, frozen=True, eq=False):
    """The orders in which two programs may be launched, each as often.

    Attributes:
        is_new: shape (n_orders, n_launches), whether each launch is one of the new program.
        complete: whether all balanced orders are in the set, so that chances of a label can be known.
    """

    is_new: BoolArray
    complete: bool

    @property
    def n_launches(self) -> int:
        return int(self.is_new.shape[1])

    def draw(self, seed: int) -> tuple[bool, ...]:
        """Return one order, each as likely as any other."""
        place = np.random.default_rng(seed).integers(len(self.is_new))
        return tuple(self.is_new[place].tolist())

    def allows(self, labels: BoolArray, seed: int | None = None) -> bool:
        """Return whether an order of the set begins with these labels, shape (n,).

        Args:
            seed: that of the order which was drawn, and must be the one; None if it is not known. Most tails
                of an order begin another one, under which the chances of their labels are others.
        """
        if seed is None:
            return bool(self._beginning_with(labels).any())
        return self.draw(seed)[: len(labels)] == tuple(labels.tolist())

    def chances(self, labels: BoolArray) -> FloatArray:
        """Return the chance of each label to be "new" given those before it, shape (n,).

        Args:
            labels: shape (n,), the beginning of an order of the set.
        """
        # Their numbers, for to copy a hundred thousand orders takes longer than all bets on their labels.
        left, chances = np.arange(len(self.is_new)), np.empty(len(labels))
        for place, label in enumerate(labels):
            column = self.is_new[left, place]
            chances[place] = np.count_nonzero(column) / len(left)
            left = left[column == label]
        return chances

    def alternatives(self, labels: BoolArray, most: int, seed: int = 0) -> BoolArray:
        """Return beginnings of orders, those labels first, the others as likely as the set has them.

        Args:
            labels: shape (n,).
            most: how many are returned at most. With fewer than the set has, they are drawn by ``seed``.

        Returns:
            shape (n_alternatives, n).
        """
        n = len(labels)
        if len(self.is_new) <= most:
            others = self.is_new[:, :n]
            place = int(self._beginning_with(labels).argmax())
            others = np.delete(others, place, axis=0)
        else:
            places = np.random.default_rng(seed).integers(len(self.is_new), size=most - 1)
            others = self.is_new[places, :n]
        return np.vstack([labels[None], others])

    def _beginning_with(self, labels: BoolArray) -> BoolArray:
        beginning: BoolArray = (self.is_new[:, : len(labels)] == labels).all(axis=1)
        return beginning


@lru_cache(maxsize=4)
def balanced_orders(n_each: int) -> Orders:
    """Return the balanced orders of so many launches of each of two programs."""
    n_launches = 2 * n_each
    if comb(n_launches, n_each) <= MOST_LISTED:
        places = np.array(list(combinations(range(n_launches), n_each)))
        is_new = np.zeros((len(places), n_launches), np.bool_)
        np.put_along_axis(is_new, places, True, axis=1)
        is_new = is_new[_are_balanced(is_new)]
        is_new.flags.writeable = False
        return Orders(is_new, complete=True)
    random = np.random.default_rng(n_each)
    rows = np.zeros((0, n_launches), np.bool_)
    start = np.tile(np.arange(n_launches) < n_each, (N_DRAWN, 1))
    while len(rows) < N_DRAWN:
        drawn = random.permuted(start, axis=1)
        rows = np.vstack([rows, drawn[_are_balanced(drawn)]])
    # Each order with its mirror image, so that neither program has the better places.
    half = rows[: N_DRAWN // 2]
    rows = np.vstack([half, ~half])
    rows.flags.writeable = False
    return Orders(rows, complete=False)


def _are_balanced(is_new: BoolArray) -> BoolArray:
    """Return which orders are balanced, shape (n_orders,)."""
    n_launches = is_new.shape[1]
    places = np.arange(n_launches) - (n_launches - 1) / 2
    curve = places**2 - (places**2).mean()
    balanced = (np.abs(is_new @ places) <= BALANCE * n_launches**1.5 + 1e-9) & (
        np.abs(is_new @ curve) <= CURVE * n_launches**2.5 + 1e-9
    )
    balanced &= _longest_row(is_new) <= MOST_IN_A_ROW
    n_new = np.cumsum(is_new, axis=1)
    for n in PASSING:
        if n >= n_launches:
            continue
        fewest = ceil(FEWEST_SHARE * n)
        balanced &= (n_new[:, n - 1] >= fewest) & (n - n_new[:, n - 1] >= fewest)
    result: BoolArray = balanced
    return result


def _longest_row(is_new: BoolArray) -> FloatArray:
    """Return how many launches of one program follow each other at most, shape (n_orders,)."""
    row = longest = np.ones(len(is_new))
    for place in range(1, is_new.shape[1]):
        row = np.where(is_new[:, place] == is_new[:, place - 1], row + 1, 1)
        longest = np.maximum(longest, row)
    return longest
