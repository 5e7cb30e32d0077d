"""Changes of known size, added to the features of real runs of an unchanged program.

A gauge changes during the whole run, a counter at an even rate, as in
:mod:`buto.detectors.calibrated.sensitivity.strength`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.analysis.scores.differences import MAD_OF_NORMAL
from buto.detectors.calibrated.sensitivity.strength import shares
from buto.detectors.calibrated.training.profile import Profile
from buto.runs import FloatArray

DEVIATIONS, SHARE = "deviations", "share"

LITTLE = 0.001
"""Share of a property's level. Properties that differ less between runs are not changed by deviations,
because nobody would call so small a change a regression."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of some properties.

    Attributes:
        quantities: how many change; None for all.
        size: in units of ``unit``.
        unit: ``deviations`` between runs of each property, up or down at random, or a ``share`` of each
            property's level, upwards.
    """

    quantities: int | None
    size: float
    unit: str = DEVIATIONS

    def __str__(self) -> str:
        number = "all properties" if self.quantities is None else f"{self.quantities} of the properties"
        number = "one property" if self.quantities == 1 else number
        if self.unit == SHARE:
            return f"{number}, {self.size:.0%} more"
        return f"{number}, {self.size:g} deviations"


def changed(profile: Profile, rows: FloatArray, change: Change, random: np.random.Generator) -> FloatArray:
    """Return rows of features, shape (n_rows, n_features), with a change of randomly chosen properties.

    Only properties that differ enough between runs are chosen.

    Args:
        profile: of many unchanged runs, from which deviations and levels are taken.
    """
    level, deviation = _levels(profile)
    varying = np.flatnonzero(deviation > 0)
    chosen = random.permutation(varying)[: change.quantities]
    sign = random.choice([-1.0, 1.0], size=len(level))
    amount = np.zeros(len(level))
    amount[chosen] = change.size * (
        np.abs(level[chosen]) if change.unit == SHARE else sign[chosen] * deviation[chosen]
    )
    columns = np.array([one.column for one in profile.catalogue])
    with_change: FloatArray = rows + amount[columns] * shares(profile)
    return with_change


def _levels(profile: Profile) -> tuple[FloatArray, FloatArray]:
    """Return the median level of each quantity and its robust deviation between runs."""
    reported = {
        one.column: place
        for name in ("mean", "total")
        for place, one in enumerate(profile.catalogue)
        if one.name == name
    }
    values = profile.values[:, [reported[column] for column in range(len(profile.quantities))]]
    level = np.median(values, axis=0)
    deviation = MAD_OF_NORMAL * np.median(np.abs(values - level), axis=0)
    deviation = np.where(deviation > 0, deviation, values.std(axis=0))
    return level, np.where(deviation >= LITTLE * np.abs(level), deviation, 0.0)
