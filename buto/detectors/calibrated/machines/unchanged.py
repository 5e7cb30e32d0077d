"""How often runs of an unchanged program fail on a machine that training does not know (an A/A test)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.detectors.alarms import N_CHECKED, Alarms
from buto.detectors.calibrated.machines.deciding import decided
from buto.detectors.calibrated.machines.groups import FEWEST_ENVIRONMENTS, grouped
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.calibrated.machines.notices import cannot_fail
from buto.detectors.calibrated.settings import JudgeSettings
from buto.units import format_count
from buto.verdicts import Status


def left_out(runs: WholeTests, settings: JudgeSettings) -> tuple[Alarms | None, tuple[str, ...]]:
    """Return the alarms on each environment by the runs of all others, one share for each.

    None if that is fewer than two environments.

    Args:
        runs: of an unchanged program, in the order of their start.

    Returns:
        The alarms, and why environments are not among them.
    """
    place, different = grouped(runs.environments)
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

    def judged(places: Sequence[int]) -> tuple[Status, bool]:
        found = training.judged(environment, [runs.values[one] for one in places], settings)
        ranked = None if found is None else found.mattering
        follows = ranked is not None and (ranked.stands_out or ranked.p_value <= settings.alpha)
        return decided(training, environment, ranked, settings.alpha), follows

    _, follows = judged(checked[:1].tolist())
    return follows and judged(checked[:N_CHECKED].tolist())[0] is Status.REGRESSION
