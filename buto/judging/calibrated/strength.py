"""How strong an oracle is: of each quantity the smallest lasting change that a check would catch.

Training runs are held out, some at a time, and judged by the others with a change added to one of their
quantities: to a gauge all the time, to a counter at an even rate from the run's start. Two answers are found
by bisection: the smallest change with which nine tenths of single runs pass the gate, so two more are
launched, and the smallest with which nine tenths of threes fail. The larger of them is what a check catches.
A small margin corrects for how few runs are held out. A real change seldom moves a single quantity, so that
it is found more often.

It is found from the training runs' features whenever somebody asks, and not stored: nothing then says
otherwise than the oracle does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, isinf

import numpy as np

from buto.judging.alarms import N_CHECKED, TIMES_LEVEL, Strength
from buto.judging.calibrated.evidence import signs_of_worse, sizes_that_matter, welcome_or_not
from buto.judging.calibrated.profile import LEVELS, TOTAL, Profile
from buto.judging.calibrated.settings import GATE, JudgeSettings
from buto.judging.contrasts import choices, contrasts, stabilised
from buto.judging.protocol import AutoRuns
from buto.judging.rank import differences, factors_for_a_change, mean_of_each, ranks
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.properties import LIVE_CLASSES, split_name

CAUGHT_SHARE = 0.9
"""Of the runs held out: what catching means."""

MARGIN = 1.1
"""The quantile of a few held-out runs is a little too low for later ones, because each of them competes with
one training run more. Without this margin, 76 % of checks of recorded runs (standard error 2 %) detected a
change of the size found; ``docs/methods/selftest.md`` has the figures with it."""

TIMES_UNIT = 1000.0
"""A change is looked for up to this many times a quantity's smallest meaningful difference, if that is more
than :data:`buto.judging.alarms.TIMES_LEVEL` times its level."""

FINEST = 0.125
"""The smallest change that is tried, as a share of the smallest meaningful difference."""

BISECTIONS = 9
"""From the finest to the largest change with an error of at most 3 %."""

MOST_HELD_OUT = {1: 40, N_CHECKED: 10}
"""How often as many runs are held out: more would cost much time and change the answer little."""

MOST_COMPARED = 1000
"""Choices of runs that each three are compared with."""

FACTORS_AT_ONCE = 1_000_000
"""More would not fit into a processor's cache."""

USUAL = ("jvm.memory.heap.used", "jvm.cpu.time", "jvm.thread.count", "jvm.class.loaded", "jvm.gc.count")
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
    profile: Profile, settings: JudgeSettings, quantities: Collection[str] | None = None
) -> tuple[Strength, ...]:
    """Return the strength of the oracle of this profile for each quantity, in the profile's order.

    Args:
        profile: of at least five runs; a quantity that could not be read in all of them is left out.
        quantities: names of those that are asked for; None for all. Each one costs time.
    """
    usual = usual_names(profile)
    alone = _Trial(profile, settings, quantities, 1, GATE)
    three = _Trial(profile, settings, quantities, N_CHECKED, settings.alpha)
    more, less = (
        MARGIN * _smallest(three, _smallest(alone, alone.finest, limit, sign), limit, sign)
        for limit, sign in alone.limits()
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


def usual_names(profile: Profile) -> tuple[str, ...]:
    """Return the names of the quantities that most users ask for; if there are none, all names, or the first
    :data:`FEW` of more than :data:`MOST_ASKED`.
    """
    names = [one.name for one in profile.quantities]
    usual = tuple(name for name in names if split_name(name)[0] in USUAL)
    return usual or tuple(names if len(names) <= MOST_ASKED else names[:FEW])


def _smallest(trial: _Trial, low: FloatArray, limit: FloatArray, sign: float) -> FloatArray:
    """Return the smallest changes that are detected, shape (n_asked,), by bisection of their logarithms.

    Args:
        low: shape (n_asked,), the smallest that come into question; where that is not finite, none do.
        limit: the same shape, the largest that do.
    """
    possible = np.isfinite(low) & (limit > 0)
    low = np.where(possible, np.minimum(low, limit), 1.0)
    high = np.where(possible, limit, 1.0)
    enough = trial.caught(sign * low)
    if (enough | ~possible).all():
        return np.where(possible, low, inf)
    reachable = possible & trial.caught(sign * high)
    high = np.where(enough, low, high)
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        caught = trial.caught(sign * middle)
        low, high = np.where(caught, low, middle), np.where(caught, middle, high)
    return np.where(reachable | (possible & enough), high, inf)


class _Trial:
    """Training runs, some of them in turn held out with a change of one quantity.

    Only the factor of the changed quantity is found anew, for all quantities and all that is held out at
    once; those of the others are as in the unchanged runs.

    Attributes:
        asked: shape (n_asked,), places in the profile's quantities.
        reported: shape (n_asked,), levels.
        finest: shape (n_asked,), the smallest change to look for.
    """

    def __init__(
        self,
        profile: Profile,
        settings: JudgeSettings,
        names: Collection[str] | None,
        size: int,
        level: float,
    ) -> None:
        kept = np.flatnonzero(~np.isnan(profile.values).any(axis=0))
        columns = np.array([profile.catalogue[place].column for place in kept])
        judged = np.unique(columns)
        # What the classes use has no level of its own that could change.
        levels = [profile.quantities[one] != LIVE_CLASSES for one in judged]
        wanted = [names is None or profile.quantities[one].name in names for one in judged]
        wanted = [one and level for one, level in zip(wanted, levels, strict=True)]
        self.asked: IntArray = judged[wanted]
        self._profile, self._settings, self._size, self._level = profile, settings, size, level
        self._n_runs, self._n_judged = len(profile.values), len(judged)
        self._held = _held_out(self._n_runs, size)
        self._chosen, self._order = _compared(self._held, self._n_runs)
        self._share = shares(profile)
        self._kept: IntArray = kept[np.isin(columns, self.asked)]
        unchanged = mean_of_each(self._factors(profile.values, kept, profile.values[:, kept], 1), columns)
        # Not the sum of all less one, because a factor may be larger than all others by any number of digits.
        others = [np.delete(unchanged, one, axis=1).sum(axis=1) for one in np.flatnonzero(wanted)]
        self._others: FloatArray = np.reshape(others, (len(others), len(self._chosen))).T
        self.reported = _reported(profile)[self.asked]
        unit = np.maximum(profile.grain, 1e-3 * profile.levels(_readable(profile.values)))[self.asked]
        self._unit: FloatArray = np.where(unit > 0, unit, 1.0)
        self.finest: FloatArray = FINEST * self._unit

    def limits(self) -> tuple[tuple[FloatArray, float], tuple[FloatArray, float]]:
        """Return the largest changes to look for, for more and for less, each with its sign."""
        more = np.maximum(TIMES_LEVEL * np.abs(self.reported), TIMES_UNIT * self._unit)
        lowest = np.array([self._profile.quantities[one].lower for one in self.asked])
        return (more, 1.0), (np.minimum(more, np.maximum(self.reported - lowest, 0.0)), -1.0)

    def caught(self, change: FloatArray) -> BoolArray:
        """Return whether enough of the held-out runs fail with these changes, each tried alone.

        Both arrays are of shape (n_asked,).
        """
        size, n_held = len(self.asked), len(self._held)
        if not size:
            return np.zeros(0, np.bool_)
        by_quantity = np.zeros(len(self._profile.quantities))
        by_quantity[self.asked] = change
        columns = np.array([one.column for one in self._profile.catalogue])
        gain = np.where(self._share > 0, self._share * by_quantity[columns], 0.0)
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
            means = mean_of_each(factor, place.ravel())
            of_each[:, first : first + at_once] = means.reshape(len(self._chosen), copies, size)
        scores = np.log((self._others[:, None] + of_each) / self._n_judged)
        p_values = ranks(np.take_along_axis(scores.T, self._order[None], axis=2))
        fails = p_values <= self._level
        enough: BoolArray = fails.sum(axis=1) >= CAUGHT_SHARE * n_held
        return enough

    def _factors(self, values: FloatArray, kept: IntArray, changed: FloatArray, copies: int) -> FloatArray:
        """Return the factor of every choice of runs, 1 where a difference does not count, (n_choices, copies
        * n_kept).

        Args:
            values: shape (n_runs, n_features), what levels are taken from.
            changed: shape (n_runs, copies * n_kept), those of the kept features as often.
        """
        profile = self._profile
        features = [profile.catalogue[place] for place in kept]
        columns = np.tile([one.column for one in features], copies)
        levels = profile.levels(_readable(values))
        stable = stabilised(changed, profile.grain[columns], levels[columns])
        # What classes keep by themselves is left out: the change added here comes without any.
        sizes = sizes_that_matter(profile, features, _readable(values), self._settings)
        counts = replace(
            sizes, least=np.tile(sizes.least, copies), per_class=np.zeros(0), classes=None
        ).exceeded(changed, self._chosen)
        if self._settings.fail_on != "any":
            contrast = contrasts(stable, self._chosen)
            sign = np.tile(signs_of_worse(features, profile.quantities), copies)
            counts &= welcome_or_not(contrast, sign, self._settings.fail_on)
        return factors_for_a_change(differences(stable, self._chosen), counts)


def _held_out(n_runs: int, size: int) -> IntArray:
    """Return which runs are held out together, neighbours in order, shape (n_held, size)."""
    n_held = min(n_runs, MOST_HELD_OUT[size])
    first = np.linspace(0, n_runs, n_held, endpoint=False).astype(np.int64)
    held: IntArray = np.sort((first[:, None] + np.arange(size)) % n_runs, axis=1)
    return held


def _compared(held: IntArray, n_runs: int) -> tuple[IntArray, IntArray]:
    """Return all choices of runs to compare, and for each row of ``held`` their order, that one first."""
    others = np.sort(choices(n_runs, held.shape[1], MOST_COMPARED), axis=1)
    chosen = np.unique(np.vstack([held, others]), axis=0)
    ours = [int(np.flatnonzero((chosen == one).all(axis=1))[0]) for one in held]
    everyone = np.arange(len(chosen))
    return chosen, np.array([[one, *everyone[everyone != one]] for one in ours])


def shares(profile: Profile) -> FloatArray:
    """Return how much of a change each feature gains, shape (n_features,)."""
    counted = {one.column for one in profile.catalogue if one.name == TOTAL}
    return np.array(
        [
            (COUNTER_SHARE if one.column in counted else GAUGE_SHARE).get(one.name, 0.0)
            for one in profile.catalogue
        ]
    )


def _reported(profile: Profile) -> FloatArray:
    """Return the level of each quantity as reports show it, shape (n_quantities,)."""
    mean = _readable(profile.values).mean(axis=0)
    level = np.zeros(len(profile.quantities))
    for name in LEVELS:
        for place, one in enumerate(profile.catalogue):
            if one.name == name:
                level[one.column] = mean[place]
    return level


def _readable(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), 0.0, values)


AUTO = AutoRuns(fewest=8, most=30, last=3)
"""One run more or less sharpens an oracle by chance, three show whether runs still do."""

LITTLE = 0.05


def is_enough(profile: Profile, settings: JudgeSettings) -> bool:
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
