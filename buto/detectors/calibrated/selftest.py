"""Whether an oracle fails unchanged programs as seldom as it says: unchanged runs judged by unchanged runs.

Each stored run in turn is put under test, and some of the others, drawn at random, train the oracle that
judges it (an A/A split). All of them are of one program, so each failure is a false alarm. Where a check
would launch two more runs, those stand in for them that were recorded next, for a disturbance of the
machine that lasts would meet all three.

Splits share runs, so that thousands of them say little more than there are runs: errors are those of a
mean over runs under test, each with the share of its own splits that failed.
"""

from __future__ import annotations

from math import ceil, comb

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.detectors.alarms import N_CHECKED, Alarms, Selftest
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.evidence import FEWEST_RUNS, runs_needed, weigh
from buto.detectors.calibrated.profile import Profile
from buto.errors import JudgeError
from buto.steps import Advice, Setting

ENOUGH_SPLITS = 400
"""More of them change the answer by less than more runs would."""


def selftest(profile: Profile, settings: BandSettings, n_training: int, seed: int = 0) -> Selftest:
    """Judge unchanged runs by one another.

    The grid's end and the smallest meaningful differences are those of all runs, where an oracle of
    ``n_training`` would have its own.

    Args:
        profile: of all runs, in the order of their start.
        n_training: how many train each oracle; three runs are always kept from it.

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
    single, confirmed = np.zeros((2, n_runs, n_splits), np.bool_)
    followed = 0
    for run in range(n_runs):
        checked = _checked(run, n_runs)
        others = np.setdiff1d(np.arange(n_runs), checked)
        for split in range(n_splits):
            training = profile.values[random.permutation(others)[:n_training]]
            found = weigh(profile, np.vstack([training, profile.values[run]]), 1, settings).significance
            if settings.alpha < found.smallest:
                raise JudgeError(
                    f"{n_training} training runs cannot show a share of {settings.alpha:g}",
                    advice=Advice(
                        "train with more: ",
                        Setting("runs", str(runs_needed(1, settings.alpha))),
                        ", or set a larger alpha",
                    ),
                )
            single[run, split] = found.p_value <= settings.alpha
            if found.highest or single[run, split]:
                followed += 1
                rows = np.vstack([training, profile.values[checked]])
                together = weigh(profile, rows, N_CHECKED, settings).significance
                confirmed[run, split] = together.p_value <= settings.alpha
    return Selftest(
        n_training,
        n_splits,
        settings.alpha,
        Alarms(single.mean(axis=1)),
        Alarms(confirmed.mean(axis=1)),
        followed / single.size,
    )


def _checked(run: int, n_runs: int) -> IntArray:
    """A run and the two that were recorded next to it, after it if there are any."""
    first = min(run, n_runs - N_CHECKED)
    return np.arange(first, first + N_CHECKED)
