"""Whether an oracle fails unchanged programs as seldom as it says: unchanged runs judged by unchanged runs.

Each stored run in turn is put under test, and some of the others train the oracle that judges it (an A/A
split). All of them are of one program, so each failure is a false alarm. Where a check would launch two more
runs, those stand in for them that were recorded next, for a disturbance of the machine that lasts would meet
all three. Training runs are chosen in two ways, see :mod:`buto.judging.divisions`: at random among all
others, and in the order of time, as a user trains and checks.

Splits share runs, so that thousands of them say little more than there are runs: errors are those of a
mean over runs under test, each with the share of its own splits that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import ceil, comb

import numpy as np

from buto.errors import JudgeError
from buto.judging.alarms import N_CHECKED, Alarms, InOrder, Selftest
from buto.judging.calibrated.evidence import obvious, weigh
from buto.judging.calibrated.machine_findings import cannot_fail, new_components
from buto.judging.calibrated.machine_groups import FEWEST_ENVIRONMENTS, grouped
from buto.judging.calibrated.machine_model import Elsewhere, WholeTests
from buto.judging.calibrated.profile import Profile
from buto.judging.calibrated.settings import JudgeSettings
from buto.judging.calibrated.verdict import passes_gate
from buto.judging.divisions import Division, at_random, in_order, sessions
from buto.judging.protocol import Share, here
from buto.judging.rank import FEWEST_RUNS, smallest_p_value, training_needed
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.units import format_count
from buto.steps import Advice, Setting

ENOUGH_SPLITS = 400
"""More of them change the answer by less than more runs would."""

MOST_PARTS = 32
"""Into how many parts the work is divided that others may do."""


def selftest(
    profile: Profile,
    settings: JudgeSettings,
    n_training: int,
    seed: int = 0,
    starts_s: FloatArray | None = None,
    share: Share = here,
) -> Selftest:
    """Judge unchanged runs by one another.

    The grid's end and the smallest meaningful differences are those of all runs, where an oracle of
    ``n_training`` would have its own.

    Args:
        profile: of all runs, in the order of their start.
        n_training: how many train each oracle; three runs are always kept from it.
        starts_s: shape (n_runs,), when the runs began, in seconds from any moment; None if unknown, then all
            runs count as one session.
        share: has the divisions judged, in parts; the result does not depend on it.

    Raises:
        JudgeError: there are too few runs, or ``n_training`` are too few for alpha.
    """
    n_runs = len(profile.values)
    if n_training < FEWEST_RUNS or n_runs < n_training + N_CHECKED:
        raise JudgeError(
            f"{n_runs} runs are too few to judge {N_CHECKED} by {max(n_training, FEWEST_RUNS)} others",
            advice=f"record more: at least {FEWEST_RUNS + N_CHECKED} are needed, and 30 and more are better",
        )
    random = np.random.default_rng(seed)
    n_splits = min(ceil(ENOUGH_SPLITS / n_runs), comb(n_runs - N_CHECKED, n_training))
    divisions = [
        at_random(run, n_runs, n_training, N_CHECKED, random)
        for run in range(n_runs)
        for _ in range(n_splits)
    ]
    drawn = _all_judged(profile, settings, divisions, share)
    return Selftest(
        n_training,
        n_splits,
        settings.alpha,
        _alarms(drawn, [one.failed for one in drawn]),
        _alarms(drawn, [one.confirmed for one in drawn]),
        float(np.mean([one.followed for one in drawn])),
        _in_order(profile, settings, n_training, starts_s, share),
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """One check of an unchanged program.

    Attributes:
        run: the first run under test.
        failed: whether it fails alone.
        followed: whether two more runs follow.
        confirmed: whether the three then fail.
    """

    run: int
    failed: bool
    followed: bool
    confirmed: bool


def _all_judged(
    profile: Profile, settings: JudgeSettings, divisions: Sequence[Division], share: Share
) -> list[_Judged]:
    """Judge divisions in a few parts, because the profile travels with each of them."""
    size = ceil(len(divisions) / MOST_PARTS)
    parts = [divisions[start : start + size] for start in range(0, len(divisions), size)]
    return list(chain.from_iterable(share(partial(_part_judged, profile, settings), parts)))


def _part_judged(profile: Profile, settings: JudgeSettings, part: Sequence[Division]) -> list[_Judged]:
    return [_judged(profile, settings, division) for division in part]


def _judged(profile: Profile, settings: JudgeSettings, division: Division) -> _Judged:
    """Judge the first run, and all of them if it would be confirmed."""
    training = profile.values[division.training]
    run, n_deciding = int(division.checked[0]), len(division.checked)
    if settings.alpha < smallest_p_value(comb(len(training) + n_deciding, n_deciding)):
        raise JudgeError(
            f"{len(training)} training runs cannot show a share of {settings.alpha:g}",
            advice=Advice(
                "train with more: ",
                Setting("runs", str(training_needed(n_deciding, settings.alpha))),
                ", or set a larger alpha",
            ),
        )
    alone = weigh(profile, np.vstack([training, profile.values[run]]), 1, settings)
    failed = alone.mattering.p_value <= settings.alpha
    if not (passes_gate(alone) or obvious(alone, 1)):
        return _Judged(run, failed, followed=False, confirmed=False)
    rows = np.vstack([training, profile.values[np.sort(division.checked)]])
    together = weigh(profile, rows, n_deciding, settings).mattering
    return _Judged(run, failed, followed=True, confirmed=together.p_value <= settings.alpha)


def _in_order(
    profile: Profile, settings: JudgeSettings, n_training: int, starts_s: FloatArray | None, share: Share
) -> InOrder | None:
    """Return None if there are not at least two first runs under test, which an error needs."""
    n_runs = len(profile.values)
    if n_runs < n_training + N_CHECKED + 1:
        return None
    most = ceil(ENOUGH_SPLITS / (n_runs - N_CHECKED - n_training + 1))
    divisions = in_order(n_runs, n_training, N_CHECKED, most)
    judged = _all_judged(profile, settings, divisions, share)
    session = sessions(np.zeros(n_runs) if starts_s is None else starts_s)
    later = np.array([session[one.checked[0]] > session[one.training[-1]] for one in divisions])
    across = [one for one, is_later in zip(judged, later, strict=True) if is_later]
    return InOrder(
        len(judged),
        _alarms(judged, [one.failed for one in judged]),
        _alarms(judged, [one.confirmed for one in judged]),
        int(session[-1]) + 1,
        _alarms(across, [one.confirmed for one in across]) if _has_several_runs(across) else None,
    )


def _has_several_runs(judged: list[_Judged]) -> bool:
    return len({one.run for one in judged}) > 1


def _alarms(judged: list[_Judged], failed: list[bool]) -> Alarms:
    """Return the share of failures of each run under test, in the order of the runs."""
    runs = np.array([one.run for one in judged])
    failures: BoolArray = np.array(failed)
    return Alarms(np.array([failures[runs == run].mean() for run in np.unique(runs)]))


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

    def judged(places: Sequence[int]) -> Elsewhere | None:
        return training.judged(environment, [runs.values[one] for one in places], settings)

    alone = judged(checked[:1].tolist())
    if alone is None or not passes_gate(alone) or new_components(training, environment):
        return False
    together = judged(checked[:N_CHECKED].tolist())
    return together is not None and together.mattering.p_value <= settings.alpha
