"""Old and new in turns: bets on which program each launch was of, and a permutation test of all launches.

What was known before the turns says which features to look at, and in which direction. It counts for nothing
else: given it, the labels of the launches are as random as the order was drawn, whatever state the machine
was in.

*Bets.* Before the label of a launch is looked at, its chance under "the programs do not differ" is known from
the set of orders. Each feature predicts the label from the launch's values and all that came before, and its
wealth is multiplied by the chance that it gave to the label over the true one. The mean wealth of all
features, W, has the expectation 1 at every launch and every stopping time if the programs do not differ, so
that it ever reaches c with a chance of at most 1/c (Ville's inequality; Shafer, "Testing by betting", JRSS A
184, 2021; Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic statistics and safe anytime-valid inference",
Statistical Science 38, 2023). A bet that was made is never made again with what became known later.

*Permutation.* The weighted score of all launches is ranked among the scores that other orders of the set
would have had. What follows the machine is compared there without its *local level*: each launch's value
less that of its neighbours in time, whatever program these are. That is a function of the values alone, and
therefore takes nothing from the exactness of the rank. So is what launches are compared by where the
old program has two modes, see :mod:`buto.judging.modes`. How much of the level is taken out is the share in
which neighbours predict each other, so that a steady machine pays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from buto.judging.accusing import Wholes
from buto.judging.contrasts import stabilise
from buto.judging.evidence import (
    Sizes,
    compute_differences,
    feature_weights,
    quantity_columns,
    signs_of_worse,
    sizes_that_matter,
    which_matter,
)
from buto.judging.features import Feature
from buto.judging.judge_settings import JudgeSettings
from buto.judging.modes import Modes, find_modes
from buto.judging.orders import Orders
from buto.judging.procedure import FEWEST_OF_EACH, Procedure, TurnsLook
from buto.judging.profile import TrainingProfile
from buto.judging.rank import Differences, differences, factors, factors_for_a_change, ranks
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.properties import Property, is_counted

CAUTION = 0.01
"""Share of each bet that is kept: a wrong bet leaves at least a hundredth of what a feature has."""

KNOWN_SHARE = 0.9
"""Share of the wealth that begins with bets on the levels of the runs before the turns; the rest is bet on
the turns alone, for a machine that is in another mood now."""

LARGEST_LOG_WEIGHT = 6.0
"""Features that differ most before the turns weigh at most e to this power more than others."""

NEIGHBOURS = 2.0
"""Standard deviation of the weights of neighbours in time, in launches."""

FEWEST_LAUNCHES = 4
"""With fewer there is nothing to compare their deviation with."""

ROWS_AT_ONCE = 500


class Before(NamedTuple):
    """What is known of two programs before they are launched in turns.

    Attributes:
        profile: what the features are.
        known: shape (n_known, n_features), runs of the old program.
        checked: shape (n_checked, n_features), runs of the new one.
    """

    profile: TrainingProfile
    known: FloatArray
    checked: FloatArray


class Prior(Struct, frozen=True, eq=False):
    """What is known before the turns.

    Attributes:
        known: shape (n_known, n_features), runs of the old program.
        checked: shape (n_checked, n_features), runs of the new one; columns as the profile's catalogue.
    """

    known: FloatArray
    checked: FloatArray


class Launched(Struct, frozen=True, eq=False):
    """The launches of the turns so far, in the order of time.

    Attributes:
        values: shape (n_launches, n_features), columns as the profile's catalogue; NaN: could not be read.
        is_new: shape (n_launches,), which are of the new program.
    """

    values: FloatArray
    is_new: BoolArray

    def first(self, n: int) -> Launched:
        return Launched(self.values[:n], self.is_new[:n])

    def __len__(self) -> int:
        return len(self.is_new)


class Wealth(Struct, frozen=True, eq=False):
    """What bets on the labels have won.

    Attributes:
        path: shape (n_launches,), W after each launch.
        reaches_size: shape (n_launches,), whether most of W is of features that differ by a size that matters
            within the turns alone.
    """

    path: FloatArray
    reaches_size: BoolArray


@dataclass(frozen=True, eq=False)
class Turns:
    """How two programs are compared in turns: which features, with which weights, in which direction.

    Attributes:
        columns: shape (n_kept,), places in the profile's catalogue of what is compared.
        features: what these are.
        weights: shape (n_kept,), their sum is 1.
        direction: shape (n_kept,), 1 where the new program has more in the runs before, -1 where less; 0 if
            either counts.
        worse: shape (n_kept,), the sign of what is worse where only that counts; else 0.
        unit, floor: shape (n_kept,), see :class:`buto.judging.contrasts.Stable`.
        sizes: smallest differences that matter.
        wholes: of features that do not accuse alone.
        follows_machine: shape (n_kept,), what is compared without its local level.
        prior: of the columns; None without runs before the turns.
        modes: in spite of which launches are compared, of all columns; None if the old program has one.
    """

    columns: IntArray
    features: tuple[Feature, ...]
    weights: FloatArray
    direction: FloatArray
    worse: FloatArray
    unit: FloatArray
    floor: FloatArray
    sizes: Sizes
    wholes: Wholes
    follows_machine: BoolArray
    orders: Orders
    prior: Prior | None = None
    modes: Modes | None = None

    def select_compared(self, launched: Launched) -> FloatArray:
        """Return the values of launches that are compared, shape (n_launches, n_kept)."""
        values = launched.values if self.modes is None else self.modes.match(launched.values)
        return values[:, self.columns]

    def wealth(self, launched: Launched) -> Wealth:
        """Return what bets on these launches have won; 1 all the time if chances of labels are not known."""
        n = len(launched)
        if not self.orders.complete or not n:
            return Wealth(np.ones(n), np.zeros(n, np.bool_))
        of_each, differs = self.wealth_of_each(launched)
        path, by_size = of_each @ self.weights, (of_each * differs) @ self.weights
        return Wealth(path, by_size > path / 2)

    def wealth_of_each(self, launched: Launched) -> tuple[FloatArray, BoolArray]:
        """Return what each feature would have of a stake of 1, and whether it differs by a size that matters.

        Both are of shape (n_launches, n_kept), after each launch; the difference is that within the turns.
        """
        return _Bets(self, launched).wealth_of_each()

    def p_value(self, launched: Launched, n_orders: int) -> float:
        """Return the share of orders whose score is at least that of the drawn one.

        1 if one of the programs was launched less than twice, or nothing differs in any order.

        Args:
            n_orders: among how many it is ranked, at most; the set may have fewer.
        """
        values = self.select_compared(launched)
        read = np.asarray(~np.isnan(values).any(axis=0))
        n_new = int(launched.is_new.sum())
        if min(n_new, len(launched) - n_new) < FEWEST_OF_EACH or len(launched) < FEWEST_LAUNCHES:
            return 1.0
        may_differ = self._may_differ(values, read)
        if not may_differ.any():
            return 1.0
        some = self._only(may_differ)
        values, read = values[:, may_differ], read[may_differ]
        members = self.orders.alternatives(launched.is_new, n_orders).astype(float)
        scale = np.arcsinh(np.where(read, values, 0.0) / some.unit)
        scale = np.where(some.follows_machine, without_local_level(scale), scale)
        scores = np.concatenate(
            [
                some._scores(scale, np.where(read, values, 0.0), read, members[start : start + ROWS_AT_ONCE])
                for start in range(0, len(members), ROWS_AT_ONCE)
            ]
        )
        return float(ranks(scores))

    def _may_differ(self, values: FloatArray, read: BoolArray) -> BoolArray:
        """Return the features of quantities that differ by a size that matters in some order, (n_kept,).

        The others are the same in every score, so that it takes no time to leave them out.
        """
        spread = np.where(read, np.ptp(np.where(read, values, 0.0), axis=0), 0.0)
        possible = (spread > 0) & (spread >= self.sizes.least)
        if self.sizes.classes is not None:
            possible[self.sizes.classes] = True
        columns = quantity_columns(self.features)
        result: BoolArray = np.isin(columns, columns[possible])
        return self.wholes.with_wholes(result) if possible.any() else possible

    def _only(self, kept: BoolArray) -> Turns:
        """Return the comparison of some features, with their wholes."""
        return replace(
            self,
            columns=self.columns[kept],
            features=tuple(feature for feature, is_kept in zip(self.features, kept, strict=True) if is_kept),
            weights=self.weights[kept],
            direction=self.direction[kept],
            worse=self.worse[kept],
            unit=self.unit[kept],
            floor=self.floor[kept],
            sizes=self.sizes.only(kept),
            wholes=self.wholes.only(kept),
            follows_machine=self.follows_machine[kept],
            prior=None,
        )

    def _scores(
        self, scale: FloatArray, values: FloatArray, read: BoolArray, members: FloatArray
    ) -> FloatArray:
        """Return the score of each way of dealing out the launches, shape (n_ways,).

        The weights of what is left out are those of the factor 1.
        """
        n_new = members.sum(axis=1, keepdims=True)
        n_old = len(scale) - n_new
        difference = compute_differences(values, members)
        counts = which_matter(np.where(read, difference, 0.0), self.sizes, self.wholes) & read
        counts &= self._counts(difference)
        centred = scale - scale.mean(axis=0)
        mean_new, mean_old = members @ centred / n_new, -(members @ centred) / n_old
        spread = np.maximum((centred**2).sum(axis=0) - n_new * mean_new**2 - n_old * mean_old**2, 0.0)
        freedom = len(scale) - 2
        variance = spread / freedom + self.floor**2
        reciprocals = 1 / n_new + 1 / n_old
        squared = (mean_new - mean_old) ** 2 / (variance * reciprocals)
        factor = factors_for_a_change(Differences(squared, variance, reciprocals, float(freedom)), counts)
        scores: FloatArray = np.log(factor @ self.weights + (1.0 - self.weights.sum()))
        return scores

    def _matter(self, difference: FloatArray) -> BoolArray:
        """Return which differences matter, of means, of the same shape, (n, n_kept)."""
        return which_matter(difference, self.sizes, self.wholes)

    def _counts(self, difference: FloatArray) -> BoolArray:
        """Return which differences are in a direction that counts, of the same shape."""
        as_before = (self.direction == 0) | (difference * self.direction > 0)
        counts: BoolArray = as_before & ((self.worse == 0) | (difference * self.worse > 0))
        return counts


def look_at_turns(procedure: Procedure, launched: Launched, wealth: Wealth, test: Turns | None) -> TurnsLook:
    """Return what launches so far say.

    Args:
        wealth: of these launches, or of more; what later ones won does not count.
        test: whose permutation test is made where the rule looks at it; None for none.
    """
    n = len(launched)
    n_new = int(launched.is_new.sum())
    won = np.where(wealth.reaches_size[:n], wealth.path[:n], 1.0).max(initial=1.0)
    is_asked = test is not None and n in procedure.looks
    p_value = test.p_value(launched, procedure.n_orders(n)) if test is not None and is_asked else None
    return TurnsLook(n - n_new, n_new, float(won), p_value)


def prepare_turns(
    profile: TrainingProfile, settings: JudgeSettings, orders: Orders, values: FloatArray, prior: Prior | None
) -> Turns:
    """Return how two programs are compared in turns.

    Args:
        profile: of what is compared.
        values: shape (n_runs, n_features), what scales and sizes are taken from: of the prior its known runs;
            else some launches, whatever program they are of.
        prior: what is known before; None for even weights and either direction.
    """
    modes = None if prior is None else find_modes(profile.catalogue, profile.quantities, prior.known)
    if prior is not None and modes is not None:
        prior = Prior(modes.match(prior.known), modes.match(prior.checked))
    rows = values if prior is None else np.vstack([prior.known, prior.checked])
    columns = np.flatnonzero(~np.isnan(rows).any(axis=0))
    features = tuple(profile.catalogue[place] for place in columns)
    places = np.array([feature.column for feature in features], dtype=np.int64)
    readable = np.where(np.isnan(rows), 0.0, rows)
    levels = profile.levels(readable)
    stable = stabilise(rows[:, columns], profile.grain[places], levels[places])
    sizes = sizes_that_matter(profile, features, _base(readable, prior), settings)
    wholes = Wholes.among(features, profile.quantities)
    weights = even_weights(features, profile.quantities)
    direction = np.zeros(len(columns))
    if prior is not None:
        chosen = np.arange(len(prior.known), len(rows))[None]
        members = np.zeros((1, len(rows)))
        members[0, chosen[0]] = 1.0
        difference = compute_differences(rows[:, columns], members)
        matters = which_matter(difference, sizes, wholes)[0]
        evidence = np.where(matters, factors(differences(stable, chosen))[0], 1.0)
        weights = weights * np.exp(np.clip(np.log(np.maximum(evidence, 1.0)), 0.0, LARGEST_LOG_WEIGHT))
        direction = np.sign(difference[0])
        prior = Prior(prior.known[:, columns], prior.checked[:, columns])
    worse = signs_of_worse(features, profile.quantities)
    return Turns(
        columns,
        features,
        weights / weights.sum(),
        direction,
        worse if settings.fail_on == "worse" else np.zeros(len(columns)),
        stable.unit,
        stable.floor,
        sizes,
        wholes,
        np.array([not is_counted(profile.quantities[place]) for place in places], np.bool_),
        orders,
        prior,
        modes,
    )


def _base(readable: FloatArray, prior: Prior | None) -> FloatArray:
    """Return the values of which sizes that matter are shares.

    Without a prior these are launches of both programs, and nobody may look at which. The lower half of each
    feature's values is then nearest to one program alone: of the mean of both, twice as much would be two
    thirds more.
    """
    return readable if prior is not None else np.sort(readable, axis=0)[: (len(readable) + 1) // 2]


def even_weights(features: Sequence[Feature], quantities: Sequence[Property]) -> FloatArray:
    """Return weights of which those of each quantity's features have the sum 1, shape (n_features,)."""
    places = np.array([feature.column for feature in features], dtype=np.int64)
    weights = feature_weights(features, quantities)
    even: FloatArray = weights / np.bincount(places, weights=weights)[places]
    return even


def without_local_level(values: FloatArray) -> FloatArray:
    """Return values in the order of time without what their neighbours predict, of the same shape.

    Each value less a share of the weighted mean of its neighbours, itself left out. The share is that in
    which neighbours predict a value, between 0 and 1: near 0 on a steady machine, near 1 on one that drifts.

    Args:
        values: shape (n_launches, n_features), no NaN; at least two launches.
    """
    around = _weigh_neighbours(len(values)) @ values
    centred = around - around.mean(axis=0)
    spread = (centred**2).sum(axis=0)
    together = (centred * (values - values.mean(axis=0))).sum(axis=0)
    share = np.clip(np.where(spread > 0, together / np.where(spread > 0, spread, 1.0), 0.0), 0.0, 1.0)
    result: FloatArray = values - share * around
    return result


@lru_cache(maxsize=64)
def _weigh_neighbours(n: int) -> FloatArray:
    """Return the weights of all launches in the mean around each, shape (n, n), read-only."""
    distance = np.arange(n)[:, None] - np.arange(n)
    weight = np.exp(-0.5 * (distance / NEIGHBOURS) ** 2)
    np.fill_diagonal(weight, 0.0)
    shares: FloatArray = weight / weight.sum(axis=1, keepdims=True)
    shares.flags.writeable = False
    return shares


FEWEST_FOR_LEVEL = 5
"""Launches from which on bets on the turns alone are made without the local level."""


class _Bets:
    """The bets of all features on the labels of some launches, one after another.

    What each bet knows is collected first. All are then computed at once, which takes a fraction of the time.
    """

    def __init__(self, turns: Turns, launched: Launched) -> None:
        self._turns = turns
        self._values = turns.select_compared(launched)
        self._is_new = launched.is_new
        self._chance = turns.orders.chances(launched.is_new)
        self._alive = np.logical_and.accumulate(~np.isnan(self._values), axis=0)
        n_new, n_launches = np.cumsum(self._is_new), np.arange(1, len(self._is_new) + 1)
        self._has_both = (n_new > 0) & (n_new < n_launches)
        self._scale = np.arcsinh(self._values / turns.unit)
        self._readable = np.nan_to_num(self._scale)
        prior = turns.prior
        self._known = None if prior is None else np.arcsinh(prior.known / turns.unit)
        self._checked = None if prior is None else np.arcsinh(prior.checked / turns.unit)
        self._of_known = None if self._known is None else _Group.of(self._known)

    def wealth_of_each(self) -> tuple[FloatArray, BoolArray]:
        differences = self._compute_differences()
        matters = self._turns._matter(differences) & self._has_both[:, None]
        counts = matters & self._turns._counts(differences)
        places = np.flatnonzero((self._chance > 0.0) & (self._chance < 1.0)).tolist()
        after_both = [place for place in places if place and self._has_both[place - 1]]
        wealth = np.exp(self._add_up([self._bet_on_turns(place, counts[place - 1]) for place in after_both]))
        if self._known is not None:
            wealth *= 1 - KNOWN_SHARE
            wealth += KNOWN_SHARE * np.exp(self._add_up(self._bet_on_levels(places)))
        return wealth, self._alive & matters

    def _compute_differences(self) -> FloatArray:
        """Return how the means of both differ after each launch, 0 with launches of one alone."""
        differences = np.zeros(self._values.shape)
        for place in np.flatnonzero(self._has_both):
            is_new, values = self._is_new[: place + 1], self._values[: place + 1]
            differences[place] = _average(values[is_new]) - _average(values[~is_new])
        return np.nan_to_num(differences)

    def _bet_on_levels(self, places: Sequence[int]) -> list[_Bet]:
        """Return bets that know the runs before the turns, too."""
        prior, known, checked = self._turns.prior, self._known, self._checked
        if prior is None or known is None or checked is None:
            return []
        groups, differences = [], np.empty((len(places), self._values.shape[1]))
        for number, place in enumerate(places):
            is_new, scale, values = self._is_new[:place], self._scale[:place], self._values[:place]
            ours = _Group.of(np.vstack([checked, scale[is_new]]))
            theirs = _Group.of(np.vstack([known, scale[~is_new]]))
            groups.append((theirs, ours))
            mean_new = _average(np.vstack([prior.checked, values[is_new]]))
            differences[number] = mean_new - _average(np.vstack([prior.known, values[~is_new]]))
        differences = np.nan_to_num(differences)
        counts = self._turns._matter(differences) & self._turns._counts(differences)
        return [
            _Bet(place, self._scale[place], theirs, ours, each)
            for place, (theirs, ours), each in zip(places, groups, counts, strict=True)
        ]

    def _bet_on_turns(self, place: int, counts: BoolArray) -> _Bet:
        """Return bets that know the values up to a launch and the labels before it."""
        scale, is_new = self._scale[: place + 1], self._is_new[:place]
        if place + 1 >= FEWEST_FOR_LEVEL:
            readable = self._readable[: place + 1]
            scale = np.where(self._turns.follows_machine, without_local_level(readable), scale)
        ours, theirs = _Group.of(scale[:-1][is_new]), _Group.of(scale[:-1][~is_new])
        if self._of_known is not None:
            theirs = theirs.with_spread_of(self._of_known)
        return _Bet(place, scale[-1], theirs, ours, counts)

    def _add_up(self, bets: Sequence[_Bet]) -> FloatArray:
        """Return the logarithm of what each feature has won after each launch, shape (n_launches, n_kept)."""
        won = np.zeros(self._values.shape)
        bets = [bet for bet in bets if bet.old.freedom + bet.new.freedom >= 1]
        if bets:
            won[[bet.place for bet in bets]] = self._compute_winnings(bets)
        return np.cumsum(won, axis=0)

    def _compute_winnings(self, bets: Sequence[_Bet]) -> FloatArray:
        """Return the logarithm of what each feature wins with each label, shape (n_bets, n_kept)."""
        places = [bet.place for bet in bets]
        chance, is_new = self._chance[places][:, None], self._is_new[places][:, None]
        at, counts = np.array([bet.at for bet in bets]), np.array([bet.counts for bet in bets])
        freedom = np.array([[bet.old.freedom + bet.new.freedom] for bet in bets])
        spread = np.array([bet.old.spread + bet.new.spread for bet in bets])
        variance = spread / freedom + self._turns.floor**2
        odds = np.broadcast_to(np.log(chance / (1 - chance)), at.shape).copy()
        for groups, sign in (([bet.new for bet in bets], 1.0), ([bet.old for bet in bets], -1.0)):
            wider = np.array([[1 + 1 / group.n_runs] for group in groups])
            squared = (at - np.array([group.mean for group in groups])) ** 2 / (variance * wider)
            odds += sign * (-(freedom + 1) / 2 * np.log1p(squared / freedom) - 0.5 * np.log(wider))
        given = (1 - CAUTION) / (1 + np.exp(-np.clip(odds, -40, 40))) + CAUTION * chance
        given = np.where(counts & self._alive[places], given, chance)
        won: FloatArray = np.log(np.where(is_new, given / chance, (1 - given) / (1 - chance)))
        return won


class _Bet(NamedTuple):
    """What the features know before the label of a launch.

    Attributes:
        place: of the launch.
        at: shape (n_kept,), its values on the scale of comparisons.
        old, new: what is known of the programs on that scale.
        counts: shape (n_kept,), which differences of the means matter, in a direction that counts.
    """

    place: int
    at: FloatArray
    old: _Group
    new: _Group
    counts: BoolArray


def _average(values: FloatArray) -> FloatArray:
    """Return the means of columns, to the last bit those of ``mean``, which takes longer for a few rows."""
    mean: FloatArray = np.add.reduce(values, axis=0) / len(values)
    return mean


class _Group(Struct, frozen=True, eq=False):
    """Some runs of one program.

    Attributes:
        mean: shape (n_kept,).
        spread: shape (n_kept,), the sum of squared deviations.
        n_runs: how many there are.
        freedom: degrees of freedom of the spread.
    """

    mean: FloatArray
    spread: FloatArray
    n_runs: int
    freedom: int

    @classmethod
    def of(cls, scale: FloatArray) -> _Group:
        mean = _average(scale)
        return cls(mean, np.add.reduce((scale - mean) ** 2, axis=0), len(scale), len(scale) - 1)

    def with_spread_of(self, other: _Group) -> _Group:
        """Return the same group with the scatter of other runs around their own mean added."""
        return _Group(self.mean, self.spread + other.spread, self.n_runs, self.freedom + other.freedom)
