"""Checks of recorded runs by the judge, and shares of them with their errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np

from buto.judging.calibrated.detector import CalibratedDetector, FittedCalibrated
from buto.judging.calibrated.evidence import obvious, weigh
from buto.judging.calibrated.profile import Emitter
from buto.judging.calibrated.settings import CALIBRATED, JudgeSettings
from buto.judging.calibrated.verdict import passes_gate
from buto.judging.comparison import compare, comparing
from buto.judging.effects import NEVER, USUAL
from buto.judging.verdict import Status
from buto.run.model import FloatArray, Run, RunSet, run_set

N_TRAINING, N_CHECKED, N_TURNS = 10, 3, 6
SUSPICIOUS = 0.05
"""Largest p-value of three runs that turns follow."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        followed: whether two more runs follow the first.
        three: p-value of three runs; NaN if two more do not follow.
        noted: whether a change is certain by three runs, whatever its size.
        turns: p-value of the turns; NaN if there are none.
    """

    followed: bool
    three: float = nan
    noted: bool = False
    turns: float = nan

    def suspicious(self, level: float = SUSPICIOUS) -> bool:
        """Return whether the three runs would lead to turns."""
        return self.three <= level

    def fails_alone(self, alpha: float) -> bool:
        """Return whether the check fails where the old program is not kept."""
        return self.three <= alpha

    def fails(self, alpha: float) -> bool:
        """Return whether the check fails after turns."""
        return self.suspicious() and self.turns <= alpha

    @property
    def launches(self) -> int:
        """How many launches the check takes."""
        return (3 if self.followed else 1) + (2 * N_TURNS if self.suspicious() else 0)


@dataclass(eq=False, slots=True)
class Trained:
    """A judge that computes the features of each run once."""

    fitted: FittedCalibrated
    _rows: dict[tuple[str, tuple[Emitter, ...], int], FloatArray] = field(default_factory=dict)

    @classmethod
    def by(cls, training: Sequence[Run], settings: JudgeSettings = CALIBRATED) -> Trained:
        return cls(CalibratedDetector(settings).plain(RunSet(tuple(training))))

    def with_settings(self, settings: JudgeSettings) -> Trained:
        """Return the same training with other sizes or another alpha."""
        return Trained(replace(self.fitted, settings=settings), self._rows)

    def check(self, three: Sequence[Run], turns: tuple[Sequence[Run], Sequence[Run]] | None = None) -> Check:
        """Check three runs, of which the first is launched first.

        Args:
            turns: runs of the old and of the new program for the turns; None for none.
        """
        settings = self.fitted.settings
        profile = self.fitted.profile.hearing(three)
        rows = np.array([self._row(profile, run) for run in three])
        alone = weigh(profile, np.vstack([profile.values, rows[:1]]), 1, settings)
        if not (passes_gate(alone) or obvious(alone, 1)):
            return Check(followed=False)
        found = weigh(profile, np.vstack([profile.values, rows]), len(rows), settings)
        p_value = found.mattering.significance.p_value
        certain = found.any.significance.p_value <= settings.alpha
        if turns is None or p_value > SUSPICIOUS:
            return Check(True, p_value, certain)
        return Check(True, p_value, certain, in_turns(*turns, settings))

    def _row(self, profile, run: Run) -> FloatArray:  # type: ignore[no-untyped-def]
        classes = 0 if profile.classes is None else len(profile.classes.names)
        key = run.id, profile.emitters, classes
        if key not in self._rows:
            self._rows[key] = profile.measure(run)
        return self._rows[key]


def in_turns(old: Sequence[Run], new: Sequence[Run], settings: JudgeSettings = CALIBRATED) -> float:
    """Return the p-value of the new program's runs against the old one's; 1 if it cannot be judged."""
    verdict = compare(run_set(old), run_set(new), comparing(settings))
    return 1.0 if verdict.status is Status.INCONCLUSIVE or verdict.p_value is None else verdict.p_value


FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)

_NUMBER = re.compile(r"^(\d+(?:\.\d+)?)(.*)$")


def with_sizes(factor: float) -> JudgeSettings:
    """Return the judge with all sizes that matter multiplied; with 0 every certain change fails."""
    if factor == 1.0:
        return CALIBRATED
    if factor == 0.0:
        return CALIBRATED.with_value("minimum-effect", "0")
    sizes = {
        pattern: " and ".join(_scaled(part, factor) for part in text.split(" and "))
        for pattern, text in USUAL.items()
    }
    return CALIBRATED.with_value("minimum-effect", sizes)


def _scaled(part: str, factor: float) -> str:
    found = _NUMBER.match(part.strip())
    if part == NEVER or found is None:
        return part
    return f"{float(found[1]) * factor:g}{found[2]}"


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of trials.

    Attributes:
        value: NaN if there are no trials.
        error: standard error; all trials with the same first run under test are one observation.
    """

    value: float
    error: float
    n_trials: int
    n_runs: int

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.error:.3f}"


def rate(values: Iterable[tuple[str, bool]]) -> Rate:
    """Return the share of true values, with the linearised standard error of a ratio over clusters.

    Args:
        values: the cluster of each, and whether it is true.
    """
    listed = list(values)
    if not listed:
        return Rate(nan, nan, 0, 0)
    names, place = np.unique([name for name, _ in listed], return_inverse=True)
    true = np.array([value for _, value in listed], dtype=float)
    share = float(true.mean())
    residual = np.bincount(place, weights=true) - share * np.bincount(place)
    n = len(names)
    error = float(np.sqrt(n / (n - 1) * (residual**2).sum()) / len(listed)) if n > 1 else nan
    return Rate(share, error, len(listed), n)


@dataclass(frozen=True, slots=True)
class Trial:
    """One check.

    Attributes:
        part: which figure it belongs to.
        name: what trained, with its host.
        case: what was judged: another variant or version, or how unchanged runs were chosen.
        runs: the ids of the runs under test, in the order of their launches.
        times: for how many experiments it counts.
        check: what the judge said.
        named: the property that a failure names first; empty without one.
    """

    part: str
    name: str
    case: str
    runs: tuple[str, ...]
    times: int
    check: Check
    named: str = ""

    @property
    def first(self) -> str:
        """Of one program, all checks with this first run are one observation."""
        return f"{self.name}/{self.runs[0]}"


def share(trials: Iterable[Trial], is_true: Callable[[Check], bool], *, by_name: bool = False) -> Rate:
    """Return the share of checks of which something is true, with its standard error.

    Args:
        by_name: whether all checks of one program are one observation, instead of those of one first run.
    """
    return rate((one.name if by_name else one.first, is_true(one.check)) for one in trials)
