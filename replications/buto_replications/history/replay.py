"""Labelled histories: one made up as the paper's, and others replayed from recorded runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from buto.run.model import FloatArray, Run
from buto.run.properties import Kind, Property
from buto_replications.detectors.history.examples import Examples
from buto_replications.detectors.history.known import (
    LEVEL_SHARE,
    STILL,
    LabelledColumns,
    deviations,
    with_sizes,
)
from buto_replications.detectors.history.similarity import BoolArray


@dataclass(frozen=True, slots=True)
class HistorySize:
    """How large a history is; the defaults are those of the paper.

    Attributes:
        repeats: rows of each configuration, which is one version of one test case.
        abnormal: number of abnormal configurations; with 5 repeats the paper has 148.
        faults: factors that are faults, in each group.
    """

    groups: int = 20
    cases: int = 15
    configurations: int = 4184
    repeats: int = 5
    abnormal: int = 148
    metrics: int = 200
    factors: int = 16
    faults: int = 1


PAPER_SIZE = HistorySize()

SUMMARY = 16
"""Number of summary metrics."""

SHIFT, FREE, NEVER_VARY = 8.0, 2.0, 0.4
"""In units of a factor: how far a fault raises it; its deviation between versions where it varies freely, and
where it is a fault."""

GROUP, CASE = 3.0, 0.5
"""Its deviation between groups, and between test cases of a group."""

SHARE, NOISE = 0.05, 0.6
"""By which share a metric grows with a unit of its factor, and how many units its repeats vary."""


def synthetic_history(size: HistorySize, seed: int) -> Examples:
    """Return a history; the same for the same seed."""
    random = np.random.default_rng(seed)
    loadings = _loadings(size, random)
    centres = random.normal(0, GROUP, (size.groups, size.factors))
    levels = random.uniform(1, 8, size.metrics)
    is_fault = np.zeros((size.groups, size.factors), dtype=bool)
    for row in is_fault:
        row[random.permutation(size.factors)[: size.faults]] = True
    n = size.configurations
    group = np.arange(n) % size.groups
    case = random.integers(size.cases, size=n)
    abnormal = np.zeros(n, dtype=bool)
    abnormal[random.permutation(n)[: size.abnormal]] = True
    of_case = random.normal(0, CASE, (size.groups, size.cases, size.factors))[group, case]
    deviation = np.where(is_fault[group], NEVER_VARY, FREE)
    target, baseline = (of_case + random.normal(0, 1, (n, size.factors)) * deviation for _ in range(2))
    for place in np.flatnonzero(abnormal):
        target[place, random.choice(np.flatnonzero(is_fault[group[place]]))] += SHIFT

    def measure(factors: FloatArray) -> FloatArray:
        units = ((factors + centres[group]) @ loadings).repeat(size.repeats, axis=0)
        values: FloatArray = np.exp(levels + SHARE * (units + random.normal(0, NOISE, units.shape)))
        return values

    return Examples(
        measure(target),
        measure(baseline),
        abnormal.repeat(size.repeats),
        group.repeat(size.repeats),
        np.arange(n).repeat(size.repeats),
    )


def _loadings(size: HistorySize, random: np.random.Generator) -> FloatArray:
    """Return how metrics follow factors, shape (n_factors, n_metrics); the first factors have most."""
    shares = np.linspace(3, 1, size.factors)
    factor = random.choice(size.factors, size=size.metrics, p=shares / shares.sum())
    loadings = random.normal(0, 0.05, (size.factors, size.metrics))
    loadings[factor, np.arange(size.metrics)] += random.uniform(0.5, 1.5, size.metrics)
    return loadings


def summarised(rows: FloatArray) -> FloatArray:
    """Return summary metrics: means of neighbouring metrics, shape (n_rows, SUMMARY)."""
    blocks = np.array_split(np.arange(rows.shape[1]), SUMMARY)
    return np.column_stack([rows[:, block].mean(axis=1) for block in blocks])


TextArray = NDArray[np.str_]

FEWEST_POOLS, MOST_POOLS = 2, 4
"""Of a group; as many as its runs allow. To see whether groups help, three are needed: one to judge, one to
try on, one to learn from.
"""

FEWEST_GOOD, FEWEST_OTHERS = 4, 7
"""Good runs in a pool, and good runs outside it, which say how much good runs scatter."""

GOOD = ""
"""The kind of a row that shows no regression."""


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Recorded runs of a program in one configuration, as rows of the same columns.

    Attributes:
        program: that has this regression or that; in another configuration it is another group.
        good: shape (n_runs, n_columns), of the program and of its accepted changes.
        changed: the same of each regression, by its kind.
        grain: shape (n_columns,), smallest meaningful differences.
    """

    name: str
    program: str
    good: FloatArray
    changed: Mapping[str, FloatArray]
    grain: FloatArray


@dataclass(frozen=True, slots=True)
class HistoryPlan:
    """How large a history is.

    Attributes:
        versions: of each group.
        repeats: checks of a version.
        runs: of a check, which counts by their median.
        abnormal: share of the versions.
        drift: deviation of the logarithm of a column's factor, from one version to the next.
        fewest_changed: runs of a regression in a pool.
    """

    versions: int = 100
    repeats: int = 3
    runs: int = 3
    abnormal: float = 0.035
    drift: float = 0.005
    fewest_changed: int = 2

    def pools_of(self, good: Sized, changed: Mapping[str, Sized]) -> int:
        """Return how many pools the runs of a group are divided into; 0 if they are too few."""
        largest = max(map(len, changed.values()), default=0)
        n_pools = min(MOST_POOLS, len(good) // FEWEST_GOOD, largest // self.fewest_changed)
        if n_pools < FEWEST_POOLS or len(good) - ceil(len(good) / n_pools) < FEWEST_OTHERS:
            return 0
        return n_pools


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """A history, and the same in units of the baseline's scatter.

    Attributes:
        groups: their names, by number.
        deviating: targets are deviations, as the detector sees them; baselines are 0.
        kinds: shape (n_rows,), of each row's regression; :data:`GOOD` if there is none.
        programs: shape (n_rows,).
    """

    groups: tuple[str, ...]
    examples: Examples
    deviating: Examples
    kinds: TextArray
    programs: TextArray


def columns_of(runs: Sequence[Run]) -> LabelledColumns:
    """Return the columns of the properties that any run has and that are no constants."""
    known: dict[str, Property] = {prop.name: prop for run in runs for prop in run.properties}
    return LabelledColumns(
        tuple(known[name] for name in sorted(known) if known[name].kind is not Kind.CONSTANT)
    )


def group_of(
    name: str,
    program: str,
    columns: LabelledColumns,
    good: Sequence[Run],
    changed: Mapping[str, Sequence[Run]],
) -> Group:
    regressions = {kind: rows_of(columns, runs) for kind, runs in changed.items() if runs}
    return Group(name, program, rows_of(columns, good), regressions, columns.grain(good))


def rows_of(columns: LabelledColumns, runs: Sequence[Run]) -> FloatArray:
    """Return a row for each run; what was not read is 0, in runs as in their baselines."""
    rows: FloatArray = np.nan_to_num(np.array([columns.measure(run) for run in runs]))
    return rows


def replayed(groups: Sequence[Group], plan: HistoryPlan, seed: int) -> History:
    """Return the history of groups with enough runs for two pools; the same for the same seed."""
    random = np.random.default_rng(seed)
    abnormal = np.zeros((len(groups), plan.versions), dtype=bool)
    n_abnormal = round(plan.abnormal * abnormal.size)
    abnormal.flat[random.permutation(abnormal.size)[:n_abnormal]] = True
    parts = [
        _Replay(group, number, plan, random).part(abnormal[number]) for number, group in enumerate(groups)
    ]
    examples, deviating, kinds = zip(*parts, strict=True)
    programs = [np.full(len(part), group.program) for group, part in zip(groups, examples, strict=True)]
    return History(
        tuple(group.name for group in groups),
        _join(examples),
        _join(deviating),
        np.concatenate(kinds),
        np.concatenate(programs),
    )


class _Replay:
    """The versions of one group."""

    def __init__(self, group: Group, number: int, plan: HistoryPlan, random: np.random.Generator) -> None:
        self._number, self._plan, self._random = number, plan, random
        self._n_pools = plan.pools_of(group.good, group.changed)
        self._good = self._pools(group.good)
        self._changed = {name: self._pools(rows) for name, rows in group.changed.items()}
        self._scales = [
            _scatter(np.concatenate([rows for other, rows in enumerate(self._good) if other != pool]), group)
            for pool in range(self._n_pools)
        ]

    def part(self, abnormal: BoolArray) -> tuple[Examples, Examples, TextArray]:
        """Return the checks of all versions, the same as deviations, and their kinds."""
        n_columns = self._good[0].shape[1]
        steps = self._random.normal(0, self._plan.drift, (len(abnormal) + 1, n_columns))
        drift = np.exp(steps.cumsum(axis=0))
        pools = np.arange(len(abnormal)) % self._n_pools
        drawn = [self._checks(int(pool), bool(bad)) for pool, bad in zip(pools, abnormal, strict=True)]
        targets, baselines = (np.concatenate([run[place] for run in drawn]) for place in (0, 1))
        version = np.arange(len(abnormal)).repeat(self._plan.repeats)
        targets, baselines = targets * drift[version + 1], baselines * drift[version]
        group = np.full(len(targets), self._number)
        configuration = self._number * MOST_POOLS + pools[version]
        scale = np.array(self._scales)[pools[version]]
        away = with_sizes(deviations(targets, baselines, scale * drift[version]))
        return (
            Examples(targets, baselines, abnormal[version], group, configuration),
            Examples(away, np.zeros_like(away), abnormal[version], group, configuration),
            np.array([run[2] for run in drawn]).repeat(self._plan.repeats),
        )

    def _checks(self, pool: int, abnormal: bool) -> tuple[FloatArray, FloatArray, str]:
        """Return the medians of the runs of some checks of a version, and of the runs of their baseline, and
        the kind of its regression.
        """
        good = self._good[pool]
        kinds = [name for name, pools in self._changed.items() if len(pools[pool])]
        kind = kinds[self._random.integers(len(kinds))] if abnormal else GOOD
        shown = self._changed[kind][pool] if abnormal else good
        targets, baselines = [], []
        for _ in range(self._plan.repeats):
            most = len(shown) if abnormal else len(shown) // 2
            chosen = self._random.permutation(len(shown))[: min(self._plan.runs, most)]
            others = good if abnormal else np.delete(good, chosen, axis=0)
            targets.append(np.median(shown[chosen], axis=0))
            baselines.append(np.median(others, axis=0))
        return np.array(targets), np.array(baselines), kind

    def _pools(self, rows: FloatArray) -> list[FloatArray]:
        order = self._random.permutation(len(rows))
        return [rows[order[pool :: self._n_pools]] for pool in range(self._n_pools)]


def _scatter(good: FloatArray, group: Group) -> FloatArray:
    """Return how much good runs of a group scatter in each column."""
    return unit_of(good.var(axis=0, ddof=1), np.median(good, axis=0), group.grain)


def unit_of(variance: FloatArray, level: FloatArray, grain: FloatArray) -> FloatArray:
    """Return the unit of deviations in each column, as the detector counts it, all of shape (n_columns,)."""
    scale: FloatArray = np.sqrt(variance + grain**2 + (LEVEL_SHARE * np.abs(level)) ** 2)
    return np.where(scale > 0, scale, STILL)


def _join(parts: Sequence[Examples]) -> Examples:
    names = ("target", "baseline", "abnormal", "group", "configuration")
    return Examples(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
