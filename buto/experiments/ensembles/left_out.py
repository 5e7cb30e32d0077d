"""Each environment left out once: training runs of the others judge its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.environments import Environment
from buto.detectors.calibrated.machine_findings import new_components
from buto.detectors.calibrated.machine_model import WholeTests
from buto.detectors.calibrated.machine_ranking import Ranked
from buto.experiments.design import PROGRAMS, SUBTLE, Experiment
from buto.experiments.ensembles.sites import JUDGE, Measured, Site, experiments, measured
from buto.runs import FloatArray
from buto.verdicts import Status

N_TRAINING, N_JUDGED = 20, 12
"""Most runs of a variant that train in each environment, and that are judged."""

OF_CHECK = 3
"""Runs of a check whose first run is not ordinary."""

NEVER_SEEN = "never seen"
BY_JUDGE, SMALL, RANK = "judge", "judge, every size matters", "its rank alone"
BONFERRONI = "each number, Bonferroni"

Judge = Callable[[WholeTests, Environment, Sequence[FloatArray]], Status]


@dataclass(frozen=True, slots=True)
class Share:
    """How checks of one experiment ended.

    Attributes:
        site: the name of the environment whose runs were judged.
        seen: NEVER_SEEN.
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
    alpha = JUDGE.alpha
    judges: dict[str, Judge] = {
        BY_JUDGE: by_judge,
        SMALL: lambda whole, where, runs: decided(whole, where, by_all(whole, where, runs), alpha),
        RANK: lambda whole, where, runs: by_rank(whole, where, runs, alpha),
        BONFERRONI: lambda whole, _, runs: by_each_number(whole, runs, alpha),
    }
    for program in PROGRAMS:
        numbers = measured(some, program, N_TRAINING + N_JUDGED)
        for place, site in enumerate(some):
            others = [n for n, one in enumerate(some) if one.environment != site.environment]
            for one in experiments(some):
                if one.program == program:
                    yield from _shares(site.name, numbers, one, place, others, judges)


def _shares(
    name: str,
    numbers: Measured,
    one: Experiment,
    place: int,
    trained: Sequence[int],
    judges: Mapping[str, Judge],
) -> Iterator[Share]:
    """Yield how each method judges the runs of an experiment at one site."""
    parts = [(site, min(N_TRAINING, len(numbers.values[site, one.training]))) for site in trained]
    whole = numbers.whole(one.training, parts)
    good = numbers.values[place, one.training]
    bad = numbers.values[place, one.negative]
    where = numbers.environments[place, one.training][0]
    for method, judge in judges.items():
        fine, fine_checks = _checked(whole, where, good[:N_JUDGED], judge)
        changed, changed_checks = _checked(whole, where, bad[:N_JUDGED], judge)
        yield Share(
            name,
            NEVER_SEEN,
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


def by_judge(whole: WholeTests, where: Environment, runs: Sequence[FloatArray]) -> Status:
    """Return what the judge decides by the differences of a size that matters."""
    found = whole.judged(where, runs, JUDGE)
    return decided(whole, where, None if found is None else found.mattering, JUDGE.alpha)


def by_all(whole: WholeTests, where: Environment, runs: Sequence[FloatArray]) -> Ranked | None:
    """Return the rank by differences of every size."""
    found = whole.judged(where, runs, JUDGE)
    return None if found is None else found.any


def decided(whole: WholeTests, environment: Environment, found: Ranked | None, alpha: float) -> Status:
    """Return the status of a test, as if one run could fail alone.

    A regression if the p-value is at most alpha, and no component of the environment is new that all prior
    tests had alike. Inconclusive if more prior tests would show that it differs, or if there is such a
    component.
    """
    if found is None:
        return Status.INCONCLUSIVE
    if found.p_value > alpha:
        return Status.PASS if found.needed is None else Status.INCONCLUSIVE
    return Status.INCONCLUSIVE if new_components(whole, environment) else Status.REGRESSION


def by_rank(whole: WholeTests, where: Environment, runs: Sequence[FloatArray], alpha: float) -> Status:
    """Return a regression wherever the p-value says so, also where a component of the environment is new."""
    found = by_all(whole, where, runs)
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
