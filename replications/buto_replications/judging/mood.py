"""The first look on recorded streams in the order of time, with and without runs that turns have left.

A window is ten runs that train, twenty later ones of the same program, which turns would have left, and ten
more, each of which is the first run of a check. A change is planted into that run, or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.evidence import weigh
from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import Do, Procedure
from buto.judging.profile import TrainingProfile
from buto.judging.weighing import weigh_rows
from buto.run.model import FloatArray
from buto_replications.judging.checks import N_TRAINING, CachingJudge, rate
from buto_replications.judging.drift import BY_CLOCK, COUNTED, STEP, DriftTask, planted_gains
from buto_replications.report.content import TextTable

N_MOOD = 20
N_CHECKS = 10
N_WINDOW = N_TRAINING + N_MOOD + N_CHECKS


@dataclass(frozen=True, slots=True)
class FirstLooked:
    """One first run of a check.

    Attributes:
        window: the number of its first run in the stream.
        planted: the property that was changed; empty for none.
        joined: whether the twenty runs are compared with, too.
        suspicious: whether the first run does not pass.
    """

    part: str
    name: str
    window: int
    planted: str
    joined: bool
    suspicious: bool


def look_at_first_runs(task: DriftTask) -> list[FirstLooked]:
    """Return what the first look says of each run of each window of a stream."""
    return list(_looks(task))


def _looks(task: DriftTask) -> Iterator[FirstLooked]:
    runs = task.runs.runs
    for first in range(0, len(runs) - N_WINDOW + 1, STEP):
        window = runs[first : first + N_WINDOW]
        profile = CachingJudge.by(window[:N_TRAINING]).fitted.profile
        rows = np.array([profile.measure(run) for run in window])
        training, mood, checked = np.split(rows, [N_TRAINING, N_TRAINING + N_MOOD])
        gains = {"": np.zeros(rows.shape[1]), **dict(planted_gains(profile))}
        for planted, gain in gains.items():
            for row in checked:
                for known in (None, mood):
                    yield FirstLooked(
                        task.part,
                        task.name,
                        first,
                        planted,
                        known is not None,
                        _is_suspicious(profile, training, row + gain, known),
                    )


def _is_suspicious(
    profile: TrainingProfile, training: FloatArray, row: FloatArray, mood: FloatArray | None
) -> bool:
    evidence = weigh(profile, np.vstack([training, row]), 1, CALIBRATED)
    look = weigh_rows(evidence, 1, CALIBRATED.alpha, mood).take_look(1, CALIBRATED.alpha)
    return Procedure(CALIBRATED.alpha).after_runs(look).do is not Do.PASS


def tables(looks: Sequence[FirstLooked]) -> list[TextTable]:
    """Return for each part what the first look misses, and how often it suspects what did not change."""
    planted = [name for name in (*BY_CLOCK, *COUNTED) if any(look.planted == name for look in looks)]
    shown = []
    for part in dict.fromkeys(look.part for look in looks):
        rows = []
        for joined in (False, True):
            ours = [look for look in looks if look.part == part and look.joined is joined]
            suspected = [(look.name, look.suspicious) for look in ours if not look.planted]
            missed = [
                [(look.name, not look.suspicious) for look in ours if look.planted == name]
                for name in planted
            ]
            cells = [_percent(some) for some in (suspected, *missed)]
            rows.append(("training and twenty runs" if joined else "training", *cells))
        n_windows = len({(look.name, look.window) for look in looks if look.part == part})
        shown.append(
            TextTable(
                f"{part}: first looks, % of {N_CHECKS} in each of {n_windows} windows, errors by program",
                ("compared with", "unchanged: suspected", *(f"{name}: missed" for name in planted)),
                tuple(rows),
            )
        )
    return shown


def _percent(some: Sequence[tuple[str, bool]]) -> str:
    if not some:
        return ""
    share = rate(some)
    return f"{100 * share.value:.1f} ± {100 * share.error:.1f}"
