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
from functools import partial
from itertools import chain
from math import ceil, comb

import numpy as np
from msgspec import Struct

from buto.errors import JudgeError
from buto.judging.alarms import Alarms, InOrder, Selftest
from buto.judging.divisions import Division, at_random, in_order, sessions
from buto.judging.judge_settings import JudgeSettings
from buto.judging.procedure import N_CHECKED, Do, Procedure
from buto.judging.profile import TrainingProfile
from buto.judging.protocol import Share, here
from buto.judging.rank import FEWEST_RUNS, smallest_p_value, training_needed
from buto.judging.selfknowledge.simulation import Stored, simulate
from buto.run.model import BoolArray, FloatArray
from buto.steps import Advice, Setting

ENOUGH_SPLITS = 400
"""More of them change the answer by less than more runs would."""

MOST_PARTS = 32
"""Into how many parts the work is divided that others may do."""


def selftest(
    profile: TrainingProfile,
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
        _alarms(drawn, [judged.turns for judged in drawn]),
        _alarms(drawn, [judged.fails for judged in drawn]),
        float(np.mean([judged.followed for judged in drawn])),
        _in_order(profile, settings, n_training, starts_s, share),
    )


class _Judged(Struct, frozen=True):
    """One check of an unchanged program.

    Attributes:
        run: the first run under test.
        followed: whether two more runs follow.
        turns: whether turns would follow.
        fails: whether it fails without turns.
    """

    run: int
    followed: bool
    turns: bool
    fails: bool


def _all_judged(
    profile: TrainingProfile, settings: JudgeSettings, divisions: Sequence[Division], share: Share
) -> list[_Judged]:
    """Judge divisions in a few parts, because the profile travels with each of them."""
    size = ceil(len(divisions) / MOST_PARTS)
    parts = [divisions[start : start + size] for start in range(0, len(divisions), size)]
    return list(chain.from_iterable(share(partial(_part_judged, profile, settings), parts)))


def _part_judged(
    profile: TrainingProfile, settings: JudgeSettings, part: Sequence[Division]
) -> list[_Judged]:
    return [_judge(profile, settings, division) for division in part]


def _judge(profile: TrainingProfile, settings: JudgeSettings, division: Division) -> _Judged:
    """Check the runs by the rule of a check, as far as it launches the new program alone."""
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
    rest = np.sort(division.checked[division.checked != run])
    stored = Stored(profile, training, profile.values[[run, *rest]])
    trace = simulate(Procedure(settings.alpha), settings, stored)
    without = Procedure(settings.alpha, has_turns=False).after_runs(trace.looks[-1])
    return _Judged(run, trace.n_checked > 1, trace.reaches_turns, without.do is Do.FAIL)


def _in_order(
    profile: TrainingProfile,
    settings: JudgeSettings,
    n_training: int,
    starts_s: FloatArray | None,
    share: Share,
) -> InOrder | None:
    """Return None if there are not at least two first runs under test, which an error needs."""
    n_runs = len(profile.values)
    if n_runs < n_training + N_CHECKED + 1:
        return None
    most = ceil(ENOUGH_SPLITS / (n_runs - N_CHECKED - n_training + 1))
    divisions = in_order(n_runs, n_training, N_CHECKED, most)
    judged = _all_judged(profile, settings, divisions, share)
    session = sessions(np.zeros(n_runs) if starts_s is None else starts_s)
    later = np.array(
        [session[division.checked[0]] > session[division.training[-1]] for division in divisions]
    )
    across = [division_judged for division_judged, is_later in zip(judged, later, strict=True) if is_later]
    return InOrder(
        len(judged),
        _alarms(judged, [division_judged.turns for division_judged in judged]),
        _alarms(judged, [division_judged.fails for division_judged in judged]),
        int(session[-1]) + 1,
        _alarms(across, [division_judged.fails for division_judged in across])
        if _has_several_runs(across)
        else None,
    )


def _has_several_runs(judged: list[_Judged]) -> bool:
    return len({division_judged.run for division_judged in judged}) > 1


def _alarms(judged: list[_Judged], failed: list[bool]) -> Alarms:
    """Return the share of failures of each run under test, in the order of the runs."""
    runs = np.array([division_judged.run for division_judged in judged])
    failures: BoolArray = np.array(failed)
    return Alarms(np.array([failures[runs == run].mean() for run in np.unique(runs)]))
