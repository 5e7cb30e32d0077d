"""How strong an oracle is: of each quantity the smallest lasting change that a check would catch.

Training runs are held out, some at a time, and checked by the others, by the rule of a check, with a change
added to one of their quantities: to a gauge all the time, to a counter at an even rate from the run's start.
Two answers are found by bisection: the smallest change with which nine tenths of single runs are suspicious,
so that two more are launched, and the smallest with which nine tenths of threes differ, so that old and new
are launched in turns. The larger of them is what a check catches, if turns find it, too, which is tried with
runs that are drawn from those of the training. A small margin corrects for how few runs are held out. A real
change seldom moves a single quantity, so that it is found more often.

It is found from the training runs' features whenever somebody asks, and not stored: nothing then says
otherwise than the oracle does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, isinf

import numpy as np
from msgspec import structs

from buto.judging.accusing import Wholes
from buto.judging.alarms import TIMES_LEVEL, Strength
from buto.judging.contrasts import choices, contrasts, stabilise
from buto.judging.evidence import (
    Sizes,
    feature_weights,
    level_features,
    raw_differences,
    signs_of_worse,
    sizes_that_matter,
    welcome_or_not,
    which_matter,
)
from buto.judging.features import TOTAL
from buto.judging.judge_settings import JudgeSettings
from buto.judging.orders import balanced_orders
from buto.judging.procedure import LEVEL_T, N_CHECKED, N_TURNS, SUSPICIOUS, Procedure
from buto.judging.profile import TrainingProfile
from buto.judging.protocol import AutoRuns
from buto.judging.rank import differences, factors_for_a_change, mean_of_each, ranks
from buto.judging.turns import Launched, Prior, even_weights, prepare_turns
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.properties import LIVE_CLASSES, split_name

CAUGHT_SHARE = 0.9
"""Of the runs held out: what catching means."""

MARGIN = 1.1
"""The quantile of a few held-out runs is a little too low for later ones, because each of them competes with
one training run more. Without this margin, 76 % of checks of recorded runs (standard error 2 %) detected a
change of the size found; ``docs/methods/selftest.md`` has the figures with it."""

TIMES_UNIT = 5000.0
"""A change is looked for up to this many times a quantity's smallest meaningful difference, if that is more
than :data:`buto.judging.alarms.TIMES_LEVEL` times its level."""

FINEST = 0.125
"""The smallest change that is tried, as a share of the smallest meaningful difference."""

BISECTIONS = 9
"""From the finest to the largest change with an error of at most 3 %."""

ROUGH_BISECTIONS = 5
"""The same with an error of 40 %."""

MOST_HELD_OUT = {1: 40, N_CHECKED: 10}
"""How often as many runs are held out: more would cost much time and change the answer little."""

MOST_COMPARED = 1000
"""Choices of runs that each three are compared with."""

FACTORS_AT_ONCE = 1_000_000
"""More would not fit into a processor's cache."""

USUAL = (
    *("jvm.memory.heap.live", "jvm.memory.allocated", "jvm.thread.count"),
    *("jvm.memory.heap.used", "jvm.cpu.time", "jvm.class.loaded", "jvm.gc.count"),
)
"""Metrics whose strength everybody wants to know."""

MOST_ASKED, FEW = 300, 20
"""Of more quantities it takes minutes and gigabytes to find the strength of each."""

GAUGE_SHARE = dict.fromkeys(
    ("mean", "mean-early", "mean-middle", "mean-late", "low", "median", "high", "largest", "last"), 1.0
)
"""What a gauge's features gain when it lies higher by one; its slope and its scatter stay."""

COUNTER_SHARE = {
    TOTAL: 1.0,
    "mean": 1 / 2,
    "increase-early": 1 / 3,
    "increase-middle": 1 / 3,
    "increase-late": 1 / 3,
}
"""What a counter's features gain when it has counted one more by the end."""


def strengths(
    profile: TrainingProfile,
    settings: JudgeSettings,
    quantities: Collection[str] | None = None,
    *,
    roughly: bool = False,
) -> tuple[Strength, ...]:
    """Return the strength of the oracle of this profile for each quantity, in the profile's order.

    Args:
        profile: of at least five runs; a quantity that could not be read in all of them is left out.
        quantities: names of those that are asked for; None for all. Each one costs time.
        roughly: whether only the first look is tried, in large steps, which takes a twentieth of the time: no
            smaller change is caught.
    """
    usual = usual_names(profile)
    alone = _First(profile, settings, quantities)
    if roughly:
        more, less = (
            _bracket(alone, alone.finest, limit, sign, ROUGH_BISECTIONS)[0] for limit, sign in alone.limits()
        )
    else:
        more, less = (_smallest(alone, alone.finest, limit, sign) for limit, sign in alone.limits())
        three = _Three(profile, settings, quantities)
        more, less = (
            _find_found_in_turns(
                profile, settings, alone.asked, MARGIN * _smallest(three, change, limit, sign), sign
            )
            for change, (limit, sign) in zip((more, less), alone.limits(), strict=True)
        )
    # Nothing can become less than its lowest value.
    less = np.where(less > alone.limits()[1][0], inf, less)
    return tuple(
        Strength(
            profile.quantities[number],
            float(level),
            float(up),
            float(down),
            profile.quantities[number].name in usual,
        )
        for number, level, up, down in zip(alone.asked, alone.reported, more, less, strict=True)
    )


def usual_names(profile: TrainingProfile) -> tuple[str, ...]:
    """Return the names of the quantities that most users ask for; if there are none, all names, or the first
    :data:`FEW` of more than :data:`MOST_ASKED`.
    """
    names = [quantity.name for quantity in profile.quantities]
    usual = tuple(name for name in names if split_name(name)[0] in USUAL)
    return usual or tuple(names if len(names) <= MOST_ASKED else names[:FEW])


def _smallest(trial: _Trial, low: FloatArray, limit: FloatArray, sign: float) -> FloatArray:
    """Return the smallest changes that are detected, shape (n_asked,); inf where none are."""
    return _bracket(trial, low, limit, sign, BISECTIONS)[1]


def _bracket(
    trial: _Trial, low: FloatArray, limit: FloatArray, sign: float, steps: int
) -> tuple[FloatArray, FloatArray]:
    """Return the largest changes that are missed and the smallest that are detected, by bisection of their
    logarithms, each of shape (n_asked,). They are equal where the smallest to look for is detected.

    Args:
        low: shape (n_asked,), the smallest that come into question; where that is not finite, none do.
        limit: the same shape, the largest that do.
        steps: the number of bisections.
    """
    possible = np.isfinite(low) & (limit > 0)
    low = np.where(possible, np.minimum(low, limit), 1.0)
    high = np.where(possible, limit, 1.0)
    enough = trial.catch(sign * low)
    if (enough | ~possible).all():
        smallest = np.where(possible, low, inf)
        return smallest, smallest
    reachable = possible & trial.catch(sign * high)
    high = np.where(enough, low, high)
    for _ in range(steps):
        middle = np.sqrt(low * high)
        caught = trial.catch(sign * middle)
        low, high = np.where(caught, low, middle), np.where(caught, middle, high)
    detects = reachable | (possible & enough)
    return np.where(detects, low, inf), np.where(detects, high, inf)


class _Trial:
    """Training runs, some of them in turn held out with a change of one quantity.

    Attributes:
        asked: shape (n_asked,), places in the profile's quantities.
        reported: shape (n_asked,), levels.
        finest: shape (n_asked,), the smallest change to look for.
    """

    def __init__(
        self, profile: TrainingProfile, settings: JudgeSettings, names: Collection[str] | None, size: int
    ) -> None:
        kept = np.flatnonzero(~np.isnan(profile.values).any(axis=0))
        columns = np.array([profile.catalogue[place].column for place in kept])
        judged = np.flatnonzero(np.bincount(columns))
        # What the classes use has no level of its own that could change.
        levels = [profile.quantities[place] != LIVE_CLASSES for place in judged]
        wanted = [names is None or profile.quantities[place].name in names for place in judged]
        self._wanted = np.array(
            [is_wanted and level for is_wanted, level in zip(wanted, levels, strict=True)], np.bool_
        )
        self.asked: IntArray = judged[self._wanted]
        self._profile, self._settings, self._size = profile, settings, size
        self._n_runs, self._n_judged = len(profile.values), len(judged)
        self._held = _find_held_out(self._n_runs, size)
        self._share = shares(profile)
        self._readable, self._columns = kept, columns
        self._kept: IntArray = kept[np.isin(columns, self.asked)]
        self.reported = profile.levels_with_sign(_readable(profile.values))[self.asked]
        unit = np.maximum(profile.grain, 1e-3 * profile.levels(_readable(profile.values)))[self.asked]
        self._unit: FloatArray = np.where(unit > 0, unit, 1.0)
        self.finest: FloatArray = FINEST * self._unit

    def limits(self) -> tuple[tuple[FloatArray, float], tuple[FloatArray, float]]:
        """Return the largest changes to look for, for more and for less, each with its sign."""
        more = np.maximum(TIMES_LEVEL * np.abs(self.reported), TIMES_UNIT * self._unit)
        lowest = np.array([self._profile.quantities[place].lower for place in self.asked])
        return (more, 1.0), (np.minimum(more, np.maximum(self.reported - lowest, 0.0)), -1.0)

    def catch(self, change: FloatArray) -> BoolArray:
        """Return whether enough of the held-out runs are caught with these changes, each tried alone.

        Both arrays are of shape (n_asked,).
        """
        raise NotImplementedError

    def _gain(self, change: FloatArray) -> FloatArray:
        """Return what each feature gains, shape (n_features of the catalogue,)."""
        by_quantity = np.zeros(len(self._profile.quantities))
        by_quantity[self.asked] = change
        columns = np.array([feature.column for feature in self._profile.catalogue])
        gain: FloatArray = np.where(self._share > 0, self._share * by_quantity[columns], 0.0)
        return gain

    def _enough(self, caught: BoolArray) -> BoolArray:
        """Return whether enough is caught of what is held out, shape (n_asked,), from (n_held, n_asked)."""
        enough: BoolArray = caught.sum(axis=0) >= CAUGHT_SHARE * len(self._held)
        return enough


class _First(_Trial):
    """Single runs: what makes a first look suspicious. What else is odd in a run counts for nothing here."""

    def __init__(
        self, profile: TrainingProfile, settings: JudgeSettings, names: Collection[str] | None
    ) -> None:
        super().__init__(profile, settings, names, 1)
        features = [profile.catalogue[place] for place in self._kept]
        self._kept = self._kept[level_features(features, profile.quantities)]
        self._features = [profile.catalogue[place] for place in self._kept]
        self._places = np.array([feature.column for feature in self._features], dtype=np.int64)
        self._values, self._grain = profile.values[:, self._kept], profile.grain[self._places]
        self._worse = signs_of_worse(self._features, profile.quantities)
        self._number = np.searchsorted(self.asked, self._places)

    def catch(self, change: FloatArray) -> BoolArray:
        if not len(self.asked):
            return np.zeros(0, np.bool_)
        profile, every = self._profile, self._gain(change)
        gain = every[self._kept]
        # A mean over all runs does not depend on which of them has changed.
        values = profile.values.copy()
        values[0] += every
        readable = _readable(values)
        levels = profile.levels(readable)[self._places]
        # What classes keep by themselves is left out: the change added here comes without any.
        sizes = without_classes(sizes_that_matter(profile, self._features, readable, self._settings))
        caught = np.zeros((len(self._held), len(self.asked)), np.bool_)
        for row, (held,) in enumerate(self._held):
            known, run = np.delete(self._values, held, axis=0), self._values[held] + gain
            stable = stabilise(np.vstack([known, run]), self._grain, levels)
            squared = differences(stable, np.array([[len(known)]])).squared_t[0]
            difference = run - known.mean(axis=0)
            counts = sizes.matter(np.abs(difference))
            counts &= welcome_or_not(difference, self._worse, self._settings.fail_on)
            far = counts & (squared >= LEVEL_T**2)
            np.logical_or.at(caught[row], self._number, far)
        return self._enough(caught)


class _Three(_Trial):
    """Three runs: what makes them differ from training so much that turns follow.

    Only the factor of the changed quantity is found anew, for all quantities and all that is held out at
    once; those of the others are as in the unchanged runs.
    """

    def __init__(
        self, profile: TrainingProfile, settings: JudgeSettings, names: Collection[str] | None
    ) -> None:
        super().__init__(profile, settings, names, N_CHECKED)
        self._chosen, self._order = _compare(self._held, self._n_runs)
        kept, columns = self._readable, self._columns
        features = [profile.catalogue[place] for place in kept]
        unchanged = mean_of_each(
            self._factors(profile.values, kept, profile.values[:, kept], 1),
            columns,
            feature_weights(features, profile.quantities),
        )
        # Not the sum of all less one, because a factor may be larger than all others by any number of digits.
        others = [np.delete(unchanged, place, axis=1).sum(axis=1) for place in np.flatnonzero(self._wanted)]
        self._others: FloatArray = np.reshape(others, (len(others), len(self._chosen))).T
        asked = [profile.catalogue[place] for place in self._kept]
        self._weights = feature_weights(asked, profile.quantities)

    def catch(self, change: FloatArray) -> BoolArray:
        size, n_held = len(self.asked), len(self._held)
        if not size:
            return np.zeros(0, np.bool_)
        columns = np.array([feature.column for feature in self._profile.catalogue])
        gain = self._gain(change)
        # A mean over all runs does not depend on which of them have changed.
        values = self._profile.values.copy()
        values[: self._size] += gain
        of_each = np.empty((len(self._chosen), n_held, size))
        at_once = max(1, FACTORS_AT_ONCE // (len(self._chosen) * len(self._kept)))
        for first in range(0, n_held, at_once):
            held = self._held[first : first + at_once]
            copies = len(held)
            changed = np.repeat(self._profile.values[:, None, self._kept], copies, axis=1)
            changed[held.T, np.arange(copies)] += gain[self._kept]
            factor = self._factors(values, self._kept, changed.reshape(self._n_runs, -1), copies)
            place = columns[self._kept] + len(self._profile.quantities) * np.arange(copies)[:, None]
            means = mean_of_each(factor, place.ravel(), np.tile(self._weights, copies))
            of_each[:, first : first + at_once] = means.reshape(len(self._chosen), copies, size)
        scores = np.log((self._others[:, None] + of_each) / self._n_judged)
        p_values = ranks(np.take_along_axis(scores.T, self._order[None], axis=2))
        return self._enough((p_values <= max(self._settings.alpha, SUSPICIOUS)).T)

    def _factors(self, values: FloatArray, kept: IntArray, changed: FloatArray, copies: int) -> FloatArray:
        """Return the factor of every choice of runs, 1 where a difference does not count, (n_choices, copies
        * n_kept).

        Args:
            values: shape (n_runs, n_features), what levels are taken from.
            changed: shape (n_runs, copies * n_kept), those of the kept features as often.
        """
        profile = self._profile
        features = [profile.catalogue[place] for place in kept]
        columns = np.tile([feature.column for feature in features], copies)
        levels = profile.levels(_readable(values))
        stable = stabilise(changed, profile.grain[columns], levels[columns])
        # What classes keep by themselves is left out: the change added here comes without any.
        sizes = without_classes(sizes_that_matter(profile, features, _readable(values), self._settings))
        sizes = structs.replace(
            sizes, least=np.tile(sizes.least, copies), per_class=np.tile(sizes.per_class, copies)
        )
        wholes = Wholes.among(features, profile.quantities, copies)
        counts = which_matter(raw_differences(changed, self._chosen), sizes, wholes)
        if self._settings.fail_on != "any":
            contrast = contrasts(stable, self._chosen)
            sign = np.tile(signs_of_worse(features, profile.quantities), copies)
            counts &= welcome_or_not(contrast, sign, self._settings.fail_on)
        return factors_for_a_change(differences(stable, self._chosen), counts)


def without_classes(sizes: Sizes) -> Sizes:
    """Return sizes that expect nothing of the number of classes."""
    return structs.replace(sizes, per_class=np.zeros(len(sizes.least)), classes=None)


MOST_TRIED = 10
"""Checks with turns by which a size is tried."""

STEP = 1.1
MOST_STEPS = 8
"""By how much a size that turns do not find is enlarged, and how often before it counts as not found."""


def _find_found_in_turns(
    profile: TrainingProfile, settings: JudgeSettings, asked: IntArray, change: FloatArray, sign: float
) -> FloatArray:
    """Return the smallest changes, at least those given, that the bets of turns find, too; shape (n_asked,).

    All quantities are changed at once, and each is looked at as if the others had won and lost nothing.

    Args:
        change: shape (n_asked,), what leads to turns; infinite where nothing does.
    """
    smallest, open_ones = change.copy(), np.isfinite(change)
    for _ in range(MOST_STEPS):
        if not open_ones.any():
            return smallest
        caught = _catch_in_turns(profile, settings, asked[open_ones], sign * smallest[open_ones])
        open_ones[np.flatnonzero(open_ones)[caught]] = False
        smallest[open_ones] *= STEP
    return np.where(open_ones, inf, smallest)


def _catch_in_turns(
    profile: TrainingProfile, settings: JudgeSettings, asked: IntArray, change: FloatArray
) -> BoolArray:
    """Return which changes enough checks find in turns, shape (n_asked,)."""
    random = np.random.default_rng(0)
    held = _find_held_out(len(profile.values), N_CHECKED)[:MOST_TRIED]
    share, columns = shares(profile), np.array([feature.column for feature in profile.catalogue])
    by_quantity = np.zeros(len(profile.quantities))
    by_quantity[asked] = change
    gain = np.where(share > 0, share * by_quantity[columns], 0.0)
    orders, winning = balanced_orders(N_TURNS), Procedure(settings.alpha).winning
    n_found = np.zeros(len(asked))
    for three in held:
        training = np.delete(profile.values, three, axis=0)
        prior = Prior(training, profile.values[three] + gain)
        turns = prepare_turns(profile, settings, orders, training, prior)
        turns = replace(turns, sizes=without_classes(turns.sizes))
        is_new = np.array(orders.draw(int(random.integers(2**32))), np.bool_)
        rows = profile.values[random.integers(len(profile.values), size=len(is_new))]
        launched = Launched(np.where(is_new[:, None], rows + gain, rows), is_new)
        of_each, differs = turns.wealth_of_each(launched)
        places = columns[turns.columns]
        even = even_weights(turns.features, profile.quantities)
        # What has not changed before the turns weighs least.
        weights = turns.weights / (turns.weights / even).min()
        others = len(np.unique(places)) - 1
        for number, quantity in enumerate(asked):
            ours = places == quantity
            won = of_each[:, ours] @ weights[ours] + others
            by_size = (of_each[:, ours] * differs[:, ours]) @ weights[ours]
            path = won / (weights[ours].sum() + others)
            n_found[number] += bool((path[by_size > won / 2] >= winning).any())
    enough: BoolArray = n_found >= CAUGHT_SHARE * len(held)
    return enough


def _find_held_out(n_runs: int, size: int) -> IntArray:
    """Return which runs are held out together, neighbours in order, shape (n_held, size)."""
    n_held = min(n_runs, MOST_HELD_OUT[size])
    first = np.linspace(0, n_runs, n_held, endpoint=False).astype(np.int64)
    held: IntArray = np.sort((first[:, None] + np.arange(size)) % n_runs, axis=1)
    return held


def _compare(held: IntArray, n_runs: int) -> tuple[IntArray, IntArray]:
    """Return all choices of runs to compare, and for each row of ``held`` their order, that one first."""
    others = np.sort(choices(n_runs, held.shape[1], MOST_COMPARED), axis=1)
    chosen = np.unique(np.vstack([held, others]), axis=0)
    ours = [int(np.flatnonzero((chosen == choice).all(axis=1))[0]) for choice in held]
    everyone = np.arange(len(chosen))
    return chosen, np.array([[place, *everyone[everyone != place]] for place in ours])


def shares(profile: TrainingProfile) -> FloatArray:
    """Return how much of a change each feature gains, shape (n_features,)."""
    counted = {feature.column for feature in profile.catalogue if feature.name == TOTAL}
    return np.array(
        [
            (COUNTER_SHARE if feature.column in counted else GAUGE_SHARE).get(feature.name, 0.0)
            for feature in profile.catalogue
        ]
    )


def _readable(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), 0.0, values)


AUTO = AutoRuns(fewest=8, most=30, last=3)
"""One run more or less sharpens an oracle by chance, three show whether runs still do."""

LITTLE = 0.05


def is_enough(profile: TrainingProfile, settings: JudgeSettings) -> bool:
    """Return whether the last runs of a profile have sharpened the oracle by next to nothing.

    What is the smallest change of the usual quantities that would be caught by all runs so far, and by all
    but the last three? Once the median of them has gained less than a twentieth, there are enough. A quantity
    without a detected change is left out; while that holds for all, there are not enough.
    """
    names = usual_names(profile)
    before = strengths(replace(profile, values=profile.values[: -AUTO.last]), settings, names)
    return gain(before, strengths(profile, settings, names)) < LITTLE


def gain(before: Sequence[Strength], after: Sequence[Strength]) -> float:
    """Return by which share the median quantity's smallest change has become smaller; negative for larger.

    1 where it was not caught before, or is caught of no quantity.
    """
    shares = [
        1.0 if isinf(old.smallest) else 1.0 - new.smallest / old.smallest
        for old, new in zip(before, after, strict=True)
        if not (isinf(old.smallest) and isinf(new.smallest))
    ]
    return float(np.median(shares)) if shares else 1.0
