"""How often whole tests of an unchanged program fail, judged by others of its runs (an A/A test)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb

import numpy as np

from buto.analysis.divisions import at_random
from buto.analysis.timepoints import IntArray
from buto.detectors.alarms import N_CHECKED, Alarms, Selftest
from buto.detectors.ensemble.whole.deciding import decided
from buto.detectors.ensemble.whole.deviations import FEWEST_LIKE
from buto.detectors.ensemble.whole.groups import FEWEST_ENVIRONMENTS, grouped
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.ensemble.whole.ranking import fewest_for
from buto.detectors.ensemble.whole.saying.notices import cannot_fail
from buto.errors import JudgeError
from buto.units import format_count
from buto.verdicts import Status

ENOUGH_SPLITS = 200
"""More of them change the answer by less than more runs would."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """One check of an unchanged program: whether it fails alone, is followed by two runs, and then fails."""

    run: int
    failed: bool
    followed: bool
    confirmed: bool


def unchanged(runs: WholeTests, alpha: float, n_training: int, seed: int = 0) -> Selftest:
    """Judge unchanged runs by one another: by others at random, and each environment by all others.

    Args:
        runs: in the order of their start.
        n_training: how many train at random; each environment that is left out is judged by all others.

    Raises:
        JudgeError: there are too few runs, or too few of them train for any check to fail.
    """
    n = len(runs.values)
    if n_training < FEWEST_LIKE or n < n_training + N_CHECKED:
        raise JudgeError(
            f"{n} runs are too few to judge {N_CHECKED} by {max(n_training, FEWEST_LIKE)} others",
            advice=f"record more: at least {FEWEST_LIKE + N_CHECKED} are needed, and 30 and more are better",
        )
    fewest = fewest_for(alpha)
    if n_training < fewest:
        raise JudgeError(
            f"{n_training} training runs cannot tell a share of {alpha:g} from chance, "
            "so no check could fail",
            advice=f"train with {fewest} or more; at least {fewest + N_CHECKED} runs are needed",
        )
    random = np.random.default_rng(seed)
    n_splits = min(ceil(ENOUGH_SPLITS / n), comb(n - N_CHECKED, n_training))
    drawn = [
        _judged(runs, one.training, run, one.checked, alpha)
        for run in range(n)
        for one in (at_random(run, n, n_training, N_CHECKED, random) for _ in range(n_splits))
    ]
    left_out, why = _left_out(runs, alpha)
    return Selftest(
        n_training,
        n_splits,
        alpha,
        _alarms(drawn, [one.failed for one in drawn]),
        _alarms(drawn, [one.confirmed for one in drawn]),
        float(np.mean([one.followed for one in drawn])),
        left_out=left_out,
        not_left_out=why,
    )


def _left_out(runs: WholeTests, alpha: float) -> tuple[Alarms | None, tuple[str, ...]]:
    """Return the alarms on each environment by the tests of all others, one share for each.

    None if that is fewer than two environments.

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
        own, others = np.flatnonzero(place == number), np.flatnonzero(place != number)
        if reasons := cannot_fail(runs.only(others), environment, alpha):
            why += reasons
        else:
            confirmed = [
                _judged(runs, others, int(run), np.roll(own, -k), alpha).confirmed
                for k, run in enumerate(own)
            ]
            shares.append(float(np.mean(confirmed)))
    return Alarms(np.array(shares)) if len(shares) > 1 else None, tuple(dict.fromkeys(why))


def _judged(runs: WholeTests, training: IntArray, run: int, alike: IntArray, alpha: float) -> _Judged:
    """Judge a run, and with it the next ones of its environment among ``alike`` if it would be confirmed."""
    prior, environment = runs.only(training), runs.environments[run]

    def status(places: Sequence[int]) -> tuple[Status, bool]:
        found = prior.ranked(environment, [runs.values[place] for place in places], alpha)
        follows = found is not None and (found.stands_out or found.p_value <= alpha)
        return decided(prior, environment, found, alpha), follows

    alone, follows = status([run])
    failed = alone is Status.REGRESSION
    if not follows:
        return _Judged(run, failed, followed=False, confirmed=False)
    more = [place for place in alike.tolist() if place != run and runs.environments[place] == environment]
    together, _ = status([run, *more[: N_CHECKED - 1]])
    return _Judged(run, failed, followed=True, confirmed=together is Status.REGRESSION)


def _alarms(judged: Sequence[_Judged], failed: Sequence[bool]) -> Alarms:
    runs, failures = np.array([one.run for one in judged]), np.array(failed)
    return Alarms(np.array([failures[runs == run].mean() for run in np.unique(runs)]))
