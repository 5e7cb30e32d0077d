"""How strong an oracle is: of each quantity the smallest lasting change that a check would find.

Training runs take the place of all runs of a check (:mod:`buto.judging.calibrated.planted`). A change is
added to one of their quantities: to a gauge all the time, to a counter at an even rate from the run's start.
The smallest change that nine tenths of checks find is sought by bisection. A real change seldom moves one
quantity alone, so that it is found more often.

It is found from the training runs' features whenever somebody asks, and not stored: nothing then says
otherwise than the oracle does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import inf, isinf

import numpy as np

from buto.judging.alarms import TIMES_LEVEL, Strength
from buto.judging.calibrated.planted import Planted
from buto.judging.calibrated.profile import LEVELS, TOTAL, Profile
from buto.judging.calibrated.settings import JudgeSettings
from buto.judging.protocol import AutoRuns
from buto.run.model import BoolArray, FloatArray
from buto.run.properties import LIVE_CLASSES, split_name

CAUGHT_SHARE = 0.9
"""Of checks: what catching means."""

MARGIN = 1.1
"""The few training runs scatter a little less than later ones do."""

TIMES_UNIT = 1000.0
"""A change is looked for up to this many times a quantity's smallest meaningful difference, if that is more
than :data:`buto.judging.alarms.TIMES_LEVEL` times its level."""

FINEST = 0.125
"""The smallest change that is tried, as a share of the smallest meaningful difference."""

BISECTIONS = 8
"""From the finest to the largest change with an error of at most 4 %."""

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
    # What the classes use has no level of its own that could change.
    asked = [
        number
        for number, one in enumerate(profile.quantities)
        if one != LIVE_CLASSES and (quantities is None or one.name in quantities)
    ]
    planted = Planted(profile, settings, asked, _shares(profile))
    level = _reported(profile)[planted.asked]
    unit = np.maximum(profile.grain, 1e-3 * profile.levels(_readable(profile.values)))[planted.asked]
    unit = np.where(unit > 0, unit, 1.0)
    most = np.maximum(TIMES_LEVEL * np.abs(level), TIMES_UNIT * unit)
    lowest = np.array([profile.quantities[one].lower for one in planted.asked])
    # Nothing can become less than its lowest value.
    room = np.minimum(most, np.maximum(level - lowest, 0.0))
    more = MARGIN * _smallest(planted, FINEST * unit, most, 1.0)
    less = MARGIN * _smallest(planted, FINEST * unit, room, -1.0)
    less = np.where(less > room, inf, less)
    return tuple(
        Strength(
            profile.quantities[number],
            float(usual_level),
            float(up),
            float(down),
            profile.quantities[number].name in usual,
        )
        for number, usual_level, up, down in zip(planted.asked, level, more, less, strict=True)
    )


def usual_names(profile: Profile) -> tuple[str, ...]:
    """Return the names of the quantities that most users ask for; if there are none, all names, or the first
    :data:`FEW` of more than :data:`MOST_ASKED`.
    """
    names = [one.name for one in profile.quantities]
    usual = tuple(name for name in names if split_name(name)[0] in USUAL)
    return usual or tuple(names if len(names) <= MOST_ASKED else names[:FEW])


def _smallest(planted: Planted, low: FloatArray, limit: FloatArray, sign: float) -> FloatArray:
    """Return the smallest changes that are found, shape (n_asked,), by bisection of their logarithms.

    Args:
        low: shape (n_asked,), the smallest that come into question.
        limit: the same shape, the largest that do.
    """

    def found(size: FloatArray) -> BoolArray:
        enough: BoolArray = planted.found(sign * size) >= CAUGHT_SHARE
        return enough

    possible = limit > 0
    low = np.where(possible, np.minimum(low, limit), 1.0)
    high = np.where(possible, limit, 1.0)
    at_once = found(low)
    reachable = possible & (at_once | found(high))
    high = np.where(at_once, low, high)
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        caught = found(middle)
        low, high = np.where(caught, low, middle), np.where(caught, middle, high)
    return np.where(reachable, high, inf)


def _shares(profile: Profile) -> FloatArray:
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
