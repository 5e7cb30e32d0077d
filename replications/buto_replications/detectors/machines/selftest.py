"""How often runs of an unknown machine fail: each environment is judged by the runs of all others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.judging.alarms import Alarms
from buto.judging.environments import group
from buto.judging.fitted_judge import first_look_by_rank
from buto.judging.judge_settings import JudgeSettings
from buto.judging.machines import new_components
from buto.judging.procedure import N_CHECKED
from buto.run.model import IntArray
from buto.run.units import format_count
from buto_replications.detectors.machines.findings import cannot_fail
from buto_replications.detectors.machines.groups import FEWEST_ENVIRONMENTS
from buto_replications.detectors.machines.model import Elsewhere, WholeTests


def left_out(runs: WholeTests, settings: JudgeSettings) -> tuple[Alarms | None, tuple[str, ...]]:
    """Return the alarms on each environment by the runs of all others, one share for each.

    None if that is fewer than two environments.

    Args:
        runs: of an unchanged program, in the order of their start.

    Returns:
        The alarms, and why environments are not among them.
    """
    place, different = group(runs.environments)
    if len(different) <= FEWEST_ENVIRONMENTS:
        have = format_count(len(different), "environment")
        return None, (f"that takes {FEWEST_ENVIRONMENTS + 1} or more, and these runs are of {have}",)
    shares: list[float] = []
    why: list[str] = []
    for number, environment in enumerate(different):
        own, others = np.flatnonzero(place == number), runs.only(np.flatnonzero(place != number))
        if reasons := cannot_fail(others, environment, settings.alpha):
            why += reasons
        else:
            failed = [_fails(others, runs, np.roll(own, -first), settings) for first in range(len(own))]
            shares.append(float(np.mean(failed)))
    return Alarms(np.array(shares)) if len(shares) > 1 else None, tuple(dict.fromkeys(why))


def _fails(training: WholeTests, runs: WholeTests, checked: IntArray, settings: JudgeSettings) -> bool:
    """Return whether the first of these runs fails, with the next ones if two more decide."""
    environment = runs.environments[checked[0]]

    def judge(places: Sequence[int]) -> Elsewhere | None:
        return training.judged(environment, [runs.values[place] for place in places], settings)

    alone = judge(checked[:1].tolist())
    if (
        alone is None
        or not first_look_by_rank(alone).is_suspicious
        or new_components(training.environments, environment)
    ):
        return False
    together = judge(checked[:N_CHECKED].tolist())
    return together is not None and together.mattering.p_value <= settings.alpha
