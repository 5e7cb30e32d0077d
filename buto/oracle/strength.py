"""How strong an oracle is: of each quantity the smallest lasting change that one run would be caught with.

Each training run in turn is taken for a run under test and judged by the others, with a change added to
one of its quantities: to a gauge all the time, to a counter at an even rate from the run's start. The
smallest change with which nine tenths of the runs fail is the answer, by bisection. With as many runs as
were recorded, of which one is held out, it errs to the cautious side.

It is found again from the training runs' features whenever somebody asks, and not stored: nothing then
says otherwise than the oracle does.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

import numpy as np

from buto.analysis.contrasts import contrasts, stabilised
from buto.analysis.evidence import LARGEST_CONTRAST, combined, largest_of_each, p_values
from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.oracle.effects import smallest_effects
from buto.oracle.profile import LEVELS, TOTAL, Profile
from buto.oracle.relevance import Counting, relevant
from buto.oracle.settings import Settings
from buto.properties import Property
from buto.runs import FloatArray

CAUGHT_SHARE = 0.9
"""Of the runs held out: what catching means."""

TIMES_LEVEL, TIMES_UNIT = 10.0, 1000.0
"""Beyond this many times a quantity's level, and its smallest meaningful difference, nobody looks for it."""

FINEST = 0.125
"""The smallest change that is tried, as a share of the smallest meaningful difference."""

BISECTIONS = 9
"""From the finest to the largest change with an error of at most 3 %."""

MOST_HELD_OUT = 40
"""More runs, evenly taken from all, would cost much time and change the answer little."""

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


@dataclass(frozen=True, slots=True)
class Strength:
    """What would be caught of one quantity.

    Attributes:
        quantity: whose; its unit is that of the numbers below.
        level: of the training runs, mean of their means or, of what counts up, of their totals.
        more, less: the smallest change in each direction that is caught in nine tenths of checks;
            infinite where none within reason is, as below nothing for what cannot be negative.
    """

    quantity: Property
    level: float
    more: float
    less: float

    @property
    def smallest(self) -> float:
        """In the direction in which less is enough."""
        return min(self.more, self.less)


def strengths(
    profile: Profile, settings: Settings, quantities: Collection[str] | None = None
) -> tuple[Strength, ...]:
    """The strength of the oracle that this profile makes, one for each quantity, in the profile's order.

    Args:
        profile: of at least three runs; a quantity that could not be read in all of them is left out.
        quantities: names of those that are asked for; None for all. Each one costs time.
    """
    trial = _Trial(profile, settings, quantities)
    more = _smallest(trial, trial.limit_more)
    less = _smallest(trial, trial.limit_less, sign=-1.0)
    return tuple(
        Strength(profile.quantities[number], float(level), float(up), float(down))
        for number, level, up, down in zip(trial.asked, trial.reported, more, less, strict=True)
    )


def _smallest(trial: _Trial, limit: FloatArray, sign: float = 1.0) -> FloatArray:
    """The smallest changes that are caught, shape (n_asked,), by bisection of their logarithms."""
    low = np.minimum(trial.finest, limit)
    high = np.maximum(limit, low)
    reachable = (limit > 0) & trial.caught(sign * high)
    enough = trial.caught(sign * low)
    low = np.where(low > 0, low, 1.0)
    high = np.where(high > 0, high, 1.0)
    high = np.where(enough, low, high)
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        caught = trial.caught(sign * middle)
        low, high = np.where(caught, low, middle), np.where(caught, middle, high)
    return np.where(reachable, high, inf)


class _Trial:
    """Training runs, each in turn held out with a change of one quantity.

    Only the contrasts of the changed quantity are found anew, for all quantities and all runs at once;
    those of the others are as in the unchanged runs.

    Attributes:
        asked: shape (n_asked,), places in the profile's quantities.
        reported: shape (n_asked,), levels.
        finest, limit_more, limit_less: shape (n_asked,), between which to look.
    """

    def __init__(self, profile: Profile, settings: Settings, names: Collection[str] | None) -> None:
        kept = np.flatnonzero(~np.isnan(profile.values).any(axis=0))
        columns = np.array([profile.catalogue[place].column for place in kept])
        judged = np.unique(columns)
        wanted = [names is None or profile.quantities[one].name in names for one in judged]
        self.asked: IntArray = judged[wanted]
        self._profile, self._settings = profile, settings
        self._n_runs, self._n_judged = len(profile.values), len(judged)
        self._held: IntArray = np.unique(
            np.linspace(0, self._n_runs - 1, min(self._n_runs, MOST_HELD_OUT)).round().astype(np.int64)
        )
        self._share = _shares(profile)
        self._kept: IntArray = kept[np.isin(columns, self.asked)]
        unchanged = largest_of_each(self._contrast(profile.values, kept, profile.values[:, kept], 1), columns)
        self._others(unchanged, np.flatnonzero(wanted))
        self.reported = _reported(profile)[self.asked]
        unit = np.maximum(profile.grain, 1e-3 * profile.levels(_readable(profile.values)))[self.asked]
        unit = np.where(unit > 0, unit, 1.0)
        lowest = np.array([profile.quantities[one].lower for one in self.asked])
        self.finest = FINEST * unit
        self.limit_more = np.maximum(TIMES_LEVEL * np.abs(self.reported), TIMES_UNIT * unit)
        self.limit_less = np.minimum(self.limit_more, np.maximum(self.reported - lowest, 0.0))

    def caught(self, change: FloatArray) -> BoolArray:
        """Whether enough runs fail with these changes, each tried by itself; both of shape (n_asked,)."""
        size, n_held = len(self.asked), len(self._held)
        if not size:
            return np.zeros(0, np.bool_)
        by_quantity = np.zeros(len(self._profile.quantities))
        by_quantity[self.asked] = change
        columns = np.array([one.column for one in self._profile.catalogue])
        gain = np.where(self._share > 0, self._share * by_quantity[columns], 0.0)
        # One changed run has the same effect on a mean over runs, whichever it is.
        values = self._profile.values.copy()
        values[0] += gain
        changed = np.repeat(self._profile.values[:, None, self._kept], n_held, axis=1)
        changed[self._held, np.arange(n_held)] += gain[self._kept]
        contrast = self._contrast(values, self._kept, changed.reshape(self._n_runs, -1), n_held)
        place = columns[self._kept] + len(self._profile.quantities) * np.arange(n_held)[:, None]
        largest = largest_of_each(contrast, place.ravel()).reshape(self._n_runs, n_held, size)
        capped = np.minimum(largest, LARGEST_CONTRAST) ** 2
        score = combined(
            np.maximum(self._greatest_other[:, None], largest).T,
            ((self._squares_other[:, None] + capped) / self._n_judged).T,
        )
        # Of each quantity and run held out, that run's score first.
        order = [[run, *(other for other in range(self._n_runs) if other != run)] for run in self._held]
        ordered = np.take_along_axis(score, np.array(order)[None], axis=2)
        alpha = self._settings.alpha
        failing = (p_values(ordered, 1, alpha) <= alpha).sum(axis=1)
        enough: BoolArray = failing >= CAUGHT_SHARE * n_held
        return enough

    def _contrast(self, values: FloatArray, kept: IntArray, changed: FloatArray, copies: int) -> FloatArray:
        """Contrasts of every single run, shape (n_runs, copies * n_kept).

        Args:
            values: shape (n_runs, n_features), what levels are taken from.
            changed: shape (n_runs, copies * n_kept), those of the kept features as often.
        """
        profile = self._profile
        features = [profile.catalogue[place] for place in kept]
        columns = np.tile([one.column for one in features], copies)
        levels = profile.levels(_readable(values))
        effects = smallest_effects(profile.quantities, levels, self._settings.minimum_effect)
        counting = Counting(features * copies, profile.quantities, effects, self._settings.fail_on)
        stable = stabilised(changed, profile.grain[columns], levels[columns])
        chosen = np.arange(self._n_runs)[:, None]
        return relevant(contrasts(stable, chosen), changed, chosen, counting)

    def _others(self, unchanged: FloatArray, asked: IntArray) -> None:
        """Remember of each run what all quantities but one contribute to its score.

        Args:
            unchanged: shape (n_runs, n_judged).
            asked: shape (n_asked,), columns of ``unchanged``.
        """
        padded = np.hstack([unchanged, np.zeros((self._n_runs, 1))])
        second, first = np.sort(padded, axis=1)[:, -2:].T
        is_first = padded.argmax(axis=1)[:, None] == asked
        self._greatest_other: FloatArray = np.where(is_first, second[:, None], first[:, None])
        capped = np.minimum(unchanged, LARGEST_CONTRAST) ** 2
        self._squares_other: FloatArray = capped.sum(axis=1)[:, None] - capped[:, asked]


def _shares(profile: Profile) -> FloatArray:
    """How much of a change each feature gains, shape (n_features,)."""
    counted = {one.column for one in profile.catalogue if one.name == TOTAL}
    return np.array(
        [
            (COUNTER_SHARE if one.column in counted else GAUGE_SHARE).get(one.name, 0.0)
            for one in profile.catalogue
        ]
    )


def _reported(profile: Profile) -> FloatArray:
    """The level of each quantity as a reader knows it, shape (n_quantities,)."""
    mean = _readable(profile.values).mean(axis=0)
    level = np.zeros(len(profile.quantities))
    for name in LEVELS:
        for place, one in enumerate(profile.catalogue):
            if one.name == name:
                level[one.column] = mean[place]
    return level


def _readable(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), 0.0, values)
