"""Checks of recorded runs by several methods, with all numbers that any way of deciding needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import nan

import numpy as np

from buto.detectors.alarms import N_CHECKED
from buto.detectors.calibrated.detector import CalibratedDetector, FittedCalibrated
from buto.detectors.calibrated.envelope import judged_properties
from buto.detectors.calibrated.evidence import passes_gate, weigh
from buto.detectors.calibrated.obvious import obvious
from buto.detectors.calibrated.profile import Emitter, Profile, learn
from buto.detectors.calibrated.settings import CALIBRATED, JudgeSettings
from buto.detectors.settings import judges
from buto.properties import LIVE_CLASSES
from buto.runs import FloatArray, Run, RunSet

METHODS: Mapping[str, JudgeSettings] = {one.preset: one for one in (CALIBRATED,)}

N_TRAINING = 10
"""Training runs of every figure, unless it says another number."""


class Way(StrEnum):
    """How a check decides."""

    ONE = "one run"
    CONFIRMED = "confirmed"
    THREE = "three runs"


@dataclass(frozen=True, slots=True)
class Check:
    """One check by one method.

    Attributes:
        alone: p-value of the first run by the method's own rule.
        followed: whether ``buto check`` would launch two more runs.
        three: p-value of three runs; NaN if nobody asked for it.
    """

    alone: float
    followed: bool
    three: float

    def fails(self, way: Way, alpha: float) -> bool:
        """Return whether the check fails at this level."""
        if way is Way.ONE:
            return self.alone <= alpha
        return (way is Way.THREE or self.followed) and self.three <= alpha


def checked(
    profile: Profile, training: FloatArray, rows: FloatArray, settings: JudgeSettings, *, always: bool = True
) -> Check:
    """Check three runs of which the first is launched first.

    Args:
        profile: says what the columns are; its own values are not used.
        training: shape (n_training, n_features).
        rows: shape (3, n_features), the runs under test.
        always: whether three runs are judged even if the first one would end the check.
    """
    one = weigh(profile, np.vstack([training, rows[:1]]), 1, settings)
    alone = one.mattering.significance.p_value
    followed = passes_gate(one) or bool(obvious(one, 1))
    if not (always or followed):
        return Check(alone, followed, nan)
    three = weigh(profile, np.vstack([training, rows]), len(rows), settings).mattering.significance
    return Check(alone, followed, three.p_value)


def profile_of(runs: RunSet, settings: JudgeSettings) -> Profile:
    """Return the features of all runs, as ``buto selftest`` computes them once for all divisions."""
    wanted = [prop for prop in runs.properties if judges(settings, prop)]
    by_class = judges(settings, LIVE_CLASSES)
    return learn(runs.runs, judged_properties(runs, wanted)[0], by_class=by_class)


@dataclass(eq=False, slots=True)
class Trained:
    """A trained method that computes the features of each run once."""

    fitted: FittedCalibrated
    _rows: dict[tuple[str, tuple[Emitter, ...]], FloatArray] = field(default_factory=dict)

    @classmethod
    def by(cls, training: Sequence[Run], settings: JudgeSettings) -> Trained:
        """Train a method."""
        return cls(CalibratedDetector(settings).fit(RunSet(tuple(training))))

    def check(self, runs: Sequence[Run], *, always: bool = False) -> Check:
        """Check three runs, see :func:`checked`."""
        profile, rows = self.rows(runs)
        return checked(profile, profile.values, rows, self.fitted.settings, always=always)

    def rows(self, runs: Sequence[Run]) -> tuple[Profile, FloatArray]:
        """Return the profile that knows these runs, too, and their features, shape (n_runs, n_features)."""
        profile = self.fitted.profile.hearing(runs)
        return profile, np.array([self._row(profile, run) for run in runs])

    def _row(self, profile: Profile, run: Run) -> FloatArray:
        key = run.id, profile.emitters
        if key not in self._rows:
            self._rows[key] = profile.measure(run)
        return self._rows[key]


def with_two_more(run: int, others: Sequence[int]) -> list[int]:
    """Return a first run and the two that confirm it: the first of the others."""
    return [run, *[other for other in others if other != run][: N_CHECKED - 1]]
