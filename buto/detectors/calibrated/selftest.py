"""Whether an oracle fails unchanged programs as seldom as it says: unchanged runs judged by unchanged runs.

Each stored run in turn is put under test, and some of the others, drawn at random, train the oracle that
judges it (an A/A split). All of them are of one program, so each failure is a false alarm. Where a check
would launch two more runs, those stand in for them that were recorded next, for a disturbance of the
machine that lasts would meet all three.

Splits share runs, so that thousands of them say little more than there are runs: errors are those of a
mean over runs under test, each with the share of its own splits that failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, comb, floor

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.detectors.calibrated.evidence import FEWEST_RUNS, runs_needed, weigh
from buto.detectors.calibrated.profile import Profile
from buto.detectors.settings import Settings
from buto.errors import JudgeError
from buto.runs import FloatArray

N_CHECKED = 3
"""Runs of a check with its confirmation."""

FEWEST_TO_TEST = FEWEST_RUNS + N_CHECKED

ENOUGH_SPLITS = 400
"""More of them change the answer by less than more runs would."""

IMPROBABLE = 0.025
"""So seldom an oracle that keeps its alpha is called one that does not."""

OFTEN = 0.5
"""A run that fails in this share of its splits is named."""


@dataclass(frozen=True, eq=False, slots=True)
class Alarms:
    """How often unchanged runs failed.

    Attributes:
        by_run: shape (n_runs,), of each run under test the share of its splits in which it failed.
    """

    by_run: FloatArray

    @property
    def rate(self) -> float:
        """Share of all splits that failed."""
        return float(self.by_run.mean())

    @property
    def error(self) -> float:
        """Standard error of the rate, clustered by run; 0 where all runs did alike, which proves nothing."""
        return float(self.by_run.std(ddof=1) / np.sqrt(len(self.by_run)))

    @property
    def at_most(self) -> float:
        """The largest rate that so many runs leave possible (Clopper and Pearson, one-sided 97.5 %)."""
        from scipy.special import betaincinv

        n = len(self.by_run)
        failed = ceil(self.rate * n - 1e-9)
        return 1.0 if failed >= n else float(betaincinv(failed + 1, n - failed, 1 - IMPROBABLE))

    def exceeds(self, alpha: float) -> bool:
        """Whether an oracle that keeps this alpha would hardly have failed so often.

        By the binomial distribution of as many independent checks as there are runs. A run that fails in
        a part of its splits only counts in part, which scatters less: the test is a cautious one.
        """
        from scipy.special import bdtrc

        failed = floor(self.rate * len(self.by_run) + 1e-9)
        return failed > 0 and float(bdtrc(failed - 1, len(self.by_run), alpha)) < IMPROBABLE


@dataclass(frozen=True, eq=False, slots=True)
class Selftest:
    """What came of it.

    Attributes:
        n_training: how many runs trained each oracle.
        n_splits: how many there were of each run under test.
        alpha: the share that was promised.
        single: of checks of one run.
        confirmed: of checks as ``buto check`` makes them.
        followed: share of checks that two more runs would have followed.
    """

    n_training: int
    n_splits: int
    alpha: float
    single: Alarms
    confirmed: Alarms
    followed: float

    def often(self) -> IntArray:
        """Runs that fail in most of their splits, most often first."""
        order = np.argsort(-self.single.by_run, kind="stable")
        often: IntArray = order[self.single.by_run[order] >= OFTEN]
        return often


def selftest(profile: Profile, settings: Settings, n_training: int, seed: int = 0) -> Selftest:
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
            advice=f"at least {FEWEST_TO_TEST}, better 30 and more: buto record NAME --runs 20",
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
                    advice=f"train with {runs_needed(1, settings.alpha)} runs, or set a larger alpha",
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


def runs_to_tell(alpha: float) -> int:
    """How many runs let the rate of an oracle that keeps alpha be told from twice as many failures.

    That is, a standard error of half the difference.
    """
    return ceil(4 * 2 * alpha * (1 - 2 * alpha) / alpha**2)


def _checked(run: int, n_runs: int) -> IntArray:
    """A run and the two that were recorded next to it, after it if there are any."""
    first = min(run, n_runs - N_CHECKED)
    return np.arange(first, first + N_CHECKED)
