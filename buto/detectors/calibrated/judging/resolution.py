"""The smallest differences of each quantity that mean something: coarse as in the default, or fine.

The coarse grains hide much of what the JVM counts exactly: 64 KiB of 187 KiB of class space. The fine ones
are the resolution of the measurement, joined by a small share of the property's level, so that a refactoring
with a few more classes remains an ordinary difference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from buto.analysis.contrasts import LEVEL_SHARE
from buto.analysis.spread import COUNT_GRAIN
from buto.detectors.calibrated.settings import is_fine
from buto.detectors.calibrated.training.profile import Profile
from buto.detectors.settings import Settings
from buto.properties import DURATION, Property

FINE_GRAIN = {"By": 4096.0, "s": 0.001}
"""A page of memory; the millisecond in which the JVM counts the times of collections and compilation."""

FINE_CPU_GRAIN_S = 0.005
"""Half a tick of the kernel, in which it counts processor time."""

FINE_DURATION_S = 0.01

FINE_LEVEL_SHARE = 0.003
"""Smaller changes of a level are those of every refactoring."""


def at_resolution(profile: Profile, settings: Settings) -> Profile:
    """Return the profile with the smallest meaningful differences that the settings ask for."""
    if not is_fine(settings):
        return profile
    grain = [_fine(prop, known) for prop, known in zip(profile.quantities, profile.grain, strict=True)]
    return replace(profile, grain=np.array(grain))


def level_share(settings: Settings) -> float:
    """Return the smallest share of a property's level that means something."""
    return FINE_LEVEL_SHARE if is_fine(settings) else LEVEL_SHARE


def _fine(prop: Property, known: float) -> float:
    """Return a property's fine grain, never more than the one that was learned for it."""
    if prop == DURATION:
        return min(known, FINE_DURATION_S)
    if prop.unit.startswith("{"):
        return min(known, COUNT_GRAIN)
    if prop.unit == "s" and "cpu" in prop.name:
        return min(known, FINE_CPU_GRAIN_S)
    return min(known, FINE_GRAIN.get(prop.unit, known))
