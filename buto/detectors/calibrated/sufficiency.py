"""When training has run often enough: when three runs more have no longer sharpened the oracle.

Asked after each run from the eighth on: what is the smallest change of heap, processor time, threads,
classes and collections that would be caught (:mod:`buto.detectors.calibrated.strength`) by all
runs so far, and by all but the last three? Once the median of them has gained less than a twentieth, there
are enough. A quantity without a detected change is left out; while that holds for all, there are
not enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isinf

import numpy as np

from buto.detectors.calibrated.profile import Profile
from buto.detectors.calibrated.settings import JudgeSettings
from buto.detectors.calibrated.strength import strengths, usual_names
from buto.detectors.protocol import AutoRuns
from buto.detectors.strength import Strength

AUTO = AutoRuns(fewest=8, most=30, last=3)
"""One run more or less sharpens an oracle by chance, three show whether runs still do."""

LITTLE = 0.05


def is_enough(profile: Profile, settings: JudgeSettings) -> bool:
    """Return whether the last runs of a profile have sharpened the oracle by next to nothing."""
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
