"""Carry out all experiments with all methods, and count for each run how often it was accepted.

The work is divided by split and training variant, and shared among processes. The results do not depend on
the number of processes, because only whole numbers are added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.errors import JudgeError
from buto.run.model import Run, RunSet
from buto.run.properties import Property
from buto_replications.design import EXPERIMENTS, PROGRAMS, Experiment, Split, splits
from buto_replications.thesis.batch_judging import (
    Accepted,
    Shares,
    Task,
    Variant,
    VariantDivision,
    in_thesis,
    judged,
    judged_properties,
    prepared,
    shares_of,
    smoothing_of,
)
from buto_replications.thesis.grids import JVM, Method, runs_of
from buto_replications.workers import ALONE, Watch, Workers, in_parallel

Counts = npt.NDArray[np.int32]

SEED = 2013


@dataclass(frozen=True, eq=False, slots=True)
class JudgedRuns:
    """How often each run of an experiment was rejected (index 0) and accepted (index 1), over all splits.

    Attributes:
        positive: shape (n_runs, n_properties + 1, 2), runs of the training variant; the last property stands
            for all of them together.
        negative: the same for the negative variant.
    """

    positive: Counts
    negative: Counts


@dataclass(frozen=True, eq=False, slots=True)
class Evaluation:
    """What was evaluated, and the counts.

    Attributes:
        n_runs: number of usable runs that take part, the same for each variant.
        judged: by method and experiment.
        not_applicable: methods that could not be applied, with the reason.
    """

    seed: int
    n_runs: int
    runs: Mapping[str, tuple[str, ...]]
    properties: Mapping[str, tuple[Property, ...]]
    experiments: tuple[Experiment, ...]
    judged: Mapping[tuple[Method, Experiment], JudgedRuns]
    not_applicable: Mapping[Method, str]


def evaluate(
    runs: Mapping[str, RunSet],
    methods: Iterable[Method],
    *,
    seed: int = SEED,
    workers: Workers = ALONE,
    watch: Watch = lambda done, parts: None,
) -> Evaluation:
    """Judge each experiment's runs with each method.

    Args:
        runs: by variant; invalid runs are left out. The same number of runs takes part for each variant: the
            first n, where n is the number of the variant with the fewest.
        workers: who shares the work; the results do not depend on it.

    Returns:
        The same for the same seed.

    Raises:
        JudgeError: no experiment has both of its variants, or there are too few runs for any method.
        UsageError: joblib is missing.
    """
    usable = {variant: of_variant.valid() for variant, of_variant in runs.items() if len(of_variant.valid())}
    experiments = tuple(
        experiment
        for experiment in EXPERIMENTS
        if {experiment.training, experiment.negative} <= usable.keys()
    )
    if not experiments:
        raise JudgeError(
            "no two variants of one program have usable runs", advice="buto experiments generate --help"
        )
    taking_part = {name for experiment in experiments for name in (experiment.training, experiment.negative)}
    n_runs = min(len(usable[name]) for name in taking_part)
    ours = {name: usable[name].runs[:n_runs] for name in sorted(taking_part)}
    asked = tuple(dict.fromkeys(methods))
    not_applicable = _not_applicable(asked, ours, n_runs, seed)
    possible = tuple(method for method in asked if method not in not_applicable)
    if not_applicable and not possible:
        raise JudgeError(
            next(iter(not_applicable.values())), advice="record more runs: buto experiments generate"
        )
    plan = _Plan(seed, n_runs, experiments, possible, ours)
    tasks = list(plan.parts())
    results = in_parallel(judged, map(plan.task, tasks), workers)
    counts = {
        (method, experiment): JudgedRuns(*(plan.zeros(experiment.program) for _ in range(2)))
        for method in possible
        for experiment in experiments
    }
    for done, (part, accepted) in enumerate(zip(tasks, results, strict=True), start=1):
        plan.count(part, accepted, counts)
        watch(done, len(tasks))
    return Evaluation(
        seed,
        n_runs,
        {name: tuple(run.id for run in of_variant) for name, of_variant in ours.items()},
        plan.properties,
        experiments,
        counts,
        not_applicable,
    )


def _not_applicable(
    methods: Sequence[Method], runs: Mapping[str, Sequence[Run]], n_runs: int, seed: int
) -> dict[Method, str]:
    reasons = {}
    for method in methods:
        try:
            divided(list(runs), n_runs, shares_of(method), 1, seed)
        except JudgeError as error:
            reasons[method] = error.message
    if not all(np.isfinite(prepared(of_variant, (), ()).boot_s).all() for of_variant in runs.values()):
        unknown = "some runs have no time of their JVM's start"
        reasons |= {method: unknown for method in methods if method.clock == JVM}
    return reasons


@dataclass(frozen=True, slots=True)
class _Part:
    program: str
    training: str
    split: int


class _Plan:
    """How runs are divided, and which part of the work each task does."""

    def __init__(
        self,
        seed: int,
        n_runs: int,
        experiments: tuple[Experiment, ...],
        methods: tuple[Method, ...],
        runs: Mapping[str, Sequence[Run]],
    ) -> None:
        self.seed, self.n_runs = seed, n_runs
        self.experiments, self.methods, self.runs = experiments, methods, runs
        self.properties = {
            program: judged_properties([run for name in variants if name in runs for run in runs[name]])
            for program, variants in PROGRAMS.items()
        }
        self.divided = {
            shares: divided(list(runs), n_runs, shares, max(method.splits for method in methods), seed)
            for shares in {shares_of(method): None for method in methods}
        }
        self._prepared: tuple[str, Mapping[str, Variant]] = ("", {})

    def parts(self) -> Iterator[_Part]:
        for program in PROGRAMS:
            trained = dict.fromkeys(
                experiment.training for experiment in self.experiments if experiment.program == program
            )
            for split in range(max((method.splits for method in self.methods), default=0)):
                for training in trained:
                    yield _Part(program, training, split)

    def task(self, part: _Part) -> Task:
        variants = self._variants(part.program)
        names = dict.fromkeys(
            [part.training, *(experiment.negative for experiment in self._experiments_with(part.training))]
        )
        properties = self.properties[part.program]
        return Task(
            part.training,
            part.split,
            self.seed,
            properties,
            np.array([in_thesis(prop) for prop in properties], dtype=bool),
            {name: variants[name] for name in names},
            {shares: self._division(part, names, shares) for shares in self.divided},
            self._methods(part),
        )

    def zeros(self, program: str) -> Counts:
        return np.zeros((self.n_runs, len(self.properties[program]) + 1, 2), np.int32)

    def count(
        self,
        part: _Part,
        accepted: Mapping[Method, Accepted],
        counts: Mapping[tuple[Method, Experiment], JudgedRuns],
    ) -> None:
        """Add the results of a task to the counts."""
        for method, by_variant in accepted.items():
            test = self.divided[shares_of(method)][part.split].test
            for experiment in self._experiments_with(part.training):
                judged = counts[method, experiment]
                _add(judged.positive, test[experiment.training], by_variant[experiment.training])
                _add(judged.negative, test[experiment.negative], by_variant[experiment.negative])

    def _methods(self, part: _Part) -> tuple[Method, ...]:
        return tuple(method for method in self.methods if part.split < method.splits)

    def _division(self, part: _Part, names: Iterable[str], shares: Shares) -> VariantDivision:
        split = self.divided[shares][part.split]
        return VariantDivision(split.training[part.training], {name: split.test[name] for name in names})

    def _experiments_with(self, training: str) -> list[Experiment]:
        return [experiment for experiment in self.experiments if experiment.training == training]

    def _variants(self, program: str) -> Mapping[str, Variant]:
        # Hold the smoothed runs of only one program in memory at a time.
        if self._prepared[0] != program:
            ways = list({smoothing_of(method.pipeline): None for method in self.methods})
            self._prepared = (
                program,
                {
                    name: prepared(self.runs[name], self.properties[program], ways)
                    for name in PROGRAMS[program]
                    if name in self.runs
                },
            )
        return self._prepared[1]


def divided(names: Sequence[str], n_runs: int, shares: Shares, n_splits: int, seed: int) -> list[Split]:
    """Return the splits of variants of ``n_runs`` runs each; see :func:`buto_replications.design.splits`."""
    training, test = shares
    return splits(
        {name: range(n_runs) for name in names},
        runs_of(training, n_runs),
        n_splits,
        seed,
        None if test is None else runs_of(test, n_runs),
    )


def _add(counts: Counts, numbers: npt.NDArray[np.int64], accepted: npt.NDArray[np.bool_]) -> None:
    counts[numbers, :, 0] += ~accepted
    counts[numbers, :, 1] += accepted
