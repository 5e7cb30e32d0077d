"""Recorded variants by environment, and each run as the numbers that a whole test is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from buto.classify.metadata import MetadataSettings
from buto.detectors.calibrated.environments import Environment, environment_of
from buto.detectors.calibrated.machine_model import WholeTests
from buto.detectors.calibrated.machine_numbers import Numbers, numbers_for, quantities_of
from buto.detectors.calibrated.settings import CALIBRATED
from buto.errors import BadFileError
from buto.experiments.dataset import archive
from buto.experiments.dataset.files import RUNS
from buto.experiments.design import BENCHMARK, EXPERIMENTS, SUBTLE, Experiment
from buto.runs import FloatArray, Run

DATA = archive.RECORDED.parent

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
class Measured:
    """The runs of a program's variants as numbers.

    Attributes:
        values: by place of the site and variant, shape (n_runs, n_numbers).
        environments: likewise, of each run.
    """

    numbers: Numbers
    values: Mapping[tuple[int, str], FloatArray]
    environments: Mapping[tuple[int, str], tuple[Environment, ...]]

    def whole(self, variant: str, parts: Sequence[tuple[int, int]]) -> WholeTests:
        """Return prior tests: so many of the first runs of a variant at each of some sites."""
        values = np.vstack([self.values[site, variant][:count] for site, count in parts])
        environments = [one for site, count in parts for one in self.environments[site, variant][:count]]
        return WholeTests(self.numbers, values, tuple(environments))


def sites(data: Path | None = None) -> list[Site]:
    """Return the environments of all data sets in a directory that have the variants of the thesis.

    If several data sets are of one environment, the one that was recorded last is taken, because it has the
    most counters.

    Raises:
        BadFileError: there are fewer than two, or one is damaged.
    """
    root = data or DATA
    found: list[Site] = []
    for directory in sorted(path.parent for place in PLACES for path in root.glob(f"{place}/{RUNS}")):
        for host in archive.hosts(directory):
            runs = {name: tuple(some.valid()) for name, some in archive.load(directory, host).items()}
            if runs.get(BENCHMARK):
                found.append(site_of(f"{host} ({directory.relative_to(root)})", runs))
    found.sort(key=lambda one: archive.started(one.runs[BENCHMARK][0]))
    last = {tuple(sorted(one.environment.items())): one for one in found}
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
        one
        for one in (*EXPERIMENTS, *SUBTLE)
        if all(site.runs.get(one.training) and site.runs.get(one.negative) for site in some)
    ]


def measured(some: Sequence[Site], program: str, most: int) -> Measured:
    """Return at most so many runs of each variant of a program as numbers."""
    wanted = [one for one in experiments(some) if one.program == program]
    variants = sorted({name for one in wanted for name in (one.training, one.negative)})
    runs = {(place, name): site.runs[name][:most] for place, site in enumerate(some) for name in variants}
    first = [chosen[0] for chosen in runs.values()]
    numbers = numbers_for(first, tuple(quantities_of(first, JUDGE).values()))
    return Measured(
        numbers,
        {key: np.array([numbers.measure(run) for run in chosen]) for key, chosen in runs.items()},
        {
            key: tuple(environment_of(run.metadata, COMPONENTS_DECIDE) for run in chosen)
            for key, chosen in runs.items()
        },
    )
