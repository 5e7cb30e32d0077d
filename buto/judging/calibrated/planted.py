"""Checks of a program with a planted change, with training runs in the place of all runs.

A change is found if three decisions in a row go against it, as in a check: one run passes the gate, three
runs are suspicious, and old and new in turns differ. The first two are asked of training runs held out and
judged by the others; the turns are drawn from the training runs, with replacement. The share of checks that
find a change is at least about the product of the three shares, because what one run shows, others show, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, comb

import numpy as np

from buto.judging.alarms import N_CHECKED
from buto.judging.calibrated.evidence import signs_of_worse, sizes_that_matter, welcome_or_not
from buto.judging.calibrated.profile import Profile
from buto.judging.calibrated.settings import GATE, JudgeSettings
from buto.judging.contrasts import choices, contrasts, stabilised
from buto.judging.looks import FAILING_LOOKS, SUSPICIOUS, looks_of
from buto.judging.rank import TIE, differences, factors, for_a_change, mean_of_each, ranks, smallest_p_value
from buto.run.model import BoolArray, FloatArray, IntArray

MOST_TRIALS = 40
"""So many single runs are held out at most."""

N_TRIALS = 20
"""Groups of three that are held out, and turns that are drawn."""

MOST_COMPARED = 300
"""Choices of runs that each trial is compared with, unless a level needs more."""

HIGHEST = 1.5
"""No other choice scores as high if fewer than so many do, the one under test among them."""


class Planted:
    """Checks with a change of one quantity; only the factor of that quantity is found anew.

    Args:
        asked: places of quantities; those that could not be read in all runs are left out.
        shares: shape (n_features,), how much of a change each feature gains.

    Attributes:
        asked: shape (n_asked,), places in the profile's quantities.
    """

    def __init__(
        self, profile: Profile, settings: JudgeSettings, asked: Sequence[int], shares: FloatArray
    ) -> None:
        self._profile, self._settings, self._shares = profile, settings, shares
        self._columns = np.array([one.column for one in profile.catalogue])
        kept = np.flatnonzero(~np.isnan(profile.values).any(axis=0))
        judged = np.unique(self._columns[kept])
        self.asked: IntArray = judged[np.isin(judged, asked)]
        self._kept: IntArray = kept[np.isin(self._columns[kept], self.asked)]
        self._n_judged = len(judged)
        self._stages = [
            (stage, [self._others(stage, rows, kept, judged) for rows in stage.trials])
            for stage in _stages(len(profile.values), settings)
        ]

    def found(self, change: FloatArray) -> FloatArray:
        """Return the share of checks that find each of these changes alone; both of shape (n_asked,)."""
        share = np.ones(len(self.asked))
        if not len(self.asked):
            return share
        by_quantity = np.zeros(len(self._profile.quantities))
        by_quantity[self.asked] = change
        gain = np.where(self._shares > 0, self._shares * by_quantity[self._columns], 0.0)
        for stage, others in self._stages:
            goes_on = np.zeros(len(self.asked))
            for rows, (mattering, every) in zip(stage.trials, others, strict=True):
                values = self._profile.values[rows]
                values[-stage.size :] += gain
                own, own_every = self._of_each(stage, values, self._kept)
                p_values = self._p_values(mattering + own)
                goes = p_values <= stage.level + TIE
                if stage.or_highest:
                    goes |= self._p_values(every + own_every) * len(stage.chosen) < HIGHEST
                goes_on += goes
            share *= goes_on / len(stage.trials)
        return share

    def _p_values(self, factor: FloatArray) -> FloatArray:
        return ranks(np.log(factor / self._n_judged).T)

    def _others(
        self, stage: _Stage, rows: IntArray, kept: IntArray, judged: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return for each asked quantity the sum of the factors of all others, (n_choices, n_asked), twice:
        where only differences that matter count, and where all do.
        """
        wanted = np.isin(judged, self.asked)
        found = self._of_each(stage, self._profile.values[rows], kept)
        return _sum_of_others(found[0])[:, wanted], _sum_of_others(found[1])[:, wanted]

    def _of_each(self, stage: _Stage, values: FloatArray, kept: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the factor of each choice and quantity of these features, twice as above."""
        profile, settings = self._profile, self._settings
        readable = np.where(np.isnan(values), 0.0, values)
        features = [profile.catalogue[place] for place in kept]
        columns, some = self._columns[kept], values[:, kept]
        stable = stabilised(some, profile.grain[columns], profile.levels(readable)[columns])
        factor = factors(differences(stable, stage.chosen))
        counts: BoolArray = np.ones(factor.shape, np.bool_)
        if settings.fail_on != "any":
            sign = signs_of_worse(features, profile.quantities)
            counts = welcome_or_not(contrasts(stable, stage.chosen), sign, settings.fail_on)
        # What classes keep by themselves is left out: the change planted here comes without any.
        sizes = replace(
            sizes_that_matter(profile, features, readable, settings),
            per_class=np.zeros(0),
            classes=None,
        )
        matters = counts & sizes.exceeded(some, stage.chosen)
        return (
            mean_of_each(for_a_change(factor, matters), columns),
            mean_of_each(for_a_change(factor, counts), columns),
        )


class _Stage:
    """One decision of a check, tried on several sets of runs.

    Attributes:
        trials: shape (n_trials, n_rows), places of training runs; the last ``size`` have the change.
        chosen: shape (n_choices, size), those under test first.
        level: largest p-value with which the check goes on to the next decision, or fails.
        or_highest: whether it also goes on if no other choice differs as much, by whatever size.
    """

    def __init__(self, trials: IntArray, size: int, level: float, *, or_highest: bool = False) -> None:
        self.trials, self.size, self.level, self.or_highest = trials, size, level, or_highest
        self.chosen = choices(trials.shape[1], size, max(MOST_COMPARED, ceil(2 / level)))


def _stages(n_runs: int, settings: JudgeSettings) -> list[_Stage]:
    random = np.random.default_rng(0)
    alone = np.linspace(0, n_runs, min(n_runs, MOST_TRIALS), endpoint=False).astype(np.int64)
    stages = [_Stage(_held_out(n_runs, alone[:, None]), 1, GATE, or_highest=True)]
    # Where three runs can never decide, turns follow anyway.
    if smallest_p_value(comb(n_runs + N_CHECKED, N_CHECKED)) <= settings.alpha:
        threes = np.array([random.permutation(n_runs)[:N_CHECKED] for _ in range(N_TRIALS)])
        level = max(settings.alpha, SUSPICIOUS)
        stages.append(_Stage(_held_out(n_runs, np.sort(threes, axis=1)), N_CHECKED, level))
    last = looks_of(settings)[-1]
    size = last.n_runs // 2
    turns = random.integers(n_runs, size=(N_TRIALS, 2 * size))
    stages.append(_Stage(turns, size, settings.alpha / FAILING_LOOKS))
    return stages


def _held_out(n_runs: int, held: IntArray) -> IntArray:
    """Return all runs with those held out last, shape (n_held, n_runs)."""
    return np.array([[*np.setdiff1d(np.arange(n_runs), one), *one] for one in held])


def _sum_of_others(of_each: FloatArray) -> FloatArray:
    """Return for each column the sum of all others, of the same shape.

    Not the sum of all less one, because a factor may be larger than all others by any number of digits.
    """
    none = np.zeros((len(of_each), 1))
    before = np.cumsum(of_each, axis=1)[:, :-1]
    behind = np.cumsum(of_each[:, ::-1], axis=1)[:, ::-1][:, 1:]
    others: FloatArray = np.hstack([none, before]) + np.hstack([behind, none])
    return others
