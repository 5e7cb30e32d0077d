"""Recorded variants by environment, each left out once: training runs of the others judge its runs.

A site is one environment, and each of its runs the numbers that a whole test is judged by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from buto.errors import BadFileError
from buto.judging.classifiers import MetadataSettings
from buto.judging.environments import Environment, environment_of
from buto.judging.judge_settings import CALIBRATED
from buto.judging.machines import new_components
from buto.judging.verdict import Status
from buto.run.model import FloatArray, Run
from buto_replications import checkout
from buto_replications.checkout import DATA
from buto_replications.dataset import archive
from buto_replications.dataset.archive import RUNS
from buto_replications.design import BENCHMARK, EXPERIMENTS, PROGRAMS, SUBTLE, Experiment
from buto_replications.detectors.machines.model import WholeTests
from buto_replications.detectors.machines.numbers import RunNumbers, numbers_for, quantities_of
from buto_replications.detectors.machines.ranking import RankedRun

PLACES = ("*", "next/*")
"""Patterns of the directories of data sets in a directory of data."""

COMPONENTS = (
    "environment.label.*",
    "host.arch",
    "host.cores",
    "host.cores.quota",
    "host.cpu.model",
    "jvm.gc.collectors",
    "jvm.memory.heap.max",
    "jvm.spec.version",
    "jvm.vm.name",
    "system.processors",
)
"""What makes an environment here. Data sets were recorded with several versions of buto's agent and several
updates of one JDK, which the judge takes for environments of their own."""

COMPONENTS_DECIDE = MetadataSettings(ignored=(), deciding=COMPONENTS)

JUDGE = replace(CALIBRATED, alpha=0.05)
"""The judge at the alpha that was written down before the runs of G1 on one core were judged."""

_OF_VARIANT = ("jvm.memory.heap.max",)
"""Components that differ between variants, and so do not name an environment of all."""


@dataclass(frozen=True, eq=False, slots=True)
class Site:
    """The runs of all variants in one environment."""

    name: str
    environment: Environment
    runs: Mapping[str, tuple[Run, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class MeasuredSite:
    """The runs of a program's variants as numbers.

    Attributes:
        values: by place of the site and variant, shape (n_runs, n_numbers).
        environments: likewise, of each run.
    """

    numbers: RunNumbers
    values: Mapping[tuple[int, str], FloatArray]
    environments: Mapping[tuple[int, str], tuple[Environment, ...]]

    def whole(self, variant: str, parts: Sequence[tuple[int, int]]) -> WholeTests:
        """Return prior tests: so many of the first runs of a variant at each of some sites."""
        values = np.vstack([self.values[site, variant][:count] for site, count in parts])
        environments = [
            environment for site, count in parts for environment in self.environments[site, variant][:count]
        ]
        return WholeTests(self.numbers, values, tuple(environments))


def sites(data: Path | None = None) -> list[Site]:
    """Return the environments of all data sets in a directory that have the variants of the thesis.

    If several data sets are of one environment, the one that was recorded last is taken, because it has the
    most counters.

    Raises:
        BadFileError: there are fewer than two, or one is damaged.
    """
    root = checkout.recorded(data, DATA)
    every: list[Site] = []
    for directory in sorted(path.parent for place in PLACES for path in root.glob(f"{place}/{RUNS}")):
        for host in archive.hosts(directory):
            runs = {name: tuple(some.valid()) for name, some in archive.load(directory, host).items()}
            if runs.get(BENCHMARK):
                every.append(site_of(f"{host} ({directory.relative_to(root)})", runs))
    every.sort(key=lambda site: archive.started(site.runs[BENCHMARK][0]))
    last = {tuple(sorted(site.environment.items())): site for site in every}
    if len(last) < 2:
        raise BadFileError(
            f"{root} must hold recorded variants of two environments or more, got {len(last)}",
            advice="name the directory that holds packed data sets: --data DIR",
        )
    return list(last.values())


def site_of(name: str, runs: Mapping[str, tuple[Run, ...]]) -> Site:
    """Return the environment that the first run of the benchmark tells."""
    first = environment_of(runs[BENCHMARK][0].metadata, COMPONENTS_DECIDE)
    environment = {key: value for key, value in first.items() if key not in _OF_VARIANT}
    cores, java = environment.get("host.cores"), environment.get("jvm.spec.version")
    return Site(f"{name}: {cores} cores, Java {java}", environment, runs)


def experiments(some: Sequence[Site]) -> list[Experiment]:
    """Return the experiments, subtle ones too, whose variants were recorded in every environment."""
    return [
        experiment
        for experiment in (*EXPERIMENTS, *SUBTLE)
        if all(site.runs.get(experiment.training) and site.runs.get(experiment.negative) for site in some)
    ]


def measured(some: Sequence[Site], program: str, most: int) -> MeasuredSite:
    """Return at most so many runs of each variant of a program as numbers."""
    wanted = [experiment for experiment in experiments(some) if experiment.program == program]
    variants = sorted({name for experiment in wanted for name in (experiment.training, experiment.negative)})
    runs = {(place, name): site.runs[name][:most] for place, site in enumerate(some) for name in variants}
    first = [chosen[0] for chosen in runs.values()]
    numbers = numbers_for(first, tuple(quantities_of(first, JUDGE).values()))
    return MeasuredSite(
        numbers,
        {key: np.array([numbers.measure(run) for run in chosen]) for key, chosen in runs.items()},
        {
            key: tuple(environment_of(run.metadata, COMPONENTS_DECIDE) for run in chosen)
            for key, chosen in runs.items()
        },
    )


N_TRAINING, N_JUDGED = 20, 12
"""Most runs of a variant that train in each environment, and that are judged."""

OF_CHECK = 3
"""Runs of a check whose first run is not ordinary."""

NEVER_SEEN = "never seen"
BY_JUDGE, SMALL, RANK = "judge", "judge, every size matters", "its rank alone"
BONFERRONI = "each number, Bonferroni"

Judge = Callable[[WholeTests, Environment, Sequence[FloatArray]], Status]


@dataclass(frozen=True, slots=True)
class StatusShares:
    """How checks of one experiment ended.

    Attributes:
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


def left_out(some: Sequence[Site]) -> Iterator[StatusShares]:
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
            others = [n for n, other_site in enumerate(some) if other_site.environment != site.environment]
            for experiment in experiments(some):
                if experiment.program == program:
                    yield from _shares(site.name, numbers, experiment, place, others, judges)


def _shares(
    name: str,
    numbers: MeasuredSite,
    experiment: Experiment,
    place: int,
    trained: Sequence[int],
    judges: Mapping[str, Judge],
) -> Iterator[StatusShares]:
    """Yield how each method judges the runs of an experiment at one site."""
    parts = [(site, min(N_TRAINING, len(numbers.values[site, experiment.training]))) for site in trained]
    whole = numbers.whole(experiment.training, parts)
    good = numbers.values[place, experiment.training]
    bad = numbers.values[place, experiment.negative]
    where = numbers.environments[place, experiment.training][0]
    for method, judge in judges.items():
        fine, fine_checks = _check(whole, where, good[:N_JUDGED], judge)
        changed, changed_checks = _check(whole, where, bad[:N_JUDGED], judge)
        yield StatusShares(
            name,
            NEVER_SEEN,
            experiment.training,
            experiment.negative,
            experiment in SUBTLE,
            len(whole.values),
            method,
            fine,
            changed,
            fine_checks,
            changed_checks,
        )


def _check(
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
    ranks = whole.judged(where, runs, JUDGE)
    return decided(whole, where, None if ranks is None else ranks.mattering, JUDGE.alpha)


def by_all(whole: WholeTests, where: Environment, runs: Sequence[FloatArray]) -> RankedRun | None:
    """Return the rank by differences of every size."""
    ranks = whole.judged(where, runs, JUDGE)
    return None if ranks is None else ranks.any


def decided(whole: WholeTests, environment: Environment, ranked: RankedRun | None, alpha: float) -> Status:
    """Return the status of a test, as if one run could fail alone.

    A regression if the p-value is at most alpha, and no component of the environment is new that all prior
    tests had alike. Inconclusive if more prior tests would show that it differs, or if there is such a
    component.
    """
    if ranked is None:
        return Status.INCONCLUSIVE
    if ranked.p_value > alpha:
        return Status.PASS if ranked.needed is None else Status.INCONCLUSIVE
    return Status.INCONCLUSIVE if new_components(whole.environments, environment) else Status.REGRESSION


def by_rank(whole: WholeTests, where: Environment, runs: Sequence[FloatArray], alpha: float) -> Status:
    """Return a regression wherever the p-value says so, also where a component of the environment is new."""
    ranked = by_all(whole, where, runs)
    if ranked is None:
        return Status.INCONCLUSIVE
    return Status.REGRESSION if ranked.p_value <= alpha else Status.PASS


def by_each_number(whole: WholeTests, runs: Sequence[FloatArray], alpha: float) -> Status:
    """Return a regression if any number differs from all prior tests by Student's t, with Bonferroni."""
    from scipy.stats import t as students_t

    prior = whole.stable.values
    new = np.mean([whole.scaled(run) for run in runs], axis=0)
    error = np.hypot(prior.std(axis=0, ddof=1), whole.stable.floor)
    distance = np.abs(new - prior.mean(axis=0)) / (error * np.sqrt(1 / len(runs) + 1 / len(prior)))
    p_value = 2 * students_t.sf(distance, len(prior) - 1)
    return Status.REGRESSION if np.nanmin(p_value) <= alpha / len(p_value) else Status.PASS
