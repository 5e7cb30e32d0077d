"""Each environment left out once: prior tests of the others judge its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.ensemble.rules.voting import Environment
from buto.detectors.ensemble.settings import ENSEMBLE
from buto.detectors.ensemble.whole.deciding import decided
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.keys import ALPHA
from buto.experiments.design import PROGRAMS, SUBTLE, Experiment
from buto.experiments.ensembles.sites import Measured, Site, experiments, measured
from buto.runs import FloatArray
from buto.verdicts import Status

N_TRAINING, N_JUDGED = 20, 12
"""Most runs of a variant that train in each environment, and that are judged."""

OF_CHECK = 3
"""Runs of a check whose first run is not ordinary."""

NEVER_SEEN, SAME_MACHINE = "never seen", "among the prior tests"
ENSEMBLE_RULE, RANK, BONFERRONI = "ensemble", "its rank alone", "each number, Bonferroni"
METHODS = (ENSEMBLE_RULE, RANK, BONFERRONI)

Judge = Callable[[WholeTests, Environment, Sequence[FloatArray]], Status]


@dataclass(frozen=True, slots=True)
class Share:
    """How checks of one experiment ended.

    Attributes:
        site: the name of the environment whose runs were judged.
        seen: NEVER_SEEN or SAME_MACHINE.
        trained: number of prior tests.
        unchanged, changed: the statuses of checks of one run.
        unchanged_checks, changed_checks: the same of checks with confirmation.
    """

    site: str
    seen: str
    training: str
    negative: str
    is_subtle: bool
    trained: int
    method: str
    unchanged: tuple[Status, ...]
    changed: tuple[Status, ...]
    unchanged_checks: tuple[Status, ...]
    changed_checks: tuple[Status, ...]


def left_out(some: Sequence[Site]) -> Iterator[Share]:
    """Yield the results of every experiment with each environment left out, and with it."""
    alpha = float(ENSEMBLE.values[ALPHA.name])
    judges: dict[str, Judge] = {
        ENSEMBLE_RULE: lambda whole, where, runs: decided(
            whole, where, whole.ranked(where, runs, alpha), alpha
        ),
        RANK: lambda whole, where, runs: by_rank(whole, where, runs, alpha),
        BONFERRONI: lambda whole, _, runs: by_each_number(whole, runs, alpha),
    }
    for program in PROGRAMS:
        numbers = measured(some, program, N_TRAINING + N_JUDGED)
        for place, site in enumerate(some):
            others = [n for n, one in enumerate(some) if one.environment != site.environment]
            for seen, trained in ((NEVER_SEEN, others), (SAME_MACHINE, [*others, place])):
                for one in experiments(some):
                    if one.program == program:
                        yield from _shares(site.name, seen, numbers, one, place, trained, judges)


def _shares(
    name: str,
    seen: str,
    numbers: Measured,
    one: Experiment,
    place: int,
    trained: Sequence[int],
    judges: Mapping[str, Judge],
) -> Iterator[Share]:
    """Yield how each method judges the runs of an experiment at one site."""
    parts = [(site, _for_training(numbers, site, one.training, site == place)) for site in trained]
    whole = numbers.whole(one.training, parts)
    own = numbers.values[place, one.training]
    good = own[_for_training(numbers, place, one.training, True) :] if place in trained else own
    bad = numbers.values[place, one.negative]
    where = numbers.environments[place, one.training][0]
    for method, judge in judges.items():
        fine, fine_checks = _checked(whole, where, good[:N_JUDGED], judge)
        changed, changed_checks = _checked(whole, where, bad[:N_JUDGED], judge)
        yield Share(
            name,
            seen,
            one.training,
            one.negative,
            one in SUBTLE,
            len(whole.values),
            method,
            fine,
            changed,
            fine_checks,
            changed_checks,
        )


def _for_training(numbers: Measured, site: int, variant: str, is_judged: bool) -> int:
    """Return how many runs of a variant train: of the judged site half at most."""
    n_runs = len(numbers.values[site, variant])
    return min(N_TRAINING, n_runs // 2 if is_judged else n_runs)


def _checked(
    whole: WholeTests, where: Environment, runs: FloatArray, judge: Judge
) -> tuple[tuple[Status, ...], tuple[Status, ...]]:
    """Return the statuses of each run, and of checks that begin with each run and confirm a regression."""
    single = tuple(judge(whole, where, [run]) for run in runs)
    checks = []
    for number, status in enumerate(single):
        if status is Status.REGRESSION:
            three = [runs[(number + step) % len(runs)] for step in range(OF_CHECK)]
            status = judge(whole, where, three)
        checks.append(status)
    return single, tuple(checks)


def by_rank(whole: WholeTests, where: Environment, runs: Sequence[FloatArray], alpha: float) -> Status:
    """Return a regression wherever the p-value says so, also where a component of the environment is new."""
    found = whole.ranked(where, runs, alpha)
    if found is None:
        return Status.INCONCLUSIVE
    return Status.REGRESSION if found.p_value <= alpha else Status.PASS


def by_each_number(whole: WholeTests, runs: Sequence[FloatArray], alpha: float) -> Status:
    """Return a regression if any number differs from all prior tests by Student's t, with Bonferroni."""
    from scipy.stats import t as students_t

    prior = whole.stable.values
    new = np.mean([whole.scaled(run) for run in runs], axis=0)
    error = np.hypot(prior.std(axis=0, ddof=1), whole.stable.floor)
    distance = np.abs(new - prior.mean(axis=0)) / (error * np.sqrt(1 / len(runs) + 1 / len(prior)))
    p_value = 2 * students_t.sf(distance, len(prior) - 1)
    return Status.REGRESSION if np.nanmin(p_value) <= alpha / len(p_value) else Status.PASS
