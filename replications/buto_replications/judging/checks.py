"""Checks of recorded runs by the rule of a check, and shares of them with their errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np
from msgspec import structs

from buto.judging.comparison import Programs, comparing
from buto.judging.detector import CalibratedDetector, FittedCalibrated
from buto.judging.effects import NEVER, USUAL
from buto.judging.evidence import weigh
from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.orders import balanced_orders
from buto.judging.procedure import N_CHECKED, N_TURNS, SUSPICIOUS, Procedure
from buto.judging.profile import Emitter, TrainingProfile, waits_of
from buto.judging.selfknowledge.simulation import Stored, simulate
from buto.run.model import FloatArray, Run, RunSet

N_TRAINING = 10


@dataclass(frozen=True, slots=True)
class SimulatedCheck:
    """One check.

    Attributes:
        followed: whether two more runs follow the first.
        three: p-value of three runs; NaN if two more do not follow.
        counted: the same by counters that no machine moves.
        noted: whether a change is certain by three runs, whatever its size.
        turns: p-value of the turns; NaN if there are none.
        n_turns: launches in turns.
    """

    followed: bool
    three: float = nan
    counted: float = 1.0
    noted: bool = False
    turns: float = nan
    n_turns: int = 0

    def suspicious(self) -> bool:
        """Return whether the three runs would lead to turns."""
        return self.three <= SUSPICIOUS

    def differs(self, alpha: float) -> bool:
        """Return whether the three runs differ from training at this level, before any turns."""
        return self.three <= alpha

    def fails_alone(self, alpha: float) -> bool:
        """Return whether the check fails where the old program is not kept."""
        return self.suspicious() and self.counted <= alpha

    def fails(self, alpha: float) -> bool:
        """Return whether the check fails after turns."""
        return self.suspicious() and self.turns <= alpha

    @property
    def launches(self) -> int:
        """How many launches the check takes."""
        return (N_CHECKED if self.followed else 1) + self.n_turns


@dataclass(frozen=True, eq=False, slots=True)
class TurnRuns:
    """Runs for the turns of a check.

    Attributes:
        old, new: in the order in which they are taken; at most as many as a check launches.
        is_new: the order of both; None to draw one.
    """

    old: Sequence[Run]
    new: Sequence[Run]
    is_new: tuple[bool, ...] | None = None

    @classmethod
    def in_time(cls, runs: Sequence[Run], seed: int) -> TurnRuns:
        """Return runs of one program in the order of time, dealt out to old and new as a check deals."""
        order = balanced_orders(len(runs) // 2).draw(seed)
        sides = [
            [run for run, is_new in zip(runs, order, strict=True) if is_new is side] for side in (False, True)
        ]
        return cls(sides[0], sides[1], order)

    @property
    def n_each(self) -> int:
        return min(len(self.old), len(self.new), N_TURNS)

    @property
    def procedure(self) -> Procedure:
        return procedure_for(CALIBRATED, self.n_each)


def procedure_for(settings: JudgeSettings, n_each: int) -> Procedure:
    """Return the rule of a check; with fewer runs than it launches in turns, it takes all of them."""
    return Procedure(settings.alpha, n_asked_turns=None if n_each == N_TURNS else n_each)


@dataclass(eq=False, slots=True)
class CachingJudge:
    """A judge that computes the features of each run once."""

    fitted: FittedCalibrated
    _rows: dict[tuple[str, tuple[Emitter, ...], int], FloatArray] = field(default_factory=dict)

    @classmethod
    def by(cls, training: Sequence[Run], settings: JudgeSettings = CALIBRATED) -> CachingJudge:
        return cls(CalibratedDetector(settings).plain(RunSet(tuple(training))))

    def with_settings(self, settings: JudgeSettings) -> CachingJudge:
        """Return the same training with other sizes or another alpha."""
        return CachingJudge(replace(self.fitted, settings=settings), self._rows)

    def check(self, three: Sequence[Run], turned: TurnRuns | None = None, seed: int = 0) -> SimulatedCheck:
        """Check three runs, of which the first is launched first.

        Args:
            turned: runs for the turns; None for none.
            seed: of their order.
        """
        settings = self.fitted.settings
        profile = self.fitted.profile.hearing(three)
        rows = self._of(profile, three)
        n_each = 0 if turned is None else turned.n_each
        stored = Stored(profile, profile.values, rows, seed=seed, waits_s=waits_of(three))
        if turned is not None:
            old, new = (self._of(profile, side[:n_each]) for side in (turned.old, turned.new))
            stored = structs.replace(stored, old=old, new=new, is_new=turned.is_new)
        procedure = procedure_for(settings, n_each or N_TURNS)
        trace = simulate(procedure, settings, stored)
        if trace.n_checked == 1:
            return SimulatedCheck(followed=False)
        looked = trace.looks[-1]
        assert looked.p_value is not None
        every = weigh(
            profile, np.vstack([profile.values, rows[: trace.n_checked]]), trace.n_checked, settings
        )
        simulated = SimulatedCheck(True, looked.p_value, looked.counted, every.any.p_value <= settings.alpha)
        if trace.turns is None:
            return simulated
        p_value = procedure.combine_p_values(trace.turns)
        return replace(simulated, turns=p_value, n_turns=trace.turns.n_launches)

    def _of(self, profile: TrainingProfile, runs: Sequence[Run]) -> FloatArray:
        return np.array([self._row(profile, run) for run in runs])

    def _row(self, profile: TrainingProfile, run: Run) -> FloatArray:
        classes = 0 if profile.classes is None else len(profile.classes.names)
        key = run.id, profile.emitters, classes
        if key not in self._rows:
            self._rows[key] = profile.measure(run)
        return self._rows[key]


def in_turns(turned: TurnRuns, settings: JudgeSettings = CALIBRATED, seed: int = 0) -> float:
    """Return the p-value of all launches in turns of programs of which nothing was known before."""
    comparison = Programs(comparing(settings), runs=turned.n_each)
    return comparison.p_value_of(
        turned.old[: turned.n_each], turned.new[: turned.n_each], turned.is_new or comparison.order(seed)
    )


FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)

_NUMBER = re.compile(r"^(\d+(?:\.\d+)?)(.*)$")


def with_sizes(factor: float) -> JudgeSettings:
    """Return the judge with all sizes that matter multiplied; with 0 every certain change fails."""
    if factor == 1.0:
        return CALIBRATED
    if factor == 0.0:
        return CALIBRATED.with_value("minimum-effect", "0")
    sizes = {
        pattern: " and ".join(_scale(part, factor) for part in text.split(" and "))
        for pattern, text in USUAL.items()
    }
    return CALIBRATED.with_value("minimum-effect", sizes)


def _scale(part: str, factor: float) -> str:
    match = _NUMBER.match(part.strip())
    if part == NEVER or match is None:
        return part
    return f"{float(match[1]) * factor:g}{match[2]}"


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
class CheckTrial:
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
    check: SimulatedCheck
    named: str = ""

    @property
    def first(self) -> str:
        """Of one program, all checks with this first run are one observation."""
        return f"{self.name}/{self.runs[0]}"


def share(
    trials: Iterable[CheckTrial], is_true: Callable[[SimulatedCheck], bool], *, by_name: bool = False
) -> Rate:
    """Return the share of checks of which something is true, with its standard error.

    Args:
        by_name: whether all checks of one program are one observation, instead of those of one first run.
    """
    return rate((trial.name if by_name else trial.first, is_true(trial.check)) for trial in trials)
